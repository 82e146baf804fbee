"""Undo of a commit takes back that it was accepted, not what was proposed: it waits at the gate as before."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from monitor_tui.compose import Program
from stores.embedded.narrative_log import EmbeddedLog
from stores.errors import InputError, StoreFull
from stores.records.ids import Id
from stores.records.play import CriticalCommitMode
from stores.records.workflow import ProposalStatus, Verdict
from tests.agents.canon_keeper.test_recovery import PowerCut
from tests.program import begin, opened

FERRY = (
    "/npc here Maud Tesk: ferrywoman",
    "/thing iron key",
    "> Maud hands you the iron key.",
    "I step closer. /check might vs 99; fail: Mara.hp -2",
)


@dataclass(frozen=True)
class SceneState:
    """What a player sees of a scene, its gate and canon."""

    gate: tuple[tuple[object, ...], ...]
    cast: tuple[tuple[object, ...], ...]
    place: str
    canon: frozenset[str]


async def say(program: Program, scene_id: Id, *lines: str) -> tuple[str, ...]:
    """Play the lines, each with its question answered, and return what the last one replied."""
    told: tuple[str, ...] = ()
    for line in lines:
        reply = await program.services.play.submit(scene_id, line)
        if reply.confirm_line:
            reply = await program.services.play.submit(scene_id, reply.confirm_line)
        told = reply.lines
    return told


async def read_canon(program: Program, scene_id: Id) -> frozenset[str]:
    universe_id = (await program.services.play.scene(scene_id)).universe.id
    facts = (await program.services.world.provenance.read_canon_at(universe_id, "now")).facts
    # The value that somebody was made with is kept in a sentence as soon as it is changed once: it is true.
    made_with = {"Mara's HP is 10."}
    names = await program.services.world.list_entity_names(universe_id)
    return frozenset({*(row.fact.statement for row in facts), *names} - made_with)


async def read_state(program: Program, scene_id: Id) -> SceneState:
    view = await program.services.play.scene(scene_id)
    rows = (await program.services.gate.gate(scene_id)).proposals
    return SceneState(
        tuple((r.number, r.title, r.quote, r.status, r.verdict, r.mark, r.is_retconned) for r in rows),
        tuple((m.name, tuple(sorted(m.numbers.items())), m.tags, m.note) for m in view.cast),
        view.place,
        await read_canon(program, scene_id),
    )


async def test_undo_of_same_leaves_nobody_in_canon_and_asks_again(tmp_path: Path) -> None:
    """“No, that is somebody else”: the stranger is proposed as before, and canon has not heard of them."""
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "/npc Gil Oakum: a pilot", "/accept Gil", "/commit")
        before = await read_state(program, scene_id)
        await say(program, scene_id, "/npc gil oakum: a stranger")
        asked = await read_state(program, scene_id)
        assert asked.canon == before.canon
        told = await say(program, scene_id, "/same gil oakum")
        assert [line for line in told if "oakum" in line.lower()] == [
            "Canon: Gil Oakum is a stranger.",
            "Canon: gil oakum is Gil Oakum",
        ]
        same = await read_state(program, scene_id)
        assert same.gate != asked.gate
        await say(program, scene_id, "/undo yes")
        assert await read_state(program, scene_id) == asked
        await say(program, scene_id, "/redo")
        assert await read_state(program, scene_id) == same
        await say(program, scene_id, "/undo yes", "/undo")
        assert await read_state(program, scene_id) == before


@pytest.mark.parametrize("is_known", [False, True])
async def test_undo_of_a_ruling_gives_back_both_sides_and_the_conflict(
    tmp_path: Path, is_known: bool
) -> None:
    """“No, I chose the wrong one”: one Ctrl+Z, and I am asked again; Ctrl+Y, and it is decided as before."""
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        known = ("/accept Ned", "/commit", "I wait.") if is_known else ()
        await say(program, scene_id, "/npc Ned Crake: a smith", *known)
        await say(program, scene_id, "/fact Ned Crake is married", "/fact Ned Crake has never married")
        asked = await read_state(program, scene_id)
        assert [row[5] for row in asked.gate if "married" in str(row[1])] == ["hold", "hold"]
        rows = (await program.services.gate.gate(scene_id)).proposals
        number = next(r.number for r in rows if "never married" in r.title)
        await say(program, scene_id, f"/resolve {number} never")
        ruled = await read_state(program, scene_id)
        assert "hold" not in [row[5] for row in ruled.gate]
        for _ in range(2):
            await say(program, scene_id, "/undo")
            assert await read_state(program, scene_id) == asked
            await say(program, scene_id, "/redo")
            assert await read_state(program, scene_id) == ruled


async def test_undo_of_different_asks_again_before_it_takes_the_person(tmp_path: Path) -> None:
    """“Oh, they are the same after all”: one Ctrl+Z asks again, the next takes the stranger; Ctrl+Y goes back."""
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "/npc Gil Oakum: a pilot", "/accept Gil", "/commit", "I wait.")
        before = await read_state(program, scene_id)
        await say(program, scene_id, "/npc gil oakum: a stranger")
        asked = await read_state(program, scene_id)
        assert [row[5] for row in asked.gate if row[1] == "gil oakum"] == ["hold"]
        await say(program, scene_id, "/different gil")
        different = await read_state(program, scene_id)
        assert [row[5] for row in different.gate if row[1] == "gil oakum"] == ["accept"]
        for _ in range(2):
            assert await say(program, scene_id, "/undo") == ("Undone: Resolved: gil oakum",)
            assert await read_state(program, scene_id) == asked
            await say(program, scene_id, "/undo")
            assert await read_state(program, scene_id) == before
            await say(program, scene_id, "/redo")
            assert await read_state(program, scene_id) == asked
            await say(program, scene_id, "/redo")
            assert await read_state(program, scene_id) == different
        await say(program, scene_id, "/undo", "/different gil")
        assert await read_state(program, scene_id) == different
        view = await program.services.play.scene(scene_id)
        assert not view.can_redo


@pytest.mark.parametrize("way", ["different", "never"])
async def test_undo_at_the_gate_takes_a_ruling_back(tmp_path: Path, way: str) -> None:
    """Ctrl+Z at the gate after C and a choice there: the conflict is back."""
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "/npc Gil Oakum: a pilot", "/accept Gil", "/commit", "I wait.")
        name = "gil oakum"
        if way == "different":
            await say(program, scene_id, "/npc gil oakum: a stranger")
        else:
            await say(program, scene_id, "/npc Ned Crake: a smith")
            await say(program, scene_id, "/fact Ned Crake is married", "/fact Ned Crake has never married")
            name = "Ned Crake has never married."
        asked = await read_state(program, scene_id)
        number = next(row[0] for row in asked.gate if row[1] == name)
        await say(program, scene_id, f"/resolve {number} {way}")
        assert await read_state(program, scene_id) != asked
        universe_id = (await program.services.play.scene(scene_id)).universe.id
        await program.services.gate.undo_last_decision(scene_id, universe_id)
        assert await read_state(program, scene_id) == asked


async def test_undo_of_a_commit_in_mid_scene_puts_its_rows_back_at_the_gate(tmp_path: Path) -> None:
    """“I only wanted to untick one row”: the rows stand at the gate, Maud is here, and HP is 8."""
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, *FERRY)
        before = await read_state(program, scene_id)
        assert {name for name, *_ in before.cast} == {"Mara", "Maud Tesk"}
        await program.services.gate.commit(scene_id)
        committed = await read_state(program, scene_id)
        assert "Maud Tesk" in committed.canon
        await say(program, scene_id, "/undo")
        assert await read_state(program, scene_id) == before
        await say(program, scene_id, "/redo")
        assert await read_state(program, scene_id) == committed
        await say(program, scene_id, "/undo")
        (key_row,) = [
            r for r in (await program.services.gate.gate(scene_id)).proposals if r.title == "iron key"
        ]
        await program.services.gate.decide([key_row.proposal.id], Verdict.REJECT)
        report = await program.services.gate.commit(scene_id)
        assert [entity.name for entity in report.entities] == ["Maud Tesk"]
        assert [fact.statement for fact in report.facts] == ["Mara's HP is 8."]
        assert (report.accepted_count, report.replaced, report.failures) == (2, (), ())
        after = await read_state(program, scene_id)
        assert "Maud Tesk" in after.canon
        assert "iron key" not in after.canon
        assert after.cast == committed.cast


async def test_redo_after_another_line_says_that_the_rows_wait_at_the_gate(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, *FERRY)
        await program.services.gate.commit(scene_id)
        await say(program, scene_id, "/undo", "I look at the door.")
        assert (await program.services.play.scene(scene_id)).can_redo
        with pytest.raises(InputError, match="waits at the gate"):
            await say(program, scene_id, "/redo")
        await program.services.gate.commit(scene_id)
        assert {"Maud Tesk", "iron key"} <= await read_canon(program, scene_id)


async def test_undo_of_a_discovery_that_was_made_canon_leaves_it_proposed(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I search the chapel.", "> A stair leads down.", "/place Hidden Stair")
        before = await read_state(program, scene_id)
        await program.services.gate.commit_trigger(scene_id)
        await say(program, scene_id, "/undo")
        assert await read_state(program, scene_id) == before


@pytest.mark.slow
@pytest.mark.parametrize(
    "lines",
    [
        ("/state Mara +dead",),
        ("/npc Tam: keeper of the bell", "/fact Tam owns a red coat", "/fact event: Tam rang the bell"),
        ("/clock Tide 6", "/clock Tide +2"),
        ("I promise Maud to come back.",),
        ("/secret The bell is hollow",),
        ("/place Loft", "/go Loft"),
        ("/state Mara.hp -3, Mara +tired", "/state Mara.hp -1", "/state Mara -tired"),
        ("/fact The door is red", "/reject 1", "/fact The bell is cracked"),
        ("/axiom No one can fly",),
    ],
)
async def test_undo_and_redo_of_a_commit_leave_scene_gate_and_canon_as_before(
    tmp_path: Path, lines: tuple[str, ...]
) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "/npc here Maud: a ferrywoman", "I look round.", *lines)
        before = await read_state(program, scene_id)
        await program.services.gate.commit(scene_id)
        committed = await read_state(program, scene_id)
        assert committed.canon > before.canon
        for _ in range(2):
            await say(program, scene_id, "/undo")
            assert await read_state(program, scene_id) == before
            await say(program, scene_id, "/redo")
            assert await read_state(program, scene_id) == committed
        await say(program, scene_id, "/undo", "I wait.", "/undo")
        assert await read_state(program, scene_id) == before
        await program.services.gate.commit(scene_id)
        assert await read_state(program, scene_id) == committed


async def test_what_was_edited_before_the_commit_keeps_its_words_and_may_be_edited_again(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I look round.", "/fact The door is rde")
        (row,) = (await program.services.play.scene(scene_id)).proposals
        await program.services.gate.edit_text(row.proposal.id, "The door is red.")
        before = await read_state(program, scene_id)
        await program.services.gate.commit(scene_id)
        await say(program, scene_id, "/undo")
        assert await read_state(program, scene_id) == before
        await program.services.gate.edit_text(row.proposal.id, "The door is green.")
        await program.services.gate.commit(scene_id)
        assert (await read_canon(program, scene_id)) - before.canon == {"The door is green."}
        await say(program, scene_id, "/undo")
        assert await read_canon(program, scene_id) == before.canon
        await program.services.gate.decide([row.proposal.id], None)
        await program.services.gate.commit(scene_id)
        assert (await read_canon(program, scene_id)) - before.canon == {"The door is rde."}
        (closed_row,) = (await program.services.gate.gate(scene_id)).proposals
        assert (closed_row.status, closed_row.is_retconned) == (ProposalStatus.ACCEPTED, False)
        await say(program, scene_id, "/undo", "/redo")
        assert (await read_canon(program, scene_id)) - before.canon == {"The door is rde."}


async def test_undo_of_a_commit_in_autopilot_leaves_the_rows_to_be_decided(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program, critical=CriticalCommitMode.AUTO)
        await say(program, scene_id, "I look round.")
        before = await read_state(program, scene_id)
        await say(program, scene_id, "/state Mara +dead")
        assert "Mara died." in await read_canon(program, scene_id)
        await say(program, scene_id, "/undo")
        state = await read_state(program, scene_id)
        assert [title for _, title, *_ in state.gate] == ["Mara died"]
        assert state.canon == before.canon
        await say(program, scene_id, "/undo")
        assert await read_state(program, scene_id) == before


async def test_undo_of_a_commit_of_world_edits_puts_them_back_at_the_gate_of_the_universe(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(
            program, scene_id, "/npc Tam: keeper of the bell", "/npc Old Tam: keeper", "/commit", "I wait."
        )
        universe_id = (await program.services.play.scene(scene_id)).universe.id
        ids = {e.name: e.id for e in await program.services.world.list_entities(universe_id)}
        edits = program.services.world.edits
        await edits.propose_fact(universe_id, "The mill burned down")
        await edits.propose_merge(ids["Tam"], ids["Old Tam"])

        async def read_rows() -> list[tuple[object, ...]]:
            rows = (await program.services.gate.gate(None, universe_id)).proposals
            return [(r.number, r.title, r.status, r.verdict, r.is_retconned) for r in rows]

        before, canon_before = await read_rows(), await read_canon(program, scene_id)
        await program.services.gate.commit_universe(universe_id)
        committed, canon_after = await read_rows(), await read_canon(program, scene_id)
        assert canon_before != canon_after
        for _ in range(2):
            await say(program, scene_id, "/undo")
            assert (await read_rows(), await read_canon(program, scene_id)) == (before, canon_before)
            await say(program, scene_id, "/redo")
            assert (await read_rows(), await read_canon(program, scene_id)) == (committed, canon_after)


async def test_undo_that_is_cut_off_before_its_plan_leaves_canon_and_gate_alone_and_is_done_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> None:
        raise StoreFull("The disk is full.")

    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, *FERRY)
        before = await read_state(program, scene_id)
        await program.services.gate.commit(scene_id)
        committed = await read_state(program, scene_id)
        with monkeypatch.context() as patched:
            patched.setattr(EmbeddedLog, "plan_canonization", fail)
            with pytest.raises(StoreFull):
                await say(program, scene_id, "/undo")
    async with opened(tmp_path, seed=2) as program:
        assert await read_state(program, scene_id) == committed
        await say(program, scene_id, "/undo")
        assert await read_state(program, scene_id) == before


async def cut_at(
    monkeypatch: pytest.MonkeyPatch, program: Program, scene_id: Id, line: str, step: str
) -> None:
    """Play a line and stop the program before a step of the log."""

    async def stop(*args: object, **kwargs: object) -> None:
        raise PowerCut

    with monkeypatch.context() as patched:
        patched.setattr(EmbeddedLog, step, stop)
        with pytest.raises(PowerCut):
            await say(program, scene_id, line)


@pytest.mark.parametrize("step", ["put_ruling", "close_canonization", "plan_canonization"])
async def test_undo_and_redo_of_a_ruling_that_are_cut_off_leave_it_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """A kill between what takes a commit back and the mark on its ruling left the ruling in force, and no conflict."""
    is_begun = step != "plan_canonization"
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "/npc Ned Crake: a smith", "/accept Ned", "/commit", "I wait.")
        await say(program, scene_id, "/fact Ned Crake is married", "/fact Ned Crake has never married")
        asked = await read_state(program, scene_id)
        number = next(row[0] for row in asked.gate if "never married" in str(row[1]))
        await say(program, scene_id, f"/resolve {number} never")
        ruled = await read_state(program, scene_id)
        assert "hold" not in [row[5] for row in ruled.gate]
        await cut_at(monkeypatch, program, scene_id, "/undo", step)
        await program.services.stories.recover()
        assert await read_state(program, scene_id) == (asked if is_begun else ruled)
        if not is_begun:
            await say(program, scene_id, "/undo")
        await cut_at(monkeypatch, program, scene_id, "/redo", step)
        await program.services.stories.recover()
        assert await read_state(program, scene_id) == (ruled if is_begun else asked)


async def test_undo_of_a_ruling_names_the_newcomer_and_not_who_stays(tmp_path: Path) -> None:
    """“gil oakum” was merged into Gil Oakum: it is the newcomer that is no longer canon, and no “Gil Oakum”."""
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "/npc Gil Oakum: a mudman", "/commit", "I wait.", "/npc gil oakum: he")
        await say(program, scene_id, "/resolve gil same")
        question = await program.services.play.undo(scene_id)
        assert "  gil oakum" in question.lines
        assert "  Gil Oakum" not in question.lines


async def test_undo_of_a_clock_names_it_without_a_number(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I wait.", "/clock Tide 4", "/commit")
        assert "  Tide" in (await program.services.play.undo(scene_id)).lines
