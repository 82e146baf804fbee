"""Plans a commit: assesses open proposals, decides them and builds one batch. It writes nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agents.canon_keeper.assessment import ProposalAssessor
from agents.canon_keeper.batch_builder import CommitExtras, build_batch
from agents.canon_keeper.canon_policy import KindRules
from agents.canon_keeper.canon_snapshot import CanonSnapshot
from agents.canon_keeper.proposal_outcomes import UndecidedHandling, outcomes_of, settle_outcomes
from agents.canon_keeper.proposal_subjects import named_entities
from agents.proposals.decisions import is_rejected
from stores.records.canon import CanonBatch, CreateEntity
from stores.records.ids import Clock, Id
from stores.records.workflow import Canonization, ProposedChange, Ruling


@dataclass(frozen=True, slots=True)
class CommitPlan:
    """What a commit would write (None: nothing at all), and how many proposals a conflict holds back."""

    canonization: Canonization | None
    held_count: int


class CommitPlanner:
    """Plans commits."""

    def __init__(self, assessor: ProposalAssessor, clock: Clock) -> None:
        self._assessor = assessor
        self._clock = clock

    async def plan_commit(
        self,
        new_id: Callable[[], Id],
        universe_id: Id,
        open_proposals: Sequence[ProposedChange],
        reason: str,
        closing: CommitExtras,
        undecided: UndecidedHandling,
        *,
        story_id: Id | None = None,
        rules: KindRules | None = None,
        extra_rulings: Sequence[Ruling] = (),
    ) -> CommitPlan:
        """Return what committing these open proposals, as they are decided, would come to.

        `extra_rulings` are rulings that hold for it and are not remembered yet. Raises StoreError.
        """
        open_proposals = await self._assessor.read_by_present_names(open_proposals)
        assessment = await self._assessor.assess(
            open_proposals,
            universe_id,
            rules=rules,
            extra_rulings=[*extra_rulings, *closing.rulings],
            for_commit=True,
        )
        now = self._clock()
        proposal_outcomes = settle_outcomes(
            open_proposals, assessment.policy_decisions, undecided, now, assessment.policy.catalogue
        )
        built_batch = build_batch(
            batch_id := new_id(),
            proposal_outcomes.accepted_proposals,
            assessment.canon,
            assessment.policy.catalogue,
            undecided=await self._name_undecided(universe_id, open_proposals, assessment.canon),
            closing=closing,
            now=now,
            dry_run=assessment.contradictions.dry_run,
        )
        outcomes = (
            *proposal_outcomes.outcomes,
            *outcomes_of(
                proposal_outcomes.accepted_proposals, built_batch.failures, built_batch.other_fact_ids
            ),
            *closing.further_outcomes,
        )
        if not outcomes and _is_empty(built_batch.batch):
            return CommitPlan(None, proposal_outcomes.held_count)
        canonization = Canonization(
            id=batch_id,
            universe_id=universe_id,
            story_id=story_id,
            scene_id=closing.scene.id if closing.scene else None,
            reason=reason,
            undoes=closing.undoes,
            outcomes=outcomes,
            batch=built_batch.batch,
            created_at=now,
        )
        return CommitPlan(canonization, proposal_outcomes.held_count)

    async def _name_undecided(
        self, universe_id: Id, open_proposals: Sequence[ProposedChange], canon: CanonSnapshot
    ) -> dict[Id, str]:
        """Return the names of entities that wait to be decided: in this commit, or put off to another one."""
        names = _proposed_entities(open_proposals)
        needed_ids = {i for p in open_proposals for i in named_entities(p.change)}
        if needed_ids <= names.keys() | canon.entities.keys():
            return names
        return _proposed_entities(await self._assessor.read_waiting_creations(universe_id)) | names


def _proposed_entities(proposals: Sequence[ProposedChange]) -> dict[Id, str]:
    """Return the names of entities that are proposed and not turned down."""
    creations = (p.change for p in proposals if not is_rejected(p))
    return {c.entity_id: c.name for c in creations if isinstance(c, CreateEntity)}


def _is_empty(batch: CanonBatch) -> bool:
    return batch == CanonBatch(id=batch.id, universe_id=batch.universe_id, appearances=batch.appearances)
