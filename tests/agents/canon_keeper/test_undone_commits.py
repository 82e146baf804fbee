"""A commit that takes another back, and is stopped anywhere: canon and the gate say the same, before and after."""

from __future__ import annotations

import pytest

from agents.canon_keeper.keeper import CanonKeeper
from stores.records.canon import RetconFact
from stores.records.ids import Id
from stores.records.workflow import (
    Decision,
    ProposalOutcome,
    ProposalStatus,
    ProposedChange,
    Verdict,
)
from stores.records.world import EntityKind, EntityStatus
from tests.agents.canon_keeper.conftest import KeeperLibrary
from tests.agents.canon_keeper.proposal_builders import MARA, STORY, creates, entity, hurt, proposal
from tests.agents.canon_keeper.test_recovery import STEPS, PowerCut, stopped

GUARD = entity("Guard")
CHANGES = [creates("Guard", EntityKind.CHARACTER), hurt(MARA, 3, tick=10)]


async def write_and_plan(library: KeeperLibrary) -> tuple[Id, list[ProposedChange], list[ProposalOutcome]]:
    """Commit the changes; return that commit, what takes it back, and what is opened again."""
    await library.lay()
    await library.stage(*CHANGES)
    scene = await library.scene()
    result = await library.keeper.commit(CHANGES, reason="by hand", scene=scene, story_id=STORY)
    assert result.canonization_id is not None
    (fact,) = [f for f in result.facts if f.proposal_id == CHANGES[1].id]
    retcons = [proposal(RetconFact(fact_id=i)) for i in (fact.id, GUARD.id)]
    await library.stage(*retcons)
    reopened = [
        ProposalOutcome(proposal_id=p.id, status=ProposalStatus.PENDING, decision=None) for p in CHANGES
    ]
    return result.canonization_id, retcons, reopened


async def take_back(
    library: KeeperLibrary,
    keeper: CanonKeeper,
    commit_id: Id,
    retcons: list[ProposedChange],
    reopened: list[ProposalOutcome],
) -> None:
    decision = Decision(verdict=Verdict.ACCEPT, by="gm", at=CHANGES[0].created_at)
    await keeper.commit(
        retcons,
        reason="undo of: by hand",
        scene=await library.scene(),
        story_id=STORY,
        undecided="leave",
        undoes=commit_id,
        decisions={p.id: decision for p in retcons},
        further_outcomes=reopened,
    )


@pytest.mark.parametrize("done", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("step", STEPS)
async def test_undone_commit_power_cut_at_any_step_leaves_canon_and_gate_in_agreement(
    step: str, done: bool, keeper_library: KeeperLibrary
) -> None:
    plan = await write_and_plan(keeper_library)
    with pytest.raises(PowerCut):
        await take_back(keeper_library, stopped(keeper_library, step, PowerCut(), done=done), *plan)
    await keeper_library.keeper_with().recover()

    statuses = {
        p.status for p in (await keeper_library.log.proposals_by_id([c.id for c in CHANGES])).values()
    }
    guard = (await keeper_library.canon.entities_by_id([GUARD.id]))[GUARD.id]
    if (step, done) == ("plan_canonization", False):
        assert (statuses, guard.status) == ({ProposalStatus.ACCEPTED}, EntityStatus.CANONICAL)
        return
    assert (statuses, guard.status) == ({ProposalStatus.PENDING}, EntityStatus.RETCONNED)

    whole_before = await keeper_library.whole()
    assert await keeper_library.keeper_with().recover() == []
    assert await keeper_library.whole() == whole_before
    result = await keeper_library.keeper.commit(
        CHANGES, reason="by hand", scene=await keeper_library.scene(), story_id=STORY
    )
    assert not result.failures
    restored = (await keeper_library.canon.entities_by_id([GUARD.id, MARA.id])).values()
    assert {e.status for e in restored} == {EntityStatus.CANONICAL}
