"""The gate of a universe: what no scene's gate shows is decided and written there, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest

from monitor_tui.compose import Program
from stores.authority import Role
from stores.errors import InputError
from stores.records.canon import AssertFact, Authority, FactKind, Involvement
from stores.records.ids import Id, derive_id
from stores.records.workflow import ProposalStatus, ProposedChange, Verdict
from tests.program import START, begin, opened


async def universe_of(program: Program, scene_id: Id) -> Id:
    return (await program.services.play.scene(scene_id)).universe.id


async def titles(program: Program, universe_id: Id) -> list[str]:
    view = await program.services.gate.gate(None, universe_id)
    return [row.title for row in view.proposals if row.status in ("pending", "deferred", "failed")]


async def told(program: Program, universe_id: Id) -> set[str]:
    return {f.statement for f in await program.stores.canon(Role.CONTEXT_ASSEMBLY).facts(universe_id)}


async def deferred(program: Program, *lines: str) -> tuple[Id, Id]:
    """Play a scene that ends with everything deferred; returns the universe and the next scene."""
    scene_id = await begin(program)
    await program.services.play.submit(scene_id, "/commit")
    for line in lines:
        await program.services.play.submit(scene_id, line)
    rows = [r for r in (await program.services.play.scene(scene_id)).proposals if r.status == "pending"]
    await program.services.gate.decide([r.proposal.id for r in rows], Verdict.DEFER)
    await program.services.play.submit(scene_id, "/end It is night")
    report = await program.services.gate.commit(scene_id)
    assert report.next_scene_id is not None
    return await universe_of(program, scene_id), report.next_scene_id


async def test_universe_gate_what_was_deferred_when_its_scene_closed_waits_here(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        universe_id, scene_id = await deferred(program, "/fact The well is deep", "/fact The well is dry")
        await program.services.play.submit(scene_id, "/fact The moon is down")
        view = await program.services.gate.gate(None, universe_id)
        assert await titles(program, universe_id) == ["The well is deep.", "The well is dry."]
        assert view.elsewhere_count == 1, "what is being played comes to its own gate"

        deep, dry = view.proposals[:2]
        await program.services.gate.decide([deep.proposal.id], Verdict.ACCEPT)
        await program.services.gate.decide([dry.proposal.id], Verdict.REJECT)
        report = await program.services.gate.commit_universe(universe_id)
        assert (report.accepted_count, report.rejected_count, report.deferred_count) == (1, 1, 0)
        assert "The well is deep." in await told(program, universe_id)
        assert "The well is dry." not in await told(program, universe_id)
        assert await titles(program, universe_id) == []
        assert [r.title for r in (await program.services.play.scene(scene_id)).proposals] == [
            "The moon is down."
        ]


async def test_universe_gate_what_is_still_put_off_is_left_as_it_is(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        universe_id, _ = await deferred(program, "/fact The well is deep")
        report = await program.services.gate.commit_universe(universe_id)
        assert report.canonization_id is None
        assert (report.accepted_count, report.deferred_count, report.held_count) == (0, 0, 0)
        assert await titles(program, universe_id) == ["The well is deep."]


async def test_universe_gate_manual_act_waits_here_and_only_what_is_chosen_is_written(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        universe_id = await universe_of(program, scene_id)
        for words in ("The tower leans", "The tower is white"):
            await program.services.world.edits.propose_fact(universe_id, words)
        assert await titles(program, universe_id) == ["The tower leans.", "The tower is white."]
        first = (await program.services.gate.gate(None, universe_id)).proposals[0]
        await program.services.gate.commit_universe(universe_id, [first.proposal.id])
        assert "The tower leans." in await told(program, universe_id)
        assert await titles(program, universe_id) == ["The tower is white."]


async def test_universe_gate_abandoned_story_leaves_what_it_proposed_here(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await program.services.play.submit(scene_id, "/fact The moon is down")
        universe_id = await universe_of(program, scene_id)
        assert await titles(program, universe_id) == []
        await program.services.stories.abandon((await program.services.play.scene(scene_id)).story.id)
        assert await titles(program, universe_id) == ["The moon is down."]


async def test_universe_gate_what_could_not_be_written_says_why_and_is_tried_again(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        universe_id, nobody = await universe_of(program, scene_id), derive_id("nobody")
        odd = ProposedChange(
            id=derive_id("odd"),
            universe_id=universe_id,
            payload=AssertFact(
                fact_kind=FactKind.ATTRIBUTE,
                predicate="said_of",
                statement="Nobody is tall.",
                involves=(Involvement(role="subject", entity_id=nobody),),
            ),
            authority=Authority.GM,
            created_at=START,
        )
        await program.stores.log(Role.RESOLVER).stage([odd])
        await program.services.gate.decide([odd.id], Verdict.ACCEPT)
        for _ in range(2):
            report = await program.services.gate.commit_universe(universe_id)
            assert [what for what, _ in report.failures] == [odd.id]
        (row,) = [
            r for r in (await program.services.gate.gate(None, universe_id)).proposals if r.status == "failed"
        ]
        assert row.status is ProposalStatus.FAILED
        assert "not in canon" in row.proposal.error


async def test_universe_gate_gate_of_nothing_is_refused(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        with pytest.raises(InputError, match="Whose gate"):
            await program.services.gate.gate(None)
