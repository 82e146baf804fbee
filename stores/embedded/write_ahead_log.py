"""Says which write-ahead log belongs to a library, so that another's is not replayed over it.

SQLite replays any log that is whole in itself: nothing in the file says whose it is
(https://www.sqlite.org/fileformat.html#the_write_ahead_log). So the lock file of a library says whether it has a log,
and which: a log begins with a random number that each restart of it raises by one. It also has the change counter of
the library, which never falls: a library that is older than its log is a copy that was put in its place.
"""

from __future__ import annotations

import struct
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from stores.embedded.sqlite_errors import foreign_log_error, missing_log_error, older_library_error
from stores.small_files import is_no_file

LOCK_BYTES = 64
"""The length of a lock file, whatever it says: a new content takes the place of the old one in a single write."""

_SALT_OFFSET = 16
_CHANGE_COUNTER_OFFSET = 24
_MOST_RESTARTS = 1 << 20
"""Restarts of a log while a library is open, with one in every thousand turns; of 4,000 foreign logs one passes."""


class LogState(Enum):
    """Whether a library has a log. A process that is killed leaves the state that it wrote last."""

    UNKNOWN = ""
    """It is being opened, or an earlier version of MONITOR wrote this."""

    OPEN = "open"
    """It has one."""

    CLOSING = "closing"
    """It may have one."""

    CLOSED = "closed"
    """It has none."""


class LockContent(NamedTuple):
    """What a lock file says: the process that wrote it, and the log of its library."""

    process_id: str
    log_state: LogState = LogState.UNKNOWN
    log_number: int | None = None
    """The number with which the log began when this was written; None if nothing was in it yet."""

    change_counter: int = 0
    """The library's, when its log was first seen; 0 if it was not."""

    def encode(self) -> bytes:
        words = [self.process_id, self.log_state.value]
        if self.log_number is not None:
            words += [f"{self.log_number:08x}", f"{self.change_counter:08x}"]
        return " ".join(words).ljust(LOCK_BYTES).encode()


def decode_lock(content: bytes) -> LockContent:
    """Read what a lock file says; of other content nothing is known."""
    words = content[:LOCK_BYTES].decode(errors="replace").split()
    process_id, state, number, counter = [*words, "", "", "", ""][:4]
    try:
        return LockContent(
            process_id, LogState(state), int(number, 16) if number else None, int(counter or "0", 16)
        )
    except ValueError:
        return LockContent(process_id)


def read_log_number(path: Path) -> int | None:
    """Read the number with which the log of the library at `path` begins; None if nothing is in it."""
    return _read_number(_log_path(path), _SALT_OFFSET)


def read_change_counter(path: Path) -> int:
    """Read the change counter of the library at `path`; 0 if there is none."""
    return _read_number(path, _CHANGE_COUNTER_OFFSET) or 0


def check_log(path: Path) -> None:
    """Raise LibraryUnreadable if the log of the library at `path` is gone, or is not its own. Only reads."""
    path = path.resolve()  # the log and the lock stand beside the file itself, not beside links to it
    lock_path = path.with_suffix(".lock")
    if is_no_file(lock_path):
        return
    try:
        lock = decode_lock(lock_path.read_bytes())
    except OSError:
        return
    if not path.exists() or lock.log_state is LogState.UNKNOWN:
        return
    if lock.log_state is LogState.OPEN and not _log_path(path).exists():
        raise missing_log_error(path)
    number = read_log_number(path)
    if number is None:
        return
    if lock.log_state is LogState.CLOSED:
        raise foreign_log_error(path)
    if lock.log_number is not None and (number - lock.log_number) % (1 << 32) > _MOST_RESTARTS:
        raise foreign_log_error(path)
    if read_change_counter(path) < lock.change_counter:
        raise older_library_error(path)


def _read_number(path: Path, offset: int) -> int | None:
    if is_no_file(path):
        return None
    try:
        with path.open("rb") as file:
            header = file.read(offset + 4)
    except OSError:
        return None
    return int(struct.unpack_from(">I", header, offset)[0]) if len(header) == offset + 4 else None


def _log_path(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")
