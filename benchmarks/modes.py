"""Measures switching modes: to the first frame of the new screen, and to the one with its contents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from benchmarks.frames import FrameTest, shows, shows_in_rows
from benchmarks.libraries import Libraries
from benchmarks.presses import CpuWatch
from benchmarks.table import Row, make_times_row
from benchmarks.terminal import ESCAPE, MENU, MENU_FILLED, Terminal, open_monitor

COUNT = 10
AIM = 50


class ModeSwitch(NamedTuple):
    """A key that opens another screen."""

    name: str
    key: str
    first: FrameTest
    """The first frame of the new screen, and no late one of the screen before it."""
    filled: str = ""
    """What the frame with its contents shows; empty: that is not timed."""


TITLE_ROW = (1,)
ROUND = (
    ModeSwitch("menu to universe", "3", shows_in_rows(TITLE_ROW, "Universe"), "The Long Coast"),
    ModeSwitch("universe to menu", ESCAPE, shows(MENU)),
    ModeSwitch("menu to continue", "2", shows_in_rows(TITLE_ROW, "Continue a story"), "The Long Watch"),
    ModeSwitch("continue to menu", ESCAPE, shows(MENU)),
)


def run(libraries: Libraries) -> Iterator[Row]:
    with open_monitor(libraries.big) as terminal:
        terminal.since_key(MENU_FILLED)
        yield from time_switches(terminal, libraries.often(COUNT))
        terminal.quit()


def time_switches(terminal: Terminal, count: int, row_suffix: str = "") -> Iterator[Row]:
    """Time each switch of the round, from the menu that is open back to it."""
    first_seconds: dict[str, list[float]] = defaultdict(list)
    filled_seconds: dict[str, list[float]] = defaultdict(list)
    cpu_seconds: dict[str, float] = defaultdict(float)
    for _ in range(count):
        for switch in ROUND:
            terminal.settle()
            watch = CpuWatch(terminal)
            first_seconds[switch.name].append(terminal.press(switch.key, switch.first))
            if switch.filled:
                filled_seconds[switch.name].append(terminal.since_key(switch.filled))
            terminal.settle()
            cpu_seconds[switch.name] += watch.read_seconds() or 0.0
    for name, seconds in first_seconds.items():
        cpu = cpu_seconds[name] / count or None
        yield make_times_row(f"{name}, first frame *{row_suffix}", seconds, AIM, cpu)
        if filled_seconds[name]:
            yield make_times_row(f"{name}, filled *{row_suffix}", filled_seconds[name], AIM)
