"""The canon gate by keyboard."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from textual import events
from textual.keys import _character_to_key
from textual.widgets import Input

from agents.services.gate import GateService
from agents.views.gate_views import CommitReport, GateView
from agents.views.proposal_views import ProposalView
from monitor_tui.compose import open_program
from screens.gate.proposal_decisions import edit_hint
from stores.authority import Role
from stores.errors import CanonConflict
from stores.records.canon import AssertFact, Authority, FactKind
from stores.records.ids import Id, SeededIdGenerator, SteppingClock, derive_id
from stores.records.workflow import KindRule, ProposalStatus, ProposedChange, Verdict
from tests.screens.faults import fail_once, record_calls
from tests.screens.gate_story import RAIN, build_gate_story
from tests.screens.libraries import CopyLibrary
from tests.screens.screen_driver import EVENING, NARROW, ROOMY, ScreenDriver, real_services, started_app
from widgets.proposal_list import ProposalList
from widgets.single_keys import PASTE_IGNORED

ALLIES, ENEMIES = "Wenna Pike and Mara Venn are allies.", "Wenna Pike and Mara Venn are enemies."


@pytest.fixture
def gate_home(copy_library: CopyLibrary) -> Path:
    return copy_library(build_gate_story)


@pytest.fixture
async def ui(gate_home: Path) -> AsyncIterator[ScreenDriver]:
    """The gate of a scene that ends, on a small terminal."""
    async with started_app(real_services(gate_home, 8), NARROW) as ui:
        await ui.press("enter")
        await ui.type("/end")
        assert ui.screen == "GateScreen"
        yield ui


async def gate_rows(ui: ScreenDriver) -> dict[str, ProposalView]:
    """Return the rows of the scene's gate by title, as the service has them."""
    card = (await ui.services.stories.stories())[0]
    assert card.scene is not None
    return {row.title: row for row in (await ui.services.gate.gate(card.scene.id, None)).proposals}


async def verdicts(ui: ScreenDriver) -> dict[str, Verdict]:
    """Return what the GM decided, by title."""
    rows = await gate_rows(ui)
    return {title: row.verdict for title, row in rows.items() if row.verdict and row.status == "pending"}


async def canon_names(ui: ScreenDriver) -> set[str]:
    universe = (await ui.services.stories.universes())[0]
    return set(await ui.services.world.list_entity_names(universe.id))


@pytest.mark.slow
async def test_gate_note_of_an_undone_decision_goes_with_the_next(ui: ScreenDriver) -> None:
    await ui.press("a", "ctrl+z")
    assert ui.shows("Undone: ")
    await ui.press("a")
    assert not ui.shows("Undone: ")


@pytest.mark.slow
async def test_gate_shows_conflicts_first_with_diff_evidence_and_what_they_meet(ui: ScreenDriver) -> None:
    assert ui.shows("2 accept · 1 undecided · 1 in conflict")
    assert ui.shows(f"− {ALLIES}", f"+ {ENEMIES}")
    assert ui.shows("“Wenna Pike enemy_of Mara Venn”", f"Canon says “{ALLIES}”")


@pytest.mark.slow
async def test_gate_groups_by_subject_by_kind_and_not_at_all(ui: ScreenDriver) -> None:
    assert ui.shows("Mara Venn 1")
    assert ui.shows("in conflict 1")
    await ui.press("G")
    assert ui.shows("in conflict 1", "fact 1", "place 1")
    assert not ui.shows("Mara Venn 1")
    await ui.press("G")
    assert not ui.shows("in conflict 1 ⚠1")


@pytest.mark.slow
async def test_gate_filter_narrows_and_escape_widens_again(ui: ScreenDriver) -> None:
    await ui.press("slash")
    await ui.type("rain", enter=False)
    assert ui.shows(RAIN.removesuffix("."))
    assert not ui.shows("Flooded Nave")
    await ui.press("enter", "r", "escape")
    assert ui.shows("Flooded Nave")
    assert ui.screen == "GateScreen"
    assert await verdicts(ui) == {RAIN: Verdict.REJECT}


@pytest.mark.slow
async def test_gate_keeps_a_decision_and_takes_it_back(ui: ScreenDriver) -> None:
    await ui.press("d")
    assert await verdicts(ui) == {ENEMIES: Verdict.DEFER}
    await ui.press("up", "u")
    assert await verdicts(ui) == {}


@pytest.mark.slow
async def test_gate_key_chooses_who_may_know_a_fact(ui: ScreenDriver) -> None:
    await ui.press("slash")
    await ui.type("rain")
    await ui.press("W")
    assert ui.shows("Who may know it?")
    await ui.press("ctrl+u")
    await ui.type("Wenna Pike, Nobody Known")
    assert ui.shows("Nobody is called 'Nobody Known'", "Wenna Pike, Nobody Known")
    assert await verdicts(ui) == {}
    await ui.press("ctrl+u")
    await ui.type("Wenna Pike")
    assert await verdicts(ui) == {RAIN: Verdict.ACCEPT}
    assert ui.shows("known to", "Wenna Pike")


@pytest.mark.slow
async def test_gate_decides_several_marked_rows_at_once(ui: ScreenDriver) -> None:
    await ui.press("space", "space", "r")
    assert await verdicts(ui) == {ENEMIES: Verdict.REJECT, "Flooded Nave": Verdict.REJECT}


@pytest.mark.slow
async def test_gate_accept_all_but_the_marked_leaves_conflicts_alone(ui: ScreenDriver) -> None:
    await ui.press("G", "down", "space", "A")
    assert await verdicts(ui) == {"Flooded Nave": Verdict.ACCEPT, "Mara Venn: HP 10 → 7": Verdict.ACCEPT}


@pytest.mark.slow
async def test_gate_commit_asks_only_about_conflicts(ui: ScreenDriver) -> None:
    await ui.press("enter")
    assert ui.screen == "ConfirmDialog"
    assert ui.shows("1 of these is in conflict", ENEMIES.removesuffix("."))
    await ui.press("escape")
    assert "Flooded Nave" not in await canon_names(ui)
    await ui.press("r", "enter")
    assert ui.screen == "CommitReportDialog"
    assert "Flooded Nave" in await canon_names(ui)


async def test_gate_commit_asks_of_ticked_rows_that_the_filter_hides(ui: ScreenDriver) -> None:
    """I filter the gate and press Enter on what I see: what I do not see is not written without a word."""
    await ui.press("slash")
    await ui.type("Mara", enter=False)
    await ui.press("enter")
    assert not ui.shows("Flooded Nave")
    await ui.press("enter")
    assert ui.shows("The filter hides 1 ticked row. Commit all the same?", "Flooded Nave")
    await ui.press("escape")
    assert ui.screen == "GateScreen"
    assert "Flooded Nave" not in await canon_names(ui)
    await ui.press("enter", "enter")
    assert ui.shows("1 of these is in conflict")
    await ui.press("enter")
    assert "Flooded Nave" in await canon_names(ui)


async def test_gate_commit_says_what_is_canon_now_and_goes_on_to_the_next_scene(ui: ScreenDriver) -> None:
    await ui.press("r", "enter")
    assert ui.shows("Canon now says", "✓ Mara Venn's HP is 7.", "2 accepted")
    # Only what is seen behind the dialog is drawn: a screen below one that covers it costs nothing.
    drawn = [type(screen).__name__ for screen in ui.app.screen_stack if screen.is_current]
    assert drawn == ["GateScreen", "CommitReportDialog"]
    await ui.press("enter")
    assert ui.screen == "SceneScreen"
    assert ui.shows("scene 2")
    assert len(ui.app.screen_stack) == 2


@pytest.mark.slow
async def test_gate_receipt_hands_a_line_that_is_typed_on_it_to_the_next_scene(ui: ScreenDriver) -> None:
    await ui.press("r", "enter")
    assert ui.shows("Canon now says")
    await ui.type("I row on, at last.")
    assert ui.screen == "SceneScreen"
    await ui.until("you I row on, at last.")
    assert ui.shows("… Before the Third Stroke", "gm She gives it without a word."), (
        "the scene before stays above"
    )


@pytest.mark.slow
async def test_gate_tells_what_failed_and_leaves_it_to_be_decided(
    ui: ScreenDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    nave = (await gate_rows(ui))["Flooded Nave"].proposal.id

    async def commit_half(service: GateService, scene_id: Id) -> CommitReport:
        return CommitReport(None, (), (), 0, 0, 0, 0, failures=((nave, "canon has it already"),))

    monkeypatch.setattr(GateService, "commit", commit_half)
    await ui.press("r", "enter")
    assert ui.shows("Some of it could not be written", "✗ Flooded Nave canon has it already", "1 failed")
    await ui.press("enter")
    assert ui.screen == "GateScreen"


@pytest.mark.slow
async def test_gate_commit_that_is_refused_says_why(
    ui: ScreenDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusal = CanonConflict("Canon says otherwise.", kept="Your decisions are kept.", todo="Look again.")
    fail_once(monkeypatch, ui.services.gate, "commit", refusal)
    await ui.press("r", "enter")
    assert ui.screen == "GateScreen"
    assert ui.shows("Canon says otherwise.", "Your decisions are kept.", "Look again.")
    await ui.press("escape")
    assert not ui.shows("Canon says otherwise.")
    assert ui.screen == "GateScreen"


async def test_gate_escape_goes_back_to_play_with_every_decision(ui: ScreenDriver) -> None:
    await ui.press("a", "escape")
    assert ui.screen == "SceneScreen"
    assert ui.shows("The scene goes on;", "proposals wait at the gate (F3).")
    assert (await ui.services.stories.stories())[0].scene_state == "active"
    assert await verdicts(ui) == {ENEMIES: Verdict.ACCEPT}


@pytest.mark.slow
async def test_gate_looked_at_in_play_ends_nothing_and_commits_in_mid_scene(gate_home: Path) -> None:
    async with started_app(real_services(gate_home, 8), NARROW) as ui:
        await ui.press("enter", "f3", "escape")
        assert ui.screen == "SceneScreen"
        assert not ui.shows("The scene goes on;")
        assert (await ui.services.stories.stories())[0].scene_state == "active"
        await ui.press("f3", "r", "enter", "enter")
        assert ui.screen == "SceneScreen"  # committed in mid-scene: play goes on
        assert "Flooded Nave" in await canon_names(ui)


@pytest.mark.slow
async def test_gate_evidence_opens_the_transcript_at_its_turn(ui: ScreenDriver) -> None:
    await ui.press("x")
    assert ui.screen == "ReadingScreen"
    assert ui.shows("turn 7", "Drag marks run to the water.")
    await ui.press("escape")
    assert ui.screen == "GateScreen"


@pytest.mark.slow
async def test_gate_marks_take_in_all_rows_that_are_shown(ui: ScreenDriver) -> None:
    await ui.press("slash")
    await ui.type("Mara Venn", enter=False)
    await ui.press("enter", "asterisk", "r")
    assert await verdicts(ui) == {ENEMIES: Verdict.REJECT, "Mara Venn: HP 10 → 7": Verdict.REJECT}
    await ui.press("asterisk", "asterisk", "home", "d")
    deferred = [title for title, verdict in (await verdicts(ui)).items() if verdict is Verdict.DEFER]
    assert len(deferred) == 1, "marking all twice marks none"


@pytest.mark.slow
async def test_gate_accept_all_leaves_out_what_a_rule_rejects(gate_home: Path) -> None:
    async with started_app(real_services(gate_home, 8), NARROW) as ui:
        universe = (await ui.services.stories.universes())[0]
        await ui.services.policy.set_rule(universe.id, "assert_fact:weather", KindRule.REJECT)
        await ui.press("enter")
        await ui.type("/end")
        await ui.press("G", "G")
        assert ui.shows("by rule")
        await ui.press("A")
        assert (await verdicts(ui)).keys() == {"Flooded Nave", "Mara Venn: HP 10 → 7"}


@pytest.mark.slow
async def test_gate_shows_closed_rows_last_and_takes_one_back(ui: ScreenDriver) -> None:
    await ui.press("end")
    assert ui.shows("decided 1", "in canon", "u Retract")
    assert not ui.shows("a Accept")
    await ui.press("e")
    assert ui.shows("It is in canon, and no longer a proposal.")
    await ui.press("a", "r", "space", "u", "enter")
    assert await verdicts(ui) == {}
    assert ui.shows("Proposed: Never true", "retcon")
    assert (await gate_rows(ui))[ALLIES].status is ProposalStatus.ACCEPTED


@pytest.mark.slow
async def test_gate_does_not_show_a_refused_verdict_as_kept(
    ui: ScreenDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusal = CanonConflict("The disk is full.", kept="Nothing was decided.")
    fail_once(monkeypatch, ui.services.gate, "decide", refusal)
    await ui.press("d")
    assert ui.shows("The disk is full.", "Nothing was decided.")
    assert not ui.shows("deferred")


PASTED = "are you read?\rAdd this"
"""Words of which nearly every letter decides something here, with an Enter."""


@pytest.mark.slow
async def test_gate_pasted_text_decides_nothing(ui: ScreenDriver) -> None:
    before = await gate_rows(ui)
    ui.app.post_message(events.Paste(PASTED))
    await ui.settle()
    assert [note.message for note in ui.app._notifications] == [PASTE_IGNORED]
    assert await verdicts(ui) == {}

    for character in PASTED:  # as a terminal without bracketed paste sends it
        key = "enter" if character == "\r" else _character_to_key(character)
        ui.app.post_message(events.Key(key, character))
    await ui.pilot.pause(0.05)
    await ui.settle()
    assert ui.screen == "GateScreen"
    assert [note.message for note in ui.app._notifications] == [PASTE_IGNORED] * 2
    assert await verdicts(ui) == {}
    assert (await gate_rows(ui)).keys() == before.keys()
    await ui.press("d")
    assert await verdicts(ui) == {ENEMIES: Verdict.DEFER}


async def send_at_once(ui: ScreenDriver, text: str) -> None:
    for character in text:
        ui.app.post_message(events.Key(_character_to_key(character), character))
    await ui.pilot.pause(0.05)
    await ui.settle()


@pytest.mark.slow
async def test_gate_filter_that_is_typed_at_once_filters_and_its_enter_commits_nothing(
    ui: ScreenDriver,
) -> None:
    before = await gate_rows(ui)
    await send_at_once(ui, "/enem")
    assert ui.app.screen.query_one("#filter", Input).value == "enem"
    await ui.press("enter")
    assert ui.screen == "GateScreen"
    assert (await gate_rows(ui), await verdicts(ui)) == (before, {})
    assert not ui.app._notifications
    await ui.press("escape", "escape")


@pytest.mark.slow
async def test_gate_enter_behind_text_that_decided_nothing_commits_nothing(ui: ScreenDriver) -> None:
    before = await gate_rows(ui)
    await send_at_once(ui, "skiff")
    await ui.press("enter")
    assert ui.screen == "GateScreen"
    assert (await gate_rows(ui), await verdicts(ui)) == (before, {})
    await ui.press("enter")  # the next one is meant
    assert ui.screen != "GateScreen" or await gate_rows(ui) != before


def test_edit_of_a_row_with_several_steps_says_which_of_them_it_is() -> None:
    assert edit_hint("fact", "The shed smells of tar.", 1) == "fact: The shed smells of tar."
    two, three = (edit_hint("fact", "Scenery: Tar. Snow.", count) for count in (2, 3))
    assert two.endswith("These are the words of the last of its 2 steps; the other one waits on.")
    assert three.endswith("These are the words of the last of its 3 steps; the other 2 wait on.")


@pytest.mark.slow
async def test_gate_keeps_an_edit_that_is_refused(ui: ScreenDriver) -> None:
    await ui.press("slash")
    await ui.type("rain")
    await ui.press("e", "end")
    await ui.type(" again" * 170)
    assert ui.shows("Edit and accept", "one statement holds 1,000", "again again")
    assert await verdicts(ui) == {}
    await ui.press("ctrl+u")  # all rows of it
    await ui.type("It rains and pours")
    assert not ui.shows("Edit and accept")
    assert await verdicts(ui) == {"It rains and pours.": Verdict.ACCEPT}


@pytest.mark.slow
async def test_gate_accepts_an_edited_row_as_it_was_edited(ui: ScreenDriver) -> None:
    await ui.press("slash")
    await ui.type("rain")
    await ui.press("e", "ctrl+u")
    await ui.type("The lamps are all out")
    await ui.press("slash", "ctrl+u")
    await ui.type("lamps")
    rows = ui.app.screen.query_one(ProposalList)
    assert rows.current is not None
    assert rows.current.title == "The lamps are all out."
    await ui.press("a")  # to be sure
    assert await verdicts(ui) == {"The lamps are all out.": Verdict.ACCEPT}
    await ui.press("ctrl+z", "ctrl+z")  # that, and the edit
    assert await verdicts(ui) == {}
    assert RAIN in await gate_rows(ui)


# --- the gate of a universe -------------------------------------------------------------------------------


@pytest.fixture
async def beside(gate_home: Path) -> AsyncIterator[ScreenDriver]:
    """The gate of a universe in which something was put off, come to from its browser."""
    async with started_app(real_services(gate_home, 8), NARROW) as ui:
        scene = (await ui.services.stories.stories())[0].scene
        assert scene is not None
        rows = {row.title: row for row in (await ui.services.gate.gate(scene.id, None)).proposals}
        for title, verdict in (
            (ENEMIES, Verdict.REJECT),
            (RAIN, Verdict.DEFER),
            ("Flooded Nave", Verdict.DEFER),
        ):
            await ui.services.gate.decide([rows[title].proposal.id], verdict)
        await ui.services.stories.resume(scene.story_id)
        await ui.services.play.submit(scene.id, "/end")
        await ui.services.gate.commit(scene.id)
        await ui.services.stories.suspend()
        await ui.press("3", "g")
        assert ui.screen == "GateScreen"
        yield ui


@pytest.mark.slow
async def test_universe_gate_commits_what_was_put_off(
    beside: ScreenDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene_commits = record_calls(monkeypatch, beside.services.gate, "commit")
    universe = (await beside.services.stories.universes())[0]
    assert beside.shows("Canon gate", universe.name)
    await beside.press("A", "enter")
    assert not scene_commits
    assert beside.shows("Canon now says", "+ Flooded Nave")
    await beside.press("enter")
    assert beside.screen == "UniverseScreen"
    assert "Flooded Nave" in await canon_names(beside)


@pytest.mark.slow
async def test_universe_gate_left_by_escape_reopens_no_scene(
    beside: ScreenDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    reopened = record_calls(monkeypatch, beside.services.gate, "reopen_scene")
    await beside.press("d", "escape")
    assert beside.screen == "UniverseScreen"
    assert not reopened


@pytest.mark.slow
async def test_universe_gate_that_is_empty_says_what_would_come_here(
    sample_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with started_app(real_services(sample_home, 8), NARROW) as ui:
        commits = record_calls(monkeypatch, ui.services.gate, "commit_universe")
        await ui.press("3", "g")
        assert ui.shows("Nothing to decide. Your own edits")
        assert not ui.shows("⏎ Commit")
        await ui.press("enter")
        assert not commits


@pytest.mark.slow
async def test_empty_gate_names_the_key_that_leads_on(played_home: Path) -> None:
    """In the middle of a scene that is Esc; at its end Enter closes the gate."""
    async with started_app(real_services(played_home, 8), NARROW) as ui:
        await ui.press("enter")
        await ui.type("/end")
        await ui.press("A", "enter", "enter")
        await ui.press("f3")
        assert ui.screen == "GateScreen"
        assert ui.shows("Nothing to decide. Esc goes back to the scene.")
        await ui.press("escape")
        assert ui.screen == "SceneScreen"
        await ui.type("I shrug.")
        await ui.type("/end")
        assert ui.shows("Nothing to decide. Enter closes the gate.")
        await ui.press("enter", "enter")
        assert ui.screen == "SceneScreen"


@pytest.mark.slow
async def test_universe_gate_stays_open_when_its_commit_fails_in_part(
    beside: ScreenDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    universe = (await beside.services.stories.universes())[0]
    rows = {row.title: row for row in (await beside.services.gate.gate(None, universe.id)).proposals}
    nave = rows["Flooded Nave"].proposal.id

    async def commit_half(service: GateService, universe_id: Id) -> CommitReport:
        return CommitReport(None, (), (), 0, 0, 0, 0, failures=((nave, "canon has it already"),))

    monkeypatch.setattr(GateService, "commit_universe", commit_half)
    await beside.press("A", "enter")
    assert beside.shows("Some of it could not be written", "✗ Flooded Nave canon has it already")
    await beside.press("enter")
    assert beside.screen == "GateScreen"


@pytest.mark.slow
async def test_universe_gate_has_what_nobody_decided_as_undecided(ui: ScreenDriver) -> None:
    """“2 left open: 2 not decided”, and where are they? The receipt and the next scene say it, with the keys."""
    await ui.press("enter", "enter")
    assert ui.screen == "CommitReportDialog"
    assert ui.shows("not decided", "3 on the menu, then g")
    await ui.press("enter")
    assert ui.screen == "SceneScreen"
    assert ui.shows("not decided", "3 on the menu, then g")
    await ui.press("escape")
    assert not ui.shows("3 on the menu")
    await ui.press("escape", "enter", "3", "g")
    (row,) = (line for line in ui.text.splitlines() if "It rains on the" in line and "fact" in line)
    assert ui.shows("1 undecided")
    assert "·" in row
    assert "deferred" not in row


@pytest.mark.slow
async def test_universe_gate_accepts_what_was_deferred_at_a_scene_s_end(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), ROOMY, first="demo") as ui:
        await ui.type("/fact The gull has one red eye")
        await ui.press("f3", "d", "escape")
        await ui.type("/end Night falls")
        await ui.press("enter", "enter", "escape", "escape", "enter")
        await ui.press("3", "g")
        assert ui.shows("Canon gate", "The gull has one red eye.", "deferred", "decided")
        await ui.press("A", "enter")  # what was put off waits anew
        assert ui.shows("Canon now says", "✓ The gull has one red eye.")
        await ui.press("enter")
        assert ui.screen == "UniverseScreen"


@pytest.mark.slow
async def test_report_marks_what_is_a_secret_and_what_a_rumour(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), ROOMY, first="demo") as ui:
        await ui.type("/secret Wenna Pike: The gull has one red eye")
        await ui.type("> Rumour has it that Ivo Tarrant sleeps at the mill.")
        await ui.type("/end Night falls")
        await ui.press("A", "enter")
        assert ui.shows("✓ The gull has one red eye.  secret", "✓ Ivo Tarrant sleeps at the mill.  rumour")


# --- a hundred --------------------------------------------------------------------------------------------

ENOUGH = 60
"""Keystrokes for a hundred proposals."""


@pytest.mark.slow
async def test_gate_review_of_a_hundred_proposals(tmp_path: Path) -> None:
    """Five conflicts, fifteen bits of weather, a word to be changed, and eighty that are right."""
    wanted, unwanted = await a_hundred(tmp_path)
    keys = 0
    async with started_app(real_services(tmp_path, 8), ROOMY) as ui:
        await ui.press("enter")
        await ui.type("/end The night is over")
        assert ui.screen == "GateScreen"
        assert ui.shows("5 in conflict", "15 undecided", "81 accept")

        async def press(*pressed: str) -> None:
            nonlocal keys
            keys += len(pressed)
            await ui.press(*pressed)

        async def typed(words: str) -> None:
            nonlocal keys
            keys += len(words)
            await ui.type(words, enter=False)

        # Conflicts stand first: one for the new, one for the old, three are slips.
        await press("C", "2", "enter", "enter")
        assert ui.screen == "GateScreen"
        await press("C", "3", "enter", "enter", "r", "r", "r")
        # The weather is mere colour, all of it.
        await press("slash")
        await typed("rain")
        await press("enter", "asterisk", "c", "escape")
        # One word is wrong.
        await press("slash")
        await typed("heron")
        await press("enter", "e", "backspace")
        await typed(" at dawn")
        await press("enter", "escape")
        await press("A", "enter")
        assert ui.screen == "CommitReportDialog"
        assert keys <= ENOUGH, keys
        await ui.press("enter")
        assert ui.shows("scene 2")
        await ui.press("ctrl+q")

    program = await open_program(tmp_path, clock=SteppingClock(EVENING))
    try:
        (universe,) = await program.services.stories.universes()
        told = {f.statement for f in await program.stores.canon(Role.CONTEXT_ASSEMBLY).facts(universe.id)}
        names = {e.name for e in await program.services.world.list_entities(universe.id)}
        assert wanted <= told | names
        assert not unwanted & (told | names)
        open_ones = await program.services.gate.gate(None, universe.id)
        waiting = [r.title for r in open_ones.proposals if r.status in ("pending", "deferred", "failed")]
        assert waiting == []
    finally:
        await program.close()


async def a_hundred(home: Path) -> tuple[set[str], set[str]]:
    """Play a scene that proposes a hundred changes of many kinds; returns what should be canon after the
    review, and what should not."""
    clock = SteppingClock(EVENING)
    program = await open_program(home, clock=clock, ids=SeededIdGenerator(7, clock))
    services = program.services
    try:
        universe = await services.stories.add_sample()
        scene_id = await services.stories.start_story(await services.stories.sample_outline())
        people = [f"Guest {n}" for n in range(5)]
        for name in people:
            await services.play.submit(scene_id, f"/npc {name}: somebody")
        for name in people:
            await services.play.submit(scene_id, f"/fact {name} ally_of Mara Venn")
        await services.play.submit(scene_id, "/commit")
        await services.play.submit(scene_id, "I count the guests.")

        wanted, unwanted = set[str](), set[str]()
        for n in range(44):
            await services.play.submit(scene_id, f"/fact The gull number {n} has one red eye")
            wanted.add(f"The gull number {n} has one red eye.")
        await services.play.submit(scene_id, "/fact The heron flies")
        wanted.add("The heron flies at dawn.")
        unwanted.add("The heron flies.")
        for n in range(10):
            await services.play.submit(scene_id, f"/thing Chest {n}: nailed shut")
            await services.play.submit(scene_id, f"/axiom Chest number {n} opens for its owner alone")
            wanted |= {f"Chest {n}", f"Chest number {n} opens for its owner alone."}
        for n in range(5):
            await services.play.submit(scene_id, f"/place Cellar {n}: below the inn")
            wanted.add(f"Cellar {n}")
        for n, name in enumerate(people):
            await services.play.submit(scene_id, f"/state {name} +tired, {name}.luck = {n + 1}")
            wanted |= {f"{name} is tired.", f"{name}'s luck is {n + 1}."}
        for number, name in enumerate(people):
            await services.play.submit(scene_id, f"/fact {name} enemy_of Mara Venn")
            allies, enemies = f"{name} and Mara Venn are allies.", f"{name} and Mara Venn are enemies."
            (wanted if number == 0 else unwanted).add(enemies)
            (unwanted if number == 0 else wanted).add(allies)
        scene = await services.play.scene(scene_id)
        rain = [
            ProposedChange(
                id=derive_id("rain", n),
                universe_id=universe.id,
                story_id=scene.story.id,
                scene_id=scene_id,
                turn_id=scene.scene.head,
                payload=AssertFact(
                    fact_kind=FactKind.ATTRIBUTE, predicate="weather", statement=f"It rains on roof {n}."
                ),
                authority=Authority.SYSTEM,
                created_at=clock(),
            )
            for n in range(15)
        ]
        await program.stores.log(Role.RESOLVER).stage(rain)
        unwanted |= {f"It rains on roof {n}." for n in range(15)}
        proposals = [p for p in (await services.play.scene(scene_id)).proposals if p.status == "pending"]
        assert len(proposals) == 100
        assert len({p.label for p in proposals}) >= 6
        await services.stories.suspend()
        return wanted, unwanted
    finally:
        await program.close()


@pytest.mark.slow
async def test_gate_ctrl_z_takes_back_the_decision_just_made_and_goes_to_its_row(ui: ScreenDriver) -> None:
    await ui.press("home", "d", "r")
    decided = await verdicts(ui)
    assert sorted(decided.values()) == [Verdict.DEFER, Verdict.REJECT]
    rejected = next(title for title, verdict in decided.items() if verdict is Verdict.REJECT)
    await ui.press("u")
    assert ui.shows("No decision on this row. Ctrl+Z undoes the last one.")
    assert await verdicts(ui) == decided
    await ui.press("ctrl+z")
    assert ui.shows("Undone: Rejected: ")
    assert set(await verdicts(ui)) == set(decided) - {rejected}
    await ui.press("a")
    assert (await verdicts(ui))[rejected] is Verdict.ACCEPT
    await ui.press("ctrl+z", "ctrl+z")
    assert await verdicts(ui) == {}
    await ui.press("ctrl+z")
    assert ui.shows("There is no decision here to undo.")


@pytest.mark.slow
async def test_gate_of_a_universe_takes_back_the_decision_just_made(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), ROOMY, first="demo") as ui:
        await ui.press("escape", "enter", "3", "L", "g", "r", "ctrl+z")
        assert ui.screen == "GateScreen"
        assert ui.shows("Undone: Rejected: Protect")
        assert ui.shows("1 accept")


@pytest.mark.slow
async def test_gate_that_is_still_read_does_not_say_that_nothing_is_proposed(
    gate_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with started_app(real_services(gate_home, 8), NARROW) as ui:
        await ui.press("enter")
        may_read, read_gate = asyncio.Event(), GateService.gate

        async def read_slowly(
            gate: GateService, scene_id: Id | None, universe_id: Id | None = None
        ) -> GateView:
            await may_read.wait()
            return await read_gate(gate, scene_id, universe_id)

        monkeypatch.setattr(GateService, "gate", read_slowly)
        await ui.pilot.press("f3")
        await ui.until("Reading …")
        assert not ui.shows("No proposals yet")
        may_read.set()
        await ui.settle()
        assert ui.shows(ALLIES)
