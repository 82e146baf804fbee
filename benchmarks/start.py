"""Measures the start: from the command to the first frame, and to the menu with the library's contents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.libraries import Libraries
from benchmarks.table import Row, percentile
from benchmarks.terminal import MENU, MENU_FILLED, open_monitor

COUNT = 5
FIRST_FRAME_AIM = 400
MENU_FILLED_AIM = 800


def run(libraries: Libraries) -> Iterator[Row]:
    _start(libraries.fresh)  # so that every file was read once
    for name, home in (("fresh library", libraries.fresh), (libraries.big_name, libraries.big)):
        yield from starts(name, home, libraries.often(COUNT))


def starts(name: str, home: Path, count: int) -> Iterator[Row]:
    """Start the program in `home` so many times."""
    frames, menus = zip(*(_start(home) for _ in range(count)), strict=True)
    yield Row(f"start to first frame, best of {count}: {name}", 1_000 * min(frames))
    yield _median(f"start to first frame, median of {count}: {name}", frames, FIRST_FRAME_AIM)
    yield _median(f"start to the menu filled, median of {count}: {name}", menus, MENU_FILLED_AIM)


def _start(home: Path) -> tuple[float, float]:
    with open_monitor(home) as terminal:
        first_frame = terminal.since_key(MENU)
        menu = terminal.since_key(MENU_FILLED)
        terminal.settle()
        terminal.quit()
    return first_frame, menu


def _median(name: str, seconds: tuple[float, ...], aim: float | None = None) -> Row:
    return Row(name, 1_000 * percentile(seconds, 50), aim=aim)
