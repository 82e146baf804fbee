"""Where random tables come from: the ones bundled here, and the user's own files.

Source: design/product.md, "Rule systems are data"; design/authority.md, "Security" (bounded).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

from agents import marked_yaml
from agents.resolver.random_tables import Shelf, refused, shelve
from stores.errors import InputError

MAX_TABLES: Final = 200
"""Tables that are read from one folder."""
_MAX_BYTES: Final = 4 * marked_yaml.MAX_CHARS


@cache
def bundled_tables() -> Shelf:
    """Return the tables that come with the program. Raises InputError if one is wrong."""
    folder = files("agents.resolver").joinpath("tables")
    found = sorted((file for file in folder.iterdir() if file.name.endswith(".yaml")), key=lambda f: f.name)
    shelf = shelve({f.name.removesuffix(".yaml"): f.read_text(encoding="utf-8") for f in found}, Shelf({}))
    for error in shelf.refused:
        raise error
    return shelf


def read_tables(paths: Iterable[Path], onto: Shelf) -> Shelf:
    """Return the shelf with the user's tables put onto it; each is named by its file, in small letters.

    A file that cannot be read is told in `refused`, like one that is wrong.
    """
    texts: dict[str, str] = {}
    unread: list[InputError] = []
    for path in sorted(paths):
        name = path.stem.casefold()
        if len(texts) == MAX_TABLES:
            unread.append(refused(name, f"more than {MAX_TABLES} tables are not read"))
            break
        try:
            texts[name] = _text_of(path)
        except (OSError, ValueError) as error:
            unread.append(refused(name, str(error)))
    shelf = shelve(texts, onto)
    return Shelf(shelf.tables, shelf.notes, (*shelf.refused, *unread))


def _text_of(path: Path) -> str:
    if not path.is_file():
        raise ValueError("it is no file")
    with path.open("rb") as file:
        data = file.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        raise ValueError(f"it has more than {_MAX_BYTES:,} bytes")
    return data.decode("utf-8-sig")
