"""Translates SQLite's errors into those of `stores.errors`."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from stores.errors import RESTORE_ADVICE, LibraryUnreadable, StoreError, StoreFull, WriteDenied

_DISK_FULL_ERRNOS = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}
_SHARED_MEMORY_BYTES = 32_768  # what SQLite needs for it at least: one region of the -shm file
_KEPT_MESSAGE = "It was left as it is."
_SAFE_MESSAGE = "What was written before is safe."
"""Of a write that failed: the typed line may have been written by one before it."""


@contextmanager
def translate_sqlite_errors(
    path: Path, connection: apsw.Connection | None = None, writer_name: str = ""
) -> Iterator[None]:
    """Raise SQLite errors in the block as a `StoreError`; let every other exception pass."""
    try:
        yield
    except apsw.Error as error:
        raise _translate_error(error, path, connection, writer_name) from error
    except UnicodeDecodeError as error:  # text that was never written so
        raise damaged_file_error(path) from error


def _translate_error(
    error: apsw.Error, path: Path, connection: apsw.Connection | None, writer_name: str
) -> StoreError:
    if _is_denial(error):
        return WriteDenied(
            f"{writer_name or 'A reader'} may not write that: {error}.", kept="Nothing was written."
        )
    if isinstance(error, apsw.FullError) or _is_disk_full(error, path, connection):
        return StoreFull(
            "The disk is full; not everything could be written.",
            kept=_SAFE_MESSAGE,
            todo="Free some space and try again.",
        )
    if isinstance(error, apsw.NotADBError | apsw.CorruptError) or str(error) == "malformed JSON":
        return damaged_file_error(path)
    if isinstance(error, apsw.CantOpenError):
        return cannot_open_error(path, str(error))
    if isinstance(error, apsw.BusyError | apsw.LockedError):
        return StoreError(
            f"Another program is holding {path}.", kept=_SAFE_MESSAGE, todo="Close it and try again."
        )
    if isinstance(error, apsw.IOError):
        return StoreError(
            f"The disk failed under {path}: {error}.",
            kept=_SAFE_MESSAGE,
            todo="Check the disk, then try again.",
        )
    return StoreError(f"{path.name} could not do that: {error}.", kept=_SAFE_MESSAGE)


def _is_denial(error: apsw.Error) -> bool:
    """Return whether the authorizer, a read-only connection or one of our triggers refused."""
    if isinstance(error, apsw.ReadOnlyError):
        return _extended_result_code(error) != apsw.SQLITE_READONLY_DBMOVED
    if isinstance(error, apsw.ConstraintError):
        return _extended_result_code(error) == apsw.SQLITE_CONSTRAINT_TRIGGER
    return isinstance(error, apsw.AuthError)


def _extended_result_code(error: apsw.Error) -> int:
    """Return SQLite's extended result code, which apsw's type stubs leave out."""
    return int(getattr(error, "extendedresult", 0))


def _is_disk_full(error: apsw.Error, path: Path, connection: apsw.Connection | None) -> bool:
    """Return whether an I/O error comes from a full disk; SQLite has no error of its own for its shared memory."""
    if not isinstance(error, apsw.IOError):
        return False
    if connection is not None and connection.system_errno in _DISK_FULL_ERRNOS:
        return True
    try:
        return shutil.disk_usage(path.parent).free < _SHARED_MEMORY_BYTES
    except OSError:
        return False


def foreign_file_error(path: Path) -> LibraryUnreadable:
    return LibraryUnreadable(
        f"{path} is not a MONITOR library.",
        kept=_KEPT_MESSAGE,
        todo="Choose another folder, or move that file away.",
    )


def damaged_file_error(path: Path) -> LibraryUnreadable:
    return LibraryUnreadable(f"{path} is damaged.", kept=_KEPT_MESSAGE, todo=RESTORE_ADVICE)


def missing_log_error(path: Path) -> LibraryUnreadable:
    """A process that is killed leaves what it wrote last in SQLite's log, where the next one to open it reads it."""
    return LibraryUnreadable(
        f"{path.name}-wal, the file with what was written last before MONITOR was ended, is missing beside {path}.",
        kept=_KEPT_MESSAGE,
        todo=f"Put it back (a copy of a library is all files of its folder), or delete {path.stem}.lock to open "
        "the library without the newest turns.",
    )


def foreign_log_error(path: Path) -> LibraryUnreadable:
    """SQLite would write what such a log has over the library, and lose what was there."""
    return LibraryUnreadable(
        f"{path.name}-wal beside {path} is not of this library: something has put it there since MONITOR ended.",
        kept="Nothing of it was read, and the library was left as it is.",
        todo=f"Move {path.name}-wal to another place, and put the library's own back if it had one. If it is its "
        f"own, delete {path.stem}.lock.",
    )


def older_library_error(path: Path) -> LibraryUnreadable:
    """What the log has are pages of a newer file: over an older one they make neither."""
    return LibraryUnreadable(
        f"{path} is older than {path.name}-wal beside it: it was replaced since MONITOR ended.",
        kept="Nothing was read, and both were left as they are.",
        todo=f"Put the newer {path.name} back. To open this one, move {path.name}-wal to another place and delete "
        f"{path.stem}.lock.",
    )


def newer_format_error(path: Path, file_version: int, supported_version: int) -> LibraryUnreadable:
    return LibraryUnreadable(
        f"{path} was made by a newer MONITOR (its format is {file_version}; this one knows {supported_version}).",
        kept=_KEPT_MESSAGE,
        todo="Update MONITOR, then open it again.",
    )


def cannot_open_error(path: Path, reason: str) -> LibraryUnreadable:
    return LibraryUnreadable(
        f"{path} cannot be opened for writing: {reason}.",
        kept=_KEPT_MESSAGE,
        todo="Check who owns the folder and that it may be written to, or choose another.",
    )
