"""Measures switching modes: to the first frame of the new screen, and to the one with its contents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from benchmarks.libraries import Libraries
from benchmarks.table import Row, make_times_row
from benchmarks.terminal import ESCAPE, MENU, MENU_FILLED, Terminal

COUNT = 10
AIM = 50


class ModeSwitch(NamedTuple):
    """A key that opens another screen, the text that it shows at once, and the text when it is filled."""

    name: str
    key: str
    first: str
    filled: str = ""


ROUND = (
    ModeSwitch("menu to universe", "3", "Universe", "The Long Coast"),
    ModeSwitch("universe to menu", ESCAPE, MENU),
    ModeSwitch("menu to continue", "2", "Continue a story", "The Long Watch"),
    ModeSwitch("continue to menu", ESCAPE, MENU),
)


def run(libraries: Libraries) -> Iterator[Row]:
    seconds: dict[str, list[float]] = defaultdict(list)
    with Terminal(libraries.big) as terminal:
        terminal.since_key(MENU_FILLED)
        for _ in range(libraries.often(COUNT)):
            for switch in ROUND:
                seconds[f"{switch.name}, first frame *"].append(terminal.press(switch.key, switch.first))
                if switch.filled:
                    seconds[f"{switch.name}, filled *"].append(terminal.since_key(switch.filled))
        terminal.quit()
    return (make_times_row(name, seconds, AIM) for name, seconds in seconds.items())
