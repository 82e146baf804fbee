"""The tour by keyboard: six ideas, each told when the one before it was seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.screens.screen_driver import NARROW, real_services, started_app

pytestmark = pytest.mark.slow


async def test_tour_tells_six_ideas_while_they_are_played(tmp_path: Path) -> None:
    """I know nothing of this program. I press F10, do what the strip says, and my first fact is canon."""
    async with started_app(real_services(tmp_path), NARROW) as ui:
        assert ui.shows("New here? F10 is a tour of five minutes.")
        await ui.press("f10")
        assert ui.screen == "SceneScreen"
        assert ui.shows("Tour 1/6 · Turn.", "→ Type: I look at the rope.")
        await ui.type("I look at the rope.")
        assert ui.shows("Tour 2/6 · Roll.")
        await ui.type("I pull at it. /check wits vs 8")
        assert ui.shows("Tour 3/6 · Proposal.")
        await ui.type("/fact The rope was cut with a company knife")
        assert ui.shows("Tour 4/6 · Evidence.")
        await ui.press("f2", "x", "f2", "f10")
        assert ui.shows("Tour 5/6 · Gate.")
        await ui.type("/end Mara knows how the rope was cut")
        assert ui.screen == "GateScreen"
        assert ui.shows("Tour 6/6 · Canon.", "Enter writes what is ticked.")
        await ui.press("enter")
        assert ui.shows("That was all.", "F10 ends the tour.")
        await ui.press("enter")
        await ui.press("f10")
        assert not ui.shows("That was all.")
