"""Measures switching modes: to the first frame of the new screen, and to the one with its contents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from benchmarks.libraries import Libraries
from benchmarks.table import Row, make_times_row
from benchmarks.terminal import ESCAPE, MENU, MENU_FILLED, Terminal, open_monitor

COUNT = 10
AIM = 50


class ModeSwitch(NamedTuple):
    """A key that opens another screen."""

    name: str
    key: str
    first: str
    """What its first frame shows."""
    filled: str = ""
    """What the frame with its contents shows; empty: that is not timed."""
    ready: str = ""
    """What it shows when it takes the next key, which could come too early on a busy machine."""


ROUND = (
    ModeSwitch("menu to universe", "3", "Universe", "The Long Coast"),
    ModeSwitch("universe to menu", ESCAPE, MENU, ready="The Long Watch"),
    ModeSwitch("menu to continue", "2", "Continue a story", "The Long Watch"),
    ModeSwitch("continue to menu", ESCAPE, MENU, ready="The Long Watch"),
)


def run(libraries: Libraries) -> Iterator[Row]:
    with open_monitor(libraries.big) as terminal:
        terminal.since_key(MENU_FILLED)
        yield from time_switches(terminal, libraries.often(COUNT))
        terminal.quit()


def time_switches(terminal: Terminal, count: int, row_suffix: str = "") -> Iterator[Row]:
    """Time each switch of the round, from the menu that is open back to it."""
    seconds: dict[str, list[float]] = defaultdict(list)
    for _ in range(count):
        for switch in ROUND:
            seconds[f"{switch.name}, first frame *{row_suffix}"].append(
                terminal.press(switch.key, switch.first)
            )
            if switch.filled:
                seconds[f"{switch.name}, filled *{row_suffix}"].append(terminal.since_key(switch.filled))
            terminal.since_key(switch.ready)
    return (make_times_row(name, seconds, AIM) for name, seconds in seconds.items())
