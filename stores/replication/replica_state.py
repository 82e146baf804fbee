"""What a copy stores about itself: of which library it is the copy, and up to which lease."""

from __future__ import annotations

from typing import NamedTuple

import apsw

from stores.authority import Store
from stores.embedded.database import Database
from stores.records.ids import Id


class ReplicaState(NamedTuple):
    """The identity of a copy and how far it reaches.

    `library_id` is the identity that it shares with the servers (None: never joined), `replica_id` its own.
    `lease_number` is the last lease that it held: the copy has all of the library up to its end.
    `joined_stores` are those whose servers have this identity. `is_stale`: it lacks something, and must be
    fetched anew.
    """

    library_id: Id | None = None
    replica_id: Id | None = None
    lease_number: int = 0
    joined_stores: frozenset[Store] = frozenset()
    is_stale: bool = False


async def read_replica_state(db: Database) -> ReplicaState:
    """Read the state of a library."""
    rows = await db.read(lambda c: c.execute("SELECT name, value FROM mirror").fetchall())
    stored_values = {str(name): str(value) for name, value in rows}
    return ReplicaState(
        stored_values.get("library"),
        stored_values.get("mirror"),
        int(stored_values.get("term", "0")),
        frozenset(Store(name) for name in stored_values.get("joined", "").split()),
        "stale" in stored_values,
    )


async def write_replica_state(db: Database, replica_state: ReplicaState) -> None:
    """Store the state of a library; durable when it returns."""
    stored_values = {
        "library": replica_state.library_id,
        "mirror": replica_state.replica_id,
        "term": str(replica_state.lease_number),
        "joined": " ".join(sorted(replica_state.joined_stores)),
        "stale": "yes" if replica_state.is_stale else None,
    }

    def write(connection: apsw.Connection) -> None:
        connection.execute("DELETE FROM mirror")
        connection.executemany(
            "INSERT INTO mirror(name, value) VALUES (?, ?)",
            ((name, value) for name, value in stored_values.items() if value is not None),
        )

    await db.write_as_owner(write)


async def read_universe_ids(db: Database) -> set[Id]:
    """Return the universes of a library."""
    rows = await db.read(lambda c: c.execute("SELECT id FROM canon_universes").fetchall())
    return {str(universe_id) for (universe_id,) in rows}


async def is_library_empty(db: Database) -> bool:
    """Return whether the library has no world, no play and no documents."""
    tables = ("canon_universes", "canon_entities", "stories", "sources", "policies")
    sql = " UNION ALL ".join(f"SELECT 1 FROM {table}" for table in tables)
    return await db.read(lambda c: c.execute(f"SELECT 1 FROM ({sql}) LIMIT 1").fetchone()) is None
