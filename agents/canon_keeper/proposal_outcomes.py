"""How each proposal ends in a commit, before anything is written. Pure."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, assert_never

from agents.canon_keeper.batch_builder import AcceptedProposal
from agents.canon_keeper.canon_policy import PolicyDecision
from agents.canon_keeper.fact_readings import SUBJECT, is_same_statement
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.proposed_records import fact_from_assertion
from agents.proposals.decisions import BY_POLICY, gm_decision
from stores.records.canon import AssertFact, Fact
from stores.records.ids import Id
from stores.records.workflow import Decision, ProposalOutcome, ProposalStatus, ProposedChange, Verdict

UndecidedHandling = Literal["defer", "leave", "accept"]
"""What becomes of proposals that neither the GM nor policy accepted: deferred (a scene's end), left
pending (a commit in mid-scene), or accepted unless they meet a conflict (the founding of a universe)."""


@dataclass(slots=True)
class ProposalOutcomes:
    """Who is accepted, and how all the others end. What is left pending is in none of these."""

    accepted_proposals: list[AcceptedProposal] = field(default_factory=list)
    outcomes: list[ProposalOutcome] = field(default_factory=list)
    held_count: int = 0


def settle_outcomes(
    proposals: Sequence[ProposedChange],
    policy_decisions: Mapping[Id, PolicyDecision],
    undecided: UndecidedHandling,
    now: datetime,
    catalogue: Catalogue,
) -> ProposalOutcomes:
    """Return how each proposal ends: by the GM's ruling, or else by the judgement."""
    proposal_outcomes = ProposalOutcomes()
    decisions = {
        p.id: gm_decision(p) or _policy_decision(policy_decisions[p.id], undecided, now) for p in proposals
    }
    decisions |= _accept_said_twice(proposals, decisions, policy_decisions, now, catalogue)
    for proposal in proposals:
        policy_decision, decision = policy_decisions[proposal.id], decisions[proposal.id]
        if gm_decision(proposal) is None:
            proposal_outcomes.held_count += policy_decision.mark == "hold"
        if decision is None:
            continue
        match decision.verdict:
            case Verdict.ACCEPT:
                is_by_person = decision.by != BY_POLICY
                confidence = 1.0 if is_by_person else policy_decision.confidence
                accepted_proposal = proposal.model_copy(update={"decision": decision})
                proposal_outcomes.accepted_proposals.append(AcceptedProposal(accepted_proposal, confidence))
            case Verdict.REJECT | Verdict.FLAVOUR:
                proposal_outcomes.outcomes.append(_build_outcome(proposal, ProposalStatus.REJECTED, decision))
            case Verdict.DEFER:
                # What is deferred already stays so, and no commit needs to say it again.
                if undecided != "leave" and proposal.status is not ProposalStatus.DEFERRED:
                    proposal_outcomes.outcomes.append(
                        _build_outcome(proposal, ProposalStatus.DEFERRED, decision)
                    )
            case Verdict.UNDO:
                pass
            case _:
                assert_never(decision.verdict)
    return proposal_outcomes


def outcomes_of(
    accepted_proposals: Sequence[AcceptedProposal],
    failures: Mapping[Id, str],
    other_fact_ids: Mapping[Id, Id],
) -> list[ProposalOutcome]:
    """Return how the accepted ones end, once it is known which could not be written, and what became another fact."""
    outcomes = []
    for proposal in (a.proposal for a in accepted_proposals):
        assert proposal.decision is not None
        error = failures.get(proposal.id, "")
        status = ProposalStatus.FAILED if error else ProposalStatus.ACCEPTED
        decision = proposal.decision
        if proposal.id in other_fact_ids:
            decision = decision.model_copy(update={"fact_id": other_fact_ids[proposal.id]})
        outcomes.append(_build_outcome(proposal, status, decision, error))
    return outcomes


def _accept_said_twice(
    proposals: Sequence[ProposedChange],
    decisions: Mapping[Id, Decision | None],
    policy_decisions: Mapping[Id, PolicyDecision],
    now: datetime,
    catalogue: Catalogue,
) -> dict[Id, Decision]:
    """Return what becomes of the undecided that say what an accepted one does: nothing is true by them that is not so.

    Left open, they would wait for a decision that was made.
    """
    accepted: list[tuple[ProposedChange, AssertFact]] = []
    undecided: list[tuple[ProposedChange, AssertFact]] = []
    for proposal in proposals:
        change, decision = proposal.change, decisions[proposal.id]
        if not isinstance(change, AssertFact):
            continue
        if decision is not None and decision.verdict is Verdict.ACCEPT:
            accepted.append((proposal, change))
        elif gm_decision(proposal) is None and policy_decisions[proposal.id].mark == "defer":
            undecided.append((proposal, change))
    if not undecided:
        return {}
    accepted_facts: defaultdict[Id | None, list[Fact]] = defaultdict(list)
    for fact in itertools.starmap(fact_from_assertion, accepted):
        accepted_facts[fact.entity(SUBJECT)].append(fact)
    undecided_facts = [(proposal, fact_from_assertion(proposal, change)) for proposal, change in undecided]
    return {
        proposal.id: Decision(
            verdict=Verdict.ACCEPT, by=BY_POLICY, at=now, reason="You accepted another row that says so."
        )
        for proposal, fact in undecided_facts
        if any(is_same_statement(fact, other, catalogue) for other in accepted_facts[fact.entity(SUBJECT)])
    }


def _policy_decision(
    policy_decision: PolicyDecision, undecided: UndecidedHandling, now: datetime
) -> Decision | None:
    """Return what policy decides of a proposal that nobody decided; None leaves it as it is."""
    reason = " ".join(policy_decision.reasons)
    if policy_decision.mark == "accept" or (policy_decision.mark == "defer" and undecided == "accept"):
        return Decision(verdict=Verdict.ACCEPT, by=BY_POLICY, at=now, reason=reason)
    if undecided == "leave":
        return None
    verdict = Verdict.REJECT if policy_decision.mark == "reject" else Verdict.DEFER
    return Decision(verdict=verdict, by=BY_POLICY, at=now, reason=reason)


def _build_outcome(
    proposal: ProposedChange, status: ProposalStatus, decision: Decision, error: str = ""
) -> ProposalOutcome:
    if decision.verdict is Verdict.FLAVOUR and not decision.reason:
        decision = decision.model_copy(update={"reason": "Just flavour."})
    return ProposalOutcome(proposal_id=proposal.id, status=status, decision=decision, error=error)
