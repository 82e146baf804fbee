"""Measures a key press in a long scene, to the end of the frame that answers it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from benchmarks.frames import shows_in_rows
from benchmarks.libraries import Libraries
from benchmarks.presses import CpuWatch, time_presses
from benchmarks.table import Row, make_times_row
from benchmarks.terminal import (
    BACK_TAB,
    DOWN,
    ENTER,
    LINES,
    MENU_FILLED,
    PAGE_UP,
    SCENE,
    UP,
    Terminal,
    open_monitor,
)

COUNT = 50
AIM = 16

LETTERS = "qzxwvyk"
"""Letters that nothing else in the rows of the prompt contains, so that a frame with one answers its key."""

ERASE_LINE = "\x15"
MOVES = {"up": UP, "down": DOWN, "page up": PAGE_UP}

TRANSCRIPT_ROWS = range(2, LINES - 4)
PROMPT_ROWS = range(LINES - 4, LINES - 1)
"""Rows of a scene (from 1). The title above them, which shows the background's work, is redrawn without any key."""

draws_transcript = shows_in_rows(TRANSCRIPT_ROWS)


def run(libraries: Libraries) -> Iterator[Row]:
    row_suffix = f" of {libraries.size.long_scene:,} turns"
    with open_monitor(libraries.big) as terminal:
        terminal.since_key(MENU_FILLED)
        terminal.press(ENTER, SCENE)
        yield from time_keys(terminal, libraries.often(COUNT), row_suffix, letter_aim=AIM, move_aim=AIM)
        terminal.settle()
        terminal.quit()


def time_keys(
    terminal: Terminal, count: int, row_suffix: str, *, letter_aim: float, move_aim: float
) -> Iterator[Row]:
    """Time each key in a scene that is open, with the prompt in focus."""
    yield _time_letters(
        terminal, f"key to frame *, a letter in the prompt, scene{row_suffix}", count, letter_aim
    )
    terminal.press(BACK_TAB)
    for name, key in MOVES.items():
        yield time_presses(
            terminal,
            f"key to frame *, {name} in the transcript{row_suffix}",
            [(key, draws_transcript)] * count,
            move_aim,
        )


def _time_letters(terminal: Terminal, name: str, count: int, aim: float) -> Row:
    """Time letters; the line is erased after every seventh."""
    shows_letter = partial(shows_in_rows, PROMPT_ROWS)
    watch, seconds, erasing_cpu = CpuWatch(terminal), list[float](), 0.0
    while len(seconds) < count:
        seconds += [terminal.press(letter, shows_letter(letter)) for letter in LETTERS]
        terminal.settle()
        erasing = CpuWatch(terminal)
        terminal.press(ERASE_LINE, shows_letter())
        terminal.settle()
        erasing_cpu += erasing.read_seconds() or 0.0
    cpu = watch.read_seconds()
    return make_times_row(name, seconds, aim, None if cpu is None else (cpu - erasing_cpu) / len(seconds))
