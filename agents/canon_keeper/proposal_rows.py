"""One row of the proposals panel or the gate: the proposal, its words, and what a commit would do with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from agents.canon_keeper.canon_policy import PolicyDecision, PolicyMark, ProposalFindings, confidence_of
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.proposal_description import describe_proposal
from agents.proposals.decisions import BY_POLICY, gm_decision
from agents.proposals.statements import STATED_PREDICATE
from agents.views.proposal_views import ProposalView
from stores.records.canon import AssertFact, Authority, FactKind
from stores.records.ids import Id
from stores.records.workflow import OPEN_STATUSES, ProposalStatus, ProposedChange, Verdict
from stores.records.world import Entity, EntityKind

SCENERY_WEIGHT: Final = 60
"""Significance, of 100, below which what a model says of a place is scenery; a new person with a name has this."""

_MARKS: Mapping[Verdict, PolicyMark] = {
    Verdict.ACCEPT: "accept",
    Verdict.REJECT: "reject",
    Verdict.FLAVOUR: "reject",
    Verdict.DEFER: "defer",
    Verdict.UNDO: "defer",
}


def build_proposal_row(
    number: int,
    proposal: ProposedChange,
    assessed_decision: PolicyDecision | None,
    findings: ProposalFindings,
    entities: Mapping[Id, Entity],
    catalogue: Catalogue,
    *,
    turn_number: int | None,
    is_retconned: bool = False,
    is_superseded: bool = False,
    replaced_ids: tuple[Id, ...] = (),
) -> ProposalView:
    """Return a row; without a judgement, the row of a proposal that is closed."""
    description = describe_proposal(proposal, findings, entities, catalogue)
    decision = gm_decision(proposal) if proposal.status in OPEN_STATUSES else proposal.decision
    policy_decision = assessed_decision or PolicyDecision(_closed_mark(proposal), confidence_of(proposal))
    return ProposalView(
        number=number,
        member_ids=(proposal.id,),
        proposal=proposal,
        status=proposal.status,
        verdict=decision.verdict if decision else None,
        mark=_MARKS[decision.verdict] if decision else policy_decision.mark,
        label=description.label,
        title=description.title,
        group=description.group,
        confidence=policy_decision.confidence,
        reasons=tuple(_collect_reasons(proposal, policy_decision)),
        diff=description.diff,
        conflicts=policy_decision.conflicts,
        is_critical=description.critical,
        quote=description.quote,
        is_quotation=description.is_quotation,
        reading=_describe_reading(findings),
        turn_number=turn_number,
        similar_matches=findings.similar_names,
        is_marked_by_rule=policy_decision.by_rule and decision is None,
        is_closed_by_policy=proposal.status not in OPEN_STATUSES
        and decision is not None
        and decision.by == BY_POLICY,
        is_repeated=findings.is_repeated,
        adds_only_evidence=proposal.status in OPEN_STATUSES and policy_decision.duplicate_of is not None,
        is_retconned=is_retconned,
        is_superseded=is_superseded,
        replaced_ids=replaced_ids,
        is_scenery=is_scenery(proposal, entities),
    )


def is_scenery(proposal: ProposedChange, entities: Mapping[Id, Entity]) -> bool:
    """Return whether it is a minor detail that a model found, and of places alone: their weather, their smell."""
    change = proposal.change
    return (
        is_minor_detail(proposal)
        and isinstance(change, AssertFact)
        and all(
            involvement.entity_id in entities and entities[involvement.entity_id].kind is EntityKind.PLACE
            for involvement in change.involves
        )
    )


def is_minor_detail(proposal: ProposedChange) -> bool:
    """Return whether a model found it, held it for minor, and it is a plain statement that ends nothing."""
    change = proposal.change
    return (
        proposal.authority is Authority.SYSTEM
        and proposal.weight is not None
        and proposal.weight < SCENERY_WEIGHT
        and isinstance(change, AssertFact)
        and change.fact_kind is FactKind.ATTRIBUTE
        and change.predicate == STATED_PREDICATE
        and not change.ends
    )


NOT_COMPARED = "MONITOR cannot tell what these words claim: a contradiction to them is not noticed"
"""Shown for a sentence of which nothing is understood that could contradict another."""


def _describe_reading(findings: ProposalFindings) -> str:
    """Return how a sentence was read, in words; empty for what is no sentence."""
    if findings.reading is None:
        return ""
    claims = [" — ".join(_without_now(part) for part in words if part) for words in findings.reading]
    told_claims = "; ".join(filter(None, claims))
    return f"read as: {told_claims}" if told_claims else NOT_COMPARED


def _collect_reasons(proposal: ProposedChange, policy_decision: PolicyDecision) -> list[str]:
    reasons = [f"Could not be written: {proposal.error}"] if proposal.error else []
    # What policy put off at a commit it decides anew: what was in the way then may not be now.
    decision = gm_decision(proposal) if proposal.status in OPEN_STATUSES else proposal.decision
    if decision and decision.reason:
        reasons.append(decision.reason)
    # What policy decided of a closed one has its reasons of that time, which mostly are those of now.
    return [*reasons, *(r for r in policy_decision.reasons if not any(r in earlier for earlier in reasons))]


def _closed_mark(proposal: ProposedChange) -> PolicyMark:
    return "accept" if proposal.status is ProposalStatus.ACCEPTED else "reject"


def _without_now(words: str) -> str:
    """Return words of a reading without `now`, which any fact means that counts from now on: `now lives in`."""
    return words.removeprefix("now ").removesuffix(" now")
