"""One SQLite file of the home folder: readers are free, and one thread writes.

Source: design/architecture.md ("stores/"), design/authority.md ("The store").
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from queue import Empty, LifoQueue
from typing import Protocol, TypeVar

import apsw

from stores.authority import Role
from stores.embedded.connections import Connections, Durability, Migration
from stores.embedded.failures import closed_to_us, in_our_words
from stores.embedded.leave import StoreOfTable
from stores.embedded.lock import ProcessLock
from stores.embedded.writer import Priority, WriterThread
from stores.errors import StoreError

__all__ = ["Database", "Durability", "Migration", "Priority", "Transactions"]

T = TypeVar("T")
Work = Callable[[apsw.Connection], T]

_READERS = 2
"""Threads that read a file: one that reads long leaves one for the others. On two cores a third makes all
that is read a tenth dearer, as they take the interpreter from each other."""


class Transactions(Protocol):
    """What an adapter over a file asks of it. The words of each method are those of `Database`."""

    async def read(self, work: Work[T]) -> T: ...

    async def write(self, role: Role, work: Work[T], priority: Priority = Priority.PLAY) -> T: ...

    async def write_as_owner(self, work: Work[T], priority: Priority = Priority.PLAY) -> T: ...


class Database:
    """An open file. Every `read` sees one moment of it; every `write` is whole and durable, or not at all.

    Errors are those of `stores.errors`; an exception of the work itself passes as it is, and undoes it.
    """

    def __init__(
        self, path: Path, connections: Connections, owner: apsw.Connection, lock: ProcessLock | None
    ) -> None:
        self.path = path
        self._connections = connections
        self._owner = owner
        self._lock = lock
        self._of_role: dict[Role, apsw.Connection] = {}
        self._writer = WriterThread(f"writer of {path.name}")
        self._reader_threads = ThreadPoolExecutor(_READERS, thread_name_prefix=f"reader of {path.name}")
        self._idle_readers: LifoQueue[apsw.Connection] = LifoQueue()
        self._readers: list[apsw.Connection] = []
        self._closed = False

    @classmethod
    async def open(
        cls,
        path: Path,
        *,
        store_of_table: StoreOfTable,
        migrations: Sequence[Migration],
        application_id: int,
        durability: Durability = "FULL",
        exclusive: bool = False,
    ) -> Database:
        """Open the file, made and brought to the newest format as need be; its folder is made too.

        `exclusive` holds `<stem>.lock` beside it, so that one process at a time has it.
        Raises LibraryUnreadable (the file is left alone) or LibraryInUse.
        """
        return await asyncio.to_thread(
            cls._open,
            path,
            Connections(path, store_of_table, durability),
            migrations,
            application_id,
            exclusive,
        )

    @classmethod
    def _open(
        cls,
        path: Path,
        connections: Connections,
        migrations: Sequence[Migration],
        application_id: int,
        exclusive: bool,
    ) -> Database:
        _make_folder(path.parent)
        lock = ProcessLock(path.with_suffix(".lock")) if exclusive else None
        try:
            owner = connections.owner(application_id, migrations)
        except BaseException:
            if lock:
                lock.release()
            raise
        return cls(path, connections, owner, lock)

    async def read(self, work: Work[T]) -> T:
        """Run `work` on a read-only connection, in one snapshot, in a thread."""
        if self._closed:
            raise _closed()
        return await asyncio.get_running_loop().run_in_executor(self._reader_threads, self._read, work)

    async def write(self, role: Role, work: Work[T], priority: Priority = Priority.PLAY) -> T:
        """Run `work` as `role` in one transaction on the writer thread; durable when it returns.

        Raises WriteDenied if the role may not, StoreFull if there is no room; nothing is written then.
        """
        return await self._queue(lambda: self._write_as(role, work), priority)

    async def write_as_owner(self, work: Work[T], priority: Priority = Priority.PLAY) -> T:
        """As `write`, held to no role: for archive import alone."""
        return await self._queue(lambda: self._write(self._owner, work, "The owner"), priority)

    async def close(self) -> None:
        """Finish what is queued and close. To close twice is no error."""
        if self._closed:
            return
        self._closed = True
        await asyncio.to_thread(self._close)

    async def _queue(self, job: Callable[[], T], priority: Priority) -> T:
        future: Future[T] = self._writer.submit(job, priority)
        return await asyncio.wrap_future(future)

    def _write_as(self, role: Role, work: Work[T]) -> T:
        if role not in self._of_role:
            with in_our_words(self.path):
                self._of_role[role] = self._connections.of_role(role)
        return self._write(self._of_role[role], work, role.value.replace("_", " ").capitalize())

    def _write(self, connection: apsw.Connection, work: Work[T], who: str) -> T:
        with in_our_words(self.path, connection, who):
            return _transact(connection, work, "BEGIN IMMEDIATE")

    def _read(self, work: Work[T]) -> T:
        with in_our_words(self.path):
            connection = self._take_reader()
        try:
            with in_our_words(self.path, connection):
                return _transact(connection, work, "BEGIN")
        finally:
            self._idle_readers.put(connection)

    def _take_reader(self) -> apsw.Connection:
        try:
            return self._idle_readers.get_nowait()
        except Empty:
            connection = self._connections.reader()
            self._readers.append(connection)
            return connection

    def _close(self) -> None:
        self._reader_threads.shutdown()
        self._writer.close()
        for connection in (*self._readers, *self._of_role.values(), self._owner):
            connection.close()
        if self._lock:
            self._lock.release()


def _transact(connection: apsw.Connection, work: Work[T], begin: str) -> T:
    connection.execute(begin)
    try:
        result = work(connection)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # a full disk may have rolled back already
            connection.execute("ROLLBACK")
        raise
    return result


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise closed_to_us(folder, error.strerror or str(error)) from error


def _closed() -> StoreError:
    return StoreError("The library is closed.", kept="Nothing was written.")
