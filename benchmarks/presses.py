"""Times keys, each to the end of the frame that answers it, and the processor time of the process that draws."""

from __future__ import annotations

from collections.abc import Iterable

from benchmarks.frames import FrameTest
from benchmarks.processes import HAS_PROC, read_own_cpu
from benchmarks.table import Row, make_times_row
from benchmarks.terminal import Terminal

Press = tuple[str, str | FrameTest]
"""A key, and what its frame shows."""


def time_presses(terminal: Terminal, name: str, presses: Iterable[Press], aim: float | None) -> Row:
    """Press each key. The row's `cpu` is what one takes until all is drawn (none without /proc)."""
    terminal.settle()
    watch = CpuWatch(terminal)
    seconds = [terminal.press(key, answer) for key, answer in presses]
    terminal.settle()
    cpu = watch.read_seconds()
    return make_times_row(name, seconds, aim, None if cpu is None else cpu / len(seconds))


class CpuWatch:
    """The processor time that the program itself has used since this was made."""

    def __init__(self, terminal: Terminal) -> None:
        self._process_id = terminal.process_id
        self._cpu = read_own_cpu(self._process_id) if HAS_PROC else 0.0

    def read_seconds(self) -> float | None:
        """Return it in seconds; None without /proc."""
        return read_own_cpu(self._process_id) - self._cpu if HAS_PROC else None
