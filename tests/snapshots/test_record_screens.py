"""A picture of the record asked, and of those who live in a world."""

from __future__ import annotations

from pathlib import Path

import pytest

from monitor_tui.app import MonitorApp
from tests.screens.table import real_desk, twin_desk
from tests.screens.twin import TwinDesk
from tests.snapshots.test_screens import SIZES, Compare, Steps, walk

PLAYED: dict[str, Steps] = {
    "query_canon": ("enter", "f8", "type:where is Wenna?", "enter"),
    "characters_sheet": ("4",),
}
TWIN: dict[str, Steps] = {
    "query_standings": ("6", "type:where is the bell?", "enter"),
    "characters_memories": ("4", "down", "f2", "enter"),
}
SLOW: dict[str, Steps] = {
    "query_none": ("6",),
    "query_unknown": ("enter", "f8", "type:Who cut the rope?", "enter"),
    "query_recall": ("6", "f2", "type:bell", "enter"),
    "characters_who_knows": ("4", "down", "f2", "enter", "w"),
    "characters_new": ("4", "n"),
}


@SIZES
@pytest.mark.parametrize("name", PLAYED)
def test_played(snap_compare: Compare, home: Path, name: str, size: tuple[int, int]) -> None:
    assert snap_compare(MonitorApp(real_desk(home, 8)), terminal_size=size, run_before=walk(*PLAYED[name]))


@SIZES
@pytest.mark.parametrize("name", TWIN)
def test_standings(snap_compare: Compare, name: str, size: tuple[int, int]) -> None:
    twin = TwinDesk()
    twin.recall.words = "Mara heard the bell at low tide. [1] Forty men rang it. [1]"
    twin.recall.unsupported = ("Forty men rang it.",)
    assert snap_compare(MonitorApp(twin_desk(twin)), terminal_size=size, run_before=walk(*TWIN[name]))


@pytest.mark.slow
@SIZES
@pytest.mark.parametrize("name", SLOW)
def test_more(snap_compare: Compare, name: str, size: tuple[int, int]) -> None:
    assert snap_compare(MonitorApp(twin_desk(TwinDesk())), terminal_size=size, run_before=walk(*SLOW[name]))
