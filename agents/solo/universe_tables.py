"""The tables that can be rolled on in a story: those of its world's canon, over the user's and the bundled ones."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from agents.proposals.written_tables import TABLE_PREDICATE
from agents.resolver.random_tables import MAX_TABLES, TableLibrary, add_written_tables
from stores.ports import CanonReader
from stores.queries import FactQuery
from stores.records.canon import FactKind
from stores.records.ids import Id


@dataclass(frozen=True, slots=True)
class UniverseTables:
    """Reads the tables of a universe. What the program itself draws from stays the user's and the bundled."""

    canon: CanonReader
    load_tables: Callable[[], TableLibrary]
    """Returns the user's tables over the bundled ones."""

    async def read_own_tables(self) -> TableLibrary:
        return await asyncio.to_thread(self.load_tables)

    async def read_world_tables(self, universe_id: Id) -> TableLibrary:
        """Return the tables that became canon; what cannot be read is in `errors`, with its line."""
        query = FactQuery(kind=FactKind.LORE, predicate=TABLE_PREDICATE, limit=MAX_TABLES)
        facts = await self.canon.facts(universe_id, query)
        return add_written_tables((fact.statement for fact in facts), TableLibrary({}))

    async def read_library(self, universe_id: Id) -> TableLibrary:
        """Return every table that a name may mean; a world's own goes before one of the same name."""
        own, world = await self.read_own_tables(), await self.read_world_tables(universe_id)
        return TableLibrary({**own.tables, **world.tables}, own.notes, (*world.errors, *own.errors))

    async def list_names(self, universe_id: Id) -> list[str]:
        """Return the names of all tables, the world's own first."""
        own, world = await self.read_own_tables(), await self.read_world_tables(universe_id)
        return list(dict.fromkeys((*sorted(world.tables), *sorted(own.tables))))

    async def describe_tables(self, universe_id: Id) -> tuple[str, ...]:
        """Return the lines that `/table` alone shows: every table by name, and those that cannot be used."""
        own, world = await self.read_own_tables(), await self.read_world_tables(universe_id)
        lines = [
            f"{name}: {table.title}, {table.die or f'd{table.total}'}, {len(table.rows)} rows"
            for name, table in sorted(world.tables.items())
        ]
        heading = "Roll on which table? Those of this world:" if lines else "Roll on which table?"
        others = [name for name in sorted(own.tables) if name not in world.tables]
        return (
            heading,
            *lines,
            *((f"Yours and the program's: {', '.join(others)}.",) if others else ()),
            *map(str, (*world.errors, *own.errors)),
        )
