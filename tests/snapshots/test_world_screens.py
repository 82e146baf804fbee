"""A picture of what the Universe screen leads to, at both sizes: a played world, a bare one, bad input."""

from __future__ import annotations

from pathlib import Path

import pytest

from monitor_tui.app import MonitorApp
from tests.screens.libraries import CopyLibrary, build_bare_world
from tests.screens.screen_driver import real_services
from tests.snapshots.steps import BOTH_SIZES, SIZES, Compare, Steps, typed, walk
from tests.snapshots.test_play_and_menu_screens import WENNA

pytestmark = pytest.mark.slow

CARD = (*WENNA, "tab")
SIDE_BY_SIDE = (*WENNA, "m", "slash", "type:mara", "enter", "home", "enter")
BRANCHED = (
    "enter",
    *typed("/map"),
    "B",
    *typed("The quiet way"),
    "escape",
    "end",
    "enter",
    *typed(
        "> The door stays shut.", "/retake The door gives way.", "/fact event: The lamp went out", "/commit"
    ),
    *typed("/map"),
)

PLAYED: dict[str, Steps] = {
    "edit_entity": (*WENNA, "e"),
    "edit_entity_refused": (*WENNA, "e", "tab", "tab", "tab", "type:, luck many", "enter"),
    "edit_fact": (*CARD, "e"),
    "end_fact": (*CARD, "end", "D"),
    "new_entity": (*WENNA, "n"),
    "new_fact": (*CARD, "n"),
    "lock_proposed": (*WENNA, "L"),
    "lock_proposed_twice": (*WENNA, "L", "L"),
    "evidence_of_entity": (*WENNA, "x"),
    "retcon_fact": (*CARD, "R"),
    "retcon_entity": (*WENNA, "R"),
    "retcon_proposed": (*CARD, "R", "enter", "R"),
    "lookalikes_none": (*WENNA, "m"),
    "lookalikes_named": SIDE_BY_SIDE[:-2],
    "merge": SIDE_BY_SIDE,
    "merge_swapped": (*SIDE_BY_SIDE, "f2"),
    "fact_history": (*CARD, "h"),
    "moment": ("3", "t"),
    "moment_searched": ("3", "t", "up", "up", "type:day 1", "enter", "tab", "tab", "type:bell", "enter"),
    "moment_refused": ("3", "t", "up", "up", "type:day 2 elevenses", "enter"),
    "lanes": ("3", "T"),
    "lanes_zoomed": ("3", "T", "plus", "plus", "down", "left"),
    "timeline": ("3", "T", "T"),
    "relation_map": (*WENNA, "v"),
    "relation_map_waiting": (*WENNA, "v", "7", "right"),
    "relation_map_narrowed": (*WENNA, "v", "2", "plus", "plus", "f2"),
    "relation_map_of_places": (*WENNA, "v", "8"),
    "relations": (*WENNA, "v", "v"),
    "grid_map_none": ("3", "v", "9"),
    "relations_walked": (*WENNA, "v", "v", "enter"),
    "charts_story": ("percent_sign",),
    "charts_dice": ("percent_sign", "2"),
    "charts_gate": ("percent_sign", "4"),
    "removed_canon_none": ("3", "Z"),
    "commitments": ("3", "p"),
    "commitments_paid": ("3", "p", "D"),
    "commitments_in_play": ("enter", "type:/promises", "enter"),
    "branch_map": BRANCHED,
    "branch_map_name_taken": (*BRANCHED, "B", "type:the quiet way", "enter"),
    "branch_comparison": (*BRANCHED, "home", "V"),
    "turn_trace_proposed": ("enter", "shift+tab", "end", "x"),
}
FILLED = (
    *("right", "n", "type:The Slack Tide", "enter", "right", "n", "type:Net Loft", "enter"),
    *("vertical_line", "left", "vertical_line", "vertical_line", "right", "vertical_line"),
    *(
        "down",
        "left_parenthesis",
        "right",
        "right",
        "down",
        "5",
        "left",
        "left",
        "e",
        "type:Deep",
        "enter",
        "space",
    ),
    *("vertical_line", "up", "up", "vertical_line", "down", "3", "left", "2", "n", "type:Cave", "enter"),
)
"""Keys that fill a grid map: known places, one that is proposed, terrain, a note, ways."""

BARE: dict[str, Steps] = {
    "bare_universe": ("3",),
    "bare_new": ("3", "n"),
    "bare_moment": ("3", "t"),
    "bare_lanes": ("3", "T"),
    "bare_timeline": ("3", "T", "T"),
    "bare_commitments": ("3", "p"),
}


@SIZES
@pytest.mark.parametrize("name", PLAYED)
def test_played_story(snap_compare: Compare, played_home: Path, name: str, size: tuple[int, int]) -> None:
    assert snap_compare(
        MonitorApp(real_services(played_home, 8)), terminal_size=size, run_before=walk(*PLAYED[name])
    )


@pytest.mark.slow
@BOTH_SIZES
@pytest.mark.parametrize("shape", ["squares", "hexes", "rooms"])
def test_grid_map(snap_compare: Compare, played_home: Path, shape: str, size: tuple[int, int]) -> None:
    steps = (*("3", "v", "9", "f2", f"type:Harl, {shape} 12 x 9", "enter"), *FILLED)
    assert snap_compare(
        MonitorApp(real_services(played_home, 8)), terminal_size=size, run_before=walk(*steps)
    )


@SIZES
@pytest.mark.parametrize("name", BARE)
def test_bare_universe(
    snap_compare: Compare, copy_library: CopyLibrary, name: str, size: tuple[int, int]
) -> None:
    app = MonitorApp(real_services(copy_library(build_bare_world), 8))
    assert snap_compare(app, terminal_size=size, run_before=walk(*BARE[name]))
