"""SQLite's errors in MONITOR's words. Source: stores/errors.py."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from stores.errors import LibraryUnreadable, StoreError, StoreFull, WriteDenied

_NO_ROOM = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}
_UNTOUCHED = "It was left as it is."
RESTORE = "Restore the last backup into a new folder: monitor restore BACKUP --into FOLDER."


@contextmanager
def in_our_words(path: Path, connection: apsw.Connection | None = None, who: str = "") -> Iterator[None]:
    """Raise any SQLite error within as its kind of `StoreError`; let every other exception pass."""
    try:
        yield
    except apsw.Error as error:
        raise _in_our_words(error, path, connection, who) from error


def _in_our_words(error: apsw.Error, path: Path, connection: apsw.Connection | None, who: str) -> StoreError:
    if _is_denial(error):
        return WriteDenied(f"{who or 'A reader'} may not write that: {error}.", kept="Nothing was written.")
    if isinstance(error, apsw.FullError) or _has_no_room(error, connection):
        return StoreFull(
            "The disk is full; nothing of this was written.",
            kept="What was written before is safe.",
            todo="Free some space and try again.",
        )
    if isinstance(error, apsw.NotADBError | apsw.CorruptError) or str(error) == "malformed JSON":
        return damaged(path)
    if isinstance(error, apsw.CantOpenError):
        return closed_to_us(path, str(error))
    if isinstance(error, apsw.BusyError | apsw.LockedError):
        return StoreError(
            f"Another program is holding {path}.", kept="Nothing was written.", todo="Close it and try again."
        )
    if isinstance(error, apsw.IOError):
        return StoreError(
            f"The disk failed under {path}: {error}.",
            kept="Nothing of this was written.",
            todo="Check the disk, then try again.",
        )
    return StoreError(f"{path.name} could not do that: {error}.", kept="Nothing of this was written.")


def _is_denial(error: apsw.Error) -> bool:
    """Tell whether the authorizer, a read-only connection or one of our triggers refused."""
    if isinstance(error, apsw.ReadOnlyError):
        return _code(error) != apsw.SQLITE_READONLY_DBMOVED
    if isinstance(error, apsw.ConstraintError):
        return _code(error) == apsw.SQLITE_CONSTRAINT_TRIGGER
    return isinstance(error, apsw.AuthError)


def _code(error: apsw.Error) -> int:
    """Return SQLite's extended result code, which apsw's type stubs leave out."""
    return int(getattr(error, "extendedresult", 0))


def _has_no_room(error: apsw.Error, connection: apsw.Connection | None) -> bool:
    return isinstance(error, apsw.IOError) and connection is not None and connection.system_errno in _NO_ROOM


def foreign(path: Path) -> LibraryUnreadable:
    return LibraryUnreadable(
        f"{path} is not a MONITOR library.",
        kept=_UNTOUCHED,
        todo="Choose another folder, or move that file away.",
    )


def damaged(path: Path) -> LibraryUnreadable:
    return LibraryUnreadable(f"{path} is damaged.", kept=_UNTOUCHED, todo=RESTORE)


def newer(path: Path, found: int, known: int) -> LibraryUnreadable:
    return LibraryUnreadable(
        f"{path} was made by a newer MONITOR (its format is {found}; this one knows {known}).",
        kept=_UNTOUCHED,
        todo="Update MONITOR, then open it again.",
    )


def closed_to_us(path: Path, why: str) -> LibraryUnreadable:
    return LibraryUnreadable(
        f"{path} cannot be opened for writing: {why}.",
        kept=_UNTOUCHED,
        todo="Check who owns the folder and that it may be written to, or choose another.",
    )
