"""Where random tables come from: the ones bundled here, and the user's own files."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

from agents import yaml_with_lines as marked_yaml
from agents.resolver.random_tables import TableLibrary, add_tables, table_error
from stores.errors import InputError

MAX_TABLES: Final = 200
"""Tables that are read from one folder."""
_MAX_BYTES: Final = 4 * marked_yaml.MAX_CHARS


@cache
def bundled_tables() -> TableLibrary:
    """Return the tables that come with the program. Raises InputError if one is wrong."""
    folder = files("agents.resolver").joinpath("tables")
    table_paths = sorted(
        (file for file in folder.iterdir() if file.name.endswith(".yaml")), key=lambda f: f.name
    )
    table_library = add_tables(
        {f.name.removesuffix(".yaml"): f.read_text(encoding="utf-8") for f in table_paths}, TableLibrary({})
    )
    for error in table_library.errors:
        raise error
    return table_library


def read_tables(paths: Iterable[Path], base_library: TableLibrary) -> TableLibrary:
    """Return the library with the user's tables added; each is named after its file, in lower case.

    A file that is wrong or cannot be read is reported in `errors`.
    """
    texts: dict[str, str] = {}
    read_errors: list[InputError] = []
    for path in sorted(paths):
        name = path.stem.casefold()
        if len(texts) == MAX_TABLES:
            read_errors.append(table_error(name, f"more than {MAX_TABLES} tables are not read"))
            break
        try:
            texts[name] = _read_table_text(path)
        except (OSError, ValueError) as error:
            read_errors.append(table_error(name, str(error)))
    table_library = add_tables(texts, base_library)
    return TableLibrary(table_library.tables, table_library.notes, (*table_library.errors, *read_errors))


def _read_table_text(path: Path) -> str:
    if not path.is_file():
        raise ValueError("it is no file")
    with path.open("rb") as file:
        data = file.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        raise ValueError(f"it has more than {_MAX_BYTES:,} bytes")
    return data.decode("utf-8-sig")
