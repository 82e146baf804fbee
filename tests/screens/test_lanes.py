"""The timeline in lanes by keyboard, in a player's own words: who was where, what was promised and until when."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.screens.screen_driver import NARROW, ROOMY, real_services, started_app
from widgets.lane_chart import LaneChart


@pytest.mark.slow
async def test_timeline_shows_lanes_with_promises_and_their_deadlines(played_home: Path) -> None:
    async with started_app(real_services(played_home, 8), ROOMY) as ui:
        await ui.press("enter")
        await ui.type("/fact promise: Mara promised Wenna to bring back the lantern by the thaw")
        await ui.type("/fact promise: Mara promised Stint an answer by day 5")
        await ui.type("/commit")
        await ui.press("escape", "escape", "enter", "3", "T")
        assert ui.screen == "LanesScreen"
        assert ui.shows(
            "Scenes", "Persons", "Wenna Pike", "Places", "The Slack Tide", "Threads", "Day 3", "Scene 1"
        )
        await ui.press(*["down"] * 25)
        names = {lane.name: lane for lane in ui.app.screen.query_one(LaneChart)._lanes}
        promise = next(lane for name, lane in names.items() if "lantern" in name)
        assert [mark.text for mark in promise.marks][1:] == ["Deadline: by the thaw"]
        await ui.press("0", "minus", "plus", "plus", "shift+left", "shift+right", "end")
        assert ui.shows("⚑")
        await ui.press("x")
        assert ui.shows("Evidence for:")
        await ui.press("escape", *["up"] * 25, "enter")
        assert ui.screen == "ReadingScreen"
        await ui.press("escape", "down", "o")
        assert ui.screen == "UniverseScreen"
        await ui.press("escape", "T")
        assert ui.screen == "TimelineScreen"
        assert ui.shows("entries")
        await ui.press("escape", "escape")
        assert ui.screen == "UniverseScreen"


async def test_timeline_of_a_bare_world_says_what_comes_there(tmp_path: Path) -> None:
    from agents.story_outline import NewUniverse

    async with started_app(real_services(tmp_path), NARROW) as ui:
        await ui.services.stories.create_universe(NewUniverse("Nowhere"))
        await ui.press("3", "T")
        assert ui.shows("Nothing yet. Scenes,")
        await ui.press("left", "up", "plus", "0", "end", "shift+left", "enter", "x", "o")
        assert ui.screen == "LanesScreen"
