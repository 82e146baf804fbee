"""What a library knows of itself as a mirror: of which library, under which name, and up to which term."""

from __future__ import annotations

from typing import NamedTuple

import apsw

from stores.authority import Store
from stores.embedded.database import Database
from stores.records.ids import Id


class Place(NamedTuple):
    """`library` is the identity it shares with the servers (None: never joined to any); `mirror` its own.

    `term` is the last term that it held: all of the library up to its end is here. `joined` are the stores
    whose servers have been seen to bear this identity. `stale`: it is known to lack something, and is to be
    made anew.
    """

    library: Id | None = None
    mirror: Id | None = None
    term: int = 0
    joined: frozenset[Store] = frozenset()
    stale: bool = False


async def place_of(db: Database) -> Place:
    """Return what the library says of itself."""
    rows = await db.read(lambda c: c.execute("SELECT name, value FROM mirror").fetchall())
    said = {str(name): str(value) for name, value in rows}
    return Place(
        said.get("library"),
        said.get("mirror"),
        int(said.get("term", "0")),
        frozenset(Store(name) for name in said.get("joined", "").split()),
        "stale" in said,
    )


async def settle_in(db: Database, place: Place) -> None:
    """Store what the library says of itself from now on; durable when it returns."""
    said = {
        "library": place.library,
        "mirror": place.mirror,
        "term": str(place.term),
        "joined": " ".join(sorted(place.joined)),
        "stale": "yes" if place.stale else None,
    }

    def write(connection: apsw.Connection) -> None:
        connection.execute("DELETE FROM mirror")
        connection.executemany(
            "INSERT INTO mirror(name, value) VALUES (?, ?)",
            ((name, value) for name, value in said.items() if value is not None),
        )

    await db.write_as_owner(write)


async def universes_of(db: Database) -> set[Id]:
    """Return which universes the library has."""
    rows = await db.read(lambda c: c.execute("SELECT id FROM canon_universes").fetchall())
    return {str(universe_id) for (universe_id,) in rows}


async def is_empty(db: Database) -> bool:
    """Tell whether the library holds nothing of worth: no world, no play, no documents."""
    tables = ("canon_universes", "canon_entities", "stories", "sources", "policies")
    sql = " UNION ALL ".join(f"SELECT 1 FROM {table}" for table in tables)
    return await db.read(lambda c: c.execute(f"SELECT 1 FROM ({sql}) LIMIT 1").fetchone()) is None
