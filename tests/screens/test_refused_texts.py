"""What is typed into a dialog and then refused stays there; what cannot be is refused before anything is typed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from stores.errors import StoreFull
from tests.screens.faults import fail_once
from tests.screens.screen_driver import NARROW, NIGHT, ScreenDriver, real_services, started_app

LAST = "The wood is slick with weed."
FULL = StoreFull("The disk is full.", kept="Nothing was changed.")


@pytest.fixture
async def ui(played_home: Path) -> AsyncIterator[ScreenDriver]:
    async with started_app(real_services(played_home, 8, start=NIGHT), NARROW) as ui:
        await ui.press("enter")
        assert ui.screen == "SceneScreen"
        yield ui


@pytest.mark.slow
async def test_retake_is_refused_before_anything_is_typed(ui: ScreenDriver) -> None:
    await ui.type("I touch the bell.")
    await ui.press("ctrl+r")
    assert ui.screen == "SceneScreen"
    assert ui.shows("The last turn is not the GM's", "> narrates what happens", "Ctrl+Z takes")
    await ui.press("ctrl+z", "ctrl+r")
    assert ui.screen == "TextDialog"
    assert ui.shows(LAST)


@pytest.mark.slow
async def test_retake_that_is_refused_keeps_what_was_typed(
    ui: ScreenDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_once(monkeypatch, ui.services.play, "retake", FULL)
    await ui.press("ctrl+r")
    await ui.type(" Then it laughs.")
    assert ui.screen == "TextDialog"
    assert ui.shows("The disk is full.", "Then it laughs.")
    await ui.press("enter")
    assert ui.screen == "SceneScreen"
    assert ui.shows("Then it laughs.", "take 2/2")


@pytest.mark.slow
async def test_edit_that_is_refused_keeps_what_was_typed(
    ui: ScreenDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_once(monkeypatch, ui.services.play, "edit_turn", FULL)
    await ui.press("shift+tab", "e")
    await ui.type(" Then it laughs.")
    assert ui.screen == "TextDialog"
    assert ui.shows("The disk is full.", "Then it laughs.")
    await ui.press("enter")
    assert ui.shows("Then it laughs.", "take 2/2")


@pytest.mark.slow
async def test_branch_name_that_is_refused_stays(played_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with started_app(real_services(played_home, 8, start=NIGHT), NARROW) as ui:
        await ui.press("2", "B")
        assert ui.screen == "LineDialog"
        fail_once(monkeypatch, ui.services.branches, "fork_story", FULL)
        await ui.type("If the bell broke")
        assert ui.screen == "LineDialog"
        assert ui.shows("The disk is full.", "If the bell broke")
        await ui.press("enter")
        assert ui.screen == "StoriesScreen"


@pytest.mark.slow
async def test_sheet_value_that_is_no_number_stays_to_be_changed(ui: ScreenDriver) -> None:
    await ui.press("f5", "down", "e")
    await ui.type("lots")
    assert ui.screen == "TextDialog"
    assert ui.shows("“lots” is not a number.")
    await ui.press("escape", "number_sign")
    await ui.type("1st!")
    assert ui.shows("“1st!” is not a tag")
    assert ui.screen == "TextDialog"
