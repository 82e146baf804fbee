"""A lock for one process per library, which the operating system releases however the process ends."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from stores.embedded.sqlite_errors import cannot_open_error
from stores.embedded.write_ahead_log import (
    LOCK_BYTES,
    LockContent,
    LogState,
    decode_lock,
    read_change_counter,
    read_log_number,
)
from stores.errors import LibraryInUse
from stores.small_files import is_no_file

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
        if is_no_file(path):
            return None
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


class ProcessLock:
    """Holds `path` locked from construction to `release`; the file names the process that holds it.

    The library file is locked with it: a lock file that is deleted meanwhile lets nobody else in. Close the library
    before `release`.

    The file also says which write-ahead log the library has (see `write_ahead_log`). The next lock keeps what it says
    until its process marks something else.

    Raises LibraryInUse if another process (or another handle of this one) holds it, and
    LibraryUnreadable if the folder cannot be written to.
    """

    def __init__(self, path: Path, library_path: Path) -> None:
        self.path = path
        self._content = LockContent("")
        self._library_path = library_path
        self._handle = self._take_file(path)
        try:
            self._library_handle = _take_library(library_path)
            self._write(decode_lock(os.read(self._handle, LOCK_BYTES)))
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
        if is_no_file(path):  # to read from a pipe would wait for ever
            os.close(handle)
            raise cannot_open_error(path, "it is not a file")
        try:
            _take(handle)
        except (BlockingIOError, PermissionError) as error:
            os.close(handle)
            raise _library_in_use_error(path) from error
        except OSError as error:
            os.close(handle)
            raise cannot_open_error(path, error.strerror or str(error)) from error
        return handle

    @property
    def knows_log(self) -> bool:
        """Return whether the file says which log the library has."""
        return self._content.log_number is not None

    def mark_opening(self) -> None:
        """Say, before SQLite begins a log, that a library without one may have one from now on."""
        if self._content.log_state is LogState.CLOSED:
            self._write(LockContent(""))

    def mark_open(self) -> None:
        """Say that the library has a log, and which as soon as something is in it."""
        if self._library_handle is None:
            self._library_handle = _take_library(self._library_path)
        counter, number = read_change_counter(self._library_path), read_log_number(self._library_path)
        self._write(LockContent("", LogState.OPEN, number, counter))

    def mark_closing(self) -> None:
        """Say, before SQLite removes the log, that it may be there."""
        self._write(self._content._replace(log_state=LogState.CLOSING))

    def mark_closed(self) -> None:
        """Say that there is no log, unless a process that still reads the library has kept SQLite from removing it."""
        if read_log_number(self._library_path) is None:
            self._write(LockContent("", LogState.CLOSED))

    def release(self) -> None:
        # The file stays: deleting it would let two processes lock two files of one name.
        os.close(self._handle)
        if self._library_handle is not None:
            os.close(self._library_handle)

    def _write(self, content: LockContent) -> None:
        self._content = content._replace(process_id=str(os.getpid()))
        os.lseek(self._handle, 0, os.SEEK_SET)
        os.write(self._handle, self._content.encode())


def _library_in_use_error(path: Path) -> LibraryInUse:
    try:
        pid = decode_lock(path.read_bytes()).process_id
    except OSError:  # deleted under the program that has it open
        pid = ""
    holder = f"Another MONITOR (process {pid})" if pid.isdigit() else "Another MONITOR"
    return LibraryInUse(
        f"{holder} has this library open.",
        kept="Nothing was changed.",
        todo="Close it first, or open another library.",
    )
