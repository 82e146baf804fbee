"""Story set-up by keyboard from a sentence: the model fills in the form, and the form stays the GM's."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from textual.widgets import Input

from agents.llm.errors import INPUT_KEPT, ModelUnreachable
from agents.llm.scripted_model import ScriptedReply
from agents.views.play_views import SceneView
from stores.records.llm import Persona
from tests.screens.faults import hold
from tests.screens.scripted_llm import STORY_IDEA, ScriptedLlm, priced, write_settings
from tests.screens.screen_driver import NARROW, Table, real_desk, seated

pytestmark = pytest.mark.slow

WORDS = "a lighthouse keeper who owes the sea"
TO_HERO = ("1", "enter", "enter")


@pytest.fixture
def model() -> ScriptedLlm:
    return ScriptedLlm()


@pytest.fixture(params=[NARROW], ids=["80x24"])
async def table(
    sample_home: Path, model: ScriptedLlm, request: pytest.FixtureRequest
) -> AsyncIterator[Table]:
    """The menu of a library with the sample world, with a model set up."""
    write_settings(sample_home)
    async with seated(real_desk(sample_home, 8, model=model), request.param) as table:
        yield table


async def begun(table: Table) -> SceneView:
    """Return the first scene of the story that was begun."""
    assert table.screen == "SceneScreen"
    (card,) = await table.services.stories.stories()
    assert card.scene is not None
    return await table.services.play.scene(card.scene.id)


def idea(**fields: object) -> ScriptedReply:
    """Return a story idea as the model's answer."""
    return priced(json.dumps(fields))


def field(table: Table, id: str) -> str:
    return table.app.screen.query_one(f"#{id}", Input).value


async def ask_for_idea(table: Table, words: str = WORDS) -> None:
    await table.press("f7")
    await table.type(words)


async def test_story_idea_fills_in_the_form_and_enter_begins_it(table: Table, model: ScriptedLlm) -> None:
    await table.press(*TO_HERO)
    assert table.shows("✎ In words", "f7 In words")
    await ask_for_idea(table)
    assert table.shows("● Hero", "A new hero", "Sel Arrow", "owes the sea", "Filled in by the model")
    await table.press("enter")
    assert table.shows("● Story", "What the Sea Is Owed", "debt", "grim", "Line: gore")
    assert field(table, "limits") == ""  # what the model left out stays empty
    await table.press("enter")
    assert table.shows("● Opening", "The lamp is out", "Light it again", "Cold Light", "✓ Ivo Tarrant")
    assert not await table.services.stories.stories()
    await table.press("enter")
    view = await begun(table)
    (request,) = model.asked(Persona.MONITOR)
    assert WORDS in request.messages[-1].text
    assert "Salt Coast" in request.messages[-1].text
    assert view.story.pc_id is not None
    hero = (await table.services.world.read_card(view.story.pc_id)).entity
    assert (hero.name, hero.description) == ("Sel Arrow", "keeps the light and owes the sea")
    assert {key: hero.numbers[key] for key in ("might", "wits", "nerve")} == {
        "might": 0,
        "wits": 0,
        "nerve": 0,
    }
    assert hero.tags == ()
    assert (view.story.title, view.place) == ("What the Sea Is Owed", "Cold Light")
    assert [member.name for member in view.cast] == ["Sel Arrow", "Ivo Tarrant", "Wren Arrow"]
    assert [(p.label, p.title) for p in view.proposals] == [
        ("character", "Wren Arrow"),
        ("place", "The Stair"),
    ]
    assert view.turn_count == 0  # the sample's own opening is of another story


async def test_story_idea_newcomers_can_be_changed_and_left_out(table: Table) -> None:
    await table.press(*TO_HERO)
    await ask_for_idea(table)
    await table.press("enter", "enter", "tab", "tab", "tab", "tab")
    assert table.shows(
        "New to this world: proposed, and canon once you accept it", "Wren Arrow: her daughter"
    )
    await table.press("ctrl+u")
    await table.type("Bren: her son", enter=False)
    await table.press("tab", "ctrl+u")
    assert table.shows("left out if empty; or NAME")
    await table.press("enter")
    assert [(p.label, p.title) for p in (await begun(table)).proposals] == [("character", "Bren")]


async def test_story_idea_row_takes_a_known_hero(table: Table, model: ScriptedLlm) -> None:
    model.script[Persona.MONITOR] = idea(hero_name="mara venn", title="Another Tide")
    await table.press(*TO_HERO, "down", "down", "down", "enter")
    assert table.shows("A sentence or two", "nothing is created before you begin")
    await table.type(WORDS)
    assert table.shows("● Story", "Another Tide", "Filled in by the model")
    assert field(table, "theme") == ""
    await table.press("enter")
    assert field(table, "scene-title") == ""
    await table.press("enter")
    assert table.shows("The scene needs a title.")
    assert not table.shows("New to this world")
    await table.type("Low water")
    view = await begun(table)
    assert [member.name for member in view.cast] == ["Mara Venn"]
    assert (view.cast[0].entity_id, view.scene.place_id) == (view.story.pc_id, None)


async def test_story_idea_without_hero_asks_whom_you_play(table: Table, model: ScriptedLlm) -> None:
    model.script[Persona.MONITOR] = idea(title="Nobody's Tide")
    await table.press(*TO_HERO)
    await ask_for_idea(table)
    assert table.shows("● Hero", "Whom do you play?")
    await table.press("enter")
    assert table.shows("● Story", "Nobody's Tide")


async def test_story_idea_changes_only_fields_that_it_has(table: Table, model: ScriptedLlm) -> None:
    model.script[Persona.MONITOR] = idea(tone="dry", scene_goal="Get out", hero_name="Somebody Else")
    await table.press(*TO_HERO, "enter")
    await table.type("A Title of My Own", enter=False)
    await ask_for_idea(table)
    assert table.shows("● Story", "A Title of My Own", "dry", "Filled in by the model")
    await table.press("enter")
    assert table.shows("Get out", "Before the Third Stroke", "✓ Ivo Tarrant")
    await table.press("escape", "escape", "enter")
    assert table.shows("A Title of My Own", "dry")  # back and forth keeps it
    await table.press("enter", "enter")
    view = await begun(table)
    assert view.cast[0].name == "Mara Venn"
    assert view.cast[0].entity_id == view.story.pc_id
    assert view.turn_count == 0  # the world's own opening is of another story


async def test_story_idea_failure_keeps_form_and_words(table: Table, model: ScriptedLlm) -> None:
    await table.press(*TO_HERO, "enter")
    await table.type("Mine", enter=False)
    model.script[Persona.MONITOR] = ModelUnreachable("Nobody answers at 127.0.0.1.")
    await ask_for_idea(table)
    assert table.shows("Nobody answers at 127.0.0.1.", "The form is as it was.", "Mine", "● Story")
    assert INPUT_KEPT not in table.text
    model.script[Persona.MONITOR] = json.dumps(STORY_IDEA)
    await table.press("f7")
    assert table.shows(WORDS)
    await table.press("enter")
    assert table.shows("What the Sea Is Owed")
    assert all(WORDS in request.messages[-1].text for request in model.asked(Persona.MONITOR))


async def test_story_idea_is_stopped_by_escape_while_the_form_is_filled_in(
    table: Table, model: ScriptedLlm
) -> None:
    model.script[Persona.MONITOR] = priced(json.dumps(STORY_IDEA), gate=asyncio.Event())
    await table.press(*TO_HERO, "enter", "f7")
    await table.type(WORDS, enter=False)
    await table.pilot.press("enter")
    await table.until("Esc stops it")
    await table.pilot.press(*"Meanwhile")
    await table.pilot.press("f7")  # asked once is enough
    await table.pilot.pause()
    assert table.screen == "SetupScreen"
    await table.pilot.press("escape")
    await table.settle()
    assert table.shows("You stopped it. The form is as it was.", "Meanwhile", "● Story")
    await table.press("escape")
    assert table.shows("● Hero")
    assert len(model.asked(Persona.MONITOR)) == 1


async def test_story_idea_that_comes_late_fills_in_nothing(
    table: Table, model: ScriptedLlm, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = asyncio.Event()
    hold(monkeypatch, table.services.llm, "suggest_story", go)
    await table.press(*TO_HERO, "f7")
    await table.type(WORDS, enter=False)
    await table.pilot.press("enter")
    await table.until("Esc stops it")
    # The model has not begun to answer, so there is nothing to stop.
    await table.pilot.press("escape", "escape")
    await table.pilot.pause()
    go.set()
    await table.settle()
    assert table.shows("● World")
    await table.press("enter", "enter", "enter")
    assert table.shows("● Story", "The Drowned Bell")


async def test_story_idea_prompt_describes_a_world_not_created_yet(table: Table, model: ScriptedLlm) -> None:
    await table.press("1", "down", "enter")
    await table.type("Ash Reach", enter=False)
    await table.press("tab")
    await table.type("desert mystery")
    await table.press("enter")
    await ask_for_idea(table)
    assert table.shows("Sel Arrow")
    (request,) = model.asked(Persona.MONITOR)
    assert "Ash Reach\ndesert mystery" in request.messages[-1].text
    assert WORDS in request.messages[-1].text
    assert [universe.name for universe in await table.services.stories.universes()] == ["Salt Coast"]


async def test_story_idea_needs_a_model(sample_home: Path) -> None:
    async with seated(real_desk(sample_home), NARROW) as table:
        await table.press(*TO_HERO, "f7")
        assert table.screen == "SetupScreen"
        assert not table.shows("In words")
        assert table.shows("+ A new hero")


async def test_story_idea_markup_is_shown_as_words(table: Table, model: ScriptedLlm) -> None:
    model.script[Persona.MONITOR] = idea(
        title="[bold]Tide[/]", people=["[red]Ode[/]: [link=x]y[/]"], hero_name="[b]"
    )
    await table.press(*TO_HERO)
    await ask_for_idea(table)
    await table.press("enter", "enter", *["tab"] * 4)
    assert table.shows("[red]Ode[/]: [link=x]y[/]")
    await table.press("escape")
    assert table.shows("[bold]Tide[/]")
