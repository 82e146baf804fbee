"""The tables to roll on: listed with their rows, and the user's own written."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from typing import Final, Protocol

from agents.resolver.random_tables import (
    RandomTable,
    TableLibrary,
    bundled_tables,
    called_names,
    list_results,
    read_table,
)
from agents.solo.universe_tables import UniverseTables
from agents.views.table_views import TableOrigin, TablesView, TableView
from stores.errors import InputError
from stores.records.ids import Id

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")

NEW_TABLE: Final = """\
title: Weather on the pass
licence: CC0-1.0
attribution: Me.
die: d6
rows:
  - fog, and nothing else for an hour
  - {text: rain, weight: 3}
  - "snow, and {descriptors} tracks in it"
  - a clear sky
"""
"""What a new table begins with."""


class TableFiles(Protocol):
    """The user's own tables. Both raise InputError."""

    def read_own_table(self, name: str) -> str:
        """Return the text of a table of the user's own; empty if there is none of this name."""
        ...

    def write_table(self, name: str, text: str) -> None:
        """Write a table of the user's own; it is used from now on."""
        ...


class TableService:
    """Lists every table, and writes the user's own. Tables of a world are facts: they change at the gate."""

    def __init__(self, tables: UniverseTables, files: TableFiles) -> None:
        self._tables = tables
        self._files = files

    async def list_tables(self, universe_id: Id | None = None) -> TablesView:
        """Return the tables by name, those of a world too. Raises StoreError."""
        own = await self._tables.read_own_tables()
        world = await self._tables.read_world_tables(universe_id) if universe_id else TableLibrary({})
        library = {**own.tables, **world.tables}
        views = tuple(
            _build_view(table, _find_origin(table, world.tables), library)
            for _, table in sorted(library.items())
        )
        return TablesView(views, tuple(map(str, (*world.errors, *own.errors))))

    async def read_text(self, name: str) -> str:
        """Return the text of a table to edit: the user's own, a copy of the program's, or an example."""
        if own_text := await asyncio.to_thread(self._files.read_own_table, name):
            return own_text
        table = bundled_tables().tables.get(name)
        return _write_text(table) if table is not None else NEW_TABLE

    async def save_table(self, name: str, text: str) -> tuple[str, ...]:
        """Check and write a table of the user's own, and return what to say of it.

        Raises InputError with the line that is wrong: nothing is written then.
        """
        name = parse_table_name(name)
        table = read_table(name, text)
        await asyncio.to_thread(self._files.write_table, name, text)
        library = (await self._tables.read_own_tables()).tables
        missing = ", ".join(called for called in called_names(table) if called not in library)
        row_count = f"{len(table.rows):,} row{'' if len(table.rows) == 1 else 's'}"
        return (
            f"Saved: {table.title}, {row_count}. /table {name} rolls on it.",
            *((f"There is no table {missing} yet: its name is shown in its place.",) if missing else ()),
        )


def parse_table_name(name: str) -> str:
    """Return the name of a table as its file is called. Raises InputError."""
    file_name = name.strip().casefold().replace(" ", "_")
    if not _NAME.fullmatch(file_name):
        raise InputError(
            f"“{name.strip()[:40]}” cannot be the name of a table.",
            kept="Nothing was written.",
            todo="Use small letters, digits, _ and -, as in weather_at_sea.",
        )
    return file_name


def _find_origin(table: RandomTable, world_tables: Mapping[str, RandomTable]) -> TableOrigin:
    if table.name in world_tables:
        return TableOrigin.WORLD
    is_bundled = bundled_tables().tables.get(table.name) is table
    return TableOrigin.BUNDLED if is_bundled else TableOrigin.OWN


def _build_view(table: RandomTable, origin: TableOrigin, library: Mapping[str, RandomTable]) -> TableView:
    return TableView(
        name=table.name,
        title=table.title,
        origin=origin,
        die=table.die or f"d{table.total}",
        rows=tuple((results, row.text) for results, row in zip(list_results(table), table.rows, strict=True)),
        missing_names=tuple(name for name in called_names(table) if name not in library),
    )


def _write_text(table: RandomTable) -> str:
    """Return a table as the YAML file that `read_table` reads."""
    import yaml

    rows = [
        row.text
        if row.weight == 1 and row.aim is None
        else {
            "text": row.text,
            **({"weight": row.weight} if row.weight != 1 else {}),
            **({"aim": row.aim.value} if row.aim else {}),
        }
        for row in table.rows
    ]
    head = {"title": table.title, "licence": table.licence, "attribution": table.attribution}
    about = {"about": table.about} if table.about else {}
    die = {"die": table.die} if table.die else {}
    document: dict[str, object] = {**head, **about, **die, "rows": rows}
    text: str = yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=1_000)
    return text
