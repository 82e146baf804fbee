"""Reads one SQLite file in a few threads, each read in a snapshot of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Empty, LifoQueue
from typing import TypeVar

import apsw

from stores.embedded.connections import ConnectionFactory, run_transaction
from stores.embedded.sqlite_errors import translate_sqlite_errors
from stores.errors import StoreError

T = TypeVar("T")

_THREADS = 2
"""Threads that read a file, so that a long read leaves one for the others. On two cores, a third thread makes all
reads 10 % slower, as the threads compete for the interpreter."""


class ReaderPool:
    """Read-only connections to one file, opened as they are needed."""

    def __init__(self, path: Path, connections: ConnectionFactory) -> None:
        self._path = path
        self._factory = connections
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix=f"reader of {path.name}")
        self._idle_connections: LifoQueue[apsw.Connection] = LifoQueue()
        self._connections: list[apsw.Connection] = []

    async def read(self, work: Callable[[apsw.Connection], T]) -> T:
        """Run `work` in one snapshot, in a thread. Raises a `StoreError`."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._read, work)

    def close(self) -> None:
        """Wait for the reads that are running, then close the connections."""
        self._threads.shutdown()
        for connection in self._connections:
            connection.close()

    def _read(self, work: Callable[[apsw.Connection], T]) -> T:
        with translate_sqlite_errors(self._path):
            connection = self._take_connection()
        try:
            with translate_sqlite_errors(self._path, connection):
                return run_transaction(connection, work, "BEGIN")
        finally:
            self._idle_connections.put(connection)

    def _take_connection(self) -> apsw.Connection:
        try:
            return self._idle_connections.get_nowait()
        except Empty:
            connection = self._factory.open_reader()
            self._connections.append(connection)
            return connection


def closed_error() -> StoreError:
    return StoreError("The library is closed.", kept="Nothing was written.")
