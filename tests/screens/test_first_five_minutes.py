"""A person's first five minutes by keyboard, on real stores: from nothing to facts with evidence."""

from __future__ import annotations

from pathlib import Path

import pytest

from screens.world.universe_screen import UniverseScreen
from tests.screens.screen_driver import ROOMY, real_services, started_app
from widgets.entity_card import EntityCardView

EXCHANGES = (
    "I look at the cut rope.",
    "> The cut is clean. A filleting knife did it.",
    "“Who was out on the Ribs last night?” I ask Wenna.",
    "/check 2d6+2 vs 8",
    "/roll 2d6+1",
    "I take the lantern and go out on the timber.",
)


@pytest.mark.slow
async def test_first_five_minutes(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), ROOMY) as ui:
        # An empty library says what to do, and everything is suggested.
        assert ui.shows("Press 1, then Enter")
        await ui.press("1", "enter", "enter", "enter", "enter", "enter")
        assert ui.screen == "SceneScreen"
        assert ui.shows("The Drowned Bell", "Before the Third Stroke", "Mara Venn")

        for line in EXCHANGES:
            await ui.type(line)
        assert ui.shows("I take the lantern")
        await ui.press("ctrl+z")
        assert not ui.shows("you I take the lantern and go out")

        await ui.type("/place Net Loft: above the inn, full of tarred rope")
        await ui.press("escape")  # what is critical is left to the scene's end
        await ui.type("/fact The rope was cut with a filleting knife")
        await ui.type("/fact Wenna Pike is lying about last night")
        await ui.type("/end Mara knows how the rope was cut")

        # At the gate: accept what stands first, reject the slander, commit.
        assert ui.screen == "GateScreen"
        await ui.press("slash")
        await ui.type("lying")
        await ui.press("r", "escape")
        await ui.press("A", "enter")
        assert ui.screen == "CommitReportDialog"
        assert ui.shows("Net Loft", "The rope was cut with a filleting knife")
        assert not ui.shows("✓ Wenna Pike is lying about")

        # On in the next scene, then home and into the universe.
        await ui.press("enter")
        assert ui.screen == "SceneScreen"
        assert ui.shows("scene 2")
        await ui.press("escape", "enter", "3", "slash")
        await ui.type("Net Loft")
        assert ui.shows("above the inn")
        await ui.press("tab")
        assert isinstance(ui.app.screen, UniverseScreen)
        assert ui.app.screen.query_one(EntityCardView).has_focus
