"""Tells which processes this one has started (Linux)."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def child_pids() -> set[int]:
    """Return the processes that this one started and has not waited for: zombies are among them."""
    pids = set[int]()
    for path in Path("/proc/self/task").glob("*/children"):
        # A thread may end between the listing and the reading: then open fails, or the read does.
        with suppress(FileNotFoundError, ProcessLookupError):
            pids.update(map(int, path.read_text().split()))
    return pids
