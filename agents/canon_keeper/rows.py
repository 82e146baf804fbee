"""One row of the proposals panel or the gate: the proposal, its words, and what a commit would do with it."""

from __future__ import annotations

from collections.abc import Mapping

from agents.canon_keeper.decisions import OPEN, POLICY, ruling
from agents.canon_keeper.describe import describe
from agents.canon_keeper.policy import Findings, Judgement, Mark, confidence_of
from agents.canon_keeper.predicates import Catalogue
from agents.views import ProposalView
from stores.records.ids import Id
from stores.records.ledger import ProposalStatus, ProposedChange, Verdict
from stores.records.world import Entity

_MARKS: Mapping[Verdict, Mark] = {
    Verdict.ACCEPT: "accept",
    Verdict.REJECT: "reject",
    Verdict.COLOUR: "reject",
    Verdict.DEFER: "defer",
}


def row(
    number: int,
    proposal: ProposedChange,
    judgement: Judgement | None,
    findings: Findings,
    entities: Mapping[Id, Entity],
    catalogue: Catalogue,
    *,
    turn_number: int | None,
) -> ProposalView:
    """Return a row; without a judgement, the row of a proposal that is closed."""
    words = describe(proposal, findings, entities, catalogue)
    decided = ruling(proposal) if proposal.status in OPEN else proposal.decision
    judged = judgement or Judgement(_closed(proposal), confidence_of(proposal))
    return ProposalView(
        number=number,
        proposal=proposal,
        status=proposal.status,
        verdict=decided.verdict if decided else None,
        mark=_MARKS[decided.verdict] if decided else judged.mark,
        label=words.label,
        title=words.title,
        group=words.group,
        confidence=judged.confidence,
        reasons=tuple(_reasons(proposal, judged)),
        diff=words.diff,
        conflicts=judged.conflicts,
        critical=words.critical,
        quote=words.quote,
        turn_number=turn_number,
        alike=findings.alike,
        by_rule=judged.by_rule and decided is None,
        by_policy=proposal.status not in OPEN and decided is not None and decided.by == POLICY,
    )


def _reasons(proposal: ProposedChange, judgement: Judgement) -> list[str]:
    reasons = [f"Could not be written: {proposal.error}"] if proposal.error else []
    if proposal.decision and proposal.decision.reason:
        reasons.append(proposal.decision.reason)
    return [*reasons, *judgement.reasons]


def _closed(proposal: ProposedChange) -> Mark:
    return "accept" if proposal.status is ProposalStatus.ACCEPTED else "reject"
