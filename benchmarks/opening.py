"""Measures opening a long scene: in the service (loops, view, last page of turns), and on the screen."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.libraries import Libraries, OpenScene, open_scene, time_call
from benchmarks.table import Row, make_times_row
from benchmarks.terminal import ENTER, ESCAPE, MENU, MENU_FILLED, SCENE, open_monitor

COUNT = 15
PAGE = 50
AIM = 50


def run(libraries: Libraries) -> Iterator[Row]:
    long = f"{libraries.size.long_scene:,} turns"
    for name, home in (("its first turns", libraries.fresh), (long, libraries.big)):
        seconds = asyncio.run(_time_openings(home, libraries.often(COUNT)))
        yield make_times_row(f"opening a scene of {name}: resume, view and page", seconds)
    first, turns = _on_screen(libraries.big, libraries.often(COUNT))
    yield make_times_row(f"menu to a scene of {long}, first frame *", first, AIM)
    yield make_times_row(f"menu to a scene of {long}, with its last turns *", turns)


async def _time_openings(home: Path, count: int) -> list[float]:
    async with open_scene(home) as scene_in_play:
        return [await time_call(partial(_open, scene_in_play)) for _ in range(count)]


async def _open(scene_in_play: OpenScene) -> None:
    await scene_in_play.services.stories.resume(scene_in_play.story_id)
    view = await scene_in_play.services.play.scene(scene_in_play.scene_id)
    await scene_in_play.services.play.transcript(scene_in_play.scene_id, max(0, view.turn_count - PAGE), PAGE)


def _on_screen(home: Path, count: int) -> tuple[list[float], list[float]]:
    """Time from Enter on the menu's card to the first frame of the scene, and to the one with its turns."""
    first: list[float] = []
    turns: list[float] = []
    with open_monitor(home) as terminal:
        terminal.since_key(MENU_FILLED)
        for _ in range(count):
            first.append(terminal.press(ENTER, "Gate"))
            turns.append(terminal.since_key(SCENE))
            terminal.press(ESCAPE, "Leave for the menu?")
            terminal.press(ENTER, MENU)
        terminal.settle()
        terminal.quit()
    return first, turns
