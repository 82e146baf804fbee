"""Story set-up by keyboard."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agents.story_outline import NewCharacter
from agents.views.scene_views import SceneView
from screens.dialogs.form_fields import FieldInput
from screens.setup.setup_choices import hero_rows
from screens.setup.story_outline import parse_numbers, resolve_place, split_words, suggest_outline
from stores.errors import InputError, StoreFull
from stores.records.play import CriticalCommitMode, DiceRoller, StoryMode, TensionMode
from stores.records.world import Entity, EntityKind
from tests.contract import builders as make
from tests.screens.faults import fail_once
from tests.screens.screen_driver import NARROW, ROOMY, ScreenDriver, real_services, started_app

pytestmark = pytest.mark.slow

BROKEN_PACK = """\
id: mudlarks
name: Mudlarks
version: 1
licence: MIT
attribution: Its author
summary: Mud, and what lies in it.
check:
  dice: 2d6
  vs: plenty
"""
"""A rule pack with an error in its last line."""


async def begun(ui: ScreenDriver) -> SceneView:
    """Return the first scene of the story that was begun."""
    assert ui.screen == "SceneScreen"
    (card,) = await ui.services.stories.stories()
    assert card.scene is not None
    return await ui.services.play.scene(card.scene.id)


async def hero(ui: ScreenDriver) -> Entity:
    """Return the hero of the story that was begun."""
    view = await begun(ui)
    assert view.story.pc_id is not None
    return (await ui.services.world.read_card(view.story.pc_id)).entity


async def count_stories(ui: ScreenDriver) -> int:
    return len(await ui.services.stories.stories())


async def cast_names(ui: ScreenDriver) -> list[str]:
    return [member.name for member in (await begun(ui)).cast]


async def test_setup_enter_all_the_way_plays_the_sample(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), NARROW) as ui:
        await ui.press("1")
        assert ui.shows("● World", "○ Rules", "The sample world")
        await ui.press("enter")
        assert ui.shows("✓ World", "● Rules", "Lantern Twos", "On the sheet: might, wits, nerve, HP, light.")
        await ui.press("enter")
        assert ui.shows("✓ Rules", "● Hero", "Mara Venn")
        await ui.press("enter")
        assert ui.shows("● Story", "The Drowned Bell", "Quiet dread", "copilot")
        await ui.press("enter")
        assert ui.shows("● Opening", "Before the Third Stroke", "who moved the bell", "✓ Ivo Tarrant")
        await ui.press("enter")
        view = await begun(ui)
        assert (view.story.title, view.scene.title) == ("The Drowned Bell", "Before the Third Stroke")
        assert (await hero(ui)).name == "Mara Venn"
        assert view.place == "The Slack Tide"
        assert await cast_names(ui) == ["Mara Venn", "Ivo Tarrant", "Aldous Stint", "Wenna Pike"]
        assert view.story.system == "lantern_twos"
        assert (view.story.dice, view.story.tension_mode) == (DiceRoller.PROGRAM, TensionMode.BEND)


async def test_setup_offers_the_dead_last_and_takes_none_along(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), ROOMY, first="demo") as ui:
        await ui.type("> Ivo Tarrant is dead.")
        await ui.type("/accept all")
        await ui.type("/commit")
        (universe,) = await ui.services.stories.universes()
        characters = await ui.services.stories.characters(universe.id)
        dead_ids = await ui.services.stories.read_dead_ids(universe.id)
        dead = [c for c in characters if c.id in dead_ids]
        assert [c.name for c in dead] == ["Ivo Tarrant", "Tam Marrow"]
        sample = await ui.services.stories.sample_outline()
        ivo_suggested = replace(sample, pc=dead[0].id)
        rows = hero_rows(characters, ivo_suggested, dead_ids=dead_ids)
        assert [r.name for r in rows[-3:]] == ["† Ivo Tarrant", "† Tam Marrow", "Nobody"]
        assert [r.kind for r in rows[-3:]] == ["dead", "dead", ""]
        assert (rows[0].name, rows[0].kind) == ("Mara Venn", "hero")
        assert [r.name for r in hero_rows(characters, sample)].count("Ivo Tarrant") == 1

        await ui.press("escape")
        if ui.screen == "SceneScreen":
            await ui.press("escape")
        await ui.press("enter", "1", "enter", "enter")
        assert ui.shows("● Hero", "Mara Venn", "† Ivo Tarrant")
        await ui.press("enter", "enter")
        assert ui.shows("● Opening", "† Ivo Tarrant  dead")
        assert not ui.shows("✓ Ivo Tarrant")


@pytest.mark.slow
async def test_setup_name_typed_on_another_row_begins_a_new_world(sample_home: Path) -> None:
    async with started_app(real_services(sample_home), ROOMY) as ui:
        await ui.press("1")
        await ui.type("The Ember Isles", enter=False)
        assert ui.shows("A new world")
        assert ui.app.screen.query_one("#world-name", FieldInput).value == "The Ember Isles"


@pytest.mark.slow
async def test_setup_suggests_a_second_story_where_and_when_the_hero_is(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), ROOMY, first="demo") as ui:
        for line in (
            "/place Net Loft: nets",
            "/time +3 days",
            "/fact Mara Venn is in Net Loft",
            "/accept all",
            "/commit",
        ):
            await ui.type(line)
        (first,) = await ui.services.stories.stories()
        assert first.scene is not None
        played = await ui.services.play.scene(first.scene.id)
        await ui.press("escape")
        if ui.screen == "SceneScreen":
            await ui.press("escape")
        for title in ("Mara Venn in Salt Coast", "Mara Venn in Salt Coast 2"):
            await ui.press("enter", "1", "enter", "enter", "enter")
            assert any(field.value == title for field in ui.app.screen.query(FieldInput))
            await ui.press("enter")
            assert ui.shows("At Net Loft")
            await ui.press("enter")
            cards = await ui.services.stories.stories()
            card = next(card for card in cards if card.story.title == title)
            assert card.scene is not None
            view = await ui.services.play.scene(card.scene.id)
            assert (view.place, view.when) == ("Net Loft", played.when)
            await ui.press("escape")
            if ui.screen == "SceneScreen":
                await ui.press("escape")


async def test_setup_creates_world_and_hero_of_ones_own(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), NARROW) as ui:
        await ui.press("1", "down", "enter")
        await ui.type("Ash Reach", enter=False)
        await ui.press("down")
        await ui.type("desert mystery")
        assert not await ui.services.stories.universes()  # nothing is created before the end
        await ui.press("end", "enter")  # no rule pack
        await ui.press("enter")  # a new hero
        await ui.type("Sel", enter=False)
        await ui.press("tab", "tab")
        await ui.type("hp 12, wits=+2", enter=False)
        await ui.press("tab")
        await ui.type("stubborn, in debt")
        assert ui.shows("● Story", "Sel in Ash Reach")
        await ui.press("tab", "tab", "tab", "tab", "tab", "tab", "right", "tab", "space")
        await ui.press("tab", "right", "tab", "right")
        assert ui.shows("autopilot", "auto", "physical", "edge")
        await ui.press("enter")
        await ui.press("tab", "tab")
        await ui.type("The Glass Well")
        view, sel = await begun(ui), await hero(ui)
        assert (view.universe.name, view.universe.genre) == ("Ash Reach", "desert mystery")
        assert (sel.name, sel.description, sel.is_pc) == ("Sel", "", True)
        assert (sel.numbers, sel.tags) == ({"hp": 12, "wits": 2}, ("stubborn", "in debt"))
        assert (view.story.mode, view.story.critical) == (StoryMode.AUTOPILOT, CriticalCommitMode.AUTO)
        assert (view.story.dice, view.story.tension_mode) == (DiceRoller.PHYSICAL, TensionMode.EDGE)
        assert view.story.system == ""
        assert view.place == "The Glass Well"


async def test_setup_reads_name_and_description_of_hero_and_place(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), NARROW) as ui:
        await ui.press("1", "down", "enter")
        await ui.type("Marches")
        await ui.press("enter", "enter")  # the rules, a new hero
        await ui.type("Sable Orrin: a smuggler")
        assert ui.shows("● Story", "Sable Orrin in Marches")
        await ui.press("enter", "tab", "tab")
        await ui.type("The Drowned Heron: a smoky tavern")
        sable = await hero(ui)
        assert (sable.name, sable.description) == ("Sable Orrin", "a smuggler")
        view = await begun(ui)
        (place,) = await ui.services.stories.places(view.universe.id)
        assert (place.name, place.description) == ("The Drowned Heron", "a smoky tavern")
        assert view.place == "The Drowned Heron"


@pytest.mark.slow
async def test_setup_creates_hero_by_the_rules(sample_home: Path) -> None:
    async with started_app(real_services(sample_home), NARROW) as ui:
        await ui.press("1", "enter", "enter", "down", "down", "enter")
        assert ui.shows(
            "might", "-1 to 3 · Arms, back and temper", "Begins with HP 10/10", "for example ready, hurt"
        )
        await ui.type("Sel", enter=False)
        await ui.press("tab", "tab", "ctrl+u")
        await ui.type("9")
        assert ui.shows("might is -1 to 3 for a new hero, not 9.", "● Hero")
        await ui.press("ctrl+u")
        await ui.type("lots")
        assert ui.shows("might is a whole number, not “lots”.")
        await ui.press("ctrl+u")
        await ui.type("2", enter=False)
        await ui.press("tab", "ctrl+u", "tab", "tab")
        await ui.type("luck 3")
        assert ui.shows("● Story")
        await ui.press("enter", "enter")
        sel = await hero(ui)
        assert (sel.name, sel.description, sel.tags) == ("Sel", "", ())
        assert {key: sel.numbers[key] for key in ("might", "wits", "luck")} == {
            "might": 2,
            "wits": 0,
            "luck": 3,
        }
        assert (await begun(ui)).story.system == "lantern_twos"


async def test_setup_names_broken_line_of_rule_pack(sample_home: Path) -> None:
    (sample_home / "systems").mkdir()
    (sample_home / "systems" / "mudlarks.yaml").write_text(BROKEN_PACK, encoding="utf-8")
    async with started_app(real_services(sample_home), NARROW) as ui:
        await ui.press("1", "enter", "end")
        assert ui.shows("✗ mudlarks.yaml cannot be used", "line 9 (check, vs)")
        await ui.press("enter")
        assert ui.shows("● Rules", "mudlarks.yaml: This rule pack cannot be used: line 9")
        await ui.press("home", "down", "down", "enter")
        assert ui.shows("✓ Rules", "● Hero")
        await ui.press("escape")
        assert ui.shows("● Rules", "Plain Telling")
        await ui.press("enter", "down", "down", "enter")
        assert ui.shows("A new hero", "Numbers")


async def test_setup_error_keeps_what_was_typed(sample_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with started_app(real_services(sample_home), NARROW) as ui:
        await ui.press("1", "enter", "end", "enter", "down", "down", "enter", "enter")
        assert ui.shows("The hero needs a name.")
        await ui.type("Sel", enter=False)
        await ui.press("tab", "tab")
        await ui.type("hp twelve")
        assert ui.shows("“hp twelve” is not a number with a name.", "hp 10, might 1")
        assert ui.shows("Sel")
        full = StoreFull("The disk is full.", kept="All you typed is still here.")
        fail_once(monkeypatch, ui.services.stories, "start_story", full)
        await ui.press("shift+tab")
        await ui.press("tab", "ctrl+u")
        await ui.type("hp 12")
        await ui.press("enter", "enter")
        assert ui.shows("The disk is full.", "still here")
        assert not await count_stories(ui)
        await ui.press("enter")  # and again
        sel = await hero(ui)
        assert (sel.name, sel.numbers) == ("Sel", {"hp": 12})


async def test_setup_escape_goes_one_step_back_and_keeps_words(sample_home: Path) -> None:
    async with started_app(real_services(sample_home), NARROW) as ui:
        await ui.press("1", "enter", "enter", "enter")
        await ui.type("A Title of My Own", enter=False)
        await ui.press("enter", "escape")
        assert ui.shows("● Story", "A Title of My Own")
        await ui.press("escape")
        assert ui.shows("● Hero")
        await ui.press("enter")
        assert ui.shows("A Title of My Own")
        await ui.press("escape", "escape", "escape", "escape")
        assert ui.screen == "MenuScreen"
        assert not await count_stories(ui)


async def test_setup_keeps_what_was_typed_when_an_earlier_page_changes(sample_home: Path) -> None:
    async with started_app(real_services(sample_home), ROOMY) as ui:
        await ui.press("1", "down", "enter")
        await ui.type("Bluewater")
        await ui.press("enter", "enter")  # the rules, a new hero
        await ui.type("Jon", enter=False)
        await ui.press("tab", "tab", "ctrl+u")
        await ui.type("2")
        assert ui.shows("Jon in Bluewater")
        await ui.press("ctrl+u")
        await ui.type("The Miller's Debt", enter=False)
        await ui.press("tab")
        await ui.type("what is owed")
        await ui.press("tab")
        await ui.type("Find the deed", enter=False)
        await ui.press("escape", "escape", "escape", "down", "enter")  # back to the rules, and other ones
        await ui.press("escape", "up", "enter", "enter")  # and the first ones again, and a new hero
        assert next(line.split()[:2] for line in ui.text.splitlines() if "-1 to 3" in line) == ["might", "2"]
        await ui.press("tab")
        await ui.type("a miller")
        assert ui.shows("The Miller's Debt", "what is owed")
        await ui.press("escape", "escape", "escape", "enter", "end")
        await ui.type("s")  # another name of the world
        await ui.press("enter", "enter", "enter", "enter")
        assert ui.shows("● Opening", "Find the deed")
        await ui.press("enter")
        view = await begun(ui)
        assert (view.universe.name, view.story.title) == ("Bluewaters", "The Miller's Debt")
        assert (view.story.theme, view.scene.goal) == ("what is owed", "Find the deed")


async def test_setup_suggestions_that_nobody_changed_follow_the_earlier_pages(sample_home: Path) -> None:
    async with started_app(real_services(sample_home), ROOMY) as ui:
        await ui.press("1", "down", "enter")
        await ui.type("Bluewater")
        await ui.press("enter", "enter")
        await ui.type("Jon")
        assert ui.shows("Jon in Bluewater")
        await ui.press("escape", "enter", "end")
        await ui.type("as")
        assert ui.shows("Jonas in Bluewater")


async def test_setup_name_typed_on_the_row_of_something_new_is_its_name(sample_home: Path) -> None:
    async with started_app(real_services(sample_home), ROOMY) as ui:
        await ui.press("1", "down")
        await ui.type("Bluewater")
        assert ui.shows("● Rules")
        await ui.press("enter")
        await ui.type("Jon of the Mill")
        assert ui.shows("● Story", "Jon of the Mill in Bluewater")


async def test_setup_space_changes_the_cast(sample_home: Path) -> None:
    async with started_app(real_services(sample_home), NARROW) as ui:
        await ui.press("1", "enter", "enter", "enter", "enter", "tab", "tab", "tab")
        assert ui.shows("✓ Ivo Tarrant", "· Gil Oakum")
        await ui.press("space", "down", "down", "space")
        assert ui.shows("· Ivo Tarrant", "✓ Gil Oakum")
        await ui.press("enter")
        assert sorted(await cast_names(ui)) == ["Aldous Stint", "Gil Oakum", "Mara Venn", "Wenna Pike"]


def test_setup_of_a_world_of_a_book_ticks_nobody() -> None:
    """A player: "my first scene had three people of the book in it, because their names begin with A"."""
    world = make.universe()
    outline = suggest_outline(world, [make.entity(kind=EntityKind.PLACE)], NewCharacter("Sel"))
    assert outline.cast == ()


@pytest.mark.slow
async def test_setup_refuses_a_universe_name_that_is_taken(sample_home: Path) -> None:
    async with started_app(real_services(sample_home), NARROW) as ui:
        await ui.press("1", "down", "enter")
        await ui.type("Salt Coast")
        assert ui.shows("There is a universe called Salt Coast already")
        assert ui.screen == "SetupScreen"
        assert ui.shows("● World")  # on the page of its name


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
def test_setup_reads_numbers(text: str, numbers: tuple[tuple[str, float], ...]) -> None:
    assert parse_numbers(text) == numbers


@pytest.mark.parametrize("text", ["10 hp", "hp", "hp 1 2", "hp ten", "=3"])
def test_setup_refuses_numbers_without_name_or_value(text: str) -> None:
    with pytest.raises(InputError):
        parse_numbers(text)


def test_setup_reads_lists() -> None:
    assert split_words(" brave,, in debt ,") == ("brave", "in debt")


def test_setup_finds_places_by_name() -> None:
    quay = make.entity("Low Quay", kind=EntityKind.PLACE)
    places = [make.entity("The Tally Chapel", kind=EntityKind.PLACE), quay]
    assert resolve_place("low quay", places) == quay.id
    assert resolve_place("Low Quay: where the boats lie", places) == quay.id
    assert resolve_place(" The Well ", places) == "The Well"
    assert resolve_place("  ", places) is None


async def test_setup_hands_out_an_array_and_rolls_scores(sample_home: Path) -> None:
    """I take the array, swap two of its values, and am held to it; then I let the dice decide."""
    async with started_app(real_services(sample_home), ROOMY) as ui:
        await ui.press("1", "enter", "end", "up", "enter", "down", "down", "enter")
        assert ui.shows("A new hero", "as you type them")
        await ui.type("Sel", enter=False)
        await ui.press("tab", "tab", "right")
        assert ui.shows("hand out 15, 13, 12, 11, 9, 8")
        await ui.press("tab", "ctrl+u")
        await ui.type("13", enter=False)
        await ui.press("enter", "enter")
        assert ui.shows("! The numbers to hand out are 15, 13, 12, 11, 9, 8, each once.")
        await ui.press("right")
        assert ui.shows("roll 3d6 for each")
        await ui.press("tab", "enter", "enter")
        assert not ui.shows("A new hero", "The numbers to hand out")
