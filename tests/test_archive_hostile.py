"""Archives that are damaged, foreign or made to harm: each is refused, in words, and changes nothing."""

from __future__ import annotations

import hashlib
import json
import struct
import zipfile
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stores import archive_file, archive_zip
from stores.archive import export_campaign, import_campaign
from stores.authority import Role
from stores.errors import ArchiveError
from stores.history import OPTIONAL_COLLECTIONS
from stores.open import Stores, open_stores
from stores.records.ids import Id
from tests.campaign import play_campaign
from tests.contract import builders as make

pytestmark = pytest.mark.slow


class Forge:
    """A sound archive, to be spoilt: `members` are its contents, `rows` the records of a collection."""

    def __init__(self, path: Path, universe_id: Id) -> None:
        self.path = path
        self.universe_id = universe_id
        with zipfile.ZipFile(path) as opened:
            self.members = {name: opened.read(name) for name in opened.namelist()}
        self.manifest: dict[str, Any] = json.loads(self.members.pop("manifest.json"))

    def rows(self, collection: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.members[f"{collection}.jsonl"].splitlines()]

    def set_rows(self, collection: str, rows: list[dict[str, Any]]) -> None:
        """Replace the records, with a manifest that vouches for the new ones."""
        name = f"{collection}.jsonl"
        self.members[name] = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
        self.manifest["counts"][collection] = len(rows)
        self.vouch(name)

    def change(self, collection: str, **fields: Any) -> None:
        """Change the first record of the collection."""
        first, *rest = self.rows(collection)
        self.set_rows(collection, [first | fields, *rest])

    def vouch(self, name: str) -> None:
        self.manifest["members"][name] = hashlib.sha256(self.members[name]).hexdigest()

    def write(self) -> Path:
        members = [*self.members.items(), ("manifest.json", json.dumps(self.manifest).encode())]
        with zipfile.ZipFile(self.path, "w", zipfile.ZIP_DEFLATED) as new:
            for name, data in members:
                new.writestr(name, data)
        return self.path


@pytest.fixture
async def forge(tmp_path: Path) -> AsyncIterator[Forge]:
    stores = await open_stores(tmp_path / "elsewhere")
    try:
        universe_id = await play_campaign(stores)
        await export_campaign(stores, universe_id, tmp_path / "a.monitor.zip")
        yield Forge(tmp_path / "a.monitor.zip", universe_id)
    finally:
        await stores.close()


@pytest.fixture
async def library(tmp_path: Path) -> AsyncIterator[Stores]:
    stores = await open_stores(tmp_path / "home")
    try:
        yield stores
    finally:
        await stores.close()


async def refused(library: Stores, path: Path) -> str:
    """Import it; return what was said. Nothing may be there that was not there before."""
    log, canon = library.log(Role.CONTEXT_ASSEMBLY), library.canon(Role.CONTEXT_ASSEMBLY)
    before = await canon.universes(), await log.stories(), await log.transitions()
    with pytest.raises(ArchiveError) as told:
        await import_campaign(library, path)
    assert (await canon.universes(), await log.stories(), await log.transitions()) == before
    assert told.value.kept == "Nothing was changed."
    assert told.value.todo
    return told.value.what


async def test_archive_forged_without_changes_is_accepted(forge: Forge, library: Stores) -> None:
    assert (await import_campaign(library, forge.write())).universe_id == forge.universe_id


# --- the outside ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd",
        "/etc/passwd",
        "..\\..\\evil.exe",
        "C:\\evil.exe",
        "objects/originals/../../library.db",
        "objects/originals/" + "A" * 64,
        "objects/backups/" + "a" * 64,
        "objects/originals/",
        "turns.jsonl/",
        "turns.json",
        "extra.txt",
    ],
)
async def test_archive_rejects_unknown_members(name: str, forge: Forge, library: Stores) -> None:
    forge.members[name] = b"x"
    forge.vouch(name)
    assert "archive" in await refused(library, forge.write())


async def test_archive_rejects_a_member_name_with_a_nul(forge: Forge, library: Stores) -> None:
    forge.members["turns.jsonl?.exe"] = forge.members.pop("turns.jsonl")
    path = forge.write()
    overwrite(path, lambda data: data.replace(b"turns.jsonl?.exe", b"turns.jsonl\0.exe"))
    assert "a member that no archive has" in await refused(library, path)


async def test_archive_rejects_a_duplicate_member(forge: Forge, library: Stores) -> None:
    path = forge.write()
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(path, "a") as more:
        more.writestr("turns.jsonl", forge.members["turns.jsonl"])
    assert "twice" in await refused(library, path)


async def test_archive_rejects_too_many_members(
    forge: Forge, library: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_file, "CAMPAIGN_FORMAT", replace(archive_file.CAMPAIGN_FORMAT, max_members=5))
    assert "too many" in await refused(library, forge.write())


async def test_archive_rejects_a_zip_bomb(forge: Forge, library: Stores) -> None:
    forge.members["turns.jsonl"] = b"\n" * 100_000_000
    forge.vouch("turns.jsonl")
    assert "unpack to 100" in await refused(library, forge.write())


async def test_archive_rejects_a_zip_bomb_with_a_false_size(forge: Forge, library: Stores) -> None:
    """It gives no more than it said, and then its checksum is wrong."""
    forge.members["turns.jsonl"] = b"\n" * 50_000_000
    forge.vouch("turns.jsonl")
    path = forge.write()
    overwrite(path, lambda data: data.replace(struct.pack("<L", 50_000_000), struct.pack("<L", 1_000)))
    await refused(library, path)


async def test_archive_rejects_an_oversized_original(
    forge: Forge, library: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_zip, "MAX_OBJECT_BYTES", 10)
    assert "too large" in await refused(library, forge.write())


async def test_archive_rejects_an_oversized_record(
    forge: Forge, library: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_zip, "MAX_LINE_BYTES", 100)
    assert "too large" in await refused(library, forge.write())


async def test_archive_rejects_other_compressions(forge: Forge, library: Stores) -> None:
    path = forge.write()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as new:
        new.writestr("manifest.json", json.dumps(forge.manifest))
    assert "packed" in await refused(library, path)


async def test_archive_rejects_encrypted_members(forge: Forge, library: Stores) -> None:
    path = forge.write()
    overwrite(
        path, lambda data: data.replace(b"PK\x01\x02\x14\x03\x14\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01")
    )
    assert "packed" in await refused(library, path)


# --- damage -----------------------------------------------------------------------------------------


def overwrite(path: Path, change: Callable[[bytes], bytes]) -> None:
    path.write_bytes(change(path.read_bytes()))


async def test_archive_rejects_a_wrong_checksum(forge: Forge, library: Stores) -> None:
    forge.members["turns.jsonl"] += b"\n"
    assert "turns.jsonl is not what" in await refused(library, forge.write())


async def test_archive_rejects_an_original_with_a_wrong_key(forge: Forge, library: Stores) -> None:
    (name,) = (name for name in forge.members if name.startswith("objects/originals/"))
    forge.members[name] = b"something else"
    forge.vouch(name)
    assert "is not what" in await refused(library, forge.write())


@pytest.mark.parametrize("part", [0.0, 0.01, 0.5, 0.9, 0.999])
async def test_archive_rejects_a_truncated_file(part: float, forge: Forge, library: Stores) -> None:
    overwrite(forge.path, lambda data: data[: int(len(data) * part)])
    assert "damaged" in await refused(library, forge.path)


@pytest.mark.parametrize("place", [0.1, 0.3, 0.5, 0.7, 0.9])
async def test_archive_rejects_a_flipped_byte(place: float, forge: Forge, library: Stores) -> None:
    def flip(data: bytes) -> bytes:
        with zipfile.ZipFile(forge.path) as opened:  # in what it holds: no reader looks at every header
            largest = max(opened.infolist(), key=lambda info: info.compress_size)
        start = largest.header_offset + 30 + len(largest.filename)
        at = start + int(largest.compress_size * place)
        return data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]

    overwrite(forge.path, flip)
    await refused(library, forge.path)


async def test_archive_without_later_collections_is_imported(forge: Forge, library: Stores) -> None:
    (cold,) = (name for name in forge.members if name.startswith("objects/archives/"))
    del forge.members[cold], forge.manifest["members"][cold]
    for collection in OPTIONAL_COLLECTIONS:
        del forge.members[f"{collection}.jsonl"]
        del forge.manifest["members"][f"{collection}.jsonl"]
        del forge.manifest["counts"][collection]
    assert (await import_campaign(library, forge.write())).universe_id == forge.universe_id
    (story,) = await library.log(Role.CONTEXT_ASSEMBLY).stories()
    assert await library.log(Role.CONTEXT_ASSEMBLY).notes(story_id=story.id) == []


async def test_archive_rejects_a_foreign_zip(forge: Forge, library: Stores) -> None:
    with zipfile.ZipFile(forge.path, "w") as new:
        new.writestr("holiday.jpg", b"not a campaign")
    assert "no manifest" in await refused(library, forge.path)


@pytest.mark.parametrize("data", [b"", b"PK", b"not a zip at all" * 1_000])
async def test_archive_rejects_a_file_that_is_no_zip(data: bytes, forge: Forge, library: Stores) -> None:
    overwrite(forge.path, lambda _: data)
    assert "no zip file" in await refused(library, forge.path)


# --- the manifest -----------------------------------------------------------------------------------


async def test_archive_rejects_a_newer_format(forge: Forge, library: Stores) -> None:
    forge.manifest |= {"format": 99, "unheard_of": True}
    assert "newer MONITOR" in await refused(library, forge.write())


@pytest.mark.parametrize(
    "manifest",
    [
        "[]",
        "{}",
        "null",
        "not json",
        "[" * 5_000,
        '{"kind": "monitor-campaign", "format": "x"}',
        '{"kind": "monitor-campaign", "format": 1e999}',
    ],
)
async def test_archive_rejects_a_foreign_manifest(manifest: str, forge: Forge, library: Stores) -> None:
    with zipfile.ZipFile(forge.path, "w") as new:
        new.writestr("manifest.json", manifest)
    assert "manifest" in await refused(library, forge.path)


@pytest.mark.parametrize(
    "change",
    [
        {"format": -1},
        {"universe_id": 7},
        {"exported_at": "yesterday"},
        {"members": {}},
        {"counts": {}},
        {"surplus": 1},
    ],
)
async def test_archive_rejects_an_invalid_manifest(
    change: dict[str, Any], forge: Forge, library: Stores
) -> None:
    forge.manifest |= change
    await refused(library, forge.write())


async def test_archive_rejects_a_missing_collection(forge: Forge, library: Stores) -> None:
    del forge.members["turns.jsonl"], forge.manifest["members"]["turns.jsonl"]
    assert "all of a campaign" in await refused(library, forge.write())


async def test_archive_rejects_a_wrong_count(forge: Forge, library: Stores) -> None:
    forge.manifest["counts"]["turns"] += 1
    assert "as many records" in await refused(library, forge.write())


# --- the records ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("collection", "fields"),
    [
        ("turns", {"depth": -1}),
        ("turns", {"speaker": "the devil"}),
        ("turns", {"unheard_of": 1}),
        ("proposed_changes", {"payload": {"kind": "delete_everything"}}),
        ("facts", {"confidence": "certain"}),
    ],
)
async def test_archive_rejects_invalid_records(
    collection: str, fields: dict[str, Any], forge: Forge, library: Stores
) -> None:
    forge.change(collection, **fields)
    assert "no valid record" in await refused(library, forge.write())


@pytest.mark.parametrize("line", [b"\n", b"null\n", b"[[[[[[[[\n", b"\xff\xfe\n", b"[" * 100_000 + b"\n"])
async def test_archive_rejects_lines_that_are_no_record(line: bytes, forge: Forge, library: Stores) -> None:
    forge.members["turns.jsonl"] += line
    forge.vouch("turns.jsonl")
    assert "no valid record" in await refused(library, forge.write())


async def test_archive_rejects_a_duplicate_record(forge: Forge, library: Stores) -> None:
    rows = forge.rows("turns")
    forge.set_rows("turns", [*rows, rows[0]])
    assert "the same record twice" in await refused(library, forge.write())


async def test_archive_rejects_records_of_another_universe(forge: Forge, library: Stores) -> None:
    forge.change("facts", universe_id=make.new_id())
    assert "another universe" in await refused(library, forge.write())


async def test_archive_rejects_two_universes(forge: Forge, library: Stores) -> None:
    (one,) = forge.rows("universes")
    forge.set_rows("universes", [one, one | {"id": make.new_id()}])
    assert "one universe" in await refused(library, forge.write())


async def test_archive_rejects_turn_trees_with_cycles(forge: Forge, library: Stores) -> None:
    first = forge.rows("turns")[0]
    forge.change("turns", parent_id=first["id"], depth=1)
    assert "does not fit" in await refused(library, forge.write())


async def test_archive_rejects_turns_before_their_parents(forge: Forge, library: Stores) -> None:
    forge.set_rows("turns", forge.rows("turns")[::-1])
    assert "does not fit" in await refused(library, forge.write())


async def test_archive_rejects_a_head_in_another_scene(forge: Forge, library: Stores) -> None:
    first, second = forge.rows("scenes")
    forge.set_rows("scenes", [first, second | {"head": first["head"]}])
    assert "stands on a turn" in await refused(library, forge.write())


@pytest.mark.parametrize(
    ("collection", "field"),
    [
        ("scenes", "story_id"),
        ("turns", "scene_id"),
        ("head_moves", "scene_id"),
        ("supports", "evidence_id"),
        ("supersessions", "older_id"),
    ],
)
async def test_archive_rejects_references_to_missing_records(
    collection: str, field: str, forge: Forge, library: Stores
) -> None:
    forge.change(collection, **{field: make.new_id()})
    assert "is not in its" in await refused(library, forge.write())


async def test_archive_rejects_transitions_of_unknown_subjects(forge: Forge, library: Stores) -> None:
    forge.change("transitions", subject_id=make.new_id())
    assert "transition" in await refused(library, forge.write())


async def test_archive_rejects_a_stored_withdrawn_proposal(forge: Forge, library: Stores) -> None:
    forge.change("proposed_changes", status="withdrawn")
    assert "never stored" in await refused(library, forge.write())


async def test_archive_rejects_an_original_without_a_source(forge: Forge, library: Stores) -> None:
    forge.change("sources", object_key="")
    assert "originals" in await refused(library, forge.write())


async def test_archive_rejects_an_archived_log_without_a_record(forge: Forge, library: Stores) -> None:
    forge.change("archived_logs", object_key="0" * 64)
    assert "archives" in await refused(library, forge.write())


# --- reaching into another campaign -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("collection", "field"),
    [("memories", "entity_id"), ("proposed_changes", "turn_id"), ("entities", "id"), ("memories", "id")],
)
async def test_archive_rejects_identifiers_in_use(
    collection: str, field: str, forge: Forge, library: Stores
) -> None:
    """Whoever has seen a campaign knows its identifiers, and could send back memories for its people."""
    own = await play_campaign(library)
    theirs = {
        "entity_id": (await library.canon(Role.CONTEXT_ASSEMBLY).entities(own))[0].id,
        "turn_id": await a_turn_of(library, own),
    }
    theirs["id"] = theirs["entity_id"]
    forge.change(collection, **{field: theirs[field]})
    assert "another campaign" in await refused(library, forge.write())


async def test_archive_with_names_in_other_spellings_is_imported(forge: Forge, library: Stores) -> None:
    """An identifier written with JSON escapes is the same identifier."""
    own = await play_campaign(library)
    turn_id = await a_turn_of(library, own)
    forge.change("memories", turn_id="ESCAPED")
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in turn_id).encode()
    forge.members["memories.jsonl"] = forge.members["memories.jsonl"].replace(b"ESCAPED", escaped)
    forge.vouch("memories.jsonl")
    assert "another campaign" in await refused(library, forge.write())


async def a_turn_of(library: Stores, universe_id: Id) -> Id:
    log = library.log(Role.CONTEXT_ASSEMBLY)
    (story,) = await log.stories(universe_id)
    scenes = await log.scenes(story.id)
    return (await log.all_turns(scenes[0].id))[0].id


# --- what this program never writes -----------------------------------------------------------------


@pytest.mark.parametrize("number", [float("inf"), float("-inf"), float("nan")])
async def test_archive_with_a_number_without_end_is_refused(
    number: float, forge: Forge, library: Stores
) -> None:
    """Such a number was once imported, stored as null, and shut its owner out of the library."""
    forge.change("entities", numbers={"hp": number})
    assert "entities.jsonl" in await refused(library, forge.write())


async def test_archive_with_a_fact_without_evidence_is_refused(forge: Forge, library: Stores) -> None:
    fact_id = forge.rows("facts")[0]["id"]
    forge.set_rows("supports", [row for row in forge.rows("supports") if row["subject_id"] != fact_id])
    assert "A fact has no evidence." in await refused(library, forge.write())


async def test_archive_with_a_scene_that_nothing_moved_is_refused(forge: Forge, library: Stores) -> None:
    forge.set_rows("head_moves", [])
    assert "nothing moved it to" in await refused(library, forge.write())


@pytest.mark.parametrize(
    ("collection", "oversized", "words"),
    [
        ("turns", {"text": "x" * 2_000_000}, "A text has 2,000,000 characters"),
        ("facts", {"statement": "x" * 2_000_000}, "A text has 2,000,000 characters"),
        ("notes", {"text": "x" * 2_000_000}, "A text has 2,000,000 characters"),
        ("universes", {"description": "x" * 2_000_000}, "A text has 2,000,000 characters"),
        ("entities", {"name": "x" * 2_000}, "A name has 2,000 characters"),
        (
            "entities",
            {"aliases": [f"Mara {n}" for n in range(2_000)]},
            "2,000 other names; 1,000 are the most",
        ),
        ("universes", {"name": "x" * 2_000}, "A name has 2,000 characters"),
        ("scenes", {"title": "x" * 2_000}, "A title has 2,000 characters"),
    ],
)
async def test_archive_with_a_text_or_name_beyond_sense_is_refused(
    collection: str, oversized: dict[str, Any], words: str, forge: Forge, library: Stores
) -> None:
    """The background would read a turn of 60 MB and compare 20,000 names for minutes."""
    forge.change(collection, **oversized)
    assert words in await refused(library, forge.write())


@pytest.mark.parametrize("absurd", [{"cost": {"micros": 2**62, "known": True}}, {"tokens_in": 10**12}])
async def test_archive_with_a_bill_beyond_sense_is_refused(
    absurd: dict[str, Any], forge: Forge, library: Stores
) -> None:
    """Two calls of 2^62 would overflow every sum, and no budget could be checked any more."""
    forge.change("llm_calls", **absurd)
    assert "no call can have" in await refused(library, forge.write())
