"""The sheet on the screen, by keyboard."""

from __future__ import annotations

from pathlib import Path

import pytest

from stores.errors import StoreFull
from stores.records.canon import StateChange, StateOp
from stores.records.workflow import ProposalStatus
from tests.screens.faults import fail_once
from tests.screens.libraries import CopyLibrary
from tests.screens.scripted_llm import start_sample_story
from tests.screens.screen_driver import NARROW, ROOMY, Table, real_desk, seated
from widgets.prompt import PlayPrompt

HURT = ("/state Mara +hurt", "/state Mara.hp -3", "/commit")


async def build_hurt_hero(home: Path) -> None:
    """Play until the hero is hurt, and canon says so."""
    services, close = await real_desk(home)()
    await start_sample_story(services, "I wait.", *HURT)
    await services.stories.suspend()
    await close()


@pytest.fixture
def hurt_home(copy_library: CopyLibrary) -> Path:
    return copy_library(build_hurt_hero)


async def open_sheet(table: Table) -> None:
    await table.press("enter", "f5")
    assert table.screen == "SheetScreen"


async def proposed(table: Table) -> set[tuple[str, StateOp, object]]:
    """Return the changes of the hero's sheet that wait at the scene's gate."""
    (card,) = await table.services.stories.stories()
    assert card.scene is not None
    changes: set[tuple[str, StateOp, object]] = set()
    for view in (await table.services.play.scene(card.scene.id)).proposals:
        if view.status is ProposalStatus.PENDING:
            payload = view.proposal.payload
            assert isinstance(payload, StateChange)
            assert payload.entity_id == card.story.pc_id
            changes.add((payload.key, payload.op, payload.value))
    return changes


@pytest.mark.parametrize("size", [NARROW, pytest.param(ROOMY, marks=pytest.mark.slow)])
async def test_sheet_shows_values_by_the_rules(hurt_home: Path, size: tuple[int, int]) -> None:
    async with seated(real_desk(hurt_home, 8), size) as table:
        await open_sheet(table)
        assert table.shows("Sheet Mara Venn", "Lantern Twos", "[Mara Venn] Ivo Tarrant")
        assert table.shows("might 1 Arms, back and temper", "HP 7/10", "+hurt", "A wound that slows")
        assert table.shows("Arms, back and temper · least -1, most 3")
        await table.press("right")
        assert table.shows("Mara Venn [Ivo Tarrant]", "HP 8/10")
        await table.press("left", "escape")
        assert table.screen == "SceneScreen"


async def test_sheet_gathers_changes_until_enter_stages_them(hurt_home: Path) -> None:
    async with seated(real_desk(hurt_home, 8), NARROW) as table:
        await open_sheet(table)
        await table.press("plus", "down", "down", "down", "minus", "minus", "minus", "plus")
        assert table.shows("might 1 → 2", "7/10 → 5")
        await table.press("end", "up", "x")
        assert table.shows("−hurt removed")
        await table.press("t")
        assert table.shows("A tag for Mara Venn")
        await table.type("soaked")
        assert table.shows("+soaked new")
        assert await proposed(table) == set()
        await table.press("enter")
        assert await proposed(table) == {
            ("might", StateOp.ADD, 1),
            ("hp", StateOp.ADD, -2),
            ("hurt", StateOp.UNTAG, None),
            ("soaked", StateOp.TAG, None),
        }
        assert table.shows("Proposed: ")
        assert not table.shows("7/10 → 5")


async def test_sheet_value_is_typed_whole_or_as_a_change(hurt_home: Path) -> None:
    async with seated(real_desk(hurt_home, 8), NARROW) as table:
        await open_sheet(table)
        await table.press("down", "down", "down", "e")
        assert table.shows("HP 7/10", "A number (7), or a change (-3)")
        await table.type("-3")
        assert table.shows("7/10 → 4")
        await table.press("e")
        await table.type("12")
        assert table.shows("7/10 → 12", "your value is used anyway")
        await table.press("e")
        await table.type("lots")
        assert table.shows("“lots” is not a number.", "7/10 → 12")
        await table.press("e", "escape", "e")
        await table.type("7")  # as it was: there is nothing to stage
        assert not table.shows("→ 1")
        await table.press("t")
        await table.type("1st!")
        assert table.shows("“1st!” is not a tag")
        await table.press("enter")
        assert await proposed(table) == set()


async def test_sheet_escape_drops_changes_and_then_leaves(hurt_home: Path) -> None:
    async with seated(real_desk(hurt_home, 8), NARROW) as table:
        await open_sheet(table)
        await table.press("plus", "right")
        assert table.shows("First propose your changes", "[Mara Venn]")
        await table.press("escape")
        assert table.shows("Changes discarded.", "might 1")
        assert not table.shows("→ 2")
        await table.press("escape")
        assert table.screen == "SceneScreen"
        assert await proposed(table) == set()


async def test_sheet_error_keeps_the_changes(hurt_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with seated(real_desk(hurt_home, 8), NARROW) as table:
        await open_sheet(table)
        full = StoreFull("The disk is full.", kept="The sheet is as you left it.")
        fail_once(monkeypatch, table.services.play, "edit_sheet", full)
        await table.press("plus", "enter")
        assert table.shows("The disk is full.", "1 → 2")
        assert await proposed(table) == set()
        await table.press("enter")
        assert await proposed(table) == {("might", StateOp.ADD, 1)}


async def test_sheet_suggestion_of_the_rules_waits_in_the_prompt(hurt_home: Path) -> None:
    async with seated(real_desk(hurt_home, 8), NARROW) as table:
        await open_sheet(table)
        await table.press("down", "down", "down", *["minus"] * 7, "enter", "escape")
        assert table.app.screen.query_one(PlayPrompt).text == "/state Mara Venn +down"


@pytest.mark.slow
async def test_sheet_at_zero_suggests_a_tag_and_takes_back(tmp_path: Path) -> None:
    async with seated(real_desk(tmp_path), ROOMY, first="demo") as table:
        await table.press("f5", "down", "down", "down")
        assert table.shows("▸HP 10/10")
        await table.press(*["minus"] * 10)
        await table.press("enter")
        assert table.shows(
            "0/10*", "HP is at 0: Mara Venn is down.", "The rules suggest /state Mara Venn +down"
        )
        await table.press("u")
        assert table.shows("▸HP 10/10")
        assert not table.shows("0/10*")
        await table.press("plus", "enter")
        assert table.shows("11/10*")
        await table.press("escape")
        assert table.app.screen.query_one(PlayPrompt).text == "/state Mara Venn +down"
        await table.press("ctrl+u", "f2")
        assert table.shows("Mara Venn: HP 10 → 11")


async def test_own_dice_are_typed_in_the_prompt(tmp_path: Path) -> None:
    async with seated(real_desk(tmp_path), ROOMY, first="demo") as table:
        await table.type("/dice physical")
        await table.type("I force the door. /move force")
        assert table.shows("Roll 2d6, then type the result after the =.")
        prompt = table.app.screen.query_one(PlayPrompt)
        assert prompt.text == "I force the door. /move force = "
        await table.type("6 7")
        assert table.shows("A d6 has no face 7")
        assert prompt.text == "I force the door. /move force = 6 7"
        await table.press("backspace")
        await table.type("5")
        assert table.shows("2d6+1 [6,5]+1 = 12 vs 10", "✓ success", "by hand")
        assert prompt.text == ""
        await table.type("/reroll 5")
        await table.type("1")
        assert table.shows("rerolled 5 → 1", "take 2/2", "~ partial")
        await table.press("ctrl+z")
        assert table.shows("[6,5]+1 = 12", "take 1/2")


async def test_notes_are_shown_at_their_turn_and_hidden_by_f4(tmp_path: Path) -> None:
    async with seated(real_desk(tmp_path), ROOMY, first="demo") as table:
        await table.type("I wait.")
        await table.type("/gm the bell must ring before dawn")
        assert table.shows("(note) the bell must ring before dawn")
        await table.press("f4")
        assert not table.shows("(note)")
        await table.press("f4")
        assert table.shows("(note)")
