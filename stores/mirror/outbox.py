"""What is still to be sent to a server: rows of the library's own file, in the order they were made.

A row is written in the same commit as what it tells of, so that no crash can part them. `applied` says
that the library's own tables have it already; a row that is not was on its way to the server when the
process ended. Source: issue "The five stores" ("turns are kept in a local spool and replayed").
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

import apsw

from stores.authority import Role, Store
from stores.embedded.database import Database, Priority, Work
from stores.embedded.leave import OUTBOX
from stores.mirror.calls import unpack

T = TypeVar("T")

Live = tuple[tuple[Any, ...], Mapping[str, Any]]
"""Arguments by place and by name."""

TRUTH = (Store.LOG, Store.CANON)
"""The stores whose copy the library is. What is for the others only waits in its outbox."""

OWNER = "owner"
"""Stands where a role would: for imports, which are held to none."""


class Letter(NamedTuple):
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
    live: Live | None = None

    async def to(self, handle: Callable[..., Awaitable[Any]]) -> Any:
        """Call the method `handle` with the arguments."""
        if self.live is not None:
            return await handle(*self.live[0], **self.live[1])
        return await handle(**unpack(self.store, self.method, self.arguments))


def post(connection: apsw.Connection, letter: Letter) -> int:
    """Add the letter behind all others, and return its number."""
    connection.execute(
        f"INSERT INTO {OUTBOX}(store, role, method, arguments, at, applied) VALUES (?, ?, ?, ?, ?, ?)",
        (
            letter.store.value,
            letter.role.value if letter.role else OWNER,
            letter.method,
            letter.arguments,
            letter.at.isoformat(),
            letter.applied,
        ),
    )
    return connection.last_insert_rowid()


def mark_applied(connection: apsw.Connection, seq: int) -> None:
    connection.execute(f"UPDATE {OUTBOX} SET applied = 1 WHERE seq = ?", (seq,))


def remove(connection: apsw.Connection, seq: int) -> bool:
    """Take the letter out, and tell whether it was still there."""
    connection.execute(f"DELETE FROM {OUTBOX} WHERE seq = ?", (seq,))
    return connection.changes() > 0


class Outbox:
    """The outbox of an open library. `waiting` counts its letters by store, and is kept up to date."""

    def __init__(
        self,
        db: Database,
        waiting: Counter[Store],
        when_gone: Callable[[Letter], None] = lambda letter: None,
    ) -> None:
        self.waiting = waiting
        self._db = db
        self._when_gone = when_gone

    async def count(self) -> None:
        """Count what waits. Call once, before anything else."""
        rows = await self._db.read(
            lambda c: list(c.execute(f"SELECT store, count(*) FROM {OUTBOX} GROUP BY store"))
        )
        self.waiting.clear()
        self.waiting.update({Store(str(store)): int(count) for store, count in rows})

    async def oldest(self, stores: Collection[Store], count: int) -> list[Letter]:
        """Return the oldest letters to any of these stores, in their order."""
        return await self._find(stores, "", count)

    async def unapplied(self, stores: Collection[Store]) -> list[Letter]:
        """Return the letters to these stores that the library's own tables do not have, in their order."""
        return await self._find(stores, "AND NOT applied", -1)

    async def post(self, letter: Letter) -> Letter:
        """Add a letter by itself, as the owner."""
        seq = await self._db.write_as_owner(lambda c: post(c, letter), Priority.BACKGROUND)
        self.waiting[letter.store] += 1
        return letter._replace(seq=seq)

    async def remove(self, letter: Letter) -> None:
        """Take out what has arrived (or is not to be sent after all); durable when it returns."""
        if await self._db.write_as_owner(lambda c: remove(c, letter.seq)):
            self.gone(letter)

    def gone(self, letter: Letter) -> None:
        """Note that a letter was taken out in another commit."""
        self.waiting[letter.store] -= 1
        self._when_gone(letter)

    async def _find(self, stores: Collection[Store], condition: str, count: int) -> list[Letter]:
        sql = f"""SELECT store, role, method, arguments, at, seq, applied FROM {OUTBOX}
            WHERE store IN ({", ".join("?" * len(stores))}) {condition} ORDER BY seq LIMIT ?"""
        bindings = (*(store.value for store in stores), count)
        return await self._db.read(lambda c: [_letter(*row) for row in c.execute(sql, bindings)])


def _letter(store: Any, role: Any, method: Any, arguments: Any, at: Any, seq: Any, applied: Any) -> Letter:
    whose = None if role == OWNER else Role(role)
    return Letter(Store(store), whose, method, arguments, datetime.fromisoformat(at), seq, bool(applied))


async def carry_over(old: Database, new: Database, stores: Collection[Store]) -> None:
    """Put what waits for these stores in one library into another, behind what waits there."""
    letters = await Outbox(old, Counter()).oldest(stores, -1)
    await new.write_as_owner(lambda c: [post(c, letter) for letter in letters])


class Beside:
    """The library for one write of an adapter: in the same commit, something about the outbox is done.

    `also` is given the connection and what the write returned, behind the write itself.
    """

    def __init__(self, db: Database, also: Callable[[apsw.Connection, Any], None]) -> None:
        self._db = db
        self._also = also

    async def read(self, work: Work[T]) -> T:
        return await self._db.read(work)

    async def write(self, role: Role, work: Work[T], priority: Priority = Priority.PLAY) -> T:
        return await self._db.write(role, self._both(work), priority)

    async def write_as_owner(self, work: Work[T], priority: Priority = Priority.PLAY) -> T:
        return await self._db.write_as_owner(self._both(work), priority)

    def _both(self, work: Work[T]) -> Work[T]:
        def both(connection: apsw.Connection) -> T:
            done = work(connection)
            self._also(connection, done)
            return done

        return both
