"""The outbox: writes that are still to be sent to a server, as rows of the library's own file, in their order.

A row is written in the same transaction as the write itself, so that a crash loses neither. A row that is not
`applied` was being sent when the process ended: the library's own tables do not have the write yet.
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
"""The stores of which the library is a copy. Of the others it only has the outbox."""

OWNER_ROLE = "owner"
"""What is stored in place of a role for imports, which no role makes."""


class OutboxEntry(NamedTuple):
    """One write for one server."""

    store: Store
    role: Role | None
    method: str
    arguments: str
    at: datetime
    """When it was made, for writes that the server dates itself."""
    seq: int = 0
    applied: bool = False
    call_arguments: Mapping[str, object] | None = None
    """The arguments as the caller gave them; None once the entry was read back from the table."""

    async def apply_to(self, port: Any) -> Any:
        """Call the method on an adapter of the store's port."""
        arguments = self.call_arguments
        if arguments is None:
            arguments = parse_arguments(self.store, self.method, self.arguments)
        return await getattr(port, self.method)(**arguments)


def insert_entry(connection: apsw.Connection, entry: OutboxEntry) -> int:
    """Add the entry behind all others, and return its number."""
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
    """Remove the entry, and return whether it was there."""
    connection.execute(f"DELETE FROM {OUTBOX_TABLE} WHERE seq = ?", (seq,))
    return connection.changes() > 0


class Outbox:
    """The outbox of an open library. `pending_counts` has the number of entries by store, always up to date."""

    def __init__(
        self,
        db: Database,
        pending_counts: Counter[Store],
        on_removed: Callable[[OutboxEntry], None] = lambda entry: None,
    ) -> None:
        self.pending_counts = pending_counts
        self._db = db
        self._on_removed = on_removed

    async def count_pending(self) -> None:
        """Count the entries. Call once, before anything else."""
        rows = await self._db.read(
            lambda c: list(c.execute(f"SELECT store, count(*) FROM {OUTBOX_TABLE} GROUP BY store"))
        )
        self.pending_counts.clear()
        self.pending_counts.update({Store(str(store)): int(count) for store, count in rows})

    async def oldest_entries(self, stores: Collection[Store], count: int) -> list[OutboxEntry]:
        """Return the oldest entries for any of these stores, in their order."""
        return await self._read_entries(stores, "", count)

    async def sendable_entries(self, stores: Collection[Store], count: int) -> list[OutboxEntry]:
        """Return the oldest entries that wait to be sent, in their order.

        One that is not applied is not among them: its writer is sending it, and must apply it before it leaves the
        outbox. A kill in between would leave it on the server alone.
        """
        return await self._read_entries(stores, "AND applied", count)

    async def unapplied_entries(self, stores: Collection[Store]) -> list[OutboxEntry]:
        """Return the entries for these stores that are not applied to the library's own tables, in their order."""
        return await self._read_entries(stores, "AND NOT applied", -1)

    async def add(self, entry: OutboxEntry) -> OutboxEntry:
        """Add an entry by itself, as the owner."""
        seq = await self._db.write_as_owner(lambda c: insert_entry(c, entry), Priority.BACKGROUND)
        self.pending_counts[entry.store] += 1
        return entry._replace(seq=seq)

    async def remove(self, entry: OutboxEntry) -> None:
        """Remove an entry that was sent, or is not to be sent after all; durable when it returns."""
        if await self._db.write_as_owner(lambda c: delete_entry(c, entry.seq)):
            self.note_removed(entry)

    def note_removed(self, entry: OutboxEntry) -> None:
        """Note that an entry was removed in another transaction."""
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
    """Append one library's entries for these stores to the outbox of another."""
    entries = await Outbox(old_library, Counter()).oldest_entries(stores, -1)
    await new_library.write_as_owner(lambda c: [insert_entry(c, entry) for entry in entries])


class OutboxTransactions:
    """Runs an adapter's write and a change of the outbox in one transaction.

    `and_then` is called after the write, with the connection and what the write returned.
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
