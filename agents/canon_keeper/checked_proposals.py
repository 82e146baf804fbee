"""Remembers the last checks of open proposals, so that what is proposed next is checked against them alone.

A gate may hold thousands of proposals, and after each typed line one is new. Proposals that come last in the order of
writing are checked after those before them; whatever else changes has all of them checked again.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from agents.canon_keeper.canon_snapshot import CanonSnapshot, merge_snapshots, read_snapshot
from agents.canon_keeper.change_application import in_writing_order
from agents.canon_keeper.checks.contradictions import CheckRun, ContradictionReport
from agents.canon_keeper.conflicts.precedents import Precedents
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.universe_policy import UniversePolicy
from agents.proposals.decisions import gm_decision, is_rejected
from agents.thread_work import run_beside_screen
from stores.ports import CanonReader
from stores.records.canon import AdvanceClock, AssertFact, CreateEntity, NoteAxiom, StateChange
from stores.records.ids import Id
from stores.records.workflow import ProposedChange

MAX_REMEMBERED_GATES = 4
"""Lists of open proposals of which the checks are remembered: a scene's, its universe's, and a turn's."""

_CHECKED_BY_THEMSELVES = (AssertFact, StateChange, AdvanceClock, NoteAxiom, CreateEntity)
"""Changes that are checked after others without reading anew what those needed: they take nothing back."""


class CheckedProposals(NamedTuple):
    """The part of canon that was read for some proposals, and what the checks found of each."""

    canon: CanonSnapshot
    contradictions: ContradictionReport


@dataclass(slots=True)
class _RememberedChecks:
    """The checks of a list of proposals, in the order of writing, and what they rest on."""

    commit_count: int
    """Commits until then: only they change canon."""
    precedents: Precedents
    catalogue: Catalogue
    closed_ids: frozenset[Id]
    """Closed proposals of which was read what they name."""
    inputs: list[tuple[ProposedChange, bool]]
    gm_decided_ids: set[Id]
    canon: CanonSnapshot
    run: CheckRun
    report: ContradictionReport

    def rests_on(self, commit_count: int, policy: UniversePolicy, closed_ids: frozenset[Id]) -> bool:
        return (
            self.commit_count == commit_count
            and self.catalogue is policy.catalogue
            and self.precedents == policy.precedents
            and closed_ids <= self.closed_ids
        )

    def covers(self, inputs: Sequence[tuple[ProposedChange, bool]], gm_decided_ids: set[Id]) -> bool:
        """Return whether the checks of the first `inputs` are these, and the rest can be checked after them."""
        new_proposals = [proposal for proposal, _ in inputs[len(self.inputs) :]]
        return (
            inputs[: len(self.inputs)] == self.inputs
            and all(isinstance(proposal.payload, _CHECKED_BY_THEMSELVES) for proposal in new_proposals)
            # What an old ruling turned down counts again as soon as somebody decides it.
            and not any(
                self.report.findings[i].ruled_out
                for i in self.gm_decided_ids ^ gm_decided_ids
                if i in self.report.findings
            )
        )


class ProposalCheckMemory:
    """Checks lists of open proposals, each from where its last check ended."""

    def __init__(self, canon: CanonReader) -> None:
        self._canon = canon
        self._lock = asyncio.Lock()
        self._remembered: OrderedDict[Id, _RememberedChecks] = OrderedDict()

    async def check(
        self,
        proposals: Sequence[ProposedChange],
        closed_proposals: Sequence[ProposedChange],
        universe_id: Id,
        policy: UniversePolicy,
        commit_count: int,
        *,
        is_last: bool = False,
    ) -> CheckedProposals:
        """Check the proposals against canon and each other. Raises StoreError.

        With `is_last` the checks are not remembered: a commit goes on from what they come to.
        """
        ordered_proposals = in_writing_order(proposals)
        inputs = [(_undecided(proposal), is_rejected(proposal)) for proposal in ordered_proposals]
        gm_decided_ids = {proposal.id for proposal in proposals if gm_decision(proposal) is not None}
        closed_ids = frozenset(proposal.id for proposal in closed_proposals)
        key = ordered_proposals[0].id if ordered_proposals else universe_id
        async with self._lock:
            remembered = self._remembered.pop(key, None)  # dropped if checking on fails
            if (
                remembered is not None
                and remembered.rests_on(commit_count, policy, closed_ids)
                and remembered.covers(inputs, gm_decided_ids)
            ):
                new_proposals = ordered_proposals[len(remembered.inputs) :]
                if new_proposals:
                    new_canon = await read_snapshot(self._canon, policy.catalogue, universe_id, new_proposals)
                    remembered.canon = merge_snapshots(remembered.canon, new_canon)
                    remembered.run.add_canon(remembered.canon, new_canon)
            else:
                canon = await read_snapshot(
                    self._canon,
                    policy.catalogue,
                    universe_id,
                    proposals,
                    closed_proposals=closed_proposals,
                )
                new_proposals = ordered_proposals
                run = CheckRun(canon, policy.catalogue, policy.precedents)
                remembered = _RememberedChecks(
                    commit_count,
                    policy.precedents,
                    policy.catalogue,
                    closed_ids,
                    [],
                    set(),
                    canon,
                    run,
                    run.report(),
                )
            if new_proposals:
                remembered.report = await _check(remembered.run, new_proposals)
            remembered.inputs, remembered.gm_decided_ids = inputs, gm_decided_ids
            if not is_last:
                self._remembered[key] = remembered
            while len(self._remembered) > MAX_REMEMBERED_GATES:
                self._remembered.popitem(last=False)
            return CheckedProposals(remembered.canon, remembered.report)


async def _check(run: CheckRun, proposals: Sequence[ProposedChange]) -> ContradictionReport:
    def check_all() -> ContradictionReport:
        for proposal in proposals:
            run.check_proposal(proposal)
        return run.report()

    return await run_beside_screen(check_all, item_count=len(proposals))


def _undecided(proposal: ProposedChange) -> ProposedChange:
    """Return the proposal as the checks see it: with what it would change, whatever else was decided of it."""
    if proposal.decision is None:
        return proposal
    return proposal.model_copy(update={"payload": proposal.change, "decision": None})
