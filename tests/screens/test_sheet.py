"""The sheet on the screen, by keyboard."""

from __future__ import annotations

from pathlib import Path

import pytest

from stores.errors import StoreFull
from stores.records.canon import StateChange, StateOp
from stores.records.workflow import ProposalStatus
from tests.screens.faults import fail_once
from tests.screens.libraries import CopyLibrary
from tests.screens.screen_driver import NARROW, ROOMY, ScreenDriver, real_services, started_app
from tests.screens.scripted_llm import start_sample_story
from widgets.prompt import PlayPrompt

HURT = ("/state Mara +hurt", "/state Mara.hp -3", "/commit")


async def build_hurt_hero(home: Path) -> None:
    """Play until the hero is hurt, and canon says so."""
    services, close = await real_services(home)()
    await start_sample_story(services, "I wait.", *HURT)
    await services.stories.suspend()
    await close()


@pytest.fixture
def hurt_home(copy_library: CopyLibrary) -> Path:
    return copy_library(build_hurt_hero)


async def open_sheet(ui: ScreenDriver) -> None:
    await ui.press("enter", "f5")
    assert ui.screen == "SheetScreen"


async def proposed(ui: ScreenDriver) -> set[tuple[str, StateOp, object]]:
    """Return the changes of the hero's sheet that wait at the scene's gate."""
    (card,) = await ui.services.stories.stories()
    assert card.scene is not None
    changes: set[tuple[str, StateOp, object]] = set()
    for view in (await ui.services.play.scene(card.scene.id)).proposals:
        if view.status is ProposalStatus.PENDING:
            payload = view.proposal.payload
            assert isinstance(payload, StateChange)
            assert payload.entity_id == card.story.pc_id
            changes.add((payload.key, payload.op, payload.value))
    return changes


@pytest.mark.parametrize("size", [NARROW, pytest.param(ROOMY, marks=pytest.mark.slow)])
async def test_sheet_shows_values_by_the_rules(hurt_home: Path, size: tuple[int, int]) -> None:
    async with started_app(real_services(hurt_home, 8), size) as ui:
        await open_sheet(ui)
        assert ui.shows("Sheet Mara Venn", "Lantern Twos", "[Mara Venn] Ivo Tarrant")
        assert ui.shows("might 1 Arms, back and temper", "HP 7/10", "+hurt", "A wound that slows")
        assert ui.shows("Arms, back and temper · least -1, most 3")
        await ui.press("right")
        assert ui.shows("Mara Venn [Ivo Tarrant]", "HP 8/10")
        await ui.press("left", "escape")
        assert ui.screen == "SceneScreen"


@pytest.mark.slow
async def test_sheet_gathers_changes_until_enter_stages_them(hurt_home: Path) -> None:
    async with started_app(real_services(hurt_home, 8), NARROW) as ui:
        await open_sheet(ui)
        await ui.press("plus", "down", "down", "down", "minus", "minus", "minus", "plus")
        assert ui.shows("might 1 → 2", "7/10 → 5")
        await ui.press("end", "up", "delete")
        assert ui.shows("−hurt removed")
        await ui.press("number_sign")
        assert ui.shows("A tag for Mara Venn")
        await ui.type("soaked")
        assert ui.shows("+soaked new")
        assert await proposed(ui) == set()
        await ui.press("enter")
        assert await proposed(ui) == {
            ("might", StateOp.ADD, 1),
            ("hp", StateOp.ADD, -2),
            ("hurt", StateOp.UNTAG, None),
            ("soaked", StateOp.TAG, None),
        }
        assert ui.shows("Proposed: ")
        assert not ui.shows("7/10 → 5")


@pytest.mark.slow
async def test_sheet_value_is_typed_whole_or_as_a_change(hurt_home: Path) -> None:
    async with started_app(real_services(hurt_home, 8), NARROW) as ui:
        await open_sheet(ui)
        await ui.press("down", "down", "down", "e")
        assert ui.shows("HP 7/10", "A number (7), or a change (-3)")
        await ui.type("-3")
        assert ui.shows("7/10 → 4")
        await ui.press("e")
        await ui.type("12")
        assert ui.shows("7/10 → 12", "your value is used anyway")
        await ui.press("e")
        await ui.type("lots")
        assert ui.shows("“lots” is not a number.")
        await ui.press("escape")
        assert ui.shows("7/10 → 12")
        await ui.press("e", "escape", "e")
        await ui.type("7")  # as it was: there is nothing to stage
        assert not ui.shows("→ 1")
        await ui.press("number_sign")
        await ui.type("1st!")
        assert ui.shows("“1st!” is not a tag")
        await ui.press("escape", "enter")
        assert await proposed(ui) == set()


@pytest.mark.slow
async def test_sheet_escape_drops_changes_and_then_leaves(hurt_home: Path) -> None:
    async with started_app(real_services(hurt_home, 8), NARROW) as ui:
        await open_sheet(ui)
        await ui.press("plus", "right")
        assert ui.shows("First propose your changes", "[Mara Venn]")
        await ui.press("escape")
        assert ui.shows("Changes discarded.", "might 1")
        assert not ui.shows("→ 2")
        await ui.press("escape")
        assert ui.screen == "SceneScreen"
        assert await proposed(ui) == set()


@pytest.mark.slow
async def test_sheet_error_keeps_the_changes(hurt_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with started_app(real_services(hurt_home, 8), NARROW) as ui:
        await open_sheet(ui)
        full = StoreFull("The disk is full.", kept="The sheet is as you left it.")
        fail_once(monkeypatch, ui.services.play, "edit_sheet", full)
        await ui.press("plus", "enter")
        assert ui.shows("The disk is full.", "1 → 2")
        assert await proposed(ui) == set()
        await ui.press("enter")
        assert await proposed(ui) == {("might", StateOp.ADD, 1)}


@pytest.mark.slow
async def test_sheet_suggestion_of_the_rules_waits_in_the_prompt(hurt_home: Path) -> None:
    async with started_app(real_services(hurt_home, 8), NARROW) as ui:
        await open_sheet(ui)
        await ui.press("down", "down", "down", *["minus"] * 7, "enter", "escape")
        prompt = ui.app.screen.query_one(PlayPrompt)
        assert prompt.text == ""
        assert ui.shows("/state Mara Venn +down Tab takes it")
        await ui.press("tab")
        assert prompt.text == "/state Mara Venn +down"


@pytest.mark.slow
async def test_sheet_at_zero_suggests_a_tag_and_takes_back(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), ROOMY, first="demo") as ui:
        await ui.press("f5", "down", "down", "down")
        assert ui.shows("▸HP 10/10")
        await ui.press(*["minus"] * 10)
        await ui.press("enter")
        assert ui.shows("0/10*", "HP is at 0: Mara Venn is down.", "The rules suggest /state Mara Venn +down")
        await ui.press("u")
        assert ui.shows("▸HP 10/10")
        assert not ui.shows("0/10*")
        await ui.press("plus", "enter")
        assert ui.shows("11/10*")
        await ui.press("escape")
        assert ui.shows("/state Mara Venn +down Tab takes it")
        await ui.press("f2")
        assert ui.shows("Mara Venn: HP 10 → 11")


@pytest.mark.slow
async def test_own_dice_are_typed_in_the_prompt(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), ROOMY, first="demo") as ui:
        await ui.type("/dice physical")
        await ui.type("I force the door. /move force")
        assert ui.shows("Roll 2d6, then type the result after the =.")
        prompt = ui.app.screen.query_one(PlayPrompt)
        assert prompt.text == "I force the door. /move force = "
        await ui.type("6 7")
        assert ui.shows("A d6 has no face 7")
        assert prompt.text == "I force the door. /move force = 6 7"
        await ui.press("end", "backspace")
        await ui.type("5")
        assert ui.shows("force · 2d6+1 [6,5]+1", "12 vs 10", "✓ success")
        assert prompt.text == ""
        await ui.type("/reroll 5")
        await ui.type("1")
        assert ui.shows("rerolled 5 → 1", "take 2/2", "~ partial")
        await ui.press("ctrl+z")
        assert ui.shows("[6,5]+1 = 12", "take 1/2")


@pytest.mark.slow
async def test_notes_are_shown_at_their_turn_and_hidden_by_f4(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), ROOMY, first="demo") as ui:
        await ui.type("I wait.")
        await ui.type("/gm the bell must ring before dawn")
        assert ui.shows("(note) the bell must ring before dawn")
        await ui.press("f4")
        assert not ui.shows("(note)")
        await ui.press("f4")
        assert ui.shows("(note)")
