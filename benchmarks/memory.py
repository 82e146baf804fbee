"""Measures the program's peak memory: at its first frame, at the menu, in the long scene."""

from __future__ import annotations

import time
from collections.abc import Iterator

from benchmarks.libraries import Libraries
from benchmarks.table import Row
from benchmarks.terminal import BACK_TAB, ENTER, MENU, MENU_FILLED, PAGE_UP, SCENE, Terminal, open_monitor

PAGES = 30
FIRST_FRAME_AIM = 80
MENU_AIM = 80
PAGES_BACK_AIM = 130
LOADING_SECONDS = 5
"""Seconds in which the rest of the program is loaded behind the menu, on a busy machine too."""


def run(libraries: Libraries) -> Iterator[Row]:
    with open_monitor(libraries.big) as terminal:
        terminal.since_key(MENU)
        yield _row("at the first frame", terminal, FIRST_FRAME_AIM)
        terminal.since_key(MENU_FILLED)
        terminal.settle()
        yield _row(f"at the menu, {libraries.big_name}", terminal, MENU_AIM)
        time.sleep(LOADING_SECONDS)
        terminal.settle()
        yield _row("there, all that keys lead to loaded", terminal, MENU_AIM)
        terminal.press(ENTER, SCENE)
        terminal.settle()
        yield _row(f"in a scene of {libraries.size.long_scene:,} turns", terminal)
        terminal.press(BACK_TAB)
        pages = libraries.often(PAGES)
        for _ in range(pages):
            terminal.press(PAGE_UP)
        yield _row(f"there, {pages} pages back", terminal, PAGES_BACK_AIM)
        terminal.quit()


def _row(moment: str, terminal: Terminal, aim: float | None = None) -> Row:
    return Row(f"peak memory {moment}", terminal.peak_memory(), aim=aim, unit="MB")
