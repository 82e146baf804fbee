"""The canon gate by keyboard."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from agents.events import ProposalsChanged
from agents.views.play_views import CommitReport
from monitor_tui.compose import open_program
from stores.authority import Role
from stores.errors import CanonConflict
from stores.records.canon import AssertFact, Authority, FactKind
from stores.records.ids import SeededIdGenerator, SteppingClock, derive_id
from stores.records.workflow import ProposalStatus, ProposedChange, Verdict
from tests.screens.table import EVENING, NARROW, ROOMY, Table, real_desk, seated, twin_desk
from tests.screens.twin import TwinDesk


@pytest.fixture
def twin() -> TwinDesk:
    return TwinDesk()


@pytest.fixture
async def table(twin: TwinDesk) -> AsyncIterator[Table]:
    """The gate of a scene that ends, on a small terminal."""
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("enter")
        await table.type("/end")
        assert table.screen == "GateScreen"
        yield table


async def test_conflicts_come_first_with_diff_evidence_and_what_they_meet(table: Table) -> None:
    assert table.shows("2 accept · 1 undecided · 1 in conflict")
    assert table.shows("− The bell hangs in the tower", "+ The bell was moved after the storm")
    assert table.shows("“Drag marks run", "Canon says the bell hangs in the tower.")


async def test_grouped_by_subject_by_kind_and_not_at_all(table: Table) -> None:
    assert table.shows("Mara Venn 1")
    assert table.shows("in conflict 1")
    await table.press("g")
    assert table.shows("in conflict 1", "fact 1", "place 1")
    assert not table.shows("Mara Venn 1")
    await table.press("g")
    assert not table.shows("in conflict 1 ⚠1")


async def test_filter_narrows_and_escape_widens_again(table: Table) -> None:
    await table.press("slash")
    await table.type("afraid", enter=False)
    assert table.shows("Father Ode is afraid")
    assert not table.shows("The bell was moved")
    await table.press("enter", "r", "escape")
    assert table.shows("The bell was moved")
    assert table.screen == "GateScreen"


async def test_decisions_are_kept_and_taken_back(table: Table, twin: TwinDesk) -> None:
    await table.press("d", "up", "u")
    assert [verdict for _, verdict in twin.called("decide")] == [Verdict.DEFER, None]


async def test_several_are_marked_and_decided_at_once(table: Table, twin: TwinDesk) -> None:
    await table.press("space", "space", "r")
    ids, verdict = twin.called("decide")[0]
    assert (len(ids), verdict) == (2, Verdict.REJECT)


async def test_accept_all_but_the_marked_leaves_conflicts_alone(table: Table, twin: TwinDesk) -> None:
    await table.press("down", "space", "A")
    ids, verdict = twin.called("decide")[0]
    by_id = {p.proposal.id: p.title for p in twin._proposals}
    assert verdict is Verdict.ACCEPT
    assert {by_id[i] for i in ids} == {"Mara Venn: hp 10 → 7", "The Flooded Nave"}


async def test_a_commit_asks_only_about_conflicts(table: Table, twin: TwinDesk) -> None:
    await table.press("enter")
    assert table.screen == "ConfirmDialog"
    assert table.shows("1 of these is in conflict", "The bell was moved")
    await table.press("escape")
    assert not twin.called("commit")
    await table.press("r", "enter")
    assert table.screen == "CommitReportDialog"


async def test_what_is_canon_now_and_on_to_the_next_scene(table: Table, twin: TwinDesk) -> None:
    await table.press("r", "enter")
    assert table.shows("Canon now says", "✓ Mara Venn: hp 10 → 7", "2 accepted")
    await table.press("enter")
    assert table.screen == "SceneScreen"
    assert table.shows("scene 2")
    assert len(table.app.screen_stack) == 2


async def test_what_failed_is_told_and_stays_to_be_decided(table: Table, twin: TwinDesk) -> None:
    async def half(scene_id: str, only: object = None) -> CommitReport:
        return CommitReport(
            None, (), (), 0, 0, 0, 0, failures=(("The Flooded Nave", "canon has it already"),)
        )

    twin.commit = half  # type: ignore[method-assign]
    await table.press("r", "enter")
    assert table.shows("Some of it could not be written", "canon has it already", "1 failed")
    await table.press("enter")
    assert table.screen == "GateScreen"


async def test_a_commit_that_is_refused_says_why(table: Table, twin: TwinDesk) -> None:
    twin.fail(
        "commit", CanonConflict("Canon says otherwise.", kept="Your decisions are kept.", todo="Look again.")
    )
    await table.press("r", "enter")
    assert table.screen == "GateScreen"
    assert table.shows("Canon says otherwise.", "Your decisions are kept.", "Look again.")
    await table.press("escape")
    assert not table.shows("Canon says otherwise.")
    assert table.screen == "GateScreen"


async def test_escape_goes_back_to_play_with_every_decision(table: Table, twin: TwinDesk) -> None:
    await table.press("a", "escape")
    assert table.screen == "SceneScreen"
    assert twin.called("reopen_scene")
    assert twin.called("decide")


async def test_a_look_at_the_gate_in_play_reopens_nothing(twin: TwinDesk) -> None:
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("enter", "f3", "escape")
        assert table.screen == "SceneScreen"
        assert not twin.called("reopen_scene")
        await table.press("shift+tab", "g", "r", "enter", "enter")
        assert table.screen == "SceneScreen"  # committed in mid-scene: play goes on
        assert twin.called("commit")


async def test_evidence_opens_the_transcript_at_its_turn(table: Table) -> None:
    await table.press("x")
    assert table.screen == "ReadingScreen"
    assert table.shows("turn 2", "The hinges give")
    await table.press("escape")
    assert table.screen == "GateScreen"


async def test_marks_take_in_all_that_is_shown(table: Table, twin: TwinDesk) -> None:
    await table.press("slash")
    await table.type("fact", enter=False)
    await table.press("enter", "asterisk", "r")
    ids, verdict = twin.called("decide")[0]
    assert (len(ids), verdict) == (2, Verdict.REJECT)
    await table.press("asterisk", "asterisk", "d")
    ids, verdict = twin.called("decide")[1]
    assert (len(ids), verdict) == (1, Verdict.DEFER), "marking all twice marks none"


async def test_what_policy_rejects_is_not_accepted_with_all_else(table: Table, twin: TwinDesk) -> None:
    twin._proposals[0] = replace(twin._proposals[0], mark="reject", is_marked_by_rule=True)
    twin.events.publish(ProposalsChanged(twin.universe.id, None))
    await table.settle()
    assert table.shows("by rule")
    await table.press("A")
    ids, _ = twin.called("decide")[0]
    titles = {p.proposal.id: p.title for p in twin._proposals}
    assert {titles[i] for i in ids} == {"The Flooded Nave", "Father Ode is afraid of the water"}


async def test_what_is_closed_stands_last_and_is_taken_back(table: Table, twin: TwinDesk) -> None:
    closed = replace(twin._proposals[0], status=ProposalStatus.ACCEPTED, is_closed_by_policy=True)
    twin._proposals[0] = closed
    twin.events.publish(ProposalsChanged(twin.universe.id, None))
    await table.settle()
    await table.press("end")
    assert table.shows("decided 1", "in canon", "u Undo")
    assert not table.shows("a Accept")
    await table.press("a", "r", "e", "space", "u")
    assert not twin.called("decide")
    assert twin.called("undo_decision") == [(closed.proposal.id,)]
    assert table.shows("Proposed: Never true: what it was.", "The next commit writes it.")


async def test_a_verdict_that_is_refused_is_not_shown_as_kept(table: Table, twin: TwinDesk) -> None:
    twin.fail("decide", CanonConflict("The disk is full.", kept="Nothing was decided."))
    await table.press("d")
    assert table.shows("The disk is full.", "Nothing was decided.")
    assert not table.shows("deferred")


# --- the gate of a universe -------------------------------------------------------------------------------


@pytest.fixture
async def beside(twin: TwinDesk) -> AsyncIterator[Table]:
    """The gate of a universe, come to from its browser."""
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("3", "g")
        assert table.screen == "GateScreen"
        yield table


async def test_a_universe_has_a_gate_of_its_own(beside: Table, twin: TwinDesk) -> None:
    assert twin.called("gate")[-1] == (None, twin.universe.id)
    assert beside.shows("Canon gate", twin.universe.name)
    await beside.press("r", "enter")
    assert twin.called("commit_universe") == [(twin.universe.id, None)]
    assert not twin.called("commit")
    assert beside.shows("Canon now says", "✓ The Flooded Nave")
    await beside.press("enter")
    assert beside.screen == "UniverseScreen"


async def test_leaving_the_gate_of_a_universe_reopens_no_scene(beside: Table, twin: TwinDesk) -> None:
    await beside.press("d", "escape")
    assert beside.screen == "UniverseScreen"
    assert not twin.called("reopen_scene")


async def test_an_empty_gate_of_a_universe_says_what_would_come_here(twin: TwinDesk) -> None:
    twin._proposals = []
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("3", "g")
        assert table.shows("Nothing to decide. Your own edits")
        assert not table.shows("⏎ Commit")
        await table.press("enter")
        assert not twin.called("commit_universe")


async def test_a_universe_s_commit_that_fails_in_part_stays_with_it(beside: Table, twin: TwinDesk) -> None:
    nave = twin._proposals[1].proposal.id

    async def half(universe_id: str, only: object = None) -> CommitReport:
        return CommitReport(None, (), (), 0, 0, 0, 0, failures=((nave, "canon has it already"),))

    twin.commit_universe = half  # type: ignore[method-assign]
    await beside.press("r", "enter")
    assert beside.shows("Some of it could not be written", "✗ The Flooded Nave canon has it already")
    await beside.press("enter")
    assert beside.screen == "GateScreen"


@pytest.mark.slow
async def test_deferred_at_a_scene_s_end_and_accepted_from_the_universe(tmp_path: Path) -> None:
    async with seated(real_desk(tmp_path), ROOMY, first="demo") as table:
        await table.type("/fact The gull has one red eye")
        await table.press("f3", "d", "escape")
        await table.type("/end Night falls")
        await table.press("enter", "enter", "escape", "enter")
        await table.press("3", "g")
        assert table.shows("Canon gate", "The gull has one red eye.", "deferred", "decided")
        await table.press("A", "enter")  # what was put off waits anew
        assert table.shows("Canon now says", "✓ The gull has one red eye.")
        await table.press("enter")
        assert table.screen == "UniverseScreen"


# --- a hundred --------------------------------------------------------------------------------------------

ENOUGH = 60
"""Keystrokes for a hundred proposals."""


@pytest.mark.slow
async def test_a_hundred_proposals_on_real_stores(tmp_path: Path) -> None:
    """Five conflicts, fifteen bits of weather, a word to be changed, and eighty that are right."""
    wanted, unwanted = await a_hundred(tmp_path)
    keys = 0
    async with seated(real_desk(tmp_path, 8), ROOMY) as table:
        await table.press("enter")
        await table.type("/end The night is over")
        assert table.screen == "GateScreen"
        assert table.shows("5 in conflict", "15 undecided", "81 accept")

        async def press(*pressed: str) -> None:
            nonlocal keys
            keys += len(pressed)
            await table.press(*pressed)

        async def typed(words: str) -> None:
            nonlocal keys
            keys += len(words)
            await table.type(words, enter=False)

        # Conflicts stand first: one for the new, one for the old, three are slips.
        await press("h", "2", "enter", "enter")
        assert table.screen == "GateScreen"
        await press("h", "3", "enter", "enter", "r", "r", "r")
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
        assert table.screen == "CommitReportDialog"
        assert keys <= ENOUGH, keys
        await table.press("enter")
        assert table.shows("scene 2")
        await table.press("ctrl+q")

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
