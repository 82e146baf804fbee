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
from agents.views.scene_views import SceneView
from screens.setup.opening_page import CastPicker
from stores.records.llm import Persona
from tests.screens.faults import hold
from tests.screens.screen_driver import NARROW, ScreenDriver, real_services, started_app
from tests.screens.scripted_llm import STORY_IDEA, ScriptedLlm, priced, write_settings

pytestmark = pytest.mark.slow

WORDS = "a lighthouse keeper who owes the sea"
TO_HERO = ("1", "enter", "enter")


@pytest.fixture
def model() -> ScriptedLlm:
    return ScriptedLlm()


@pytest.fixture(params=[NARROW], ids=["80x24"])
async def ui(
    sample_home: Path, model: ScriptedLlm, request: pytest.FixtureRequest
) -> AsyncIterator[ScreenDriver]:
    """The menu of a library with the sample world, with a model set up."""
    write_settings(sample_home)
    async with started_app(real_services(sample_home, 8, model=model), request.param) as ui:
        yield ui


async def begun(ui: ScreenDriver) -> SceneView:
    """Return the first scene of the story that was begun."""
    assert ui.screen == "SceneScreen"
    (card,) = await ui.services.stories.stories()
    assert card.scene is not None
    return await ui.services.play.scene(card.scene.id)


def idea(**fields: object) -> ScriptedReply:
    """Return a story idea as the model's answer."""
    return priced(json.dumps(fields))


def field(ui: ScreenDriver, id: str) -> str:
    return ui.app.screen.query_one(f"#{id}", Input).value


async def ask_for_idea(ui: ScreenDriver, words: str = WORDS) -> None:
    await ui.press("f7")
    await ui.type(words)


async def test_story_idea_fills_in_the_form_and_enter_begins_it(ui: ScreenDriver, model: ScriptedLlm) -> None:
    await ui.press(*TO_HERO)
    assert ui.shows("✎ In words", "f7 In words")
    await ask_for_idea(ui)
    assert ui.shows("● Hero", "A new hero", "Sel Arrow", "owes the sea", "Filled in by the model")
    await ui.press("enter")
    assert ui.shows("● Story", "What the Sea Is Owed", "debt", "grim", "Line: gore")
    assert field(ui, "limits") == ""  # what the model left out stays empty
    await ui.press("enter")
    assert ui.shows("● Opening", "The lamp is out", "Light it again", "Cold Light", "✓ Ivo Tarrant")
    assert not await ui.services.stories.stories()
    await ui.press("enter")
    view = await begun(ui)
    (request,) = model.asked(Persona.MONITOR)
    assert WORDS in request.messages[-1].text
    assert "Salt Coast" in request.messages[-1].text
    assert view.story.pc_id is not None
    hero = (await ui.services.world.read_card(view.story.pc_id)).entity
    assert (hero.name, hero.description) == ("Sel Arrow", "keeps the light and owes the sea")
    assert {key: hero.numbers[key] for key in ("might", "wits", "nerve")} == {
        "might": 0,
        "wits": 0,
        "nerve": 0,
    }
    assert hero.tags == ()
    assert (view.story.title, view.place) == ("What the Sea Is Owed", "Cold Light")
    assert [member.name for member in view.cast] == ["Sel Arrow", "Ivo Tarrant"]
    assert [(p.label, p.title) for p in view.proposals] == [
        ("character", "Wren Arrow"),
        ("place", "The Stair"),
    ]
    assert view.turn_count == 0  # the sample's own opening is of another story


async def test_story_idea_newcomers_can_be_changed_and_left_out(ui: ScreenDriver) -> None:
    await ui.press(*TO_HERO)
    await ask_for_idea(ui)
    await ui.press("enter", "enter", "tab", "tab", "tab", "tab")
    assert ui.shows("New to this world: proposed, and canon once you accept it", "Wren Arrow: her daughter")
    await ui.press("ctrl+u")
    await ui.type("Bren: her son", enter=False)
    await ui.press("tab", "ctrl+u")
    assert ui.shows("left out if empty; or NAME")
    await ui.press("enter")
    assert [(p.label, p.title) for p in (await begun(ui)).proposals] == [("character", "Bren")]


async def test_story_idea_row_takes_a_known_hero(ui: ScreenDriver, model: ScriptedLlm) -> None:
    model.script[Persona.MONITOR] = idea(hero_name="mara venn", title="Another Tide")
    await ui.press(*TO_HERO, "down", "down", "down", "enter")
    assert ui.shows("A sentence or two", "nothing is created before you begin")
    await ui.type(WORDS)
    assert ui.shows("● Story", "Another Tide", "Filled in by the model")
    assert field(ui, "theme") == ""
    await ui.press("enter")
    assert field(ui, "scene-title") == ""
    await ui.press("enter")
    assert ui.shows("The scene needs a title.")
    assert not ui.shows("New to this world")
    await ui.type("Low water")
    view = await begun(ui)
    assert [member.name for member in view.cast] == ["Mara Venn"]
    assert (view.cast[0].entity_id, view.scene.place_id) == (view.story.pc_id, None)


async def test_story_idea_without_hero_asks_whom_you_play(ui: ScreenDriver, model: ScriptedLlm) -> None:
    model.script[Persona.MONITOR] = idea(title="Nobody's Tide")
    await ui.press(*TO_HERO)
    await ask_for_idea(ui)
    assert ui.shows("● Hero", "Whom do you play?")
    await ui.press("enter")
    assert ui.shows("● Story", "Nobody's Tide")


async def test_story_idea_changes_only_fields_that_it_has(ui: ScreenDriver, model: ScriptedLlm) -> None:
    model.script[Persona.MONITOR] = idea(tone="dry", scene_goal="Get out", hero_name="Somebody Else")
    await ui.press(*TO_HERO, "enter")
    await ui.type("A Title of My Own", enter=False)
    await ask_for_idea(ui)
    assert ui.shows("● Story", "A Title of My Own", "dry", "Filled in by the model")
    await ui.press("enter")
    assert ui.shows("Get out", "Before the Third Stroke", "✓ Ivo Tarrant")
    await ui.press("escape", "escape", "enter")
    assert ui.shows("A Title of My Own", "dry")  # back and forth keeps it
    await ui.press("enter", "enter")
    view = await begun(ui)
    assert view.cast[0].name == "Mara Venn"
    assert view.cast[0].entity_id == view.story.pc_id
    assert view.turn_count == 0  # the world's own opening is of another story


async def test_story_idea_failure_keeps_form_and_words(ui: ScreenDriver, model: ScriptedLlm) -> None:
    await ui.press(*TO_HERO, "enter")
    await ui.type("Mine", enter=False)
    model.script[Persona.MONITOR] = ModelUnreachable("Nobody answers at 127.0.0.1.")
    await ask_for_idea(ui)
    assert ui.shows("Nobody answers at 127.0.0.1.", "The form is as it was.", "Mine", "● Story")
    assert INPUT_KEPT not in ui.text
    model.script[Persona.MONITOR] = json.dumps(STORY_IDEA)
    await ui.press("f7")
    assert ui.shows(WORDS)
    await ui.press("enter")
    assert ui.shows("What the Sea Is Owed")
    assert all(WORDS in request.messages[-1].text for request in model.asked(Persona.MONITOR))


async def test_story_idea_is_stopped_by_escape_while_the_form_is_filled_in(
    ui: ScreenDriver, model: ScriptedLlm
) -> None:
    model.script[Persona.MONITOR] = priced(json.dumps(STORY_IDEA), gate=asyncio.Event())
    await ui.press(*TO_HERO, "enter", "f7")
    await ui.type(WORDS, enter=False)
    await ui.pilot.press("enter")
    await ui.until("Esc stops it")
    await ui.pilot.press(*"Meanwhile")
    await ui.pilot.press("f7")  # asked once is enough
    await ui.pilot.pause()
    assert ui.screen == "SetupScreen"
    await ui.pilot.press("escape")
    await ui.settle()
    assert ui.shows("You stopped it. The form is as it was.", "Meanwhile", "● Story")
    await ui.press("escape")
    assert ui.shows("● Hero")
    assert len(model.asked(Persona.MONITOR)) == 1


async def test_story_idea_that_comes_late_fills_in_nothing(
    ui: ScreenDriver, model: ScriptedLlm, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = asyncio.Event()
    hold(monkeypatch, ui.services.llm, "suggest_story", go)
    await ui.press(*TO_HERO, "f7")
    await ui.type(WORDS, enter=False)
    await ui.pilot.press("enter")
    await ui.until("Esc stops it")
    # The model has not begun to answer, so there is nothing to stop.
    await ui.pilot.press("escape", "escape")
    await ui.pilot.pause()
    go.set()
    await ui.settle()
    assert ui.shows("● World")
    await ui.press("enter", "enter", "enter")
    assert ui.shows("● Story", "The Drowned Bell")


async def test_story_idea_prompt_describes_a_world_not_created_yet(
    ui: ScreenDriver, model: ScriptedLlm
) -> None:
    await ui.press("1", "down", "enter")
    await ui.type("Ash Reach", enter=False)
    await ui.press("tab")
    await ui.type("desert mystery")
    await ui.press("enter")
    await ask_for_idea(ui)
    assert ui.shows("Sel Arrow")
    (request,) = model.asked(Persona.MONITOR)
    assert "Ash Reach\ndesert mystery" in request.messages[-1].text
    assert WORDS in request.messages[-1].text
    assert [universe.name for universe in await ui.services.stories.universes()] == ["Salt Coast"]


async def test_story_idea_needs_a_model(sample_home: Path) -> None:
    async with started_app(real_services(sample_home), NARROW) as ui:
        await ui.press(*TO_HERO, "f7")
        assert ui.screen == "SetupScreen"
        assert not ui.shows("In words")
        assert ui.shows("+ A new hero")
        assert ui.shows("No model is set up to fill in the form.")


async def test_story_idea_markup_is_shown_as_words(ui: ScreenDriver, model: ScriptedLlm) -> None:
    model.script[Persona.MONITOR] = idea(
        title="[bold]Tide[/]", people=["[red]Ode[/]: [link=x]y[/]"], hero_name="[b]"
    )
    await ui.press(*TO_HERO)
    await ask_for_idea(ui)
    await ui.press("enter", "enter", *["tab"] * 4)
    assert ui.shows("[red]Ode[/]: [link=x]y[/]")
    await ui.press("escape")
    assert ui.shows("[bold]Tide[/]")


async def test_story_idea_new_place_of_the_first_scene_keeps_what_is_said_of_it(
    ui: ScreenDriver, model: ScriptedLlm
) -> None:
    model.script[Persona.MONITOR] = idea(
        title="The Pass", place="Sill Station", places=["Sill Station: two rooms and a stove under the pass"]
    )
    await ui.press(*TO_HERO)
    await ask_for_idea(ui)
    await ui.press("enter")
    assert field(ui, "place") == "Sill Station: two rooms and a stove under the pass"


async def universe_id(ui: ScreenDriver) -> str:
    (universe,) = await ui.services.stories.universes()
    return universe.id


async def test_story_idea_leaves_the_known_dead_out_of_the_first_scene(
    ui: ScreenDriver, model: ScriptedLlm
) -> None:
    model.script[Persona.MONITOR] = idea(
        title="The Bell", people=["Tam Marrow: Hester's brother", "Wenna Pike: keeper of the inn"]
    )
    await ui.press(*TO_HERO)
    await ask_for_idea(ui)
    await ui.press("enter")
    await ui.press("enter")
    await ui.until("How does it open?")
    picker = ui.app.screen.query_one(CastPicker)
    names = {e.id: e.name for e in await ui.services.world.list_entities(await universe_id(ui))}
    present = {names[i] for i in picker.present_ids}
    assert "Wenna Pike" in present
    assert "Tam Marrow" not in present
