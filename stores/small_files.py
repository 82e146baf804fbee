"""Reads small files that the user or somebody else wrote: settings, drafts, tables, rule packs, prompts."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Final

MAX_BYTES: Final = 2_000_000


def read_small_file(path: Path, max_bytes: int = MAX_BYTES) -> bytes:
    """Return the bytes of a file. Raises OSError; ValueError that says why it is not read.

    A pipe or a device may have no end, and a home folder from somebody else may have either.
    """
    if is_no_file(path):
        raise ValueError("it is not a file")
    with path.open("rb") as file:
        data = file.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise ValueError(f"it has more than {max_bytes:,} bytes")
    return data


def is_no_file(path: Path) -> bool:
    """Return whether something else than a file is at the path or where it links to: a pipe, a device, a folder."""
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return False
