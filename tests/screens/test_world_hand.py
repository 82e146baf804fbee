"""The GM's hand on the world by keyboard: every key of the Universe screen, good input and bad."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from agents.views.world_views import EntityEdit
from stores.errors import InputError, StoreError
from stores.records.canon import Standing
from stores.records.world import EntityKind
from tests.screens.table import NARROW, Table, seated, twin_desk
from tests.screens.twin import TwinDesk

pytestmark = pytest.mark.slow


@pytest.fixture
def twin() -> TwinDesk:
    return TwinDesk()


@pytest.fixture
async def table(twin: TwinDesk) -> AsyncIterator[Table]:
    """The Universe screen on a small terminal, standing in the tree on the hero."""
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("3")
        yield table


# --- edits of an entity -------------------------------------------------------------------------------


async def test_an_entity_is_edited_in_a_small_form(table: Table, twin: TwinDesk) -> None:
    await table.press("e")
    assert table.shows("Change Mara Venn", "hp 10, might 1", "Propose")
    await table.type(" of Harl", enter=False)
    await table.press("tab", "tab", "tab", "tab")
    await table.type("wet, cold")
    ((entity_id, edit),) = twin.called("edit")
    assert entity_id == twin.folk[0].id
    assert edit == EntityEdit(
        "Mara Venn of Harl",
        (),
        "A diver who came home for one funeral and stayed.",
        (("hp", 10), ("might", 1)),
        ("wet", "cold"),
    )
    assert table.screen == "UniverseScreen"
    assert table.shows("Proposed: Mara Venn of Harl: changed", "1 waits at the gate: g")


async def test_what_cannot_be_staged_is_said_in_the_form_and_kept(table: Table, twin: TwinDesk) -> None:
    await table.press("e", "tab", "tab", "tab")
    await table.type(", luck many")
    assert table.screen == "FormDialog"
    assert table.shows("“luck many” is not a number with a name.", "hp 10, might 1, luck many")
    await table.press(*["backspace"] * 4)
    await table.type("3")
    ((_, edit),) = twin.called("edit")
    assert edit.numbers == (("hp", 10), ("might", 1), ("luck", 3))


async def test_a_name_is_not_edited_away(table: Table, twin: TwinDesk) -> None:
    await table.press("e", *["backspace"] * 9, "enter")
    assert table.screen == "FormDialog"
    assert table.shows("It needs a name.")
    await table.press("escape")
    assert table.screen == "UniverseScreen"
    assert not table.shows("waits at the gate")


async def test_a_full_disk_is_told_in_the_form(table: Table, twin: TwinDesk) -> None:
    twin.fail("edit", StoreError("The disk is full.", kept="Everything before is safe.", todo="Make room."))
    await table.press("e")
    await table.type("!")
    assert table.screen == "FormDialog"
    assert table.shows("The disk is full.", "Make room.", "Mara Venn!")


async def test_a_lock_is_one_key_and_waits_once(table: Table, twin: TwinDesk) -> None:
    await table.press("L")
    assert twin.called("lock") == [(twin.folk[0].id, True)]
    assert table.shows("1 waits at the gate: g")
    await table.press("L")
    assert table.shows("That waits at the gate already.")
    await table.press("escape")
    assert not table.shows("That waits at the gate already.")


# --- something new --------------------------------------------------------------------------------------


async def test_from_the_tree_something_of_that_kind_is_new(table: Table, twin: TwinDesk) -> None:
    await table.press("n")
    assert table.shows("Add to this world", "‹ character ›", "Numbers")
    assert not table.shows("Since")
    await table.type("Old Tam", enter=False)
    await table.press("shift+tab", "right", "right")
    assert table.shows("‹ rule ›")
    await table.press("right")
    assert table.shows("‹ place ›")
    await table.press("enter")
    ((thing,),) = twin.called("create")
    assert (thing.kind, thing.name) == (EntityKind.PLACE, "Old Tam")


async def test_from_the_card_a_fact_about_whom_it_is_of(table: Table, twin: TwinDesk) -> None:
    await table.press("enter", "n")
    assert table.shows("‹ fact ›", "Mara Venn", "Since")
    await table.type("is tired", enter=False)
    await table.press("tab")
    await table.type("elevenses")
    assert table.shows("'elevenses' names no day.", "Try day 3.")
    await table.press(*["backspace"] * 9)
    await table.type("day 2")
    assert twin.called("say") == [("Mara Venn is tired", "day 2")]


async def test_a_rule_of_the_world(table: Table, twin: TwinDesk) -> None:
    await table.press("enter", "n")
    await table.type("is bound by salt", enter=False)
    await table.press("shift+tab", "right", "enter")
    assert twin.called("rule") == [("Mara Venn is bound by salt",)]


async def test_nothing_typed_brings_nothing(table: Table, twin: TwinDesk) -> None:
    await table.press("n", "enter")
    assert table.shows("It needs a name.")
    await table.press("escape")
    assert twin.called("create") == []


# --- edits of a fact ------------------------------------------------------------------------------------


async def test_a_fact_is_corrected(table: Table, twin: TwinDesk) -> None:
    await table.press("enter", "e")
    assert table.shows("Correct this fact", "Mara Venn heard the bell at low tide", "‹ true ›")
    await table.type(", twice", enter=False)
    await table.press("tab", "right", "enter")
    ((_, edit),) = twin.called("correct")
    assert edit.statement == "Mara Venn heard the bell at low tide, twice"
    assert edit.standing is Standing.RUMOUR


async def test_a_fact_without_words_is_refused(table: Table, twin: TwinDesk) -> None:
    await table.press("enter", "e", "ctrl+u", "enter")
    assert table.shows("A fact needs a sentence.")


async def test_a_fact_is_ended_at_a_time(table: Table, twin: TwinDesk) -> None:
    await table.press("d")
    assert table.screen == "UniverseScreen", "in the tree there is no fact to end"
    await table.press("enter", "d")
    assert table.screen == "UniverseScreen", "what happened stays so"
    await table.press("down", "d")
    assert table.shows("No longer true: Mara Venn is in the chapel")
    await table.type("day 3 dusk")
    ((_, at),) = twin.called("end")
    assert at == "day 3 dusk"


# --- retcons --------------------------------------------------------------------------------------------


async def test_a_retcon_is_seen_before_it_is_proposed(table: Table, twin: TwinDesk) -> None:
    await table.press("enter", "R")
    assert table.screen == "RetconScreen"
    assert table.shows("Never true:", "What changes 1", "so → never true")
    assert table.shows("Has the same evidence 1", "Open promises", "Named in other scenes 1")
    await table.press("enter")
    assert table.screen == "UniverseScreen"
    assert len(twin.called("retcon")) == 1
    assert table.shows("1 waits at the gate: g")
    await table.press("R")
    assert table.shows("This waits at the gate already: g goes there.")
    await table.press("enter")
    assert len(twin.called("retcon")) == 1


async def test_from_what_rests_on_it_to_its_words_and_back(table: Table, twin: TwinDesk) -> None:
    await table.press("enter", "R", "x")
    assert table.shows("Evidence for:", "Mara Venn promised to come back")
    await table.press("enter")
    assert table.screen == "ReadingScreen"
    await table.press("escape", "escape", "escape")
    assert table.screen == "UniverseScreen"
    assert twin.called("retcon") == []


async def test_a_scene_in_a_preview_is_read(table: Table) -> None:
    await table.press("enter", "R", "end", "x")
    assert table.screen == "ReadingScreen"


async def test_a_retcon_that_is_refused_stays_where_it_is(table: Table, twin: TwinDesk) -> None:
    await table.press("R")
    twin.fail("retcon", InputError("It is in canon no more.", todo="Look again."))
    await table.press("enter")
    assert table.screen == "RetconScreen"
    assert table.shows("It is in canon no more.", "Look again.")


async def test_what_was_taken_back_can_be_restored(table: Table, twin: TwinDesk) -> None:
    await table.press("b")
    assert table.shows("Removed", "The bell never rang")
    await table.press("R")
    assert table.screen == "RetconScreen"


# --- merges ---------------------------------------------------------------------------------------------


async def test_two_alike_are_laid_side_by_side_and_made_one(table: Table, twin: TwinDesk) -> None:
    await table.press("m")
    assert table.shows("Merge Mara Venn", "Ilse Karr", "names 80 % similar")
    await table.press("enter")
    assert table.screen == "MergeScreen"
    assert table.shows(
        "this name is kept", "becomes another name of it", "Conflicts", "She is in the harbour"
    )
    await table.press("s")
    assert table.shows("Merge Mara Venn is Ilse Karr")
    await table.press("s", "enter")
    mara, _, ilse = (p.id for p in twin.folk)
    assert twin.called("merge") == [(mara, ilse)]
    assert table.screen == "LookalikesScreen"
    assert table.shows("1 waits at the gate: g")
    await table.press("enter")
    assert table.shows("This waits at the gate already")


async def test_anybody_is_found_by_name(table: Table, twin: TwinDesk) -> None:
    await table.press("m", "slash")
    await table.type("ode")
    assert table.shows("Names like “ode” 1", "Father Ode")
    await table.press("home", "enter")
    assert table.screen == "MergeScreen"
    assert twin.called("preview_merge")[-1] == (twin.folk[0].id, twin.folk[1].id)
    await table.press("escape", "slash")
    await table.type("zzz", enter=False)
    assert table.shows("None.")


async def test_the_whole_world_s_lookalikes(table: Table, twin: TwinDesk) -> None:
    await table.press("m", "a")
    assert table.shows("the whole world", "beside Father Ode", "beside Mara Venn")
    await table.press("down", "enter")
    assert twin.called("preview_merge")[-1] == (twin.folk[0].id, twin.folk[2].id)


async def test_a_merge_is_split_after_a_question(table: Table, twin: TwinDesk) -> None:
    await table.press("end", "m")
    assert table.shows("Merged into Saint Orrin's chapel before", "Low Quay")
    await table.press("enter")
    assert table.screen == "ConfirmDialog"
    await table.press("escape", "enter", "enter")
    assert twin.called("split") == [(twin._places[1].id,)]
    assert table.shows("Proposed: One is two")


# --- the past and the ledger ----------------------------------------------------------------------------


async def test_how_it_used_to_be(table: Table, twin: TwinDesk) -> None:
    await table.press("enter", "h")
    assert table.shows("How it was", "Before 1", "She never heard the bell", "Now 1", "now: Mara Venn heard")
    await table.press("R")
    assert table.screen == "RetconScreen"
    await table.press("escape", "escape")
    assert table.screen == "UniverseScreen"


async def test_canon_at_a_time(table: Table, twin: TwinDesk) -> None:
    await table.press("t")
    assert table.shows("Canon at a time", "Day 3, dusk", "1 fact", "heard the bell")
    await table.type("elevenses")
    assert table.shows("'elevenses' names no day.", "Try day 3, dusk.")
    await table.press("escape")
    assert table.screen == "MomentScreen"
    await table.press(*["backspace"] * 9)
    await table.type("day 2", enter=False)
    await table.press("tab")
    await table.type("2026-01-01", enter=False)
    await table.press("tab")
    await table.type("harbour")
    assert twin.called("moment")[-1] == ("day 2", "2026-01-01", "harbour")
    assert table.shows("day 2, as known on 2026-01-01", "No fact with these words was true then.")
    await table.press("slash", "tab", "tab", *["backspace"] * 7, "enter", "h")
    assert table.screen == "FactHistoryScreen"


async def test_the_timeline_is_searched(table: Table) -> None:
    await table.press("T")
    assert table.shows("Timeline", "2 events", "Day 1 1", "The bell sank", "Day 3 1")
    await table.press("slash")
    await table.type("sank", enter=False)
    assert table.shows("1 event")
    await table.type("zzz")
    assert table.shows("No event with these words.")


async def test_the_map_is_walked(table: Table, twin: TwinDesk) -> None:
    await table.press("v")
    assert table.shows("ally of Father Ode", "enemy of Ilse Karr")
    await table.press("f")
    assert twin.called("basis")[-1] == ("f1",)
    await table.press("escape", "enter")
    assert table.shows("Relations Father Ode", "Father Ode has no relations in canon")
    await table.press("backspace")
    assert table.shows("ally of Father Ode")
    await table.press("o")
    assert table.screen == "UniverseScreen"


async def test_the_ledger(table: Table, twin: TwinDesk) -> None:
    await table.press("p")
    assert table.shows(
        "Promises, debts, questions", "1 open · 1 closed", "debt · Mara Venn to the well · 2 days"
    )
    assert not table.shows("settled Day 2")
    await table.press("c")
    assert table.shows("Closed 1", "promise · Mara Venn · settled Day 2, dawn")
    await table.press("p")
    assert [scene_id for _, scene_id in twin.called("pay_off")] == [None]
    assert table.shows("Proposed: Paid: a coin", "settling proposed", "1 waits at the gate: g")
    await table.press("p")
    assert table.shows("That waits at the gate already.")
    await table.press("escape", "g")
    assert table.screen == "GateScreen"


async def test_the_ledger_in_play_is_paid_on_the_turn(twin: TwinDesk) -> None:
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("enter")
        await table.type("/promises")
        assert table.screen == "CommitmentsScreen"
        scene_id = next(iter(twin._scenes))
        assert twin.called("ledger")[-1] == (twin.universe.id, scene_id)
        await table.press("p")
        assert twin.called("pay_off")[0][1] == scene_id
        assert table.shows("It waits at the scene's gate: g")
        await table.press("g")
        assert twin.called("gate")[-1][0] == scene_id
        await table.press("escape", "escape")
        assert table.screen == "SceneScreen"


# --- there and back ---------------------------------------------------------------------------------------


async def test_evidence_of_a_thing_is_one_key(table: Table, twin: TwinDesk) -> None:
    await table.press("x")
    assert twin.called("basis") == [(twin.folk[0].id,)]
    assert table.shows("Evidence for: Mara Venn", "turn 2 of scene 1")


async def test_from_a_fact_to_its_turn_and_from_the_turn_to_the_fact(table: Table, twin: TwinDesk) -> None:
    await table.press("enter", "x", "x")
    assert table.screen == "ReadingScreen"
    await table.press("x")
    assert table.screen == "TurnTraceDialog"
    assert table.shows("What it made true, and (◌) proposed", "★ The iron door stands open")
    assert table.shows("◌ state: Mara Venn: hp 10 → 7")
    await table.press("end", "enter")
    assert table.screen == "GateScreen"
    await table.press("escape", "x", "down", "enter")
    assert table.screen == "UniverseScreen"


async def test_without_a_world_no_key_does_anything(twin: TwinDesk) -> None:
    twin = TwinDesk(sample=False, story=False)
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("3", "e", "n", "d", "h", "R", "L", "m", "t", "p", "v", "T", "b", "x", "g")
        assert table.screen == "UniverseScreen"
        assert table.shows("No world yet.")


async def test_the_world_is_exported_by_one_key(table: Table, twin: TwinDesk) -> None:
    await table.press("X")
    assert twin.called("export") == [(twin.universe.id,)]
    assert table.shows("Exported to /home/exports/salt-coast.monitor.zip")
    twin.fail("export", StoreError("The disk is full.", todo="Make room."))
    await table.press("X")
    assert table.shows("The disk is full.", "Make room.")
