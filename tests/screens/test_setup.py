"""Story set-up by keyboard."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.story_outline import NewCharacter, StoryOutline
from screens.setup.story_outline import parse_numbers, resolve_place, split_words
from stores.errors import InputError, StoreFull
from stores.records.play import CriticalCommitMode, DiceRoller, StoryMode, TensionMode
from tests.screens.table import NARROW, Table, real_desk, seated, twin_desk
from tests.screens.twin import TwinDesk


def outlined(twin: TwinDesk) -> StoryOutline:
    """Return what the desk was asked to start."""
    (outline,) = twin.called("start_story")[-1]
    assert isinstance(outline, StoryOutline)
    return outline


async def clear_and_type(table: Table, words: str) -> None:
    """Type over what is suggested: a field comes with its text selected."""
    await table.press("ctrl+a") if not words else None
    await table.type(words, enter=False)


async def test_enter_all_the_way_plays_the_sample() -> None:
    twin = TwinDesk(sample=False, story=False)
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("1")
        assert table.shows("● World", "○ Rules", "The sample world")
        await table.press("enter")
        assert table.shows("✓ World", "● Rules", "Lantern Twos", "On the sheet: might, wits, hp.")
        await table.press("enter")
        assert table.shows("✓ Rules", "● Hero", "Mara Venn")
        await table.press("enter")
        assert table.shows("● Story", "The Drowned Bell", "quiet dread", "copilot")
        await table.press("enter")
        assert table.shows("● Opening", "Under the chapel", "Learn who moved the bell", "✓ Father Ode")
        await table.press("enter")
        assert table.screen == "SceneScreen"
    outline = outlined(twin)
    assert outline.title == "The Drowned Bell"
    assert outline.pc == twin.folk[0].id
    assert outline.place == twin._places[0].id
    assert outline.cast == (twin.folk[1].id,)
    assert outline.system == "lantern_twos"
    assert (outline.dice, outline.tension_mode) == (DiceRoller.PROGRAM, TensionMode.BEND)


async def test_a_world_and_a_hero_of_ones_own() -> None:
    twin = TwinDesk(sample=False, story=False)
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("1", "down", "enter")
        await table.type("Ash Reach", enter=False)
        await table.press("down")
        await table.type("desert mystery")
        assert not twin.called("create_universe")  # nothing is created before the end
        await table.press("down", "down", "enter")  # no rule pack
        await table.press("enter")  # a new hero
        await table.type("Sel", enter=False)
        await table.press("tab", "tab")
        await table.type("hp 12, wits=+2", enter=False)
        await table.press("tab")
        await table.type("stubborn, in debt")
        assert table.shows("● Story", "Sel in Ash Reach")
        await table.press("tab", "tab", "tab", "tab", "tab", "right", "tab", "space")
        await table.press("tab", "right", "tab", "right")
        assert table.shows("autopilot", "auto", "physical", "edge")
        await table.press("enter")
        await table.press("tab", "tab")
        await table.type("The Glass Well")
        assert table.screen == "SceneScreen"
    (new,) = twin.called("create_universe")[0]
    assert (new.name, new.genre) == ("Ash Reach", "desert mystery")
    outline = outlined(twin)
    assert outline.pc == NewCharacter("Sel", "", (("hp", 12), ("wits", 2)), ("stubborn", "in debt"))
    assert (outline.mode, outline.critical) == (StoryMode.AUTOPILOT, CriticalCommitMode.AUTO)
    assert (outline.dice, outline.tension_mode) == (DiceRoller.PHYSICAL, TensionMode.EDGE)
    assert outline.system == ""
    assert outline.place == "The Glass Well"


@pytest.mark.slow
async def test_a_hero_by_the_rules() -> None:
    twin = TwinDesk(story=False)
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("1", "enter", "enter", "down", "enter")
        assert table.shows("might", "-1 to 3 · Arms and back", "Begins with hp 10/10", "known: hurt")
        await table.type("Sel", enter=False)
        await table.press("tab", "tab", "ctrl+u")
        await table.type("9")
        assert table.shows("might is -1 to 3 for a new hero, not 9.", "● Hero")
        await table.press("ctrl+u")
        await table.type("lots")
        assert table.shows("might is a whole number, not “lots”.")
        await table.press("ctrl+u")
        await table.type("2", enter=False)
        await table.press("tab", "ctrl+u", "tab")
        await table.type("luck 3")
        assert table.shows("● Story")
        await table.press("enter", "enter")
    outline = outlined(twin)
    assert outline.pc == NewCharacter("Sel", "", (("might", 2), ("wits", 0), ("luck", 3)), ())
    assert outline.system == "lantern_twos"


async def test_rules_that_cannot_be_used_say_which_line_is_wrong() -> None:
    twin = TwinDesk(story=False)
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("1", "enter", "end")
        assert table.shows("✗ mudlarks.yaml cannot be used", "line 15 (check, vs)")
        await table.press("enter")
        assert table.shows("● Rules", "mudlarks.yaml: This rule pack cannot be used: line 15")
        await table.press("home", "down", "enter")  # Plain Telling
        assert table.shows("✓ Rules", "● Hero")
        await table.press("escape")
        assert table.shows("● Rules", "No numbers.")
        await table.press("enter", "down", "enter")
        assert table.shows("A new hero", "Numbers")


async def test_what_is_wrong_is_said_and_nothing_typed_is_lost() -> None:
    twin = TwinDesk(story=False)
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("1", "enter", "down", "down", "enter", "down", "enter", "enter")
        assert table.shows("The hero needs a name.")
        await table.type("Sel", enter=False)
        await table.press("tab", "tab")
        await table.type("hp twelve")
        assert table.shows("“hp twelve” is not a number with a name.", "hp 10, might 1")
        assert table.shows("Sel")
        twin.fail("start_story", StoreFull("The disk is full.", kept="All you typed is still here."))
        await table.press("shift+tab")
        await table.press("tab", "ctrl+u")
        await table.type("hp 12")
        await table.press("enter", "enter")
        assert table.shows("The disk is full.", "still here")
        await table.press("enter")  # and again
        assert table.screen == "SceneScreen"


async def test_back_goes_one_step_and_keeps_what_was_typed() -> None:
    twin = TwinDesk(story=False)
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("1", "enter", "enter", "enter")
        await table.type("A Title of My Own", enter=False)
        await table.press("enter", "escape")
        assert table.shows("● Story", "A Title of My Own")
        await table.press("escape")
        assert table.shows("● Hero")
        await table.press("enter")
        assert table.shows("A Title of My Own")
        await table.press("escape", "escape", "escape", "escape")
        assert table.screen == "MenuScreen"
        assert twin.called("leave")
        assert not twin.called("start_story")


async def test_the_cast_is_ticked_with_space() -> None:
    twin = TwinDesk(story=False)
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("1", "enter", "enter", "enter", "enter", "tab", "tab", "tab")
        await table.press("space", "down", "space")
        assert table.shows("· Father Ode", "✓ Ilse Karr")
        await table.press("enter")
    assert outlined(twin).cast == (twin.folk[2].id,)


@pytest.mark.slow
async def test_a_name_that_is_taken_is_told_by_the_desk(tmp_path: Path) -> None:
    async with seated(real_desk(tmp_path), NARROW) as table:
        await table.press("1", "enter", "escape")  # the sample is there now
        await table.press("down", "enter")
        await table.type("Salt Coast")
        await table.press("enter", "enter")
        await table.type("Sel")
        await table.press("enter", "enter")
        assert table.shows("There is a universe called Salt Coast already")
        assert table.screen == "SetupScreen"


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("hp 10, might 1", (("hp", 10), ("might", 1))),
        ("hp=10; Might: +1", (("hp", 10), ("might", 1))),
        ("hp 7.5,\n,luck -2", (("hp", 7.5), ("luck", -2))),
        ("armour class 14", (("armour class", 14),)),
        ("", ()),
    ],
)
def test_numbers_are_read(text: str, numbers: tuple[tuple[str, float], ...]) -> None:
    assert parse_numbers(text) == numbers


@pytest.mark.parametrize("text", ["10 hp", "hp", "hp 1 2", "hp ten", "=3"])
def test_numbers_that_are_none_are_told(text: str) -> None:
    with pytest.raises(InputError):
        parse_numbers(text)


def test_lists_and_places_are_read() -> None:
    twin = TwinDesk()
    assert split_words(" brave,, in debt ,") == ("brave", "in debt")
    assert resolve_place("low quay", twin._places) == twin._places[1].id
    assert resolve_place(" The Well ", twin._places) == "The Well"
    assert resolve_place("  ", twin._places) is None
