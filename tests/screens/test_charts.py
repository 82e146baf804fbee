"""The charts by keyboard: one key from the menu, a world and the system screen; four tabs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.screens.screen_driver import NARROW, real_services, started_app


@pytest.mark.slow
async def test_charts_show_a_story_its_dice_its_model_and_its_gate(played_home: Path, tmp_path: Path) -> None:
    async with started_app(real_services(played_home, 8), NARROW) as ui:
        await ui.press("percent_sign")
        assert ui.screen == "ChartsScreen"
        assert ui.shows("Tension by scene", "Now 5 of 9", "Checks by scene", "1 check:", "Salt Coast")
        await ui.press("right")
        assert ui.shows("Faces of d6", "2 throws are too few to tell.")
        await ui.press("3")
        assert ui.shows("No model was asked yet.")
        await ui.press("right")
        assert ui.shows("Accepted by kind", "New entities", "1 of 1")
        await ui.press("escape", "3", "percent_sign")
        assert ui.screen == "ChartsScreen"
        await ui.press("escape", "escape", "7", "percent_sign", "left")
        assert ui.shows("Accepted by kind")


async def test_charts_of_an_empty_library_say_what_to_do(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), NARROW) as ui:
        await ui.press("percent_sign")
        assert ui.shows("No world yet.")
        await ui.press("2", "right", "down")
        assert ui.screen == "ChartsScreen"
