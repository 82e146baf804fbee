"""A picture of conflicts, the policy and the gate of a universe, at 80x24 and 120x40, with what goes wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from monitor_tui.app import MonitorApp
from tests.screens.screen_driver import ROOMY, real_services
from tests.snapshots.steps import SIZES, Compare, Steps, typed, walk

pytestmark = pytest.mark.slow


IN_CONFLICT = (
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
    "escape",
    "enter",
)
"""A scene ended with all put off; then home to the menu."""

STEPS: dict[str, Steps] = {
    "conflict": (*IN_CONFLICT, "f3", "C"),
    "conflict_both_true": (*IN_CONFLICT, "f3", "C", "4", "enter", "5"),
    "conflict_time": (*IN_CONFLICT, "f3", "C", "1", "enter"),
    "conflict_time_refused": (*IN_CONFLICT, "f3", "C", "1", "enter", "type:when the cock crows", "enter"),
    "conflict_namesake": (*IN_CONFLICT, "f3", "C", "6", "enter", "2", "enter"),
    "conflict_settled": (*IN_CONFLICT, "f3", "C", "2", "enter"),
    "conflict_namesakes": (*NAMESAKES, "f3", "C"),
    "gate_conflict": (*IN_CONFLICT, "f3"),
    "gate_conflict_decided": (*IN_CONFLICT, "f3", "end"),
    "policy": (*IN_CONFLICT, "f3", "C", "2", "enter", "enter", "P", "down", "a"),
    "policy_refused": ("enter", "f3", "P", "n", *typed("weather")),
    "predicates": ("enter", "f3", "P", "K"),
    "predicates_refused": ("enter", "f3", "P", "K", "type:sworn_to: {cardinality: two}", "ctrl+s"),
    "universe_gate": (*DEFERRED, "3", "g"),
    "universe_gate_empty": ("3", "g"),
}


@SIZES
@pytest.mark.parametrize("name", STEPS)
def test_conflict_and_gate(
    snap_compare: Compare, played_home: Path, name: str, size: tuple[int, int]
) -> None:
    assert snap_compare(
        MonitorApp(real_services(played_home, 8)), terminal_size=size, run_before=walk(*STEPS[name])
    )


@pytest.mark.parametrize("name", ["conflict", "policy"])
def test_light_theme(snap_compare: Compare, played_home: Path, name: str) -> None:
    app = MonitorApp(real_services(played_home, 8))
    app.theme = "monitor-light"
    assert snap_compare(app, terminal_size=ROOMY, run_before=walk(*STEPS[name]))
