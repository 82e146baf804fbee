"""Edits of the world by keyboard: every key of the Universe screen, good input and bad."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import TypeVar

import pytest

from agents.world_time.moments import read_moment
from stores.errors import InputError, StoreError
from stores.records.canon import (
    AssertFact,
    CreateEntity,
    EndFact,
    MergeEntities,
    NoteAxiom,
    Payload,
    RetconFact,
    Standing,
    StateChange,
    StateOp,
    UpdateEntity,
)
from stores.records.ids import Id
from stores.records.workflow import ProposalStatus, Verdict
from stores.records.world import Entity, EntityKind, EntityStatus
from tests.screens.faults import fail_once
from tests.screens.libraries import CopyLibrary
from tests.screens.scripted_llm import start_sample_story
from tests.screens.screen_driver import NARROW, Table, real_desk, seated
from widgets.entity_card import EntityCardView

pytestmark = pytest.mark.slow

P = TypeVar("P")

KNOTS = "Wenna Pike ties knots."
LOFT = "Wenna Pike is in Net Loft."
DEBT = "The Tollers owe the drowned of Low Harl sixty-one strokes, rung without a break."
LINES = (
    "> Wenna Pike ties the rope off and says nothing.",
    "/npc Wenna Pyke: a girl at the inn",
    "/place Net Loft: above the inn",
    "/place Nett Loft: the same loft",
    "/fact Wenna Pike ties knots",
    "/fact The rope was cut",
    "/fact The knot will not hold",
    "/fact promise: Wenna Pike will keep the door",
    "/commit",
    "> Wenna goes up, and the girl with her.",
    "/fact Wenna Pike located_in Net Loft",
    "/fact Wenna Pyke located_in Harl",
    "/paid 2",
    "/commit",
    "/state Wenna Pike.hp -2",
)


async def build_edited_world(home: Path) -> None:
    """Play what edits need: a fact that took another's place, lookalikes, a merge, a retcon, a closed matter."""
    services, close = await real_desk(home, 5)()
    await start_sample_story(services, *LINES)
    (universe,) = await services.stories.universes()
    entities = {entity.name: entity.id for entity in await services.world.list_entities(universe.id)}
    canon = await services.world.provenance.read_canon_at(universe.id, search="rope was cut")
    edits = services.world.edits
    for staged in (
        await edits.propose_retcon(canon.facts[0].fact.id),
        await edits.propose_merge(entities["Net Loft"], entities["Nett Loft"]),
    ):
        await services.gate.decide(staged.proposal_ids, Verdict.ACCEPT)
    await services.gate.commit_universe(universe.id)
    await services.stories.suspend()
    await close()


@pytest.fixture
def edited_home(copy_library: CopyLibrary) -> Path:
    return copy_library(build_edited_world)


@pytest.fixture
async def table(edited_home: Path) -> AsyncIterator[Table]:
    """The Universe screen on a small terminal, in the tree on Wenna Pike."""
    async with seated(real_desk(edited_home, 8), NARROW) as table:
        await table.press("3")
        await find_entity(table, "wenna pike")
        yield table


async def find_entity(table: Table, name: str) -> None:
    """Search for an entity, and go to it in the tree."""
    await table.press("slash")
    await table.type(name)


async def stand_on(table: Table, words: str) -> None:
    """Go down until the cursor's row says this."""
    for _ in range(60):
        if any("▸" in line and words in line for line in table.text.splitlines()):
            return
        await table.press("down")
    raise AssertionError(f"the cursor never came to {words!r}:\n{table.text}")


async def to_fact(table: Table, statement: str) -> None:
    """Go to a fact of the card, or of Wenna's."""
    await table.press("tab", "home")
    card = table.app.screen.query_one(EntityCardView)
    for _ in range(60):
        if card.current is not None and card.current.fact.fact.statement == statement:
            return
        await table.press("down")
    raise AssertionError(f"{statement!r} is not on the card:\n{table.text}")


async def entity(table: Table, name: str) -> Entity:
    (universe,) = await table.services.stories.universes()
    entities = await table.services.world.list_entities(universe.id)
    return next(one for one in entities if one.name == name)


async def staged(table: Table) -> list[Payload]:
    """Return what waits at the universe's gate."""
    (universe,) = await table.services.stories.universes()
    rows = (await table.services.gate.gate(None, universe.id)).proposals
    return [row.proposal.payload for row in rows if row.status is ProposalStatus.PENDING]


async def only_staged(table: Table, kind: type[P]) -> P:
    """Return the one change that waits, of this kind."""
    (payload,) = await staged(table)
    assert isinstance(payload, kind)
    return payload


async def fact_id(table: Table, statement: str) -> Id:
    (universe,) = await table.services.stories.universes()
    canon = await table.services.world.provenance.read_canon_at(universe.id, search=statement)
    return next(view.fact.id for view in canon.facts if view.fact.statement == statement)


# --- edits of an entity -------------------------------------------------------------------------------


async def test_entity_edit_form_stages_what_was_changed(table: Table) -> None:
    await table.press("e")
    assert table.shows("Change Wenna Pike", "hp 9, might 2", "Propose")
    await table.type(" of Harl", enter=False)
    await table.press("tab", "tab", "tab", "tab")
    await table.type("wet, cold")
    wenna = await entity(table, "Wenna Pike")
    assert await staged(table) == [
        UpdateEntity(entity_id=wenna.id, name="Wenna Pike of Harl"),
        StateChange(entity_id=wenna.id, key="wet", op=StateOp.TAG),
        StateChange(entity_id=wenna.id, key="cold", op=StateOp.TAG),
    ]
    assert table.screen == "UniverseScreen"
    assert table.shows("Wenna Pike of Harl", "3 wait at the gate: g")


async def test_entity_edit_form_keeps_bad_input_and_says_what_is_wrong(table: Table) -> None:
    await table.press("e", "tab", "tab", "tab")
    await table.type(", luck many")
    assert table.screen == "FormDialog"
    assert table.shows("“luck many” is not a number with a name.", "nerve 2, luck many")
    assert await staged(table) == []
    await table.press(*["backspace"] * 4)
    await table.type("3")
    change = await only_staged(table, StateChange)
    assert (change.key, change.op, change.value) == ("luck", StateOp.SET, 3)


async def test_entity_edit_form_refuses_an_empty_name(table: Table) -> None:
    await table.press("e", *["backspace"] * 10, "enter")
    assert table.screen == "FormDialog"
    assert table.shows("name")
    assert await staged(table) == []
    await table.press("escape")
    assert table.screen == "UniverseScreen"
    assert not table.shows("at the gate")


async def test_entity_edit_form_shows_a_full_disk(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    full = StoreError("The disk is full.", kept="Everything before is safe.", todo="Make room.")
    fail_once(monkeypatch, table.services.world.edits, "propose_entity_edit", full)
    await table.press("e")
    await table.type("!")
    assert table.screen == "FormDialog"
    assert table.shows("The disk is full.", "Make room.", "Wenna Pike!")


async def test_entity_lock_is_one_key_and_waits_once(table: Table) -> None:
    await table.press("L")
    wenna = await entity(table, "Wenna Pike")
    assert await staged(table) == [UpdateEntity(entity_id=wenna.id, locked=True)]
    assert table.shows("1 waits at the gate: g")
    await table.press("L")
    assert len(await staged(table)) == 1
    before = table.text
    await table.press("escape")
    assert table.text != before


# --- something new --------------------------------------------------------------------------------------


async def test_new_entity_from_the_tree_is_of_that_kind_first(table: Table) -> None:
    await table.press("n")
    assert table.shows("Add to this world", "‹ character ›", "Numbers")
    assert not table.shows("Since")
    await table.type("Old Tam", enter=False)
    await table.press("shift+tab", "right", "right")
    assert table.shows("‹ rule ›")
    await table.press("right")
    assert table.shows("‹ place ›")
    await table.press("enter")
    created = await only_staged(table, CreateEntity)
    assert (created.entity_kind, created.name) == (EntityKind.PLACE, "Old Tam")


async def test_new_fact_from_the_card_is_about_its_entity(table: Table) -> None:
    await table.press("tab", "n")
    assert table.shows("‹ fact ›", "Wenna Pike", "Since")
    await table.type("is tired", enter=False)
    await table.press("tab")
    await table.type("elevenses")
    assert table.shows("'elevenses'", "Try day 3")
    assert await staged(table) == []
    await table.press(*["backspace"] * 9)
    await table.type("day 2")
    fact = await only_staged(table, AssertFact)
    assert fact.statement == "Wenna Pike is tired."
    (universe,) = await table.services.stories.universes()
    assert fact.valid_from == read_moment("day 2", universe.calendar, None)


async def test_new_rule_of_the_world(table: Table) -> None:
    await table.press("tab", "n")
    await table.type("is bound by salt", enter=False)
    await table.press("shift+tab", "right", "enter")
    assert (await only_staged(table, NoteAxiom)).statement == "Wenna Pike is bound by salt."


async def test_new_entity_without_a_name_is_refused(table: Table) -> None:
    await table.press("n", "enter")
    assert table.screen == "NewCanonDialog"
    assert table.shows("name")
    await table.press("escape")
    assert await staged(table) == []


# --- edits of a fact ------------------------------------------------------------------------------------


async def test_fact_correction_changes_words_and_standing(table: Table) -> None:
    await to_fact(table, KNOTS)
    await table.press("e")
    assert table.shows("Correct this fact", KNOTS, "‹ true ›")
    await table.press("backspace")
    await table.type(", twice", enter=False)
    await table.press("tab", "right", "enter")
    corrected = await only_staged(table, AssertFact)
    assert corrected.statement == "Wenna Pike ties knots, twice."
    assert corrected.standing is Standing.RUMOUR
    assert corrected.ends == (await fact_id(table, KNOTS),)


async def test_fact_correction_without_words_is_refused(table: Table) -> None:
    await to_fact(table, KNOTS)
    await table.press("e", "ctrl+u", "enter")
    assert table.screen == "FormDialog"
    assert await staged(table) == []


async def test_fact_is_ended_at_a_time(table: Table) -> None:
    await table.press("d")
    assert table.screen == "UniverseScreen", "in the tree there is no fact to end"
    await table.press("tab", "home", "d")
    assert table.screen == "UniverseScreen", "what happened stays so"
    await table.press("shift+tab")
    await to_fact(table, LOFT)
    await table.press("d")
    assert table.shows(f"No longer true: {LOFT}")
    await table.type("day 4 dusk")
    ended = await only_staged(table, EndFact)
    (universe,) = await table.services.stories.universes()
    assert ended.fact_id == await fact_id(table, LOFT)
    assert ended.at == read_moment("day 4 dusk", universe.calendar, None)


# --- retcons --------------------------------------------------------------------------------------------


async def test_retcon_is_previewed_before_it_is_proposed(table: Table) -> None:
    await to_fact(table, KNOTS)
    await table.press("R")
    assert table.screen == "RetconScreen"
    assert table.shows("Never true:", "What changes 1", "→ never true")
    assert table.shows("Has the same evidence", "Open promises", "Wenna Pike will keep the door.")
    await table.press("enter")
    assert table.screen == "UniverseScreen"
    assert await staged(table) == [RetconFact(fact_id=await fact_id(table, KNOTS))]
    assert table.shows("1 waits at the gate: g")
    await table.press("R")
    assert table.screen == "RetconScreen"
    await table.press("enter")
    assert len(await staged(table)) == 1


async def test_retcon_preview_leads_to_the_words_and_back(table: Table) -> None:
    await to_fact(table, KNOTS)
    await table.press("R", "x")
    assert table.shows("Evidence for:")
    await table.press("enter")
    assert table.screen == "ReadingScreen"
    await table.press("escape", "escape", "escape")
    assert table.screen == "UniverseScreen"
    assert await staged(table) == []


async def test_retcon_preview_leads_to_a_scene(table: Table) -> None:
    await table.press("R")
    await stand_on(table, "Scene 1")
    await table.press("x")
    assert table.screen == "ReadingScreen"


async def test_retcon_that_is_refused_stays_on_its_screen(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    await table.press("R")
    gone = InputError("It is in canon no more.", todo="Look again.")
    fail_once(monkeypatch, table.services.world.edits, "propose_retcon", gone)
    await table.press("enter")
    assert table.screen == "RetconScreen"
    assert table.shows("It is in canon no more.", "Look again.")
    assert await staged(table) == []


async def test_retconned_fact_can_be_restored(table: Table) -> None:
    await table.press("b")
    await stand_on(table, "The rope was cut.")
    await table.press("R")
    assert table.screen == "RetconScreen"
    assert table.shows("True again:")


# --- merges ---------------------------------------------------------------------------------------------


async def test_merge_lays_two_side_by_side_and_makes_them_one(table: Table) -> None:
    await table.press("m")
    assert table.shows("Merge Wenna Pike", "Wenna Pyke", "% similar")
    await stand_on(table, "Wenna Pyke")
    await table.press("enter")
    assert table.screen == "MergeScreen"
    assert table.shows(
        "this name is kept", "becomes another name of it", "Conflicts", "Wenna Pyke is in Harl"
    )
    await table.press("s")
    assert table.shows("Merge Wenna Pike is Wenna Pyke")
    await table.press("s", "enter")
    pike, pyke = await entity(table, "Wenna Pike"), await entity(table, "Wenna Pyke")
    assert await staged(table) == [MergeEntities(kept_id=pike.id, absorbed_id=pyke.id)]
    assert table.screen == "LookalikesScreen"
    assert table.shows("1 waits at the gate: g")
    await stand_on(table, "Wenna Pyke")
    await table.press("enter", "enter")
    assert len(await staged(table)) == 1


async def test_merge_finds_anybody_by_name(table: Table) -> None:
    await table.press("m", "slash")
    await table.type("mara")
    assert table.shows("Names like “mara” 1", "Mara Venn")
    await stand_on(table, "Mara Venn")
    await table.press("enter")
    assert table.screen == "MergeScreen"
    assert table.shows("Merge Mara Venn is Wenna Pike")
    await table.press("escape", "slash")
    await table.type("zzz", enter=False)
    assert not table.shows("Mara Venn")


async def test_merge_lists_the_whole_worlds_lookalikes(table: Table) -> None:
    await find_entity(table, "mara")
    await table.press("m")
    assert not table.shows("Wenna Pyke")
    await table.press("a")
    assert table.shows("the whole world", "Wenna Pyke", "Wenna Pike")
    await table.press("enter")
    assert table.screen == "MergeScreen"


async def test_merge_is_split_after_a_question(table: Table) -> None:
    await find_entity(table, "net loft")
    await table.press("m")
    assert table.shows("Merged into Net Loft before", "Nett Loft")
    await stand_on(table, "Nett Loft")
    await table.press("enter")
    assert table.screen == "ConfirmDialog"
    await table.press("escape")
    assert await staged(table) == []
    await table.press("enter", "enter")
    restored = [change.fact_id for change in await staged(table) if isinstance(change, RetconFact)]
    (universe,) = await table.services.stories.universes()
    (nett,) = await table.services.world.previews.list_absorbed((await entity(table, "Net Loft")).id)
    assert (nett.name, nett.status, nett.universe_id) == ("Nett Loft", EntityStatus.MERGED, universe.id)
    assert nett.id in restored


# --- the past and commitments ---------------------------------------------------------------------------


async def test_fact_history_shows_what_was_before(table: Table) -> None:
    await to_fact(table, LOFT)
    await table.press("h")
    assert table.screen == "FactHistoryScreen"
    assert table.shows("Before 1", "behind her own bar in the Slack Tide", "Now 1", LOFT)
    await table.press("R")
    assert table.screen == "RetconScreen"
    await table.press("escape", "escape")
    assert table.screen == "UniverseScreen"


async def test_canon_at_a_time(table: Table) -> None:
    await table.press("t")
    assert table.shows("Canon at a time", "Day 3, dusk", "facts")
    await table.type("elevenses")
    assert table.shows("'elevenses'", "Try day 3")
    await table.press("escape")
    assert table.screen == "MomentScreen"
    await table.press(*["backspace"] * 9)
    await table.type("day 4", enter=False)
    await table.press("tab")
    await table.type("2025-12-01", enter=False)
    await table.press("tab")
    await table.type("loft")
    assert table.shows("Day 4", "2025-12-01")
    assert not table.shows(LOFT)
    await table.press("slash", "tab", *["backspace"] * 10, "tab", "enter")
    assert table.shows(LOFT)
    await stand_on(table, LOFT)
    await table.press("h")
    assert table.screen == "FactHistoryScreen"


async def test_timeline_is_searched(table: Table) -> None:
    await table.press("T")
    assert table.shows("Timeline", "events", "Day 3 3", "Gil Oakum's sledge")
    await table.press("slash")
    await table.type("sledge", enter=False)
    assert table.shows("1 event")
    await table.type("zzz")
    assert not table.shows("Gil Oakum's sledge")


async def test_relations_are_walked(table: Table) -> None:
    await table.press("v")
    assert table.shows("is in Net Loft", "owns The Slack Tide")
    await stand_on(table, "owns The Slack Tide")
    await table.press("f")
    assert table.shows("Evidence for:")
    await table.press("escape", "enter")
    assert table.shows("Relations The Slack Tide")
    await table.press("backspace")
    assert table.shows("Relations Wenna Pike")
    await table.press("o")
    assert table.screen == "UniverseScreen"


async def test_commitments_are_listed_and_paid_off(table: Table) -> None:
    await table.press("p")
    assert table.screen == "CommitmentsScreen"
    assert table.shows("3 open · 1 closed", "debt · The Tollers to Low Harl")
    assert not table.shows("Who moved the Drowned Bell")
    await table.press("c")
    assert table.shows("Closed 1", "Who moved the Drowned Bell")
    await table.press("home", "p")
    (universe,) = await table.services.stories.universes()
    waiting = await table.services.gate.gate(None, universe.id)
    (row,) = (row for row in waiting.proposals if row.status is ProposalStatus.PENDING)
    payload = row.proposal.payload
    assert isinstance(payload, EndFact)
    assert (payload.fact_id, payload.closed, row.proposal.scene_id) == (
        await fact_id(table, DEBT),
        True,
        None,
    )
    assert table.shows("settling proposed", "1 waits at the gate: g")
    await table.press("p")
    assert len(await staged(table)) == 1
    await table.press("escape", "g")
    assert table.screen == "GateScreen"


async def test_commitments_in_play_are_paid_off_on_the_turn(edited_home: Path) -> None:
    async with seated(real_desk(edited_home, 8), NARROW) as table:
        await table.press("enter")
        await table.type("/promises")
        assert table.screen == "CommitmentsScreen"
        (card,) = await table.services.stories.stories()
        assert card.scene is not None
        await table.press("p")
        rows = (await table.services.gate.gate(card.scene.id)).proposals
        paid = EndFact(fact_id=await fact_id(table, DEBT), closed=True)
        assert [
            (change.fact_id, change.closed)
            for row in rows
            if row.status is ProposalStatus.PENDING and isinstance(change := row.proposal.payload, EndFact)
        ] == [(paid.fact_id, True)]
        assert await staged(table) == []
        await table.press("escape", "g")
        assert table.screen == "GateScreen"
        assert table.shows('Scene 1 "Before the Third Stroke"', "Paid")
        await table.press("escape", "escape")
        assert table.screen == "SceneScreen"


# --- there and back ---------------------------------------------------------------------------------------


async def test_evidence_of_an_entity_is_one_key(table: Table) -> None:
    await table.press("x")
    assert table.shows("Evidence for: Wenna Pike", "“Keeper of the Slack Tide.")


async def test_evidence_leads_from_a_fact_to_its_turn_and_back(table: Table) -> None:
    await to_fact(table, LOFT)
    await table.press("x", "x")
    assert table.screen == "ReadingScreen"
    await table.press("x")
    assert table.screen == "TurnTraceDialog"
    assert table.shows(f"★ {LOFT}", "◌ state: Wenna Pike")
    await table.press("end", "enter")
    assert table.screen == "GateScreen"
    await table.press("escape", "x")
    await table.press("enter")
    assert table.screen == "UniverseScreen"


async def test_universe_keys_do_nothing_without_a_world(tmp_path: Path) -> None:
    async with seated(real_desk(tmp_path), NARROW) as table:
        await table.press("3", "e", "n", "d", "h", "R", "L", "m", "t", "p", "v", "T", "b", "x", "g")
        assert table.screen == "UniverseScreen"
        assert table.shows("No world yet.")


async def test_universe_export_is_one_key(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    await table.press("X")
    assert table.shows("Exported to home/exports/2026-01-01-salt-coast.monitor.zip")
    assert Path("home/exports/2026-01-01-salt-coast.monitor.zip").is_file()  # noqa: ASYNC240
    full = StoreError("The disk is full.", todo="Make room.")
    fail_once(monkeypatch, table.services.world, "export_universe", full)
    await table.press("X")
    assert table.shows("The disk is full.", "Make room.")
