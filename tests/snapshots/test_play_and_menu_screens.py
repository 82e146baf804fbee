"""A picture of the menu, set-up, play and the gate, at 80x24 and 120x40."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from agents.services.services import Services
from monitor_tui.app import MonitorApp, ShowMenu
from stores.errors import LibraryInUse
from tests.screens.screen_driver import ROOMY, real_services
from tests.snapshots.steps import SIZES, Compare, Steps, typed, walk

WENNA = ("3", "slash", "type:wenna", "enter")
DOWN_TO_NEW = ("down", "down")

SOLO_TOOLS = (
    "enter",
    *("type:/thread Who cut the rope?", "enter", "type:/thread 1 +", "enter"),
    *("type:/clock High water 4 per scene 1", "enter", "type:/clock High water = 3", "enter"),
    *("type:/track Find the bell slow", "enter", "type:/track 1 mark 3", "enter"),
)
"""Threads, a clock and a track, made in the prompt."""

PLAYED: dict[str, Steps] = {
    "menu": (),
    "stories": ("2",),
    "universe": WENNA,
    "universe_evidence": (*WENNA, "tab", "end", "enter"),
    "reading": (*WENNA, "tab", "down", "down", "enter", "enter"),
    "help": ("question_mark",),
    "help_commands": ("enter", "f1", "3"),
    "scene": ("enter",),
    "scene_proposals": ("enter", "f2", "a", "r"),
    "scene_story_only": ("enter", "f4"),
    "scene_note": ("enter", "type:/frobnicate the bell", "enter"),
    "scene_offers": (
        "enter",
        *typed(
            "> Three days pass.",
            "> Behind the bar stands Pella Rook, the cook.",
            "> Wenna is a coward and a drunk.",
            "> Wenna tells Mara that Aldous Stint moved the bell.",
            "I promise Wenna that I will bring her the clapper.",
        ),
        "ctrl+l",
    ),
    "scene_critical": ("enter", "type:/npc Old Tam: keeper of the salt bell", "enter"),
    "sheet": ("enter", "f5"),
    "sheet_changed": (
        "enter",
        "f5",
        "down",
        "down",
        "down",
        "minus",
        "minus",
        "number_sign",
        "type:shaken",
        "enter",
    ),
    "own_dice": (
        "enter",
        "type:/dice physical",
        "enter",
        "type:I force the door. /move force",
        "enter",
        "type:2 5",
        "enter",
        "type:/reroll 5 = 6",
        "enter",
        "type:/gm ask Wenna about the tar",
        "enter",
        "type:/roll 2d6!",
        "enter",
    ),
    "turn_trace": ("enter", "shift+tab", "end", "up", "enter"),
    "retake": ("enter", "ctrl+r"),
    "leave": ("enter", "type:half a sent", "escape"),
    "palette": ("enter", "ctrl+p"),
    "gate": ("enter", "f3"),
    "gate_by_kind": ("enter", "f3", "G", "r"),
    "gate_filter": ("enter", "f3", "slash", "type:wenna"),
    "outcome": ("enter", "type:/end Mara knows how the rope was cut", "enter", "A", "enter"),
    "scene_threads": (*SOLO_TOOLS, "f2"),
    "gate_scene_end": (*SOLO_TOOLS, "type:/end Mara knows how the rope was cut", "enter"),
    "next_scene": ("enter", "type:/end Mara knows how the rope was cut", "enter", "A", "enter", "enter"),
}
NEW: dict[str, Steps] = {
    "menu_first": (),
    "universe_first": ("3",),
    "stories_none": ("2",),
    "setup_world": ("1",),
    "setup_new_world": ("1", "down", "enter"),
    "setup_rules": ("1", "enter"),
    "setup_hero": ("1", "enter", "enter"),
    "setup_new_hero": ("1", "enter", "enter", *DOWN_TO_NEW, "enter", "enter"),
    "setup_story": ("1", "enter", "enter", "enter"),
    "setup_opening": ("1", "enter", "enter", "enter", "enter", "tab", "tab", "tab"),
    "scene_first": ("1", "enter", "enter", "enter", "enter", "enter"),
}


@SIZES
@pytest.mark.slow
@pytest.mark.parametrize("name", PLAYED)
def test_played_story(snap_compare: Compare, played_home: Path, name: str, size: tuple[int, int]) -> None:
    assert snap_compare(
        MonitorApp(real_services(played_home, 8)), terminal_size=size, run_before=walk(*PLAYED[name])
    )


@SIZES
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow) if name.startswith("setup_") else name for name in NEW],
)
def test_new_library(snap_compare: Compare, tmp_path: Path, name: str, size: tuple[int, int]) -> None:
    assert snap_compare(MonitorApp(real_services(tmp_path)), terminal_size=size, run_before=walk(*NEW[name]))


@SIZES
def test_library_in_use(snap_compare: Compare, size: tuple[int, int]) -> None:
    async def refuse_to_open(_: ShowMenu) -> tuple[Services, Callable[[], Awaitable[None]]]:
        raise LibraryInUse(
            "Another MONITOR has this library open.",
            kept="Nothing was changed.",
            todo="Close it first, or open another library with --home.",
        )

    assert snap_compare(MonitorApp(refuse_to_open), terminal_size=size, run_before=walk())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["scene", "gate", "universe", "menu"])
def test_light_theme(snap_compare: Compare, played_home: Path, name: str) -> None:
    app = MonitorApp(real_services(played_home, 8))
    app.theme = "monitor-light"
    assert snap_compare(app, terminal_size=ROOMY, run_before=walk(*PLAYED[name]))
