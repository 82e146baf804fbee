"""Plays whole scripts, with something happening between the lines, and returns the report."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from agents.services.play import PlayService
from monitor_tui.compose import compose
from monitor_tui.play_report import build_report
from monitor_tui.play_script import play_script, read_script
from stores.open import open_stores
from stores.records.ids import Clock, SeededIdGenerator, SteppingClock
from stores.stores import Stores
from tests.test_worked_examples import SCRIPTS

START = datetime(2026, 1, 1, tzinfo=UTC)


class InterruptedPlay:
    """The play service, with something happening before each typed line (they count from 1)."""

    def __init__(self, play: PlayService, before_line: Callable[[int], Awaitable[None]]) -> None:
        self._play = play
        self._before_line = before_line
        self.line_count = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._play, name)

    async def submit(self, scene_id: str, line: str) -> Any:
        self.line_count += 1
        await self._before_line(self.line_count)
        return await self._play.submit(scene_id, line)


def new_clock() -> Clock:
    return SteppingClock(START)


async def played(
    stores: Stores,
    home: Path,
    script: str,
    seed: int,
    clock: Clock,
    happens: Callable[[int], Awaitable[None]],
) -> dict[str, Any]:
    """Play a script over these stores, and return its whole report."""
    services = compose(stores, home, clock, SeededIdGenerator(seed, clock))
    play = InterruptedPlay(services.play, happens)
    interrupted = replace(services, play=cast(PlayService, play))
    done = await play_script(interrupted, read_script((SCRIPTS / script).read_text()))
    assert not done.error
    assert play.line_count, "nothing was typed, so nothing was interrupted"
    return await build_report(stores, done)


async def played_at_home(home: Path, script: str, seed: int) -> dict[str, Any]:
    """Play the script on files alone: the expected report for any kind of store."""
    clock = new_clock()
    stores = await open_stores(home, clock=clock)
    try:
        return await played(stores, home, script, seed, clock, nothing)
    finally:
        await stores.close()


async def nothing(line: int) -> None:
    """Do nothing before the line."""
