"""Says which write-ahead log belongs to a library, so that another's is not replayed over it.

SQLite replays any log that is whole in itself: nothing in the file says whose it is
(https://www.sqlite.org/fileformat.html#the_write_ahead_log). So the lock file of a library says whether it has a log,
and which: a log begins with a random number that each restart of it raises by one.
"""

from __future__ import annotations

import struct
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from stores.embedded.sqlite_errors import foreign_log_error, missing_log_error
from stores.small_files import is_no_file

LOCK_BYTES = 64
"""The length of a lock file, whatever it says: a new content takes the place of the old one in a single write."""

_SALT_OFFSET = 16
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

    def encode(self) -> bytes:
        number = "" if self.log_number is None else f"{self.log_number:08x}"
        return f"{self.process_id} {self.log_state.value} {number}".rstrip().ljust(LOCK_BYTES).encode()


def decode_lock(content: bytes) -> LockContent:
    """Read what a lock file says; of other content nothing is known."""
    process_id, state, number = [*content[:LOCK_BYTES].decode(errors="replace").split(), "", "", ""][:3]
    try:
        return LockContent(process_id, LogState(state), int(number, 16) if number else None)
    except ValueError:
        return LockContent(process_id)


def read_log_number(path: Path) -> int | None:
    """Read the number with which the log of the library at `path` begins; None if nothing is in it."""
    if is_no_file(_log_path(path)):
        return None
    try:
        with _log_path(path).open("rb") as log:
            header = log.read(_SALT_OFFSET + 4)
    except OSError:
        return None
    return struct.unpack_from(">I", header, _SALT_OFFSET)[0] if len(header) == _SALT_OFFSET + 4 else None


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


def _log_path(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")
