"""Names in what was played lead to cards, by keyboard."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.prose.entity_name_index import EntityNameIndex, EntityNameSpan
from screens.play.turn_cards import NO_NAMES
from tests.screens.screen_driver import ROOMY, real_services, started_app
from widgets.transcript.transcript import NO_LINE_YET

pytestmark = pytest.mark.slow


async def test_names_in_a_turn_open_their_cards_and_lead_back(played_home: Path) -> None:
    """I read a line, want to know who that was, and am back at the line with one key."""
    async with started_app(real_services(played_home, 8), ROOMY) as ui:
        await ui.press("enter")
        await ui.type("I nod to Wenna, and look for Ivo Tarrant.")
        await ui.press("shift+tab", "end", "o")
        assert ui.shows("Whose card?", "Wenna Pike", "Ivo Tarrant")
        await ui.press("enter")
        assert ui.screen == "UniverseScreen"
        assert ui.shows("Wenna Pike")
        await ui.press("escape")
        assert ui.screen == "SceneScreen"
        await ui.press("escape")  # to the prompt
        await ui.type("I shrug.")
        await ui.press("shift+tab", "end", "o")
        assert ui.screen == "SceneScreen"
        assert NO_NAMES in [notice.message for notice in ui.app._notifications]


async def test_names_are_stepped_through_from_the_prompt_and_what_is_typed_stays(played_home: Path) -> None:
    """I am in the middle of a line, wonder who that was, look at the card, and write on."""
    async with started_app(real_services(played_home, 8), ROOMY) as ui:
        await ui.press("enter")
        await ui.type("I nod to Wenna, and look for Ivo Tarrant.")
        await ui.type("I ask", enter=False)
        await ui.press("ctrl+g")
        assert ui.shows("Wenna Pike, character · Enter: card")
        await ui.press("ctrl+g")
        assert ui.shows("Ivo Tarrant, character · Enter: card")
        await ui.press("enter")
        assert ui.screen == "UniverseScreen"
        assert ui.shows("Ivo Tarrant")
        await ui.press("escape")
        assert ui.shows("Ivo Tarrant, character · Enter: card")
        await ui.press("escape")
        assert not ui.shows("Enter: card")
        await ui.type(" nobody.")
        assert ui.shows("I ask nobody.")


async def test_names_before_the_first_line_of_a_scene_are_said_to_come_with_it(played_home: Path) -> None:
    """The end of the scene before stands above: that nobody is named there would be wrong."""
    async with started_app(real_services(played_home, 8), ROOMY) as ui:
        await ui.press("enter")
        await ui.type("I nod to Wenna.")
        await ui.type("/end")
        await ui.press("A", "enter", "enter")
        assert ui.screen == "SceneScreen"
        assert ui.shows("I nod to Wenna.")
        await ui.press("ctrl+g")
        assert NO_LINE_YET in [notice.message for notice in ui.app._notifications]


async def test_typing_looks_for_no_names(played_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that types, and a story that scrolls beside it, cost nothing for the links."""
    searches: list[str] = []
    find = EntityNameIndex.find

    def note_search(index: EntityNameIndex, text: str) -> tuple[EntityNameSpan, ...]:
        searches.append(text)
        return find(index, text)

    monkeypatch.setattr(EntityNameIndex, "find", note_search)
    async with started_app(real_services(played_home, 8), ROOMY) as ui:
        await ui.press("enter")
        await ui.type("I wait for Wenna Pike.")
        await ui.type("Then I go", enter=False)
        assert searches == []
        await ui.press("ctrl+g")
        assert searches
        known = len(searches)
        await ui.press("ctrl+g", "ctrl+g")
        assert len(searches) <= known + 2  # the row that the cursor left, and the one it came to
