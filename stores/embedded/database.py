"""One SQLite file of the home folder: several threads read it, and one thread writes."""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from queue import PriorityQueue
from typing import Any, Protocol, TypeVar

import apsw

from stores.authority import Role
from stores.embedded.connections import (
    ConnectionFactory,
    Durability,
    Migration,
    check_header,
    run_transaction,
)
from stores.embedded.permissions import StoreOfTable
from stores.embedded.process_lock import ProcessLock
from stores.embedded.reader_pool import ReaderPool, closed_error
from stores.embedded.sqlite_errors import cannot_open_error, translate_sqlite_errors
from stores.embedded.wal_checkpoints import WalCheckpointer
from stores.embedded.write_ahead_log import check_log
from stores.errors import StoreError

__all__ = ["Database", "DatabaseFile", "Durability", "Migration", "Priority", "Transactions"]

T = TypeVar("T")
ConnectionWork = Callable[[apsw.Connection], T]


class Priority(IntEnum):
    """The order of writes: those of play before background work."""

    PLAY = 0
    BACKGROUND = 1


_CLOSE_PRIORITY = 2


@dataclass(order=True)
class _QueuedWrite:
    """A write in the queue. `number` keeps writes of one priority in their order."""

    priority: int
    number: int
    run: Callable[[], Any] | None = field(compare=False)
    future: Future[Any] = field(compare=False)


class WriterThread:
    """Runs jobs one at a time, by priority and then by age, until closed."""

    def __init__(self, name: str) -> None:
        self._queue: PriorityQueue[_QueuedWrite] = PriorityQueue()
        self._job_numbers = itertools.count()
        self._lock = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._run_jobs, name=name, daemon=True)
        self._thread.start()

    def submit(self, run: Callable[[], T], priority: Priority) -> Future[T]:
        """Queue `run`. Cancelling the future drops the job if it has not begun, and else does nothing."""
        future: Future[T] = Future()
        with self._lock:
            if self._closed:
                raise StoreError("The library is closed.", kept="Nothing was written.")
            self._queue.put(_QueuedWrite(priority, next(self._job_numbers), run, future))
        return future

    def close(self) -> None:
        """Finish all that is queued, then end the thread."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._queue.put(_QueuedWrite(_CLOSE_PRIORITY, next(self._job_numbers), None, Future()))
        self._thread.join()

    def _run_jobs(self) -> None:
        while (job := self._queue.get()).run is not None:
            if not job.future.set_running_or_notify_cancel():
                continue
            try:
                result = job.run()
            except BaseException as error:  # noqa: BLE001  (it belongs to whoever awaits the job)
                job.future.set_exception(error)
            else:
                job.future.set_result(result)
            del job  # else its result would be kept alive until the next one


class Transactions(Protocol):
    """The methods of `Database` that adapters use."""

    async def read(self, work: ConnectionWork[T]) -> T: ...

    async def write(self, role: Role, work: ConnectionWork[T], priority: Priority = Priority.PLAY) -> T: ...

    async def write_as_owner(self, work: ConnectionWork[T], priority: Priority = Priority.PLAY) -> T: ...


class DatabaseFile(Transactions, Protocol):
    """A file that is open, to be written as well or only to be read."""

    @property
    def path(self) -> Path: ...

    async def close(self) -> None: ...


class Database:
    """An open file. Every `read` sees one snapshot; every `write` is one durable transaction.

    Errors are those of `stores.errors`; an exception of the work itself passes unchanged, and rolls back.
    """

    def __init__(
        self, path: Path, connections: ConnectionFactory, owner: apsw.Connection, lock: ProcessLock | None
    ) -> None:
        self.path = path
        self._connections = connections
        self._owner_connection = owner
        self._lock = lock
        self._role_connections: dict[Role, apsw.Connection] = {}
        self._writer = WriterThread(f"writer of {path.name}")
        self._wal_checkpointer = WalCheckpointer(
            f"checkpointer of {path.name}", connections.open_checkpointer
        )
        self._wal_checkpointer.watch(owner)
        self._readers = ReaderPool(path, connections)
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
        """Open the file; create it and its folder if absent, and migrate it to the newest format.

        `exclusive` locks `<stem>.lock` beside it and the file itself, so that one process at a time has it open.
        Raises LibraryUnreadable (the file is left alone) or LibraryInUse.
        """
        return await asyncio.to_thread(
            cls._open,
            path,
            ConnectionFactory(path, store_of_table, durability),
            migrations,
            application_id,
            exclusive,
        )

    @classmethod
    def _open(
        cls,
        path: Path,
        connections: ConnectionFactory,
        migrations: Sequence[Migration],
        application_id: int,
        exclusive: bool,
    ) -> Database:
        _make_folder(path.parent)
        if exclusive and path.is_symlink():
            check_header(
                path, application_id, newest=len(migrations)
            )  # before a lock is put beside a foreign file
        # Beside the file itself: two folders that link to one file share its lock.
        lock = ProcessLock(path.resolve().with_suffix(".lock"), path.resolve()) if exclusive else None
        with ExitStack() as undo_stack:
            if lock:
                undo_stack.callback(lock.release)
                check_log(path)
                _write_mark(lock, lock.mark_opening)
            owner = connections.open_as_owner(application_id, migrations)
            undo_stack.callback(owner.close)
            if lock:
                _write_mark(lock, lock.mark_open)
            undo_stack.pop_all()
        return cls(path, connections, owner, lock)

    async def read(self, work: ConnectionWork[T]) -> T:
        """Run `work` on a read-only connection, in one snapshot, in a thread."""
        if self._closed:
            raise closed_error()
        return await self._readers.read(work)

    async def write(self, role: Role, work: ConnectionWork[T], priority: Priority = Priority.PLAY) -> T:
        """Run `work` as `role` in one transaction on the writer thread; durable when it returns.

        Raises WriteDenied if the role may not, StoreFull if there is no room; nothing is written then.
        """
        return await self._run_on_writer(lambda: self._write_as(role, work), priority)

    async def write_as_owner(self, work: ConnectionWork[T], priority: Priority = Priority.PLAY) -> T:
        """As `write`, without the restrictions of a role: for imports and migrations."""
        return await self._run_on_writer(
            lambda: self._write(self._owner_connection, work, "The owner"), priority
        )

    async def close(self) -> None:
        """Finish what is queued and close. Closing twice is no error."""
        if self._closed:
            return
        self._closed = True
        await asyncio.to_thread(self._close)

    async def _run_on_writer(self, job: Callable[[], T], priority: Priority) -> T:
        future: Future[T] = self._writer.submit(job, priority)
        return await asyncio.wrap_future(future)

    def _write_as(self, role: Role, work: ConnectionWork[T]) -> T:
        if role not in self._role_connections:
            with translate_sqlite_errors(self.path):
                self._role_connections[role] = self._connections.open_as_role(role)
            self._wal_checkpointer.watch(self._role_connections[role])
        return self._write(self._role_connections[role], work, role.value.replace("_", " ").capitalize())

    def _write(self, connection: apsw.Connection, work: ConnectionWork[T], writer_name: str) -> T:
        lock = self._lock if self._lock and not self._lock.knows_log else None
        if lock:
            _write_mark(lock, lock.mark_first_write)
        with translate_sqlite_errors(self.path, connection, writer_name):
            result = run_transaction(connection, work, "BEGIN IMMEDIATE")
        if lock:
            with suppress(OSError):  # the write is done; which log is the library's is said with the next one
                lock.mark_written()
        return result

    def _close(self) -> None:
        self._readers.close()
        self._writer.close()
        self._wal_checkpointer.close()
        if self._lock:
            self._lock.mark_closing()
        for connection in (*self._role_connections.values(), self._owner_connection):
            connection.close()
        if self._lock:
            self._lock.mark_closed()
            self._lock.release()


def _write_mark(lock: ProcessLock, write: Callable[[], None]) -> None:
    try:
        write()
    except OSError as error:
        raise cannot_open_error(lock.path, error.strerror or str(error)) from error


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_open_error(folder, error.strerror or str(error)) from error
