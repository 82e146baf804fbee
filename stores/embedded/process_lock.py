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

    def _take_library(path: Path) -> int | None:
        """Return None: a lock file that is open cannot be deleted here."""
        return None
else:
    import fcntl

    def _take(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _take_library(path: Path) -> int | None:
        """Lock the library file itself and return its handle; None if it is not there yet or takes no such lock.

        SQLite has other locks on it (POSIX ones), which the system drops as soon as any handle of the file is closed.
        Raises BlockingIOError if another process has it.
        """
        try:
            handle = os.open(path, os.O_RDONLY)
        except OSError:
            return None
        try:
            _take(handle)
        except BlockingIOError:
            os.close(handle)
            raise
        except OSError:
            os.close(handle)
            return None
        return handle


_OPEN_MARK = b" open"
_MAX_BYTES = 64


def lacks_newest_writes(path: Path) -> bool:
    """Return whether the log is gone of a library that is open, or whose process was ended while it was."""
    path = path.resolve()  # the log and the lock stand beside the file itself, not beside links to it
    if not path.exists() or path.with_name(f"{path.name}-wal").exists():
        return False
    try:
        return path.with_suffix(".lock").read_bytes().endswith(_OPEN_MARK)
    except OSError:
        return False


class ProcessLock:
    """Holds `path` locked from construction to `release`; the file names the process that holds it.

    The library file is locked with it: a lock file that is deleted meanwhile lets nobody else in. Close the library
    before `release`.

    Between `mark_open` and `mark_closed` the file also says that the library has a write-ahead log. A process that
    is killed leaves that mark, and the next lock keeps it (see `lacks_newest_writes`).

    Raises LibraryInUse if another process (or another handle of this one) holds it, and
    LibraryUnreadable if the folder cannot be written to.
    """

    def __init__(self, path: Path, library_path: Path) -> None:
        self.path = path
        self._library_path = library_path
        self._handle = self._take_file(path)
        try:
            self._library_handle = _take_library(library_path)
            was_left_open = os.read(self._handle, _MAX_BYTES).endswith(_OPEN_MARK)
            _write(self._handle, _OPEN_MARK if was_left_open else b"")
        except BlockingIOError as error:
            os.close(self._handle)
            raise _library_in_use_error(path) from error
        except OSError as error:
            self.release()
            raise cannot_open_error(path, error.strerror or str(error)) from error

    def _take_file(self, path: Path) -> int:
        try:
            # Do not follow links: a home folder from somebody else could link to any of the user's files.
            handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644)
        except OSError as error:
            raise cannot_open_error(path, error.strerror or str(error)) from error
        try:
            _take(handle)
        except (BlockingIOError, PermissionError) as error:
            os.close(handle)
            raise _library_in_use_error(path) from error
        except OSError as error:
            os.close(handle)
            raise cannot_open_error(path, error.strerror or str(error)) from error
        return handle

    def mark_open(self) -> None:
        if self._library_handle is None:
            self._library_handle = _take_library(self._library_path)
        _write(self._handle, _OPEN_MARK)

    def mark_closed(self) -> None:
        os.ftruncate(self._handle, len(_process_id()))

    def release(self) -> None:
        # The file stays: deleting it would let two processes lock two files of one name.
        os.close(self._handle)
        if self._library_handle is not None:
            os.close(self._library_handle)


def _write(handle: int, mark: bytes) -> None:
    os.lseek(handle, 0, os.SEEK_SET)
    os.ftruncate(handle, 0)
    os.write(handle, _process_id() + mark)


def _process_id() -> bytes:
    return str(os.getpid()).encode()


def _library_in_use_error(path: Path) -> LibraryInUse:
    try:
        pid = path.read_text(errors="replace").partition(" ")[0].strip()
    except OSError:  # deleted under the program that has it open
        pid = ""
    holder = f"Another MONITOR (process {pid})" if pid.isdigit() else "Another MONITOR"
    return LibraryInUse(
        f"{holder} has this library open.",
        kept="Nothing was changed.",
        todo="Close it first, or open another library.",
    )
