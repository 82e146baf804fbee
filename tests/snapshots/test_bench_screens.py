"""A picture of the court, the house and the gate of a universe, at 80x24 and 120x40, with what goes wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from monitor_tui.app import MonitorApp
from tests.screens.table import ROOMY, real_desk
from tests.snapshots.steps import SIZES, Compare, Steps, walk

pytestmark = pytest.mark.slow


def typed(*lines: str) -> Steps:
    return tuple(step for line in lines for step in (f"type:{line}", "enter"))


AT_ODDS = (
    "enter",
    *typed(
        "/fact Wenna Pike ally_of Ivo Tarrant",
        "/commit",
        "> Ivo lays the knife on the table between them.",
        "/fact Wenna Pike enemy_of Ivo Tarrant",
    ),
)
NAMESAKES = ("enter", *typed("/npc Wenna Pike: a stranger in an oilskin coat", "/npc Ivo Tarrent: a clerk"))
DEFERRED = (
    "enter",
    "f3",
    "asterisk",
    "d",
    "escape",
    *typed("/end Mara knows how the rope was cut"),
    "enter",
    "enter",
    "escape",
    "enter",
)
"""A scene ended with all put off; then home to the menu."""

STEPS: dict[str, Steps] = {
    "court": (*AT_ODDS, "f3", "h"),
    "court_forms": (*AT_ODDS, "f3", "h", "4", "enter", "5"),
    "court_time": (*AT_ODDS, "f3", "h", "1", "enter"),
    "court_bad_time": (*AT_ODDS, "f3", "h", "1", "enter", "type:when the cock crows", "enter"),
    "court_name": (*AT_ODDS, "f3", "h", "6", "enter", "2", "enter"),
    "court_settled": (*AT_ODDS, "f3", "h", "2", "enter"),
    "court_namesakes": (*NAMESAKES, "f3", "h"),
    "gate_at_odds": (*AT_ODDS, "f3"),
    "gate_decided": (*AT_ODDS, "f3", "end"),
    "house": (*AT_ODDS, "f3", "h", "2", "enter", "enter", "p", "down", "a"),
    "house_refused": ("enter", "f3", "p", "n", *typed("weather")),
    "predicates": ("enter", "f3", "p", "p"),
    "predicates_refused": ("enter", "f3", "p", "p", "type:sworn_to: {cardinality: two}", "ctrl+s"),
    "universe_gate": (*DEFERRED, "3", "g"),
    "universe_gate_empty": ("3", "g"),
}


@SIZES
@pytest.mark.parametrize("name", STEPS)
def test_bench(snap_compare: Compare, home: Path, name: str, size: tuple[int, int]) -> None:
    assert snap_compare(MonitorApp(real_desk(home, 8)), terminal_size=size, run_before=walk(*STEPS[name]))


@pytest.mark.parametrize("name", ["court", "house"])
def test_by_day(snap_compare: Compare, home: Path, name: str) -> None:
    app = MonitorApp(real_desk(home, 8))
    app.theme = "monitor-light"
    assert snap_compare(app, terminal_size=ROOMY, run_before=walk(*STEPS[name]))
