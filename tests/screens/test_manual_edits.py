"""Edits of the world by keyboard: every key of the Universe screen, good input and bad."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import TypeVar

import pytest
from textual import events

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
from tests.screens.screen_driver import NARROW, ScreenDriver, real_services, started_app
from tests.screens.scripted_llm import start_sample_story
from widgets.entity_card import EntityCardView

pytestmark = pytest.mark.slow

P = TypeVar("P")

KNOTS = "Wenna Pike ties knots."
LOFT = "Wenna Pike is in Net Loft."
DEBT = "The Tollers owe the drowned of Low Harl sixty-one strokes, rung without a break."
LINES = (
    "> Wenna Pike ties the rope off in knots. She keeps the door. The knot will not hold.",
    "/npc Wenna Pyke: a girl at the inn",
    "/place Net Loft: above the inn",
    "/place Nett Loft: the same loft",
    "/fact Wenna Pike ties knots",
    "/fact The rope was cut",
    "/fact The knot will not hold",
    "/fact promise: Wenna Pike will keep the door",
    "/commit",
    "> Wenna goes up to the loft, and the girl with her.",
    "/fact Wenna Pike located_in Net Loft",
    "/fact Wenna Pyke located_in Harl",
    "/paid 2",
    "/commit",
    "/state Wenna Pike.hp -2",
)


async def build_edited_world(home: Path) -> None:
    """Play what edits need: a fact that took another's place, lookalikes, a merge, a retcon, a closed matter."""
    services, close = await real_services(home, 5)()
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
async def ui(edited_home: Path) -> AsyncIterator[ScreenDriver]:
    """The Universe screen on a small terminal, in the tree on Wenna Pike."""
    async with started_app(real_services(edited_home, 8), NARROW) as ui:
        await ui.press("3")
        await find_entity(ui, "wenna pike")
        yield ui


async def find_entity(ui: ScreenDriver, name: str) -> None:
    """Search for an entity, and go to it in the tree."""
    await ui.press("slash")
    await ui.type(name)


async def stand_on(ui: ScreenDriver, words: str) -> None:
    """Go down until the cursor's row says this."""
    for _ in range(60):
        if any("▸" in line and words in line for line in ui.text.splitlines()):
            return
        await ui.press("down")
    raise AssertionError(f"the cursor never came to {words!r}:\n{ui.text}")


async def to_fact(ui: ScreenDriver, statement: str) -> None:
    """Go to a fact of the card, or of Wenna's."""
    await ui.press("tab", "home")
    card = ui.app.screen.query_one(EntityCardView)
    for _ in range(60):
        if card.current is not None and card.current.fact.fact.statement == statement:
            return
        await ui.press("down")
    raise AssertionError(f"{statement!r} is not on the card:\n{ui.text}")


async def entity(ui: ScreenDriver, name: str) -> Entity:
    (universe,) = await ui.services.stories.universes()
    entities = await ui.services.world.list_entities(universe.id)
    return next(one for one in entities if one.name == name)


async def staged(ui: ScreenDriver) -> list[Payload]:
    """Return what waits at the universe's gate."""
    (universe,) = await ui.services.stories.universes()
    rows = (await ui.services.gate.gate(None, universe.id)).proposals
    return [row.proposal.payload for row in rows if row.status is ProposalStatus.PENDING]


async def only_staged(ui: ScreenDriver, kind: type[P]) -> P:
    """Return the one change that waits, of this kind."""
    (payload,) = await staged(ui)
    assert isinstance(payload, kind)
    return payload


async def fact_id(ui: ScreenDriver, statement: str) -> Id:
    (universe,) = await ui.services.stories.universes()
    canon = await ui.services.world.provenance.read_canon_at(universe.id, search=statement)
    return next(view.fact.id for view in canon.facts if view.fact.statement == statement)


# --- edits of an entity -------------------------------------------------------------------------------


async def test_entity_edit_form_stages_what_was_changed(ui: ScreenDriver) -> None:
    await ui.press("e")
    assert ui.shows("Change Wenna Pike", "hp 9, might 2", "Propose")
    await ui.type(" of Harl", enter=False)
    await ui.press("tab", "tab", "tab", "tab")
    await ui.type("wet, cold")
    wenna = await entity(ui, "Wenna Pike")
    assert await staged(ui) == [
        UpdateEntity(entity_id=wenna.id, name="Wenna Pike of Harl"),
        StateChange(entity_id=wenna.id, key="wet", op=StateOp.TAG),
        StateChange(entity_id=wenna.id, key="cold", op=StateOp.TAG),
    ]
    assert ui.screen == "UniverseScreen"
    assert ui.shows("Wenna Pike of Harl", "3 wait at the gate: g")


async def test_entity_edit_form_keeps_bad_input_and_says_what_is_wrong(ui: ScreenDriver) -> None:
    await ui.press("e", "tab", "tab", "tab")
    await ui.type(", luck many")
    assert ui.screen == "FormDialog"
    assert ui.shows("“luck many” is not a number with a name.", "nerve 2, luck many")
    assert await staged(ui) == []
    await ui.press(*["backspace"] * 4)
    await ui.type("3")
    change = await only_staged(ui, StateChange)
    assert (change.key, change.op, change.value) == ("luck", StateOp.SET, 3)


async def test_entity_edit_form_refuses_an_empty_name(ui: ScreenDriver) -> None:
    await ui.press("e", *["backspace"] * 10, "enter")
    assert ui.screen == "FormDialog"
    assert ui.shows("name")
    assert await staged(ui) == []
    await ui.press("escape")
    assert ui.screen == "UniverseScreen"
    assert not ui.shows("at the gate")


async def test_entity_edit_form_shows_a_full_disk(ui: ScreenDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    full = StoreError("The disk is full.", kept="Everything before is safe.", todo="Make room.")
    fail_once(monkeypatch, ui.services.world.edits, "propose_entity_edit", full)
    await ui.press("e")
    await ui.type("!")
    assert ui.screen == "FormDialog"
    assert ui.shows("The disk is full.", "Make room.", "Wenna Pike!")


async def test_entity_lock_is_one_key_and_waits_once(ui: ScreenDriver) -> None:
    await ui.press("L")
    wenna = await entity(ui, "Wenna Pike")
    assert await staged(ui) == [UpdateEntity(entity_id=wenna.id, locked=True)]
    assert ui.shows("1 waits at the gate: g")
    await ui.press("L")
    assert len(await staged(ui)) == 1
    before = ui.text
    await ui.press("escape")
    assert ui.text != before


# --- something new --------------------------------------------------------------------------------------


async def test_new_entity_from_the_tree_is_of_that_kind_first(ui: ScreenDriver) -> None:
    await ui.press("n")
    assert ui.shows("Add to this world", "‹ character ›", "Numbers")
    assert not ui.shows("Since")
    await ui.type("Old Tam", enter=False)
    await ui.press("shift+tab", "right", "right")
    assert ui.shows("‹ rule ›")
    await ui.press("right")
    assert ui.shows("‹ place ›")
    await ui.press("enter")
    created = await only_staged(ui, CreateEntity)
    assert (created.entity_kind, created.name) == (EntityKind.PLACE, "Old Tam")


async def test_new_fact_from_the_card_is_about_its_entity(ui: ScreenDriver) -> None:
    await ui.press("tab", "n")
    assert ui.shows("‹ fact ›", "Wenna Pike", "Since")
    await ui.type("is tired", enter=False)
    await ui.press("tab")
    await ui.type("elevenses")
    assert ui.shows("'elevenses'", "Try day 3")
    assert await staged(ui) == []
    await ui.press(*["backspace"] * 9)
    await ui.type("day 2")
    fact = await only_staged(ui, AssertFact)
    assert fact.statement == "Wenna Pike is tired."
    (universe,) = await ui.services.stories.universes()
    assert fact.valid_from == read_moment("day 2", universe.calendar, None)


async def test_new_rule_of_the_world(ui: ScreenDriver) -> None:
    await ui.press("tab", "n")
    await ui.type("is bound by salt", enter=False)
    await ui.press("shift+tab", "right", "enter")
    assert (await only_staged(ui, NoteAxiom)).statement == "Wenna Pike is bound by salt."


async def test_new_entity_without_a_name_is_refused(ui: ScreenDriver) -> None:
    await ui.press("n", "enter")
    assert ui.screen == "NewCanonDialog"
    assert ui.shows("name")
    await ui.press("escape")
    assert await staged(ui) == []


# --- edits of a fact ------------------------------------------------------------------------------------


async def test_fact_correction_changes_words_and_standing(ui: ScreenDriver) -> None:
    await to_fact(ui, KNOTS)
    await ui.press("e")
    assert ui.shows("Correct this fact", KNOTS, "‹ true ›")
    await ui.press("backspace")
    await ui.type(", twice", enter=False)
    await ui.press("tab", "right", "enter")
    corrected = await only_staged(ui, AssertFact)
    assert corrected.statement == "Wenna Pike ties knots, twice."
    assert corrected.standing is Standing.RUMOUR
    assert corrected.ends == (await fact_id(ui, KNOTS),)


async def test_fact_correction_without_words_is_refused(ui: ScreenDriver) -> None:
    await to_fact(ui, KNOTS)
    await ui.press("e", "ctrl+u", "enter")
    assert ui.screen == "FormDialog"
    assert await staged(ui) == []


async def test_fact_is_ended_at_a_time(ui: ScreenDriver) -> None:
    await ui.press("D")
    assert ui.screen == "UniverseScreen", "in the tree there is no fact to end"
    await ui.press("tab", "home", "D")
    assert ui.screen == "UniverseScreen", "what happened stays so"
    await ui.press("shift+tab")
    await to_fact(ui, LOFT)
    await ui.press("D")
    assert ui.shows(f"No longer true: {LOFT}")
    await ui.type("day 4 dusk")
    ended = await only_staged(ui, EndFact)
    (universe,) = await ui.services.stories.universes()
    assert ended.fact_id == await fact_id(ui, LOFT)
    assert ended.at == read_moment("day 4 dusk", universe.calendar, None)


# --- retcons --------------------------------------------------------------------------------------------


async def test_retcon_is_previewed_before_it_is_proposed(ui: ScreenDriver) -> None:
    await to_fact(ui, KNOTS)
    await ui.press("R")
    assert ui.screen == "RetconScreen"
    assert ui.shows("Never true:", "What changes 1", "→ never true")
    assert ui.shows("Has the same evidence", "Open promises", "Wenna Pike will keep the door.")
    await ui.press("enter")
    assert ui.screen == "UniverseScreen"
    assert await staged(ui) == [RetconFact(fact_id=await fact_id(ui, KNOTS))]
    assert ui.shows("1 waits at the gate: g")
    await ui.press("R")
    assert ui.screen == "RetconScreen"
    await ui.press("enter")
    assert len(await staged(ui)) == 1


async def test_retcon_preview_leads_to_the_words_and_back(ui: ScreenDriver) -> None:
    await to_fact(ui, KNOTS)
    await ui.press("R", "x")
    assert ui.shows("Evidence for:")
    await ui.press("enter")
    assert ui.screen == "ReadingScreen"
    await ui.press("escape", "escape", "escape")
    assert ui.screen == "UniverseScreen"
    assert await staged(ui) == []


async def test_retcon_preview_leads_to_a_scene(ui: ScreenDriver) -> None:
    await ui.press("R")
    await stand_on(ui, "Scene 1")
    await ui.press("x")
    assert ui.screen == "ReadingScreen"


async def test_retcon_that_is_refused_stays_on_its_screen(
    ui: ScreenDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ui.press("R")
    gone = InputError("It is in canon no more.", todo="Look again.")
    fail_once(monkeypatch, ui.services.world.edits, "propose_retcon", gone)
    await ui.press("enter")
    assert ui.screen == "RetconScreen"
    assert ui.shows("It is in canon no more.", "Look again.")
    assert await staged(ui) == []


async def test_retconned_fact_can_be_restored(ui: ScreenDriver) -> None:
    await ui.press("Z")
    await stand_on(ui, "The rope was cut.")
    await ui.press("R")
    assert ui.screen == "RetconScreen"
    assert ui.shows("True again:")


# --- merges ---------------------------------------------------------------------------------------------


async def test_merge_lays_two_side_by_side_and_makes_them_one(ui: ScreenDriver) -> None:
    await ui.press("m")
    assert ui.shows("Merge Wenna Pike", "Wenna Pyke", "% similar")
    await stand_on(ui, "Wenna Pyke")
    await ui.press("enter")
    assert ui.screen == "MergeScreen"
    assert ui.shows("this name is kept", "becomes another name of it", "Conflicts", "Wenna Pyke is in Harl")
    await ui.press("f2")
    assert ui.shows("Merge Wenna Pike is Wenna Pyke")
    await ui.press("f2", "enter")
    pike, pyke = await entity(ui, "Wenna Pike"), await entity(ui, "Wenna Pyke")
    assert await staged(ui) == [MergeEntities(kept_id=pike.id, absorbed_id=pyke.id)]
    assert ui.screen == "LookalikesScreen"
    assert ui.shows("1 waits at the gate: g")
    await stand_on(ui, "Wenna Pyke")
    await ui.press("enter", "enter")
    assert len(await staged(ui)) == 1


async def test_merge_keeps_the_name_that_the_key_before_chose(ui: ScreenDriver) -> None:
    await ui.press("m")
    await stand_on(ui, "Wenna Pyke")
    await ui.press("enter")
    for key, character in (("f2", None), ("enter", "\r")):
        ui.app.post_message(events.Key(key, character))
    await ui.settle()
    pike, pyke = await entity(ui, "Wenna Pike"), await entity(ui, "Wenna Pyke")
    assert await staged(ui) == [MergeEntities(kept_id=pyke.id, absorbed_id=pike.id)]


async def test_merge_finds_anybody_by_name(ui: ScreenDriver) -> None:
    await ui.press("m", "slash")
    await ui.type("mara")
    assert ui.shows("Names like “mara” 1", "Mara Venn")
    await stand_on(ui, "Mara Venn")
    await ui.press("enter")
    assert ui.screen == "MergeScreen"
    assert ui.shows("Merge Mara Venn is Wenna Pike")
    await ui.press("escape", "slash")
    await ui.type("zzz", enter=False)
    assert not ui.shows("Mara Venn")


async def test_merge_lists_the_whole_worlds_lookalikes(ui: ScreenDriver) -> None:
    await find_entity(ui, "mara")
    await ui.press("m")
    assert not ui.shows("Wenna Pyke")
    await ui.press("asterisk")
    assert ui.shows("the whole world", "Wenna Pyke", "Wenna Pike")
    await ui.press("enter")
    assert ui.screen == "MergeScreen"


async def test_merge_is_split_after_a_question(ui: ScreenDriver) -> None:
    await find_entity(ui, "net loft")
    await ui.press("m")
    assert ui.shows("Merged into Net Loft before", "Nett Loft")
    await stand_on(ui, "Nett Loft")
    await ui.press("enter")
    assert ui.screen == "ConfirmDialog"
    await ui.press("escape")
    assert await staged(ui) == []
    await ui.press("enter", "enter")
    restored = [change.fact_id for change in await staged(ui) if isinstance(change, RetconFact)]
    (universe,) = await ui.services.stories.universes()
    (nett,) = await ui.services.world.previews.list_absorbed((await entity(ui, "Net Loft")).id)
    assert (nett.name, nett.status, nett.universe_id) == ("Nett Loft", EntityStatus.MERGED, universe.id)
    assert nett.id in restored


# --- the past and commitments ---------------------------------------------------------------------------


async def test_fact_history_shows_what_was_before(ui: ScreenDriver) -> None:
    await to_fact(ui, LOFT)
    await ui.press("h")
    assert ui.screen == "FactHistoryScreen"
    assert ui.shows("Before 1", "behind her own bar in the Slack Tide", "Now 1", LOFT)
    await ui.press("R")
    assert ui.screen == "RetconScreen"
    await ui.press("escape", "escape")
    assert ui.screen == "UniverseScreen"


async def test_canon_at_a_time(ui: ScreenDriver) -> None:
    await ui.press("t")
    assert ui.shows("Canon at a time", "Day 3, dusk", "facts true then")
    await ui.type("loft")  # a fact is looked for by its words
    assert ui.shows(LOFT)
    assert not ui.shows("bell's bearings")
    await ui.press("slash", "tab", "tab", *["backspace"] * 4, "enter")
    await ui.press("slash")
    await ui.type("elevenses")
    assert ui.shows("'elevenses'", "Try day 3")
    await ui.press("escape")
    assert ui.screen == "MomentScreen"
    await ui.press(*["backspace"] * 9)
    await ui.type("day 4", enter=False)
    await ui.press("tab")
    await ui.type("2025-12-01", enter=False)
    await ui.press("tab")
    await ui.type("loft")
    assert ui.shows("Day 4", "2025-12-01")
    assert not ui.shows(LOFT)
    await ui.press("slash", "tab", *["backspace"] * 10, "tab", "enter")
    assert ui.shows(LOFT)
    await stand_on(ui, LOFT)
    await ui.press("h")
    assert ui.screen == "FactHistoryScreen"
    await ui.press("escape")
    await stand_on(ui, LOFT)
    await ui.press("e")
    assert ui.screen == "FormDialog"
    assert ui.shows("Correct this fact", LOFT)


async def test_timeline_is_searched(ui: ScreenDriver) -> None:
    await ui.press("T", "T")
    assert ui.shows("Timeline", "entries", "Day 3", "Gil Oakum's sledge")
    await ui.press("slash")
    await ui.type("sledge", enter=False)
    assert ui.shows("1 entry")
    await ui.type("zzz")
    assert not ui.shows("Gil Oakum's sledge")


async def test_relations_are_walked(ui: ScreenDriver) -> None:
    await ui.press("v", "v")
    assert ui.shows("is in Net Loft", "owns The Slack Tide")
    await stand_on(ui, "owns The Slack Tide")
    await ui.press("x")
    assert ui.shows("Evidence for:")
    await ui.press("escape", "enter")
    assert ui.shows("Relations The Slack Tide")
    await ui.press("backspace")
    assert ui.shows("Relations Wenna Pike")
    await ui.press("o")
    assert ui.screen == "UniverseScreen"


async def test_commitments_are_listed_and_paid_off(ui: ScreenDriver) -> None:
    await ui.press("p")
    assert ui.screen == "CommitmentsScreen"
    assert ui.shows("3 open · 1 closed", "debt · The Tollers to Low Harl")
    assert not ui.shows("Who moved the Drowned Bell")
    await ui.press("asterisk")
    assert ui.shows("Closed 1", "Who moved the Drowned Bell")
    await ui.press("home", "D")
    (universe,) = await ui.services.stories.universes()
    waiting = await ui.services.gate.gate(None, universe.id)
    (row,) = (row for row in waiting.proposals if row.status is ProposalStatus.PENDING)
    payload = row.proposal.payload
    assert isinstance(payload, EndFact)
    assert (payload.fact_id, payload.closed, row.proposal.scene_id) == (
        await fact_id(ui, DEBT),
        True,
        None,
    )
    assert ui.shows("settling proposed", "1 waits at the gate: g")
    await ui.press("D")
    assert len(await staged(ui)) == 1
    await ui.press("escape", "g")
    assert ui.screen == "GateScreen"


async def test_commitments_in_play_are_paid_off_on_the_turn(edited_home: Path) -> None:
    async with started_app(real_services(edited_home, 8), NARROW) as ui:
        await ui.press("enter")
        await ui.type("/promises")
        assert ui.screen == "CommitmentsScreen"
        (card,) = await ui.services.stories.stories()
        assert card.scene is not None
        await ui.press("D")
        rows = (await ui.services.gate.gate(card.scene.id)).proposals
        paid = EndFact(fact_id=await fact_id(ui, DEBT), closed=True)
        assert [
            (change.fact_id, change.closed)
            for row in rows
            if row.status is ProposalStatus.PENDING and isinstance(change := row.proposal.payload, EndFact)
        ] == [(paid.fact_id, True)]
        assert await staged(ui) == []
        await ui.press("escape", "g")
        assert ui.screen == "GateScreen"
        assert ui.shows("Scene 1 “Before the Third Stroke”", "Paid")
        await ui.press("escape", "escape")
        assert ui.screen == "SceneScreen"


# --- there and back ---------------------------------------------------------------------------------------


async def test_evidence_of_an_entity_is_one_key(ui: ScreenDriver) -> None:
    await ui.press("x")
    assert ui.shows("Evidence for: Wenna Pike", "“Keeper of the Slack Tide.")


async def test_evidence_leads_from_a_fact_to_its_turn_and_back(ui: ScreenDriver) -> None:
    await to_fact(ui, LOFT)
    await ui.press("x", "x")
    assert ui.screen == "ReadingScreen"
    await ui.press("x")
    assert ui.screen == "TurnTraceDialog"
    assert ui.shows(f"★ {LOFT}", "◌ state: Wenna Pike")
    await ui.press("end", "enter")
    assert ui.screen == "GateScreen"
    await ui.press("escape", "x")
    await ui.press("enter")
    assert ui.screen == "UniverseScreen"


async def test_universe_keys_do_nothing_without_a_world(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), NARROW) as ui:
        await ui.press("3", "e", "n", "D", "h", "R", "L", "m", "t", "p", "v", "T", "Z", "x", "g")
        assert ui.screen == "UniverseScreen"
        assert ui.shows("No world yet.")


async def test_vault_goes_out_and_its_edits_come_in_by_keyboard(ui: ScreenDriver) -> None:
    await ui.press("X", "down", "enter")
    assert ui.shows("Which folder?", "salt-coast-vault")
    await ui.press("enter")
    assert ui.shows("Exported to home/exports/salt-coast-vault:", "written.")
    note = Path("home/exports/salt-coast-vault/Characters/Wenna Pike.md")
    text = note.read_text("utf-8")  # noqa: ASYNC240
    assert "- Wenna Pike ties knots.[^" in text
    note.write_text(text.replace("ties knots.", "ties every knot there is."), "utf-8")  # noqa: ASYNC240
    await ui.press("X", "down", "down", "down", "enter", "enter")
    assert ui.shows("Proposed: Wenna Pike ties every knot there is.", "at the gate: g")
    await ui.press("X", "down", "down", "down", "down", "enter", "enter")
    assert ui.shows("Exported to home/exports/salt-coast-wiki:")
    await ui.press("X", "escape", "g")
    assert ui.shows("Wenna Pike ties every knot there is.")


async def test_universe_export_is_a_key_and_enter(ui: ScreenDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    await ui.press("X", "enter")
    assert ui.shows("Exported to home/exports/2026-01-01-salt-coast.monitor.zip")
    assert Path("home/exports/2026-01-01-salt-coast.monitor.zip").is_file()  # noqa: ASYNC240
    full = StoreError("The disk is full.", todo="Make room.")
    fail_once(monkeypatch, ui.services.world, "export_universe", full)
    await ui.press("X", "enter")
    assert ui.shows("The disk is full.", "Make room.")
