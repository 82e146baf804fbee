"""The canon gate by keyboard."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.services.gate import GateService
from agents.views.play_views import CommitReport, ProposalView
from monitor_tui.compose import open_program
from stores.authority import Role
from stores.errors import CanonConflict
from stores.records.canon import AssertFact, Authority, FactKind
from stores.records.ids import Id, SeededIdGenerator, SteppingClock, derive_id
from stores.records.workflow import KindRule, ProposalStatus, ProposedChange, Verdict
from tests.screens.faults import fail_once, record_calls
from tests.screens.gate_story import RAIN, build_gate_story
from tests.screens.libraries import CopyLibrary
from tests.screens.screen_driver import EVENING, NARROW, ROOMY, Table, real_desk, seated

ALLIES, ENEMIES = "Wenna Pike and Mara Venn are allies.", "Wenna Pike and Mara Venn are enemies."


@pytest.fixture
def gate_home(copy_library: CopyLibrary) -> Path:
    return copy_library(build_gate_story)


@pytest.fixture
async def table(gate_home: Path) -> AsyncIterator[Table]:
    """The gate of a scene that ends, on a small terminal."""
    async with seated(real_desk(gate_home, 8), NARROW) as table:
        await table.press("enter")
        await table.type("/end")
        assert table.screen == "GateScreen"
        yield table


async def gate_rows(table: Table) -> dict[str, ProposalView]:
    """Return the rows of the scene's gate by title, as the service has them."""
    card = (await table.services.stories.stories())[0]
    assert card.scene is not None
    return {row.title: row for row in (await table.services.gate.gate(card.scene.id, None)).proposals}


async def verdicts(table: Table) -> dict[str, Verdict]:
    """Return what the GM decided, by title."""
    rows = await gate_rows(table)
    return {title: row.verdict for title, row in rows.items() if row.verdict and row.status == "pending"}


async def canon_names(table: Table) -> set[str]:
    universe = (await table.services.stories.universes())[0]
    return set(await table.services.world.list_entity_names(universe.id))


async def test_gate_shows_conflicts_first_with_diff_evidence_and_what_they_meet(table: Table) -> None:
    assert table.shows("2 accept · 1 undecided · 1 in conflict")
    assert table.shows(f"− {ALLIES}", f"+ {ENEMIES}")
    assert table.shows("“Wenna Pike enemy_of Mara Venn”", f"Canon says “{ALLIES}”")


async def test_gate_groups_by_subject_by_kind_and_not_at_all(table: Table) -> None:
    assert table.shows("Mara Venn 1")
    assert table.shows("in conflict 1")
    await table.press("g")
    assert table.shows("in conflict 1", "fact 1", "place 1")
    assert not table.shows("Mara Venn 1")
    await table.press("g")
    assert not table.shows("in conflict 1 ⚠1")


async def test_gate_filter_narrows_and_escape_widens_again(table: Table) -> None:
    await table.press("slash")
    await table.type("rain", enter=False)
    assert table.shows(RAIN.removesuffix("."))
    assert not table.shows("Flooded Nave")
    await table.press("enter", "r", "escape")
    assert table.shows("Flooded Nave")
    assert table.screen == "GateScreen"
    assert await verdicts(table) == {RAIN: Verdict.REJECT}


async def test_gate_keeps_a_decision_and_takes_it_back(table: Table) -> None:
    await table.press("d")
    assert await verdicts(table) == {ENEMIES: Verdict.DEFER}
    await table.press("up", "u")
    assert await verdicts(table) == {}


async def test_gate_decides_several_marked_rows_at_once(table: Table) -> None:
    await table.press("space", "space", "r")
    assert await verdicts(table) == {ENEMIES: Verdict.REJECT, "Flooded Nave": Verdict.REJECT}


async def test_gate_accept_all_but_the_marked_leaves_conflicts_alone(table: Table) -> None:
    await table.press("g", "down", "space", "A")
    assert await verdicts(table) == {"Flooded Nave": Verdict.ACCEPT, "Mara Venn: HP 10 → 7": Verdict.ACCEPT}


async def test_gate_commit_asks_only_about_conflicts(table: Table) -> None:
    await table.press("enter")
    assert table.screen == "ConfirmDialog"
    assert table.shows("1 of these is in conflict", ENEMIES.removesuffix("."))
    await table.press("escape")
    assert "Flooded Nave" not in await canon_names(table)
    await table.press("r", "enter")
    assert table.screen == "CommitReportDialog"
    assert "Flooded Nave" in await canon_names(table)


async def test_gate_commit_says_what_is_canon_now_and_goes_on_to_the_next_scene(table: Table) -> None:
    await table.press("r", "enter")
    assert table.shows("Canon now says", "✓ Mara Venn's HP is 7.", "2 accepted")
    await table.press("enter")
    assert table.screen == "SceneScreen"
    assert table.shows("scene 2")
    assert len(table.app.screen_stack) == 2


async def test_gate_tells_what_failed_and_leaves_it_to_be_decided(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    nave = (await gate_rows(table))["Flooded Nave"].proposal.id

    async def commit_half(service: GateService, scene_id: Id) -> CommitReport:
        return CommitReport(None, (), (), 0, 0, 0, 0, failures=((nave, "canon has it already"),))

    monkeypatch.setattr(GateService, "commit", commit_half)
    await table.press("r", "enter")
    assert table.shows("Some of it could not be written", "✗ Flooded Nave canon has it already", "1 failed")
    await table.press("enter")
    assert table.screen == "GateScreen"


async def test_gate_commit_that_is_refused_says_why(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    refusal = CanonConflict("Canon says otherwise.", kept="Your decisions are kept.", todo="Look again.")
    fail_once(monkeypatch, table.services.gate, "commit", refusal)
    await table.press("r", "enter")
    assert table.screen == "GateScreen"
    assert table.shows("Canon says otherwise.", "Your decisions are kept.", "Look again.")
    await table.press("escape")
    assert not table.shows("Canon says otherwise.")
    assert table.screen == "GateScreen"


async def test_gate_escape_goes_back_to_play_with_every_decision(table: Table) -> None:
    await table.press("a", "escape")
    assert table.screen == "SceneScreen"
    assert (await table.services.stories.stories())[0].scene_state == "active"
    assert await verdicts(table) == {ENEMIES: Verdict.ACCEPT}


async def test_gate_looked_at_in_play_ends_nothing_and_commits_in_mid_scene(gate_home: Path) -> None:
    async with seated(real_desk(gate_home, 8), NARROW) as table:
        await table.press("enter", "f3", "escape")
        assert table.screen == "SceneScreen"
        assert (await table.services.stories.stories())[0].scene_state == "active"
        await table.press("f3", "r", "enter", "enter")
        assert table.screen == "SceneScreen"  # committed in mid-scene: play goes on
        assert "Flooded Nave" in await canon_names(table)


async def test_gate_evidence_opens_the_transcript_at_its_turn(table: Table) -> None:
    await table.press("x")
    assert table.screen == "ReadingScreen"
    assert table.shows("turn 7", "Drag marks run to the water.")
    await table.press("escape")
    assert table.screen == "GateScreen"


async def test_gate_marks_take_in_all_rows_that_are_shown(table: Table) -> None:
    await table.press("slash")
    await table.type("Mara Venn", enter=False)
    await table.press("enter", "asterisk", "r")
    assert await verdicts(table) == {ENEMIES: Verdict.REJECT, "Mara Venn: HP 10 → 7": Verdict.REJECT}
    await table.press("asterisk", "asterisk", "home", "d")
    deferred = [title for title, verdict in (await verdicts(table)).items() if verdict is Verdict.DEFER]
    assert len(deferred) == 1, "marking all twice marks none"


async def test_gate_accept_all_leaves_out_what_a_rule_rejects(gate_home: Path) -> None:
    async with seated(real_desk(gate_home, 8), NARROW) as table:
        universe = (await table.services.stories.universes())[0]
        await table.services.policy.set_rule(universe.id, "assert_fact:weather", KindRule.REJECT)
        await table.press("enter")
        await table.type("/end")
        await table.press("g", "g")
        assert table.shows("by rule")
        await table.press("A")
        assert (await verdicts(table)).keys() == {"Flooded Nave", "Mara Venn: HP 10 → 7"}


async def test_gate_shows_closed_rows_last_and_takes_one_back(table: Table) -> None:
    await table.press("end")
    assert table.shows("decided 1", "in canon", "u Undo")
    assert not table.shows("a Accept")
    await table.press("a", "r", "e", "space", "u")
    assert await verdicts(table) == {}
    assert table.shows("Proposed: Never true", "retcon")
    assert (await gate_rows(table))[ALLIES].status is ProposalStatus.ACCEPTED


async def test_gate_does_not_show_a_refused_verdict_as_kept(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusal = CanonConflict("The disk is full.", kept="Nothing was decided.")
    fail_once(monkeypatch, table.services.gate, "decide", refusal)
    await table.press("d")
    assert table.shows("The disk is full.", "Nothing was decided.")
    assert not table.shows("deferred")


# --- the gate of a universe -------------------------------------------------------------------------------


@pytest.fixture
async def beside(gate_home: Path) -> AsyncIterator[Table]:
    """The gate of a universe in which something was put off, come to from its browser."""
    async with seated(real_desk(gate_home, 8), NARROW) as table:
        scene = (await table.services.stories.stories())[0].scene
        assert scene is not None
        rows = {row.title: row for row in (await table.services.gate.gate(scene.id, None)).proposals}
        for title, verdict in (
            (ENEMIES, Verdict.REJECT),
            (RAIN, Verdict.DEFER),
            ("Flooded Nave", Verdict.DEFER),
        ):
            await table.services.gate.decide([rows[title].proposal.id], verdict)
        await table.services.stories.resume(scene.story_id)
        await table.services.play.submit(scene.id, "/end")
        await table.services.gate.commit(scene.id)
        await table.services.stories.suspend()
        await table.press("3", "g")
        assert table.screen == "GateScreen"
        yield table


async def test_universe_gate_commits_what_was_put_off(beside: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    scene_commits = record_calls(monkeypatch, beside.services.gate, "commit")
    universe = (await beside.services.stories.universes())[0]
    assert beside.shows("Canon gate", universe.name)
    await beside.press("A", "enter")
    assert not scene_commits
    assert beside.shows("Canon now says", "+ Flooded Nave")
    await beside.press("enter")
    assert beside.screen == "UniverseScreen"
    assert "Flooded Nave" in await canon_names(beside)


async def test_universe_gate_left_by_escape_reopens_no_scene(
    beside: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    reopened = record_calls(monkeypatch, beside.services.gate, "reopen_scene")
    await beside.press("d", "escape")
    assert beside.screen == "UniverseScreen"
    assert not reopened


async def test_universe_gate_that_is_empty_says_what_would_come_here(
    sample_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with seated(real_desk(sample_home, 8), NARROW) as table:
        commits = record_calls(monkeypatch, table.services.gate, "commit_universe")
        await table.press("3", "g")
        assert table.shows("Nothing to decide. Your own edits")
        assert not table.shows("⏎ Commit")
        await table.press("enter")
        assert not commits


async def test_universe_gate_stays_open_when_its_commit_fails_in_part(
    beside: Table, monkeypatch: pytest.MonkeyPatch
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
async def test_universe_gate_accepts_what_was_deferred_at_a_scene_s_end(tmp_path: Path) -> None:
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
async def test_gate_review_of_a_hundred_proposals(tmp_path: Path) -> None:
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
