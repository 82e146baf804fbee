"""The universe browser, the reading view and help, by keyboard."""

from __future__ import annotations

from pathlib import Path

import pytest

from stores.errors import NotFound
from tests.screens.faults import fail_once
from tests.screens.screen_driver import NARROW, ROOMY, real_desk, seated
from widgets.entity_card import EntityCardView
from widgets.transcript.transcript import Transcript


async def test_universe_leads_from_a_fact_to_the_words_it_rests_on(played_home: Path) -> None:
    async with seated(real_desk(played_home, 8), NARROW) as table:
        await table.press("3")
        assert table.shows("Characters 7", "Ivo Tarrant", "Mara Venn", "asked him what hour the water")
        await table.press("slash")
        await table.type("wenna")
        await table.press("tab", "down", "down", "enter")
        assert table.shows("Evidence for:", "“She says nobody was.", "Go to turn")
        await table.press("enter")
        assert table.screen == "ReadingScreen"
        assert table.shows("The Drowned Bell", "turn 8")
        assert table.app.screen.query_one(Transcript).cursor == 7
        await table.press("escape")
        assert table.shows("Evidence for:")
        await table.press("escape")
        assert not table.shows("Evidence for:")
        await table.press("escape", "escape", "escape")
        assert table.screen == "MenuScreen"


async def test_universe_card_follows_the_cursor(sample_home: Path) -> None:
    async with seated(real_desk(sample_home), NARROW) as table:
        await table.press("3")
        assert table.shows("The Company's tide-clerk")
        await table.press("down")
        assert table.shows("A wreck diver of thirty-four")


async def test_universe_leads_from_a_relation_to_its_other_end(sample_home: Path) -> None:
    async with seated(real_desk(sample_home), NARROW) as table:
        await table.press("3", "slash")
        await table.type("wenna")
        await table.press("tab")
        view = table.app.screen.query_one(EntityCardView)
        while view.current is None or view.current.fact.fact.predicate != "owns":
            await table.press("down")
        await table.press("o")
        card = table.app.screen.query_one(EntityCardView).card
        assert card
        assert card.entity.name == "The Slack Tide"
        assert table.shows("The inn at the seaward stair")


async def test_universe_search_narrows_and_says_when_nothing_matches(sample_home: Path) -> None:
    async with seated(real_desk(sample_home), NARROW) as table:
        await table.press("3", "slash")
        await table.type("slack", enter=False)
        assert table.shows("The Slack Tide", "Places 1")
        assert not table.shows("Characters")
        await table.type("zzz", enter=False)
        assert table.shows("Nothing with that name.")
        await table.press("escape")
        assert table.shows("Characters 7")


async def test_universe_offers_the_sample_in_an_empty_library(tmp_path: Path) -> None:
    async with seated(real_desk(tmp_path), NARROW) as table:
        await table.press("3")
        assert table.shows("No world yet. Press s")
        await table.press("s")
        assert table.shows("Salt Coast", "Mara Venn")
        assert not table.shows("Sample world")


async def test_universe_card_error_is_shown_and_dismissed(
    sample_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with seated(real_desk(sample_home), NARROW) as table:
        await table.press("3")
        gone = NotFound("That entity is gone.", todo="Look at another.")
        fail_once(monkeypatch, table.services.world, "read_card", gone)
        await table.press("down")
        assert table.shows("That entity is gone.", "Look at another.")
        await table.press("escape")
        assert not table.shows("That entity is gone.")


@pytest.mark.slow
async def test_universe_evidence_of_a_fact_just_committed(tmp_path: Path) -> None:
    async with seated(real_desk(tmp_path), ROOMY, first="demo") as table:
        await table.type("/fact Wenna Pike keeps a brass key")
        await table.type("/commit")
        await table.press("escape", "escape", "enter", "3", "slash")
        await table.type("Wenna")
        assert table.shows("Wenna Pike keeps a brass key")
        await table.press("tab", "enter")
        assert table.shows("Evidence for:")
        await table.press("enter")
        assert table.screen in ("ReadingScreen", "UniverseScreen")


async def test_help_has_keys_commands_and_a_tour(played_home: Path) -> None:
    async with seated(real_desk(played_home, 8), ROOMY) as table:
        await table.press("enter", "f1")
        assert table.screen == "HelpScreen"
        assert table.shows("Five-minute tour", "Keys on this screen", "Undo")
        await table.press("2")
        assert table.shows("Undo the last exchange")
        await table.press("pagedown")
        assert table.shows("Prompt", "Plain words are what your character does")
        await table.press("3")
        assert table.shows("/check 2d6+1 vs 9", "/roll 2d6+1", "Ask a yes-or-no question")
        await table.press("4")
        assert table.shows("Keys of the other screens")
        await table.press("escape")
        assert table.screen == "SceneScreen"


async def test_help_over_help_is_one_help(tmp_path: Path) -> None:
    async with seated(real_desk(tmp_path), NARROW) as table:
        await table.press("question_mark", "question_mark", "escape")
        assert table.screen == "MenuScreen"
