"""Opens connections to one SQLite file: checks the file, migrates it, and restricts each connection."""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, TypeVar

import apsw

from stores.authority import Role
from stores.embedded.permissions import RolePermissions, StoreOfTable, allow_all_writes
from stores.embedded.sqlite_errors import (
    cannot_open_error,
    damaged_file_error,
    foreign_file_error,
    newer_format_error,
    translate_sqlite_errors,
)
from stores.small_files import is_no_file

T = TypeVar("T")

Migration = Callable[[apsw.Connection], None]
"""One step of a file's format; its position in the list (from 1) is the version it leads to."""

Durability = Literal["FULL", "NORMAL", "OFF"]
"""SQLite's `synchronous` setting; FULL for the library."""

_MAGIC = b"SQLite format 3\0"
_HEADER_BYTES = 100
_WAL_LIMIT = 64 * 1024 * 1024
_CACHE_KB = 8_000
"""The page cache of a connection that writes in KB: SQLite's default of 2 MB is too small for a long campaign."""

_READER_CACHE_KB = 2_000
"""That of one that reads. SQLite drops it at the first read after each write: of 8 MB, that takes 0.4 ms longer, and
reading 20,000 rows takes no less."""

_CACHED_STATEMENTS = 512
"""Places for prepared statements, the most that apsw has. Each execution takes one, also that of each row of an
`executemany`: a commit of twenty facts needs more than the default of a hundred, and would prepare all again. So
BEGIN and COMMIT, two of three executions of a reader, do without."""

_BUSY_MS = 5_000


class ConnectionFactory:
    """Opens connections to the file at `path`, each restricted to its purpose."""

    def __init__(self, path: Path, store_of_table: StoreOfTable, durability: Durability) -> None:
        self._path = path
        self._store_of_table = store_of_table
        self._durability = durability

    def open_as_owner(self, application_id: int, migrations: Sequence[Migration]) -> apsw.Connection:
        """Open the file (created if absent) and migrate it to the newest format.

        Raises LibraryUnreadable, leaving the file alone, if it is not ours, damaged or newer.
        """
        check_header(self._path, application_id, newest=len(migrations))
        with translate_sqlite_errors(self._path):
            connection = self._open(apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
        try:
            with translate_sqlite_errors(self._path, connection):
                self._prepare_file(connection, application_id)
                allow_all_writes(connection)
                self._migrate(connection, migrations)
        except BaseException:
            connection.close()
            raise
        return connection

    def open_as_role(self, role: Role) -> apsw.Connection:
        """Open the role's own connection: read-only if it may write nothing here."""
        permissions = RolePermissions(role, self._store_of_table)
        if not permissions.may_write:
            return self.open_reader()
        connection = self._open(apsw.SQLITE_OPEN_READWRITE)
        # Else SQLite copies the pages that a longer write changes, to undo a failed statement, to a file in /var/tmp.
        connection.pragma("temp_store", "MEMORY")
        permissions.apply_to(connection)
        return connection

    def open_checkpointer(self) -> apsw.Connection:
        """Open a connection for copying the log into the file: it may write no table."""
        connection = self._open(apsw.SQLITE_OPEN_READWRITE)
        RolePermissions(None, self._store_of_table).apply_to(connection)
        return connection

    def open_reader(self) -> apsw.Connection:
        connection = self._open(apsw.SQLITE_OPEN_READONLY)
        connection.pragma("query_only", True)
        RolePermissions(None, self._store_of_table).apply_to(connection)
        return connection

    def _open(self, flags: int) -> apsw.Connection:
        connection = apsw.Connection(str(self._path), flags=flags, statementcachesize=_CACHED_STATEMENTS)
        try:
            if flags & apsw.SQLITE_OPEN_READWRITE and connection.readonly("main"):
                raise cannot_open_error(self._path, "the file is read-only")
            self._apply_settings(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _apply_settings(self, connection: apsw.Connection) -> None:
        connection.set_busy_timeout(_BUSY_MS)
        # Else SQLite prepares a statement with `LIMIT ?` again each time that it is executed.
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        is_reader = connection.readonly("main")
        connection.pragma("cache_size", -(_READER_CACHE_KB if is_reader else _CACHE_KB))
        connection.pragma("synchronous", self._durability)
        connection.pragma("foreign_keys", True)
        connection.pragma(
            "recursive_triggers", True
        )  # else REPLACE would delete rows without the delete triggers
        if sys.platform == "darwin":
            connection.pragma("fullfsync", True)
            connection.pragma("checkpoint_fullfsync", True)

    def _prepare_file(self, connection: apsw.Connection, application_id: int) -> None:
        if connection.pragma("application_id") == 0:
            # Before WAL, so that it is written to the file itself and not only to the log.
            connection.pragma("application_id", application_id)
        connection.pragma("journal_mode", "WAL")
        connection.pragma("journal_size_limit", _WAL_LIMIT)

    def _migrate(self, connection: apsw.Connection, migrations: Sequence[Migration]) -> None:
        version = connection.pragma("user_version")
        if version > len(migrations):
            raise newer_format_error(self._path, version, len(migrations))
        if version == len(migrations):
            return
        with connection:
            for migrate in migrations[version:]:
                migrate(connection)
            connection.pragma("user_version", len(migrations))
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)


def run_transaction(connection: apsw.Connection, work: Callable[[apsw.Connection], T], begin: str) -> T:
    """Run `work` between `begin` and COMMIT; an exception rolls back and passes."""
    connection.execute(begin, can_cache=False)
    try:
        result = work(connection)
        connection.execute("COMMIT", can_cache=False)
    except BaseException:
        if connection.in_transaction:  # a full disk may have rolled back already
            connection.execute("ROLLBACK")
        raise
    return result


def check_header(path: Path, application_id: int, newest: int) -> None:
    """Raise LibraryUnreadable unless the file is absent, empty, or ours and whole. Only reads."""
    for suffix in ("", "-wal", "-shm"):
        part = path.with_name(path.name + suffix)
        if is_no_file(part):  # SQLite would wait for a pipe for ever
            raise cannot_open_error(part, "it is not a file")
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER_BYTES)
        size = path.stat().st_size
    except FileNotFoundError:
        return
    except OSError as error:
        raise cannot_open_error(path, error.strerror or str(error)) from error
    if not header:
        return
    if not header.startswith(_MAGIC[: len(header)]):
        raise foreign_file_error(path)
    if len(header) < _HEADER_BYTES:
        raise damaged_file_error(path)
    # Offsets from https://www.sqlite.org/fileformat.html#the_database_header.
    (page_size,) = struct.unpack_from(">H", header, 16)
    (pages,) = struct.unpack_from(">I", header, 28)
    (version,) = struct.unpack_from(">I", header, 60)
    (file_application_id,) = struct.unpack_from(">I", header, 68)
    if file_application_id != application_id:
        raise foreign_file_error(path)
    if version > newest:
        raise newer_format_error(path, version, newest)
    if size < pages * (65_536 if page_size == 1 else page_size) and not _has_write_ahead_log(path):
        raise damaged_file_error(path)


def _has_write_ahead_log(path: Path) -> bool:
    """Return whether there is a write-ahead log, which may have pages that the file lacks."""
    log_path = path.with_name(path.name + "-wal")
    return log_path.exists() and log_path.stat().st_size > 0
