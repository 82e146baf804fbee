"""A lock for one process per library, which the operating system releases however the process ends."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from stores.embedded.sqlite_errors import cannot_open_error
from stores.errors import LibraryInUse

if sys.platform == "win32":
    import msvcrt

    _FAR = 1 << 30
    """The byte to lock on Windows, which also locks against reading; so it is beyond the text."""

    def _take(handle: int) -> None:
        os.lseek(handle, _FAR, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _take(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


_OPEN_MARK = b" open"
_MAX_BYTES = 64


def lacks_newest_writes(path: Path) -> bool:
    """Return whether the log is gone of a library that is open, or whose process was ended while it was."""
    if not path.exists() or path.with_name(f"{path.name}-wal").exists():
        return False
    try:
        return path.with_suffix(".lock").read_bytes().endswith(_OPEN_MARK)
    except OSError:
        return False


class ProcessLock:
    """Holds `path` locked from construction to `release`; the file names the process that holds it.

    Between `mark_open` and `mark_closed` the file also says that the library has a write-ahead log. A process that
    is killed leaves that mark, and the next lock keeps it (see `lacks_newest_writes`).

    Raises LibraryInUse if another process (or another handle of this one) holds it, and
    LibraryUnreadable if the folder cannot be written to.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            # Do not follow links: a home folder from somebody else could link to any of the user's files.
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644)
        except OSError as error:
            raise cannot_open_error(path, error.strerror or str(error)) from error
        try:
            _take(self._handle)
        except (BlockingIOError, PermissionError) as error:
            os.close(self._handle)
            raise _library_in_use_error(path) from error
        except OSError as error:
            os.close(self._handle)
            raise cannot_open_error(path, error.strerror or str(error)) from error
        try:
            was_left_open = os.read(self._handle, _MAX_BYTES).endswith(_OPEN_MARK)
            self._write(_OPEN_MARK if was_left_open else b"")
        except OSError as error:
            os.close(self._handle)
            raise cannot_open_error(path, error.strerror or str(error)) from error

    def mark_open(self) -> None:
        self._write(_OPEN_MARK)

    def mark_closed(self) -> None:
        os.ftruncate(self._handle, len(_process_id()))

    def release(self) -> None:
        # The file stays: deleting it would let two processes lock two files of one name.
        os.close(self._handle)

    def _write(self, mark: bytes) -> None:
        os.lseek(self._handle, 0, os.SEEK_SET)
        os.ftruncate(self._handle, 0)
        os.write(self._handle, _process_id() + mark)


def _process_id() -> bytes:
    return str(os.getpid()).encode()


def _library_in_use_error(path: Path) -> LibraryInUse:
    pid = path.read_text(errors="replace").partition(" ")[0].strip()
    holder = f"Another MONITOR (process {pid})" if pid.isdigit() else "Another MONITOR"
    return LibraryInUse(
        f"{holder} has this library open.",
        kept="Nothing was changed.",
        todo="Close it first, or open another library.",
    )
