"""What a commit did, counted for the report. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import assert_never

from agents.proposals.statements import STATED_PREDICATE
from agents.views.gate_views import CommitReport
from stores.records.canon import (
    AdvanceClock,
    AssertFact,
    CanonBatch,
    ChangeSecrecy,
    CreateEntity,
    EndFact,
    Fact,
    FactKind,
    FactStatus,
    MergeEntities,
    NoteAxiom,
    RetconFact,
    StateChange,
    UpdateEntity,
)
from stores.records.ids import Id
from stores.records.workflow import Canonization, ProposalOutcome, ProposalStatus, ProposedChange
from stores.records.world import EntityStatus

CommitResult = CommitReport
"""`failed` pairs a proposal's id with the reason, in words; `next_scene_id` is the Orchestrator's to fill."""


def build_commit_result(canonization: Canonization) -> CommitResult:
    """Return what a commit made true.

    Facts that still stand at its end, entities that are new to canon and were not merged at once, and what was
    accepted but did not outlast the commit. What it changes of entities that canon had is the caller's to describe.
    """
    outcomes, batch = canonization.outcomes, canonization.batch
    # A change that leaves a fact in force makes one so again that was taken back.
    ended_ids = {c.fact_id for c in batch.fact_changes if c.status is not FactStatus.CANONICAL}
    superseded_ids = ended_ids | {s.older_id for s in batch.supersedes}
    supported_ids = {support.subject_id for support in batch.supports}
    facts = tuple(f for f in batch.facts if f.id not in superseded_ids and f.status is FactStatus.CANONICAL)
    outlasting_ids = {fact.proposal_id for fact in facts}
    return CommitReport(
        canonization_id=canonization.id,
        facts=facts,
        # What canon had before keeps the time at which it was recorded.
        entities=tuple(
            entity
            for entity in batch.entities
            if entity.id in supported_ids
            and entity.recorded_at == canonization.created_at
            and entity.status is EntityStatus.CANONICAL  # whoever was merged at once is told by the merge
        ),
        replaced=tuple(
            (fact.proposal_id, fact.statement)
            for fact in batch.facts
            if fact.proposal_id is not None and fact.proposal_id not in outlasting_ids
        ),
        accepted_count=_count(outcomes, ProposalStatus.ACCEPTED),
        rejected_count=_count(outcomes, ProposalStatus.REJECTED),
        deferred_count=_count(outcomes, ProposalStatus.DEFERRED),
        held_count=0,
        failures=tuple((o.proposal_id, o.error) for o in outcomes if o.status is ProposalStatus.FAILED),
        statuses={outcome.proposal_id: outcome.status for outcome in outcomes},
    )


def _count(outcomes: Sequence[ProposalOutcome], status: ProposalStatus) -> int:
    return sum(outcome.status is status for outcome in outcomes)


def combine_results(results: Sequence[CommitResult]) -> CommitResult:
    """Return what several commits in a row did, under the last one's id."""
    return CommitReport(
        canonization_id=next((r.canonization_id for r in reversed(results) if r.canonization_id), None),
        facts=tuple(fact for r in results for fact in r.facts),
        entities=tuple(entity for r in results for entity in r.entities),
        accepted_count=sum(r.accepted_count for r in results),
        rejected_count=sum(r.rejected_count for r in results),
        deferred_count=sum(r.deferred_count for r in results),
        held_count=sum(r.held_count for r in results),
        failures=tuple(failure for r in results for failure in r.failures),
        changes=tuple(change for r in results for change in r.changes),
        replaced=tuple(pair for r in results for pair in r.replaced),
        repeated=tuple(title for r in results for title in r.repeated),
        statuses={i: status for r in results for i, status in r.statuses.items()},
    )


def count_in_words(result: CommitResult) -> str:
    return ", ".join(
        f"{count} {word}" if count == 1 else f"{count} {plural}"
        for count, word, plural in (
            (len(result.facts), "fact", "facts"),
            (len(result.entities), "entity", "entities"),
        )
    )


def find_repeating(proposals: Iterable[ProposedChange], batch: CanonBatch) -> set[Id]:
    """Return those accepted proposals that bring no record into the batch: canon has what they say already."""
    recorded_ids = {fact.proposal_id for fact in batch.facts} | {entity.id for entity in batch.entities}
    return {p.id for p in proposals if (record_id := _record_id(p)) and record_id not in recorded_ids}


def find_replacing(batch: CanonBatch) -> dict[Id, Fact]:
    """Return the facts of a batch that replace what canon had, by what they replace."""
    new_facts = {fact.id: fact for fact in batch.facts}
    return {
        s.older_id: new_facts[s.newer_id]
        for s in batch.supersedes
        if s.newer_id in new_facts and s.older_id not in new_facts
    }


def describe_replaced(
    older_facts: Mapping[Id, Fact], newer_by_older_id: Mapping[Id, Fact]
) -> tuple[str, ...]:
    """Return in words what is replaced, but for what its successor says: another place, holder or number."""
    return tuple(
        f"It ends: {fact.statement}"
        for fact in older_facts.values()
        if fact.kind not in (FactKind.STATE, FactKind.RELATION)
        and (fact.predicate == STATED_PREDICATE or fact.predicate != newer_by_older_id[fact.id].predicate)
    )


def _record_id(proposal: ProposedChange) -> Id | None:
    """Return by what a batch would know the record that a proposal makes; None for a change of what canon has."""
    match proposal.change:
        case CreateEntity(entity_id=entity_id):
            return entity_id
        case AssertFact() | NoteAxiom() | StateChange() | AdvanceClock():
            return proposal.id
        case UpdateEntity() | MergeEntities() | EndFact() | RetconFact() | ChangeSecrecy():
            return None
        case _:
            assert_never(proposal.change)
