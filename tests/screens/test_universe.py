"""The universe browser, the reading view and help, by keyboard."""

from __future__ import annotations

from pathlib import Path

import pytest

from stores.errors import NotFound
from tests.screens.table import NARROW, ROOMY, real_desk, seated, twin_desk
from tests.screens.twin import TwinDesk
from widgets.entity_card import EntityCardView
from widgets.transcript.transcript import Transcript


@pytest.fixture
def twin() -> TwinDesk:
    return TwinDesk()


async def test_from_a_thing_to_the_words_it_rests_on(twin: TwinDesk) -> None:
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("3")
        assert table.shows("Characters 3", "Places 2", "Mara Venn", "heard the bell at low tide")
        await table.press("enter", "enter")
        assert table.shows("What this rests on:", "“The hinges give with a shriek", "Go to turn")
        await table.press("enter")
        assert table.screen == "ReadingScreen"
        assert table.shows("The Drowned Bell", "turn 2")
        assert table.app.screen.query_one(Transcript).cursor == 1
        await table.press("escape")
        assert table.shows("What this rests on:")
        await table.press("escape")
        assert not table.shows("What this rests on:")
        await table.press("escape", "escape")
        assert table.screen == "MenuScreen"


async def test_the_card_follows_the_cursor(twin: TwinDesk) -> None:
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("3", "down")
        assert table.shows("He keeps the chapel and counts the tides.")


async def test_a_relation_leads_to_its_other_end(twin: TwinDesk) -> None:
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("3", "enter", "down", "o")
        card = table.app.screen.query_one(EntityCardView).card
        assert card
        assert card.entity == twin._places[0]
        assert twin.called("card")[-1] == (twin._places[0].id,)


async def test_search_narrows_and_says_when_nothing_is_found(twin: TwinDesk) -> None:
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("3", "slash")
        await table.type("quay", enter=False)
        assert table.shows("Low Quay", "Places 1")
        assert not table.shows("Characters")
        await table.type("zzz", enter=False)
        assert table.shows("Nothing goes by that name.")
        await table.press("escape")
        assert table.shows("Characters 3")


async def test_an_empty_library_offers_the_sample(twin: TwinDesk) -> None:
    twin = TwinDesk(sample=False, story=False)
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("3")
        assert table.shows("There is no world yet. Press s")
        await table.press("s")
        assert table.shows("Salt Coast", "Mara Venn")
        assert not table.shows("Sample world")


async def test_a_card_that_cannot_be_read_is_told(twin: TwinDesk) -> None:
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("3")
        twin.fail("card", NotFound("That entity is gone.", todo="Look at another."))
        await table.press("down")
        assert table.shows("That entity is gone.", "Look at another.")
        await table.press("escape")
        assert not table.shows("That entity is gone.")


@pytest.mark.slow
async def test_evidence_on_real_stores(tmp_path: Path) -> None:
    async with seated(real_desk(tmp_path), ROOMY, first="demo") as table:
        await table.type("/fact Wenna Pike keeps a brass key")
        await table.type("/commit")
        await table.press("escape", "escape", "enter", "3", "slash")
        await table.type("Wenna")
        assert table.shows("Wenna Pike keeps a brass key")
        await table.press("tab", "enter")
        assert table.shows("What this rests on:")
        await table.press("enter")
        assert table.screen in ("ReadingScreen", "UniverseScreen")


async def test_help_has_keys_commands_and_a_tour(twin: TwinDesk) -> None:
    async with seated(twin_desk(twin), ROOMY) as table:
        await table.press("enter", "f1")
        assert table.screen == "HelpScreen"
        assert table.shows("Five minutes", "Keys where you were", "Undo")
        await table.press("2")
        assert table.shows("Undo the last exchange")
        await table.press("pagedown")
        assert table.shows("Prompt", "Plain words are what your character does")
        await table.press("3")
        assert table.shows("/roll DICE", "ask the oracle yes or no")
        await table.press("4")
        assert table.shows("Keys of the other screens")
        await table.press("escape")
        assert table.screen == "SceneScreen"


async def test_help_over_help_is_one_help(twin: TwinDesk) -> None:
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("question_mark", "question_mark", "escape")
        assert table.screen == "MenuScreen"
