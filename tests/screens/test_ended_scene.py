"""The way back from a scene that has ended, by keyboard."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.screens.screen_driver import NARROW, NIGHT, ScreenDriver, real_services, started_app


@pytest.fixture
async def ui(played_home: Path) -> AsyncIterator[ScreenDriver]:
    async with started_app(real_services(played_home, 8, start=NIGHT), NARROW) as ui:
        await ui.press("enter")
        await ui.type("/place Forge: hot")
        yield ui


@pytest.mark.slow
async def test_undo_over_the_report_of_an_ended_scene_takes_the_end_back(ui: ScreenDriver) -> None:
    await ui.type("/end")
    await ui.press("enter")
    assert ui.screen == "CommitReportDialog"
    # Its line of keys lies over that of the gate, which has an undo of its own.
    assert ui.shows("⏎ Go on ^z Undo")
    assert not ui.shows("u Undo it")
    assert not ui.shows("G Group")
    await ui.press("ctrl+z")
    assert ui.screen == "ConfirmDialog"
    assert ui.shows("Take back the end of Scene", "Forge", "no longer canon")
    await ui.press("enter")
    assert ui.screen in ("SceneScreen", "GateScreen")
    assert ui.shows("scene 1")


@pytest.mark.slow
async def test_undo_over_the_report_of_a_commit_in_play_asks_for_it(ui: ScreenDriver) -> None:
    await ui.press("f3", "enter")
    assert ui.screen == "CommitReportDialog"
    await ui.press("ctrl+z")
    assert ui.shows("Last, this became canon:")


@pytest.mark.slow
async def test_reopen_in_the_next_scene_says_how_the_ended_one_is_reached(ui: ScreenDriver) -> None:
    await ui.type("/end")
    await ui.press("enter", "enter")
    assert ui.screen == "SceneScreen"
    await ui.type("/reopen")
    assert ui.shows(
        "This scene cannot be reopened: it is being played.", "Ctrl+Z takes back", "/map branches"
    )


@pytest.mark.slow
async def test_undo_after_a_scene_that_was_ended_too_early_goes_back_into_it(ui: ScreenDriver) -> None:
    """Ctrl+Z, answered, leads into the scene that had ended; Ctrl+Y, answered, ends it again."""
    await ui.type("/end")
    await ui.press("enter", "enter")
    assert ui.shows("scene 2")
    await ui.press("ctrl+z")
    assert ui.screen == "ConfirmDialog"
    assert ui.shows("Take back the end of Scene", "Forge", "no longer canon")
    await ui.press("enter")
    assert ui.screen == "SceneScreen"
    assert ui.shows("scene 1", "goes on. Ctrl+Y ends it again.")
    await ui.press("ctrl+y")
    assert ui.shows("This becomes canon again:")
    await ui.press("enter")
    assert ui.shows("scene 2")


@pytest.mark.slow
async def test_branch_key_at_a_scenes_start_says_where_it_can_branch_from(ui: ScreenDriver) -> None:
    await ui.type("/end")
    await ui.press("enter", "enter", "shift+tab")
    assert not ui.shows("Look at turn")
    await ui.press("B")
    assert ui.shows("Nothing is played in this scene yet", "opens the map")
    await ui.press("l")
    assert ui.screen == "BranchMapScreen"
    await ui.press("escape")
    await ui.type("I go on.")
    await ui.press("shift+tab")
    assert ui.shows("Look at turn")
