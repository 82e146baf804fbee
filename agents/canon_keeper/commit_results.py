"""What a commit did, counted for the report. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from agents.views.play_views import CommitReport
from stores.records.canon import FactStatus
from stores.records.workflow import Canonization, ProposalOutcome, ProposalStatus

CommitResult = CommitReport
"""`failed` pairs a proposal's id with the reason, in words; `next_scene_id` is the Orchestrator's to fill."""


def build_commit_result(canonization: Canonization) -> CommitResult:
    """Return what a commit made true.

    Facts that still stand at its end, entities that are new to canon or described anew (not those whose
    state a fact has moved).
    """
    outcomes, batch = canonization.outcomes, canonization.batch
    superseded_ids = {change.fact_id for change in batch.fact_changes} | {
        s.older_id for s in batch.supersedes
    }
    supported_ids = {support.subject_id for support in batch.supports}
    return CommitReport(
        canonization_id=canonization.id,
        facts=tuple(
            f for f in batch.facts if f.id not in superseded_ids and f.status is FactStatus.CANONICAL
        ),
        entities=tuple(entity for entity in batch.entities if entity.id in supported_ids),
        accepted_count=_count(outcomes, ProposalStatus.ACCEPTED),
        rejected_count=_count(outcomes, ProposalStatus.REJECTED),
        deferred_count=_count(outcomes, ProposalStatus.DEFERRED),
        held_count=0,
        failures=tuple((o.proposal_id, o.error) for o in outcomes if o.status is ProposalStatus.FAILED),
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
    )


def count_in_words(result: CommitResult) -> str:
    return ", ".join(
        f"{count} {word}" if count == 1 else f"{count} {plural}"
        for count, word, plural in (
            (len(result.facts), "fact", "facts"),
            (len(result.entities), "entity", "entities"),
        )
    )
