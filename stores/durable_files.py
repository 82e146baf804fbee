"""Files that are complete and on the disk before they get their name."""

from __future__ import annotations

import errno
import glob
import os
import tempfile
from contextlib import suppress
from pathlib import Path

TEMPORARY_SUFFIX = ".part"
"""What the name of an unfinished file ends with; it begins with a dot."""

_DISK_FULL_ERRNOS = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}


class AtomicFile:
    """A file that is written under a temporary name: `commit` renames it, replacing the target; `discard` removes it.

    The temporary folder must be on the same disk; none: it is the target's, and what earlier attempts that were
    killed left there is removed. Errors are those of the operating system.
    """

    def __init__(self, target: Path, temporary_folder: Path | None = None) -> None:
        self.target = target
        self.temporary_folder = temporary_folder or target.parent
        prefix = "."
        if temporary_folder is None:
            prefix = f".{target.name}."
            for leftover in target.parent.glob(f"{glob.escape(prefix)}????????{TEMPORARY_SUFFIX}"):
                leftover.unlink()
        handle, name = tempfile.mkstemp(dir=self.temporary_folder, prefix=prefix, suffix=TEMPORARY_SUFFIX)
        self._temporary_path = Path(name)
        self.file = os.fdopen(handle, "w+b")

    def commit(self, mode: int) -> None:
        """Make the file durable, with these permissions, under its name."""
        self.file.flush()
        self._temporary_path.chmod(mode)
        os.fsync(self.file.fileno())
        self.file.close()
        self._temporary_path.replace(self.target)
        sync_folder(self.target.parent)

    def discard(self) -> None:
        """Remove the temporary file; does nothing after `commit`."""
        with suppress(OSError):  # on a full disk even closing fails
            self.file.close()
        self._temporary_path.unlink(missing_ok=True)


def make_folders(folder: Path) -> None:
    """Make the folder and those above it, private, and each durable in the one that holds it."""
    if not folder.is_dir():
        make_folders(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
        sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable. Windows has no such call: there the file system journals them."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def is_disk_full(error: OSError) -> bool:
    """Tell whether the disk or the quota is full."""
    return error.errno in _DISK_FULL_ERRNOS
