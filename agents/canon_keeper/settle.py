"""How each proposal ends in a commit, before anything is written. Pure.

Source: design/authority.md, "Canon policy": nothing is rejected merely for being undecided: it is deferred.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, assert_never

from agents.canon_keeper.commit import Accepted
from agents.canon_keeper.decisions import POLICY, ruling
from agents.canon_keeper.policy import Judgement
from stores.records.ids import Id
from stores.records.ledger import Decision, Outcome, ProposalStatus, ProposedChange, Verdict

Undecided = Literal["defer", "leave", "accept"]
"""What becomes of proposals that neither the GM nor policy accepted: deferred (a scene's end), left
pending (a commit in mid-scene), or accepted unless they meet a conflict (the founding of a universe)."""


@dataclass(slots=True)
class Settlement:
    """Who is accepted, and how all the others end. What is left pending is in none of these."""

    accepted: list[Accepted] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    held: int = 0


def settle(
    proposals: Iterable[ProposedChange],
    judgements: Mapping[Id, Judgement],
    undecided: Undecided,
    now: datetime,
) -> Settlement:
    """Return how each proposal ends: by the GM's ruling, or else by the judgement."""
    settlement = Settlement()
    for proposal in proposals:
        judgement, decided = judgements[proposal.id], ruling(proposal)
        if decided is None:
            decided = _by_policy(judgement, undecided, now)
            settlement.held += judgement.mark == "hold"
        if decided is None:
            continue
        match decided.verdict:
            case Verdict.ACCEPT:
                by_somebody = decided.by != POLICY
                confidence = 1.0 if by_somebody else judgement.confidence
                accepted = proposal.model_copy(update={"decision": decided})
                settlement.accepted.append(Accepted(accepted, confidence))
            case Verdict.REJECT | Verdict.COLOUR:
                settlement.outcomes.append(_outcome(proposal, ProposalStatus.REJECTED, decided))
            case Verdict.DEFER:
                # What is deferred already stays so, and no commit needs to say it again.
                if undecided != "leave" and proposal.status is not ProposalStatus.DEFERRED:
                    settlement.outcomes.append(_outcome(proposal, ProposalStatus.DEFERRED, decided))
            case _:
                assert_never(decided.verdict)
    return settlement


def outcomes_of(accepted: Sequence[Accepted], failed: Mapping[Id, str]) -> list[Outcome]:
    """Return how the accepted ones end, once it is known which of them could not be written."""
    outcomes = []
    for proposal in (a.proposal for a in accepted):
        assert proposal.decision is not None
        error = failed.get(proposal.id, "")
        status = ProposalStatus.FAILED if error else ProposalStatus.ACCEPTED
        outcomes.append(_outcome(proposal, status, proposal.decision, error))
    return outcomes


def _by_policy(judgement: Judgement, undecided: Undecided, now: datetime) -> Decision | None:
    """Return what policy decides of a proposal that nobody decided; None leaves it as it is."""
    reason = " ".join(judgement.reasons)
    if judgement.mark == "accept" or (judgement.mark == "defer" and undecided == "accept"):
        return Decision(verdict=Verdict.ACCEPT, by=POLICY, at=now, reason=reason)
    if undecided == "leave":
        return None
    verdict = Verdict.REJECT if judgement.mark == "reject" else Verdict.DEFER
    return Decision(verdict=verdict, by=POLICY, at=now, reason=reason)


def _outcome(
    proposal: ProposedChange, status: ProposalStatus, decision: Decision, error: str = ""
) -> Outcome:
    if decision.verdict is Verdict.COLOUR and not decision.reason:
        decision = decision.model_copy(update={"reason": f"Mere colour: {proposal.change.kind}."})
    return Outcome(proposal_id=proposal.id, status=status, decision=decision, error=error)
