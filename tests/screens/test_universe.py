"""The universe browser, the reading view and help, by keyboard."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from screens.world import universe_screen
from screens.world.universe_screen import UniverseScreen
from stores.errors import NotFound
from tests.screens.faults import fail_once, hold
from tests.screens.screen_driver import NARROW, ROOMY, real_services, started_app
from widgets.entity_card import EntityCardView
from widgets.transcript.transcript import Transcript


@pytest.mark.slow
async def test_universe_leads_from_a_fact_to_the_words_it_rests_on(played_home: Path) -> None:
    async with started_app(real_services(played_home, 8), NARROW) as ui:
        await ui.press("3")
        assert ui.shows("Characters 7", "Ivo Tarrant", "Mara Venn", "asked him what hour the water")
        await ui.press("slash")
        await ui.type("wenna")
        await ui.press("tab", "down", "down", "enter")
        assert ui.shows("Evidence for:", "“Wenna Pike has a filleting", "Go to turn")
        await ui.press("enter")
        assert ui.screen == "ReadingScreen"
        assert ui.shows("The Drowned Bell", "turn 8")
        assert ui.app.screen.query_one(Transcript).cursor == 7
        await ui.press("escape")
        assert ui.shows("Evidence for:")
        await ui.press("escape")
        assert not ui.shows("Evidence for:")
        await ui.press("escape", "escape", "escape")
        assert ui.screen == "MenuScreen"


async def test_universe_card_follows_the_cursor(sample_home: Path) -> None:
    async with started_app(real_services(sample_home), NARROW) as ui:
        await ui.press("3")
        assert ui.shows("The Company's tide-clerk")
        await ui.press("down")
        assert ui.shows("A wreck diver of thirty-four")


@pytest.mark.slow
async def test_keys_typed_at_once_are_about_the_card_that_comes(played_home: Path) -> None:
    """I know my way: `3v` is the map of relations and `3e` a correction, as fast as I can type them."""
    async with started_app(real_services(played_home, 8), NARROW) as ui:
        for keys, screen in (("3v", "RelationMapScreen"), ("3e", "FormDialog"), ("4e", "FormDialog")):
            await ui.type(keys, enter=False)
            assert ui.screen == screen
            while ui.screen != "MenuScreen":
                await ui.press("escape")


@pytest.mark.slow
async def test_universe_leads_from_a_relation_to_its_other_end(sample_home: Path) -> None:
    async with started_app(real_services(sample_home), NARROW) as ui:
        await ui.press("3", "slash")
        await ui.type("wenna")
        await ui.press("tab")
        view = ui.app.screen.query_one(EntityCardView)
        while view.current is None or view.current.fact.fact.predicate != "owns":
            await ui.press("down")
        await ui.press("o")
        card = ui.app.screen.query_one(EntityCardView).card
        assert card
        assert card.entity.name == "The Slack Tide"
        assert ui.shows("The inn at the seaward stair")


@pytest.mark.slow
async def test_universe_lists_the_first_entities_and_says_how_many_there_are(
    sample_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(universe_screen, "MAX_TREE_ENTITIES", 3)
    async with started_app(real_services(sample_home), NARROW) as ui:
        (universe,) = await ui.services.stories.universes()
        entity_count = len(await ui.services.world.list_entities(universe.id))
        await ui.press("3")
        assert ui.shows(f"the first 3 of {entity_count}; / searches for the others")
        await ui.press("slash")
        await ui.type("wenna")
        assert ui.shows("Wenna Pike")
        assert not ui.shows("the first 3")


@pytest.mark.slow
async def test_universe_search_narrows_and_says_when_nothing_matches(sample_home: Path) -> None:
    async with started_app(real_services(sample_home), NARROW) as ui:
        await ui.press("3", "slash")
        await ui.type("slack", enter=False)
        assert ui.shows("The Slack Tide", "Places 1")
        assert not ui.shows("Characters")
        await ui.type("zzz", enter=False)
        assert ui.shows("Nothing with that name.")
        await ui.press("escape")
        assert ui.shows("Characters 7")


@pytest.mark.slow
async def test_universe_offers_the_sample_in_an_empty_library(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), NARROW) as ui:
        await ui.press("3")
        assert ui.shows("No world yet. Press i")
        await ui.press("i")
        assert ui.shows("Salt Coast", "Mara Venn")
        assert not ui.shows("Sample world")


@pytest.mark.slow
async def test_universe_card_error_is_shown_and_dismissed(
    sample_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with started_app(real_services(sample_home), NARROW) as ui:
        await ui.press("3")
        gone = NotFound("That entity is gone.", todo="Look at another.")
        fail_once(monkeypatch, ui.services.world, "read_card", gone)
        await ui.press("down")
        assert ui.shows("That entity is gone.", "Look at another.")
        await ui.press("escape")
        assert not ui.shows("That entity is gone.")


@pytest.mark.slow
async def test_universe_evidence_of_a_fact_just_committed(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), ROOMY, first="demo") as ui:
        await ui.type("/fact Wenna Pike keeps a brass key")
        await ui.type("/commit")
        await ui.press("escape", "escape", "enter", "3", "slash")
        await ui.type("Wenna")
        assert ui.shows("Wenna Pike keeps a brass key")
        await ui.press("tab", "enter")
        assert ui.shows("Evidence for:")
        await ui.press("enter")
        assert ui.screen in ("ReadingScreen", "UniverseScreen")


@pytest.mark.slow
async def test_help_has_keys_commands_and_a_tour(played_home: Path) -> None:
    async with started_app(real_services(played_home, 8), ROOMY) as ui:
        await ui.press("enter", "f1")
        assert ui.screen == "HelpScreen"
        assert ui.shows("Ten-minute tour", "Keys on this screen", "Undo")
        await ui.press("2")
        assert ui.shows("Undo the last thing done", "Outside of the prompt")
        assert ui.text.count("Clear notes, then leave") == 1
        await ui.press("pagedown")
        assert ui.shows("The prompt", "Plain words are what your character does")
        await ui.press("3")
        assert ui.shows("/check 2d6+1 vs 9", "/roll 2d6+1", "Ask a yes-or-no question")
        await ui.press("4")
        assert ui.shows("Keys of the other screens")
        await ui.press("escape")
        assert ui.screen == "SceneScreen"


async def test_help_over_help_is_one_help(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), NARROW) as ui:
        await ui.press("question_mark", "question_mark", "escape")
        assert ui.screen == "MenuScreen"


@pytest.mark.slow
@pytest.mark.parametrize(("key", "screen"), [("escape", "MenuScreen"), ("slash", "UniverseScreen")])
async def test_universe_key_that_comes_before_its_panels_acts(
    played_home: Path, monkeypatch: pytest.MonkeyPatch, key: str, screen: str
) -> None:
    async with started_app(real_services(played_home, 8), ROOMY) as ui:
        go = asyncio.Event()
        hold(monkeypatch, ui.services.stories, "universes", go)
        call_after_refresh = UniverseScreen.call_after_refresh

        def call_for_held_keys(
            screen: UniverseScreen, callback: Callable[..., object], *given: object
        ) -> bool:
            return callback != screen.app.call_later or call_after_refresh(screen, callback, *given)

        with monkeypatch.context() as late_panels:
            late_panels.setattr(UniverseScreen, "call_after_refresh", call_for_held_keys)
            await ui.pilot.press("3")
            await ui.pilot.press(key)
        go.set()
        await ui.settle()
        assert ui.screen == screen
        assert ui.app.is_running
