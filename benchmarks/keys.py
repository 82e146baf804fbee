"""Measures a key press in a long scene, to the end of the frame that answers it."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.libraries import Libraries
from benchmarks.table import Row, make_times_row
from benchmarks.terminal import (
    BACK_TAB,
    DOWN,
    ENTER,
    MENU_FILLED,
    PAGE_UP,
    SCENE,
    UP,
    Terminal,
)

COUNT = 50
AIM = 16

LETTERS = "qzxwvyk"
"""Letters that no escape sequence of a frame contains, so that a frame with one answers its key."""

ERASE_LINE = "\x15"
MOVES = {"up": UP, "down": DOWN, "page up": PAGE_UP}


def run(libraries: Libraries) -> Iterator[Row]:
    row_suffix = f"of {libraries.size.long_scene:,} turns"
    count = libraries.often(COUNT)
    with Terminal(libraries.big) as terminal:
        terminal.since_key(MENU_FILLED)
        terminal.press(ENTER, shows=SCENE)
        yield make_times_row(
            f"key to frame *, a letter in the prompt, scene {row_suffix}", _type(terminal, count), AIM
        )
        terminal.press(BACK_TAB)
        for name, key in MOVES.items():
            seconds = [terminal.press(key) for _ in range(count)]
            yield make_times_row(f"key to frame *, {name} in the transcript {row_suffix}", seconds, AIM)
        terminal.settle()
        terminal.quit()


def _type(terminal: Terminal, count: int) -> list[float]:
    seconds: list[float] = []
    while len(seconds) < count:
        seconds += [terminal.press(letter, shows=letter) for letter in LETTERS]
        terminal.press(ERASE_LINE)
    return seconds
