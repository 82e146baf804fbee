"""A picture of what the Universe screen leads to, at both sizes: played worlds, bare ones, bad input."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from agents.story_outline import NewUniverse
from monitor_tui.app import MonitorApp
from tests.screens.table import real_desk
from tests.snapshots.steps import SIZES, WENNA, Compare, Steps, walk

pytestmark = pytest.mark.slow

CARD = (*WENNA, "tab")
SIDE_BY_SIDE = (*WENNA, "m", "slash", "type:mara", "enter", "home", "enter")

PLAYED: dict[str, Steps] = {
    "edit_entity": (*WENNA, "e"),
    "edit_entity_bad": (*WENNA, "e", "tab", "tab", "tab", "type:, luck many", "enter"),
    "edit_fact": (*CARD, "e"),
    "end_fact": (*CARD, "d"),
    "new_thing": (*WENNA, "n"),
    "new_fact": (*CARD, "n"),
    "staged": (*WENNA, "L"),
    "staged_twice": (*WENNA, "L", "L"),
    "evidence_of_a_thing": (*WENNA, "x"),
    "retcon_fact": (*CARD, "R"),
    "retcon_entity": (*WENNA, "R"),
    "retcon_staged": (*CARD, "R", "enter", "R"),
    "lookalikes_none": (*WENNA, "m"),
    "lookalikes_named": SIDE_BY_SIDE[:-2],
    "merge": SIDE_BY_SIDE,
    "merge_swapped": (*SIDE_BY_SIDE, "s"),
    "history": (*CARD, "h"),
    "moment": ("3", "t"),
    "moment_then": ("3", "t", "type:day 1", "enter", "tab", "tab", "type:bell", "enter"),
    "moment_bad": ("3", "t", "type:day 2 elevenses", "enter"),
    "timeline": ("3", "T"),
    "ties": (*WENNA, "v"),
    "ties_walked": (*WENNA, "v", "enter"),
    "taken_back_none": ("3", "b"),
    "ledger": ("3", "p"),
    "ledger_paid": ("3", "p", "p"),
    "ledger_in_play": ("enter", "type:/promises", "enter"),
    "trace_proposed": ("enter", "shift+tab", "end", "x"),
}
BARE: dict[str, Steps] = {
    "bare_universe": ("3",),
    "bare_new": ("3", "n"),
    "bare_moment": ("3", "t"),
    "bare_timeline": ("3", "T"),
    "bare_ledger": ("3", "p"),
}


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A library with a world in it of which nothing is known."""

    async def found() -> None:
        services, close = await real_desk(tmp_path)()
        await services.stories.create_universe(NewUniverse("Nowhere"))
        await close()

    asyncio.run(found())
    return tmp_path


@SIZES
@pytest.mark.parametrize("name", PLAYED)
def test_played(snap_compare: Compare, home: Path, name: str, size: tuple[int, int]) -> None:
    assert snap_compare(MonitorApp(real_desk(home, 8)), terminal_size=size, run_before=walk(*PLAYED[name]))


@SIZES
@pytest.mark.parametrize("name", BARE)
def test_bare(snap_compare: Compare, bare: Path, name: str, size: tuple[int, int]) -> None:
    assert snap_compare(MonitorApp(real_desk(bare, 8)), terminal_size=size, run_before=walk(*BARE[name]))
