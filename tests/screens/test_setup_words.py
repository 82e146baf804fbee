"""Story set-up in words, by keyboard: the model fills in the form, and the form stays the game master's."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input

from agents.llm.errors import INPUT_KEPT, ModelUnreachable
from agents.personas.outputs import StoryIdea
from agents.story_outline import NewCharacter, ProposedNewcomer, StoryOutline
from stores.records.world import EntityKind
from tests.screens.table import NARROW, ROOMY, Table, seated, twin_desk
from tests.screens.twin import TwinDesk
from tests.screens.twin_model import IDEA

pytestmark = pytest.mark.slow

WORDS = "a lighthouse keeper who owes the sea"
TO_HERO = ("1", "enter", "enter")


@pytest.fixture
async def twin() -> TwinDesk:
    twin = TwinDesk(story=False)
    await twin.model.choose_model(model="openai/gpt-4o-mini")
    return twin


def outlined(twin: TwinDesk) -> StoryOutline:
    (outline,) = twin.called("start_story")[-1]
    assert isinstance(outline, StoryOutline)
    return outline


def field(table: Table, id: str) -> str:
    return table.app.screen.query_one(f"#{id}", Input).value


async def say(table: Table, words: str = WORDS) -> None:
    await table.press("f7")
    await table.type(words)


@pytest.mark.parametrize("size", [NARROW, pytest.param(ROOMY, marks=pytest.mark.slow)])
async def test_a_sentence_fills_in_the_form_and_enter_begins_what_stands_there(
    twin: TwinDesk, size: tuple[int, int]
) -> None:
    async with seated(twin_desk(twin), size) as table:
        await table.press(*TO_HERO)
        assert table.shows("✎ In words", "f7 In words")
        await say(table)
        assert table.shows("● Hero", "A new hero", "Sel Arrow", "owes the sea", "Filled in by the model")
        await table.press("enter")
        assert table.shows("● Story", "What the Sea Is Owed", "debt", "grim", "Line: gore")
        assert field(table, "limits") == ""  # what the model left out is nobody's idea
        await table.press("enter")
        assert table.shows("● Opening", "The lamp is out", "Light it again", "Cold Light", "✓ Father Ode")
        assert not twin.called("start_story")
        await table.press("enter")
        assert table.screen == "SceneScreen"
    assert twin.called("imagine") == [(twin.universe.id, WORDS, "")]
    outline = outlined(twin)
    assert outline.pc == NewCharacter(
        "Sel Arrow", "keeps the light and owes the sea", (("might", 0), ("wits", 0)), ()
    )
    assert (outline.title, outline.place, outline.cast) == (IDEA.title, "Cold Light", (twin.folk[1].id,))
    assert outline.newcomers == (
        ProposedNewcomer(EntityKind.CHARACTER, "Wren Arrow", "her daughter"),
        ProposedNewcomer(EntityKind.PLACE, "The Stair", "two hundred steps"),
    )
    assert outline.prose == ()


async def test_who_is_new_can_be_changed_and_left_out(twin: TwinDesk) -> None:
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press(*TO_HERO)
        await say(table)
        await table.press("enter", "enter", "tab", "tab", "tab", "tab")
        assert table.shows("New to this world: proposed at the gate", "Wren Arrow: her daughter")
        await table.press("ctrl+u")
        await table.type("Bren: her son", enter=False)
        await table.press("tab", "ctrl+u")
        assert table.shows("left out; or a name")
        await table.press("enter")
    assert outlined(twin).newcomers == (ProposedNewcomer(EntityKind.CHARACTER, "Bren", "her son"),)


async def test_the_row_does_what_the_key_does_and_a_known_hero_is_taken(twin: TwinDesk) -> None:
    twin.model.idea = StoryIdea(hero_name="mara venn", title="Another Tide")
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press(*TO_HERO, "down", "down", "enter")
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
        assert table.screen == "SceneScreen"
    outline = outlined(twin)
    assert (outline.pc, outline.place, outline.cast) == (twin.folk[0].id, None, ())


async def test_an_idea_without_a_hero_asks_whom_you_play(twin: TwinDesk) -> None:
    twin.model.idea = StoryIdea(title="Nobody's Tide")
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press(*TO_HERO)
        await say(table)
        assert table.shows("● Hero", "Whom do you play?")
        await table.press("enter")
        assert table.shows("● Story", "Nobody's Tide")


async def test_on_the_story_it_changes_what_it_has_an_idea_for_and_nothing_else(twin: TwinDesk) -> None:
    twin.model.idea = StoryIdea(tone="dry", scene_goal="Get out", hero_name="Somebody Else")
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press(*TO_HERO, "enter")
        await table.type("A Title of My Own", enter=False)
        await say(table)
        assert table.shows("● Story", "A Title of My Own", "dry", "Filled in by the model")
        await table.press("enter")
        assert table.shows("Get out", "Under the chapel", "✓ Father Ode")
        await table.press("escape", "escape", "enter")
        assert table.shows("A Title of My Own", "dry")  # back and forth keeps it
        await table.press("enter", "enter")
    outline = outlined(twin)
    assert outline.pc == twin.folk[0].id
    assert outline.prose == ()  # what the world's own opening tells is of another story


async def test_a_failure_is_told_in_words_and_the_form_and_the_words_are_as_they_were(twin: TwinDesk) -> None:
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press(*TO_HERO, "enter")
        await table.type("Mine", enter=False)
        twin.fail("imagine", ModelUnreachable("Nobody answers at 127.0.0.1.", kept="The form is as it was."))
        await say(table)
        assert table.shows("Nobody answers at 127.0.0.1.", "The form is as it was.", "Mine", "● Story")
        assert INPUT_KEPT not in table.text
        await table.press("f7")
        assert table.shows(WORDS)
        await table.press("enter")
        assert table.shows("What the Sea Is Owed")
    assert [words for _, words, _ in twin.called("imagine")] == [WORDS, WORDS]


async def test_escape_stops_it_and_the_form_can_be_filled_in_meanwhile(twin: TwinDesk) -> None:
    twin.model.idea_waits = True
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press(*TO_HERO, "enter", "f7")
        await table.type(WORDS, enter=False)
        await table.pilot.press("enter")
        while not table.shows("The model reads that"):
            await table.pilot.pause(0.01)
        await table.pilot.press(*"Meanwhile")
        await table.pilot.press("f7")  # asked once is enough
        await table.pilot.pause()
        assert table.screen == "SetupScreen"
        await table.pilot.press("escape")
        await table.settle()
        assert table.shows("You stopped it. The form is as it was.", "Meanwhile", "● Story")
        await table.press("escape")
        assert table.shows("● Hero")
    assert len(twin.called("imagine")) == 1


async def test_an_idea_that_comes_when_one_has_gone_back_to_the_worlds_fills_in_nothing(
    twin: TwinDesk,
) -> None:
    twin.model.idea_waits = True
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press(*TO_HERO, "f7")
        await table.type(WORDS, enter=False)
        await table.pilot.press("enter")
        while not table.shows("The model reads that"):
            await table.pilot.pause(0.01)
        twin.model.streaming = False  # it has not begun to answer, so there is nothing to stop
        await table.pilot.press("escape", "escape")
        await table.pilot.pause()
        twin.model.go.set()
        await table.settle()
        assert table.shows("● World")
        await table.press("enter", "enter", "enter")
        assert table.shows("● Story", "The Drowned Bell")


async def test_a_world_that_is_not_created_yet_is_told_of(twin: TwinDesk) -> None:
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("1", "down", "enter")
        await table.type("Ash Reach", enter=False)
        await table.press("tab")
        await table.type("desert mystery")
        await table.press("enter")
        await say(table)
        assert table.shows("Sel Arrow")
    assert twin.called("imagine") == [(None, WORDS, "Ash Reach\ndesert mystery")]
    assert not twin.called("create_universe")


async def test_without_a_model_there_is_no_such_key(tmp_path: Path) -> None:
    twin = TwinDesk(story=False)
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press(*TO_HERO, "f7")
        assert table.screen == "SetupScreen"
        assert not table.shows("In words")
        assert table.shows("+ A new hero")


async def test_what_a_model_says_is_only_words(twin: TwinDesk) -> None:
    twin.model.idea = StoryIdea(title="[bold]Tide[/]", people=("[red]Ode[/]: [link=x]y[/]",), hero_name="[b]")
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press(*TO_HERO)
        await say(table)
        await table.press("enter", "enter")
        assert table.shows("[red]Ode[/]: [link=x]y[/]")
        await table.press("escape")
        assert table.shows("[bold]Tide[/]")
