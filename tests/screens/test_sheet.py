"""The sheet on the screen, by keyboard."""

from __future__ import annotations

from pathlib import Path

import pytest

from stores.errors import StoreFull
from tests.screens.table import NARROW, ROOMY, Table, real_desk, seated, twin_desk
from tests.screens.twin import TwinDesk
from widgets.prompt import PlayPrompt


async def open_sheet(table: Table) -> None:
    await table.press("enter", "f5")
    assert table.screen == "SheetScreen"


def edits(twin: TwinDesk) -> list[tuple[dict[str, float], dict[str, bool]]]:
    return [(numbers, tags) for _, numbers, tags in twin.called("edit_sheet")]


@pytest.mark.parametrize("size", [NARROW, pytest.param(ROOMY, marks=pytest.mark.slow)])
async def test_a_sheet_shows_what_the_rules_know(size: tuple[int, int]) -> None:
    async with seated(twin_desk(TwinDesk()), size) as table:
        await open_sheet(table)
        assert table.shows("Sheet Mara Venn", "Lantern Twos", "[Mara Venn] Father Ode")
        assert table.shows("might 1 Arms and back", "hp 10/10*", "+wounded", "It slows you")
        assert table.shows("Arms and back · least -1, most 3")
        await table.press("right")
        assert table.shows("Mara Venn [Father Ode]", "hp 6/10")
        await table.press("left", "escape")
        assert table.screen == "SceneScreen"


async def test_changes_gather_until_enter_stages_them() -> None:
    twin = TwinDesk()
    async with seated(twin_desk(twin), NARROW) as table:
        await open_sheet(table)
        await table.press("plus", "down", "minus", "minus", "minus", "plus")
        assert table.shows("might 1 → 2", "10/10 → 8")
        await table.press("end", "x")
        assert table.shows("−wounded removed")
        await table.press("t")
        assert table.shows("A tag for Mara Venn")
        await table.type("soaked")
        assert table.shows("+soaked new")
        assert not edits(twin)
        await table.press("enter")
        assert edits(twin) == [({"might": 2, "hp": 8}, {"wounded": False, "soaked": True})]
        assert table.shows("Proposed: hp -1")
        assert not table.shows("→ 8")


async def test_a_value_is_typed_whole_or_as_a_change() -> None:
    twin = TwinDesk()
    async with seated(twin_desk(twin), NARROW) as table:
        await open_sheet(table)
        await table.press("down", "e")
        assert table.shows("hp 10/10", "A number (7), or a change (-3)")
        await table.type("-3")
        assert table.shows("10/10 → 7")
        await table.press("e")
        await table.type("12")
        assert table.shows("10/10 → 12", "your value is used anyway")
        await table.press("e")
        await table.type("lots")
        assert table.shows("“lots” is not a number.", "10/10 → 12")
        await table.press("e", "escape", "e")
        await table.type("10")  # as it was: there is nothing to stage
        assert not table.shows("→ 1")
        await table.press("t")
        await table.type("1st!")
        assert table.shows("“1st!” is not a tag")
        await table.press("enter")
    assert not edits(twin)


async def test_escape_drops_what_was_changed_and_then_leaves() -> None:
    twin = TwinDesk()
    async with seated(twin_desk(twin), NARROW) as table:
        await open_sheet(table)
        await table.press("plus", "right")
        assert table.shows("First propose your changes", "[Mara Venn]")
        await table.press("escape")
        assert table.shows("Changes discarded.", "might 1")
        assert not table.shows("→ 2")
        await table.press("escape")
        assert table.screen == "SceneScreen"
    assert not edits(twin)


async def test_what_cannot_be_staged_is_said_and_stays() -> None:
    twin = TwinDesk()
    async with seated(twin_desk(twin), NARROW) as table:
        await open_sheet(table)
        twin.fail("edit_sheet", StoreFull("The disk is full.", kept="The sheet is as you left it."))
        await table.press("plus", "enter")
        assert table.shows("The disk is full.", "1 → 2")
        await table.press("enter")
        assert edits(twin)[-1] == ({"might": 2}, {})


async def test_what_the_rules_suggest_waits_in_the_prompt() -> None:
    twin = TwinDesk()
    twin.suggested = "/state Mara Venn +down"
    async with seated(twin_desk(twin), NARROW) as table:
        await open_sheet(table)
        await table.press("minus", "enter", "escape")
        assert table.app.screen.query_one(PlayPrompt).text == "/state Mara Venn +down"


@pytest.mark.slow
async def test_a_sheet_on_real_stores(tmp_path: Path) -> None:
    async with seated(real_desk(tmp_path), ROOMY, first="demo") as table:
        await table.press("f5", "down", "down", "down")
        assert table.shows("▸hp 10/10")
        await table.press(*["minus"] * 10)
        await table.press("enter")
        assert table.shows(
            "0/10*", "HP is at 0: Mara Venn is down.", "The rules suggest /state Mara Venn +down"
        )
        await table.press("u")
        assert table.shows("▸hp 10/10")
        assert not table.shows("0/10*")
        await table.press("plus", "enter")
        assert table.shows("11/10*")
        await table.press("escape")
        assert table.app.screen.query_one(PlayPrompt).text == "/state Mara Venn +down"
        await table.press("ctrl+u", "f2")
        assert table.shows("Mara Venn: HP 10 → 11")


async def test_own_dice_are_asked_for_in_the_prompt(tmp_path: Path) -> None:
    async with seated(real_desk(tmp_path), ROOMY, first="demo") as table:
        await table.type("/dice physical")
        await table.type("I force the door. /move force")
        assert table.shows("Throw 2d6, and type what fell behind the =.")
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


async def test_notes_stand_dimly_at_their_turn_and_f4_hides_them(tmp_path: Path) -> None:
    async with seated(real_desk(tmp_path), ROOMY, first="demo") as table:
        await table.type("I wait.")
        await table.type("/gm the bell must ring before dawn")
        assert table.shows("(note) the bell must ring before dawn")
        await table.press("f4")
        assert not table.shows("(note)")
        await table.press("f4")
        assert table.shows("(note)")
