"""A commit that is written at once to canon and the log, on every adapter that is one database."""

from __future__ import annotations

import pytest

from stores.authority import Role
from stores.errors import NotFound, WriteDenied
from stores.ports import CommitWriter
from stores.records.canon import Fact
from stores.records.workflow import Canonization, CanonizationState, ProposalStatus, ProposedChange
from tests.contract import builders as make
from tests.contract.conftest import Truth
from tests.contract.test_narrative_log import LogHandles


@pytest.fixture
def commits(truth: Truth) -> CommitWriter:
    if truth.commits is None:
        pytest.skip(
            "canon and log of this adapter are two databases: a commit is planned, written and closed"
        )
    return truth.commits(Role.CANON_KEEPER)


async def stage_and_plan(truth: Truth, handles: LogHandles) -> tuple[ProposedChange, Fact, Canonization]:
    change = make.proposal(handles.scene)
    await handles.resolver.stage([change])
    hero = make.entity("Mara")
    fact = make.fact("She swims.", hero)
    batch = make.batch(universe=make.universe(id=make.UNIVERSE), entities=(hero,), facts=(fact,))
    return change, fact, make.canonization(make.outcome(change), of=handles.scene, batch=batch)


async def test_whole_commit_leaves_what_its_three_steps_leave(truth: Truth, commits: CommitWriter) -> None:
    handles = await LogHandles(truth).set_up()
    change, fact, canonization = await stage_and_plan(truth, handles)
    await commits.write_commit(canonization, [fact.id])

    canon = truth.canon(Role.CONTEXT_ASSEMBLY)
    assert (await canon.facts_by_id([fact.id]))[fact.id] == fact
    assert await handles.status(change.id) is ProposalStatus.ACCEPTED
    assert (await handles.reader.scene(handles.scene.id)).canonical_outcomes == (fact.id,)
    (closed,) = await handles.reader.canonizations()
    assert closed == canonization.model_copy(update={"state": CanonizationState.CLOSED})

    before = (await handles.reader.canonizations(), await canon.facts(make.UNIVERSE))
    await truth.canon(Role.CANON_KEEPER).commit(canonization.batch)
    await handles.keeper.close_canonization(canonization, [fact.id])
    assert (await handles.reader.canonizations(), await canon.facts(make.UNIVERSE)) == before


async def test_whole_commit_that_fails_in_the_log_is_not_in_canon(
    truth: Truth, commits: CommitWriter
) -> None:
    handles = await LogHandles(truth).set_up()
    change, fact, canonization = await stage_and_plan(truth, handles)
    elsewhere = canonization.model_copy(update={"scene_id": make.new_id()})
    with pytest.raises(NotFound):
        await commits.write_commit(elsewhere, [fact.id])
    assert await truth.canon(Role.CONTEXT_ASSEMBLY).facts_by_id([fact.id]) == {}
    assert await handles.reader.canonizations() == []
    assert await handles.status(change.id) is ProposalStatus.PENDING


@pytest.mark.parametrize("role", [role for role in Role if role is not Role.CANON_KEEPER])
async def test_whole_commit_is_written_by_the_canon_keeper_alone(truth: Truth, role: Role) -> None:
    if truth.commits is None:
        pytest.skip(
            "canon and log of this adapter are two databases: a commit is planned, written and closed"
        )
    handles = await LogHandles(truth).set_up()
    _, fact, canonization = await stage_and_plan(truth, handles)
    with pytest.raises(WriteDenied):
        await truth.commits(role).write_commit(canonization, [fact.id])
    assert await truth.canon(Role.CONTEXT_ASSEMBLY).facts_by_id([fact.id]) == {}
