"""Copies the write-ahead log of a file into the file (SQLite's checkpoint), beside the writes.

SQLite would do it inside every commit that leaves the log longer than a thousand pages, and the write would wait for
two more syncs of the disk. A write is durable once it is in the log.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Final

import apsw

CHECKPOINT_PAGES: Final = 1_000
"""Pages in the log from which it is copied: SQLite's own figure, 4 MB."""

LONG_LOG_PAGES: Final = 8_000
"""Pages from which a write waits for the copying, so that the log of a long import does not grow for ever."""


class WalCheckpointer:
    """Watches connections that write, and copies a long log in a thread and on a connection of its own."""

    def __init__(self, name: str, open_connection: Callable[[], apsw.Connection]) -> None:
        self._open_connection = open_connection
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._connection: apsw.Connection | None = None
        self._last_copying: Future[None] | None = None

    def watch(self, connection: apsw.Connection) -> None:
        """Have what `connection` writes copied by this instead of by its own commits."""
        connection.set_wal_hook(self._note_commit)

    def close(self) -> None:
        """Finish the copying that goes on, and close."""
        self._thread.shutdown()
        if self._connection is not None:
            self._connection.close()

    def _note_commit(self, connection: apsw.Connection, _: str, pages: int) -> int:
        """Called by SQLite in the thread that writes, once a commit is durable."""
        if pages >= LONG_LOG_PAGES:
            _copy_log(connection)
        elif pages >= CHECKPOINT_PAGES and (self._last_copying is None or self._last_copying.done()):
            self._last_copying = self._thread.submit(self._copy)
        return apsw.SQLITE_OK

    def _copy(self) -> None:
        with suppress(apsw.Error):  # as in `_copy_log`
            if self._connection is None:
                self._connection = self._open_connection()
        if self._connection is not None:
            _copy_log(self._connection)


def _copy_log(connection: apsw.Connection) -> None:
    """Copy as much of the log as nobody reads.

    An error loses nothing, and SQLite's own copying is as silent: the log keeps it, and the next commit tries again.
    """
    with suppress(apsw.Error):
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
