"""A commit that is stopped anywhere ends as if it had not been: nothing lost, nothing twice."""

from __future__ import annotations

from typing import Any

import pytest

from agents.canon_keeper.keeper import CanonKeeper, CommitResult
from stores.errors import InputError, StoreError, StoreFull
from stores.queries import ProposalQuery
from stores.records.canon import FactStatus, RetconFact
from stores.records.workflow import CanonizationState, ProposalStatus, ProposedChange, Verdict
from stores.records.world import EntityKind
from tests.agents.canon_keeper.conftest import KeeperLibrary
from tests.agents.canon_keeper.proposal_builders import (
    CHAPEL,
    CRYPT,
    LANTERN,
    MARA,
    SCENE,
    STORY,
    UNIVERSE,
    creates,
    entity,
    fact,
    hurt,
    proposal,
    ruled,
    ruling,
    says,
    tagged,
    universe,
)

STEPS = ("plan_canonization", "commit", "close_canonization")


FINISHED = "Finished the commit “scene end”: 3 facts, 1 entity."
DROPPED = "The commit “scene end” was cut off before canon; your decisions are kept."
LINES = {
    ("plan_canonization", False): [],
    ("plan_canonization", True): [DROPPED],
    ("commit", False): [DROPPED],
    ("close_canonization", True): [],
}
"""What is said after a stop at a step, before or after it was done; else it was finished."""


class PowerCut(BaseException):
    """The machine stops: nobody catches this."""


class Stopping:
    """A store that is stopped by `error` at one of its steps, before or after it is done."""

    def __init__(self, store: Any, step: str, error: BaseException, *, done: bool) -> None:
        self._store, self._step, self._error, self._done = store, step, error, done

    def __getattr__(self, name: str) -> Any:
        if name != self._step:
            return getattr(self._store, name)

        async def stop(*args: Any, **kwargs: Any) -> None:
            if self._done:
                await getattr(self._store, name)(*args, **kwargs)
            raise self._error

        return stop


STAY = fact("located_in", MARA, CHAPEL, valid_from=0)
GUARD = entity("Guard")
CHANGES = [
    creates("Guard", EntityKind.CHARACTER),
    hurt(MARA, 3, tick=10),
    hurt(MARA, 2, tick=11),
    says("located_in", MARA, CRYPT, tick=12),
    says("owns", GUARD, LANTERN, tick=12),
    ruled(tagged(MARA, "proud"), Verdict.REJECT),
    says("owns", MARA, entity("Nothing"), tick=12),
]


async def commit(keeper_library: KeeperLibrary, keeper: CanonKeeper) -> CommitResult:
    return await keeper.commit(
        CHANGES, reason="scene end", scene=await keeper_library.scene(), story_id=STORY, close_scene=True
    )


async def ends(keeper_library: KeeperLibrary) -> dict[str, tuple[ProposalStatus, str]]:
    return {
        p.id: (p.status, p.error) for p in await keeper_library.log.proposals(ProposalQuery(scene_id=SCENE))
    }


async def prepared(keeper_library: KeeperLibrary) -> list[ProposedChange]:
    await keeper_library.lay(STAY)
    return await keeper_library.stage(*CHANGES)


def stopped(keeper_library: KeeperLibrary, step: str, error: BaseException, *, done: bool) -> CanonKeeper:
    if step == "commit":
        return keeper_library.keeper_with(canon=Stopping(keeper_library.canon, step, error, done=done))
    return keeper_library.keeper_with(log=Stopping(keeper_library.log, step, error, done=done))


@pytest.mark.parametrize("done", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("step", STEPS)
async def test_recovery_power_cut_at_any_step_is_recovered_from(
    step: str, done: bool, keeper_library: KeeperLibrary, other_library: KeeperLibrary
) -> None:
    await prepared(keeper_library)
    await prepared(other_library)
    await commit(other_library, other_library.keeper)

    with pytest.raises(PowerCut):
        await commit(keeper_library, stopped(keeper_library, step, PowerCut(), done=done))
    lines = await keeper_library.keeper_with().recover()

    assert lines == LINES.get((step, done), [FINISHED])
    if lines != [FINISHED]:
        await commit(keeper_library, keeper_library.keeper)
    assert await keeper_library.whole() == await other_library.whole()
    assert await ends(keeper_library) == await ends(other_library)
    assert await keeper_library.keeper.recover() == [], "once is enough"
    assert await keeper_library.whole() == await other_library.whole()


@pytest.mark.parametrize("step", STEPS)
async def test_recovery_store_that_fails_says_what_is_kept_and_committing_again_finishes_it(
    step: str, keeper_library: KeeperLibrary, other_library: KeeperLibrary
) -> None:
    await prepared(keeper_library)
    await prepared(other_library)
    expected = await commit(other_library, other_library.keeper)

    with pytest.raises(StoreFull) as failed:
        await commit(
            keeper_library, stopped(keeper_library, step, StoreFull("The disk is full."), done=False)
        )
    if step != "plan_canonization":
        assert "Canon could not be written: The disk is full." in failed.value.what
        assert failed.value.kept.startswith("The whole commit is kept in the log")
        assert failed.value.todo == "Commit again, or start MONITOR again."
        assert {status for status, _ in (await ends(keeper_library)).values()} == {ProposalStatus.PENDING}

    result = await commit(keeper_library, keeper_library.keeper)
    assert (result.accepted_count, result.rejected_count, result.failures) == (
        expected.accepted_count,
        expected.rejected_count,
        expected.failures,
    )
    assert await keeper_library.whole() == await other_library.whole()
    assert await ends(keeper_library) == await ends(other_library)
    assert (
        await keeper_library.log.canonizations(states=[CanonizationState.PLANNED, CanonizationState.WRITTEN])
        == []
    )


async def test_recovery_what_canon_never_saw_may_be_decided_anew(keeper_library: KeeperLibrary) -> None:
    await prepared(keeper_library)
    with pytest.raises(StoreError):
        await commit(keeper_library, stopped(keeper_library, "commit", StoreError("No."), done=False))
    await keeper_library.keeper.decide([CHANGES[1].id], ruling(Verdict.REJECT))
    await commit(keeper_library, keeper_library.keeper)
    assert (await keeper_library.canon.entity(MARA.id)).numbers["hp"] == 8
    states = [c.state for c in await keeper_library.log.canonizations()]
    assert states == [CanonizationState.DROPPED, CanonizationState.CLOSED]


async def test_recovery_what_canon_has_is_closed_before_it_is_decided_anew(
    keeper_library: KeeperLibrary,
) -> None:
    await prepared(keeper_library)
    with pytest.raises(StoreError):
        await commit(keeper_library, stopped(keeper_library, "commit", StoreError("No."), done=True))
    with pytest.raises(InputError, match="closed over it"):
        await keeper_library.keeper.decide([CHANGES[1].id], ruling(Verdict.REJECT))
    assert (await ends(keeper_library))[CHANGES[1].id] == (ProposalStatus.ACCEPTED, "")


async def test_recovery_batch_without_a_trace_in_canon_is_marked_as_written(
    keeper_library: KeeperLibrary,
) -> None:
    """It adds nothing by which canon could show that it was written; what adds something needs no mark."""
    await keeper_library.lay(STAY)
    (retcon,) = await keeper_library.stage(proposal(RetconFact(fact_id=STAY.id)))
    with pytest.raises(PowerCut):
        await stopped(keeper_library, "mark_written", PowerCut(), done=True).commit(
            [retcon], reason="scene end", scene=await keeper_library.scene()
        )
    (line,) = await keeper_library.keeper.recover()
    assert line.startswith("Finished the commit “scene end”")
    assert (await keeper_library.canon.fact(STAY.id)).status is FactStatus.RETCONNED
    assert (await ends(keeper_library))[retcon.id] == (ProposalStatus.ACCEPTED, "")


async def test_recovery_says_so_when_the_store_still_fails(keeper_library: KeeperLibrary) -> None:
    await prepared(keeper_library)
    broken = stopped(keeper_library, "close_canonization", StoreError("It is away."), done=False)
    with pytest.raises(StoreError):
        await commit(keeper_library, broken)
    (line,) = await broken.recover()
    assert line.startswith("The commit “scene end” is not finished yet. Canon could not be written")
    (line,) = await keeper_library.keeper.recover()
    assert line.startswith("Finished the commit “scene end”: 3 facts, 1 entity")


@pytest.mark.parametrize("is_written", [False, True])
async def test_recovery_what_is_half_done_is_settled_before_the_next_commit(
    is_written: bool, keeper_library: KeeperLibrary
) -> None:
    """A batch holds absolute values: written after a later one, it would undo it."""
    await prepared(keeper_library)
    with pytest.raises(StoreError):
        await commit(keeper_library, stopped(keeper_library, "commit", StoreError("No."), done=is_written))
    (later,) = await keeper_library.stage(hurt(MARA, 1, tick=20))
    await keeper_library.keeper.commit([later], reason="later", scene=await keeper_library.scene())
    assert (await keeper_library.canon.entity(MARA.id)).numbers["hp"] == (4 if is_written else 9)
    assert await keeper_library.keeper.recover() == []
    await commit(keeper_library, keeper_library.keeper)
    assert (await keeper_library.canon.entity(MARA.id)).numbers["hp"] == 4


async def test_recovery_founding_that_was_cut_off_is_finished(keeper_library: KeeperLibrary) -> None:
    bare = {"scene_id": None, "story_id": None, "turn_id": None, "tick": None}
    begun = await keeper_library.stage(creates("Mara", EntityKind.CHARACTER, **bare))
    with pytest.raises(PowerCut):
        await stopped(keeper_library, "commit", PowerCut(), done=False).create_universe(universe(), begun)
    (line,) = await keeper_library.keeper.recover()
    assert line == "Finished the commit “founding of The Salt Coast”: 0 facts, 1 entity."
    assert await keeper_library.canon.universe(UNIVERSE) == universe()
    assert await keeper_library.canon.entity(MARA.id)
