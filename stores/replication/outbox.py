"""What is still to be sent to a server: rows of the library's own file, in the order they were made.

A row is written in the same commit as what it tells of, so that no crash can part them. `applied` says
that the library's own tables have it already; a row that is not was on its way to the server when the
process ended. Source: issue "The five stores" ("turns are kept in a local spool and replayed").
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

import apsw

from stores.authority import Role, Store
from stores.embedded.database import ConnectionWork, Database, Priority
from stores.embedded.permissions import OUTBOX_TABLE
from stores.replication.port_calls import parse_arguments

T = TypeVar("T")

PRIMARY_STORES = (Store.LOG, Store.CANON)
"""The stores whose copy the library is. What is for the others only waits in its outbox."""

OWNER_ROLE = "owner"
"""Stands where a role would: for imports, which are held to none."""


class OutboxEntry(NamedTuple):
    """One write for one server. `at` is when it was made, for what the server dates by itself.

    `live` are the arguments as the caller gave them, for as long as the letter has not been put away.
    """

    store: Store
    role: Role | None
    method: str
    arguments: str
    at: datetime
    seq: int = 0
    applied: bool = False
    call_arguments: Mapping[str, object] | None = None

    async def apply_to(self, port: Any) -> Any:
        """Call the method on an adapter of the store's port."""
        arguments = self.call_arguments
        if arguments is None:
            arguments = parse_arguments(self.store, self.method, self.arguments)
        return await getattr(port, self.method)(**arguments)


def insert_entry(connection: apsw.Connection, entry: OutboxEntry) -> int:
    """Add the letter behind all others, and return its number."""
    connection.execute(
        f"INSERT INTO {OUTBOX_TABLE}(store, role, method, arguments, at, applied) VALUES (?, ?, ?, ?, ?, ?)",
        (
            entry.store.value,
            entry.role.value if entry.role else OWNER_ROLE,
            entry.method,
            entry.arguments,
            entry.at.isoformat(),
            entry.applied,
        ),
    )
    return connection.last_insert_rowid()


def mark_applied(connection: apsw.Connection, seq: int) -> None:
    connection.execute(f"UPDATE {OUTBOX_TABLE} SET applied = 1 WHERE seq = ?", (seq,))


def delete_entry(connection: apsw.Connection, seq: int) -> bool:
    """Take the letter out, and tell whether it was still there."""
    connection.execute(f"DELETE FROM {OUTBOX_TABLE} WHERE seq = ?", (seq,))
    return connection.changes() > 0


class Outbox:
    """The outbox of an open library. `waiting` counts its letters by store, and is kept up to date."""

    def __init__(
        self,
        db: Database,
        pending_counts: Counter[Store],
        on_removed: Callable[[OutboxEntry], None] = lambda letter: None,
    ) -> None:
        self.pending_counts = pending_counts
        self._db = db
        self._on_removed = on_removed

    async def count_pending(self) -> None:
        """Count what waits. Call once, before anything else."""
        rows = await self._db.read(
            lambda c: list(c.execute(f"SELECT store, count(*) FROM {OUTBOX_TABLE} GROUP BY store"))
        )
        self.pending_counts.clear()
        self.pending_counts.update({Store(str(store)): int(count) for store, count in rows})

    async def oldest_entries(self, stores: Collection[Store], count: int) -> list[OutboxEntry]:
        """Return the oldest letters to any of these stores, in their order."""
        return await self._read_entries(stores, "", count)

    async def unapplied_entries(self, stores: Collection[Store]) -> list[OutboxEntry]:
        """Return the letters to these stores that the library's own tables do not have, in their order."""
        return await self._read_entries(stores, "AND NOT applied", -1)

    async def add(self, entry: OutboxEntry) -> OutboxEntry:
        """Add a letter by itself, as the owner."""
        seq = await self._db.write_as_owner(lambda c: insert_entry(c, entry), Priority.BACKGROUND)
        self.pending_counts[entry.store] += 1
        return entry._replace(seq=seq)

    async def remove(self, entry: OutboxEntry) -> None:
        """Take out what has arrived (or is not to be sent after all); durable when it returns."""
        if await self._db.write_as_owner(lambda c: delete_entry(c, entry.seq)):
            self.note_removed(entry)

    def note_removed(self, entry: OutboxEntry) -> None:
        """Note that a letter was taken out in another commit."""
        self.pending_counts[entry.store] -= 1
        self._on_removed(entry)

    async def _read_entries(self, stores: Collection[Store], condition: str, count: int) -> list[OutboxEntry]:
        sql = f"""SELECT store, role, method, arguments, at, seq, applied FROM {OUTBOX_TABLE}
            WHERE store IN ({", ".join("?" * len(stores))}) {condition} ORDER BY seq LIMIT ?"""
        bindings = (*(store.value for store in stores), count)
        return await self._db.read(lambda c: [_parse_entry(*row) for row in c.execute(sql, bindings)])


def _parse_entry(
    store: Any, role: Any, method: Any, arguments: Any, at: Any, seq: Any, applied: Any
) -> OutboxEntry:
    entry_role = None if role == OWNER_ROLE else Role(role)
    return OutboxEntry(
        Store(store), entry_role, method, arguments, datetime.fromisoformat(at), seq, bool(applied)
    )


async def copy_pending_entries(
    old_library: Database, new_library: Database, stores: Collection[Store]
) -> None:
    """Put what waits for these stores in one library into another, behind what waits there."""
    entries = await Outbox(old_library, Counter()).oldest_entries(stores, -1)
    await new_library.write_as_owner(lambda c: [insert_entry(c, letter) for letter in entries])


class OutboxTransactions:
    """The library for one write of an adapter: in the same commit, something about the outbox is done.

    `also` is given the connection and what the write returned, behind the write itself.
    """

    def __init__(self, db: Database, and_then: Callable[[apsw.Connection, Any], None]) -> None:
        self._db = db
        self._and_then = and_then

    async def read(self, work: ConnectionWork[T]) -> T:
        return await self._db.read(work)

    async def write(self, role: Role, work: ConnectionWork[T], priority: Priority = Priority.PLAY) -> T:
        return await self._db.write(role, self._combine(work), priority)

    async def write_as_owner(self, work: ConnectionWork[T], priority: Priority = Priority.PLAY) -> T:
        return await self._db.write_as_owner(self._combine(work), priority)

    def _combine(self, work: ConnectionWork[T]) -> ConnectionWork[T]:
        def run_both(connection: apsw.Connection) -> T:
            result = work(connection)
            self._and_then(connection, result)
            return result

        return run_both
