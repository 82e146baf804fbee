"""Measures how much of a core the processes behind play use while something else is measured."""

from __future__ import annotations

import time
from collections.abc import Iterator

from benchmarks.processes import HAS_PROC, read_children_cpu
from benchmarks.table import Row
from benchmarks.terminal import Terminal


class BackgroundWork:
    """The processor time that the processes behind play have used since this was made."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._started_at = time.perf_counter()
        self._cpu = read_children_cpu(terminal.process_id) if HAS_PROC else 0.0

    def rows(self, keys_name: str) -> Iterator[Row]:
        if not HAS_PROC:
            return
        cpu = read_children_cpu(self._terminal.process_id) - self._cpu
        seconds = time.perf_counter() - self._started_at
        yield Row(
            f"  the background's share of a core during these {keys_name}", 100 * cpu / seconds, unit="%"
        )
