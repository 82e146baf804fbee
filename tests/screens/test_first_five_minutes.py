"""A person's first five minutes by keyboard, on real stores: from nothing to facts with evidence."""

from __future__ import annotations

from pathlib import Path

from screens.world.universe_screen import UniverseScreen
from tests.screens.screen_driver import ROOMY, real_desk, seated
from widgets.entity_card import EntityCardView

EXCHANGES = (
    "I look at the cut rope.",
    "> The cut is clean. A filleting knife did it.",
    "“Who was out on the Ribs last night?” I ask Wenna.",
    "/check 2d6+2 vs 8",
    "/roll 2d6+1",
    "I take the lantern and go out on the timber.",
)


async def test_first_five_minutes(tmp_path: Path) -> None:
    async with seated(real_desk(tmp_path), ROOMY) as table:
        # An empty library says what to do, and everything is suggested.
        assert table.shows("Press 1, then Enter")
        await table.press("1", "enter", "enter", "enter", "enter", "enter")
        assert table.screen == "SceneScreen"
        assert table.shows("The Drowned Bell", "Before the Third Stroke", "Mara Venn")

        for line in EXCHANGES:
            await table.type(line)
        assert table.shows("I take the lantern")
        await table.press("ctrl+z")
        assert not table.shows("you I take the lantern and go out")

        await table.type("/place Net Loft: above the inn, full of tarred rope")
        await table.press("escape")  # what is critical is left to the scene's end
        await table.type("/fact The rope was cut with a filleting knife")
        await table.type("/fact Wenna Pike is lying about last night")
        await table.type("/end Mara knows how the rope was cut")

        # At the gate: accept what stands first, reject the slander, commit.
        assert table.screen == "GateScreen"
        await table.press("slash")
        await table.type("lying")
        await table.press("r", "escape")
        await table.press("A", "enter")
        assert table.screen == "CommitReportDialog"
        assert table.shows("Net Loft", "The rope was cut with a filleting knife")
        assert not table.shows("✓ Wenna Pike is lying about")

        # On in the next scene, then home and into the universe.
        await table.press("enter")
        assert table.screen == "SceneScreen"
        assert table.shows("scene 2")
        await table.press("escape", "enter", "3", "slash")
        await table.type("Net Loft")
        assert table.shows("above the inn")
        await table.press("tab")
        assert isinstance(table.app.screen, UniverseScreen)
        assert table.app.screen.query_one(EntityCardView).has_focus
