"""Canon policy: what a commit would do with a proposal, and why. Pure, total, deterministic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from agents.canon_keeper.proposal_subjects import is_correction
from agents.proposals.kinds import describe_kind, kinds_of
from agents.views.proposal_views import ConflictView
from stores.records.canon import Authority, Fact, FactValue
from stores.records.ids import Id
from stores.records.workflow import KindRule, ProposedChange

PolicyMark = Literal["accept", "reject", "defer", "hold"]
"""What a commit does with a proposal that the GM leaves undecided. `hold` waits for a ruling."""

BASE_CONFIDENCE: Mapping[Authority, float] = {
    Authority.SOURCE: 1.0,
    Authority.GM: 1.0,
    Authority.PLAYER: 0.8,
    Authority.SYSTEM: 0.5,
    Authority.OUTSIDE: 0.5,
}
UNSUPPORTED_FACTOR = 0.5
"""What confidence is multiplied with when a proposal rests on nothing."""

ACCEPT_THRESHOLD = 0.7
"""From here on a proposal is pre-ticked (copilot) or accepted (autopilot)."""

PRETICK_WEIGHT = 80
"""Significance, of 100, from which what a model found is pre-ticked."""


OUTSIDE_REASON = "You decide on all that a chat client proposes, whatever your rules accept."

KindRules = Mapping[str, KindRule]
"""Rules by what `kinds_of` calls a proposal (`create_entity`, `state_change:hp` ...)."""

NO_RULES: KindRules = {}


@dataclass(frozen=True, slots=True)
class ProposalFindings:
    """What the checks found out about one proposal."""

    locked_names: tuple[str, ...] = ()
    """Names of the locked entities that it would alter."""
    duplicate_of: Id | None = None
    """The fact or entity that says the same already."""
    is_repeated: bool = False
    """Whether another open proposal says the same."""
    conflicts: tuple[ConflictView, ...] = ()
    similar_names: tuple[ConflictView, ...] = ()
    ruled_out: str = ""
    """Why a ruling decided against it; empty if none did."""
    notes: tuple[str, ...] = ()
    fact: Fact | None = None
    """The fact that it would make canon."""
    previous_value: FactValue | None = None
    """The value before it."""
    ended_facts: tuple[Fact, ...] = ()
    """The facts that it would end, retcon or restore."""
    reading: tuple[tuple[str, str, str], ...] | None = None
    """How the words of a sentence were read: who, what is said, of what; empty if nothing of it is compared."""


@dataclass(frozen=True, slots=True)
class PolicyDecision:
    """What policy says of one proposal."""

    mark: PolicyMark
    confidence: float
    reasons: tuple[str, ...] = ()
    """Sentences, the deciding one first."""
    conflicts: tuple[ConflictView, ...] = field(default=())
    duplicate_of: Id | None = None
    """The fact or entity that its evidence would be added to."""
    by_rule: bool = False
    """Whether a rule of the universe's policy made the mark."""


AUTHORITY_WORDS: Mapping[Authority, str] = {
    Authority.SOURCE: "from a source",
    Authority.GM: "your word",
    Authority.PLAYER: "by a resolved action",
    Authority.SYSTEM: "inferred",
    Authority.OUTSIDE: "from a chat client",
}


def confidence_of(proposal: ProposedChange) -> float:
    """Return how far a proposal is to be believed on its own, from 0 to 1."""
    base = BASE_CONFIDENCE[proposal.authority]
    return base if proposal.evidence else base * UNSUPPORTED_FACTOR


def is_weighty(proposal: ProposedChange) -> bool:
    """Return whether a model found it to matter much, with words of the story that say so."""
    has_quotation = any(e.is_quotation and e.quote for e in proposal.evidence)
    return proposal.weight is not None and proposal.weight >= PRETICK_WEIGHT and has_quotation


def decide_by_policy(
    proposal: ProposedChange, findings: ProposalFindings, rules: KindRules = NO_RULES
) -> PolicyDecision:
    """Decide what a commit would do with one proposal; the first rule that applies decides."""
    confidence = confidence_of(proposal)
    is_by_gm = proposal.authority is Authority.GM
    # Whoever talks to a chat client's model could talk the model into anything: nothing of it is written undecided.
    is_from_outside = proposal.authority is Authority.OUTSIDE
    confidence_sentence = _confidence_sentence(proposal, confidence)

    def make_decision(mark: PolicyMark, *reasons: str, by_rule: bool = False) -> PolicyDecision:
        return PolicyDecision(
            mark=mark,
            confidence=confidence,
            reasons=(*reasons, *_repetition_note(findings), *findings.notes),
            conflicts=findings.conflicts,
            duplicate_of=findings.duplicate_of,
            by_rule=by_rule,
        )

    if findings.locked_names and not is_by_gm:
        return make_decision(
            "reject", f"{_join_names(findings.locked_names)} is protected: only you can change it."
        )
    if findings.duplicate_of is not None and is_from_outside:
        return make_decision("defer", "It is canon already; only this evidence is new.", confidence_sentence)
    if findings.duplicate_of is not None:
        return make_decision("accept", "It is canon already; only this evidence is new.")
    if findings.ruled_out:
        return make_decision("reject", findings.ruled_out)
    if findings.conflicts:
        next_step = (
            _describe_acceptance(findings.conflicts[0], proposal)
            if is_by_gm
            else "It waits until you accept or reject it."
        )
        return make_decision("hold", findings.conflicts[0].text, next_step)
    kind = next((kind for kind in kinds_of(proposal) if kind in rules), "")
    rule_sentence = f"Your rule for {describe_kind(kind)}: {rules.get(kind)}."
    match rules.get(kind):
        case KindRule.ACCEPT if not is_from_outside:
            return make_decision("accept", rule_sentence, by_rule=True)
        case KindRule.REJECT:
            return make_decision("reject", rule_sentence, by_rule=True)
        case KindRule.ASK:
            return make_decision("defer", rule_sentence, confidence_sentence, by_rule=True)
    if is_from_outside:
        return make_decision("defer", confidence_sentence, OUTSIDE_REASON)
    if is_weighty(proposal):
        return make_decision(
            "accept", f"It weighs {proposal.weight} of 100, and its words say so.", confidence_sentence
        )
    if confidence >= ACCEPT_THRESHOLD:
        return make_decision("accept", confidence_sentence)
    return make_decision("defer", confidence_sentence, f"Below {ACCEPT_THRESHOLD:.1f} you decide.")


def _describe_acceptance(conflict: ConflictView, proposal: ProposedChange) -> str:
    """Return what becomes of the other side if the GM accepts this one."""
    if conflict.entity_id is not None:
        return "Accepting writes it as another with that name."
    if conflict.is_with_proposal:
        return "Accepting writes it; the other proposal stays open."
    if is_correction(proposal):
        return "Accepting corrects this one alone, and both stand; C resolves which is true."
    return "Accepting replaces the fact it conflicts with."


def _confidence_sentence(proposal: ProposedChange, confidence: float) -> str:
    word = AUTHORITY_WORDS[proposal.authority]
    evidence = "with evidence" if proposal.evidence else "without evidence"
    return f"{word[0].upper()}{word[1:]}, {evidence}: {confidence:.2f}."


def _repetition_note(findings: ProposalFindings) -> tuple[str, ...]:
    return ("Another proposal says the same.",) if findings.is_repeated else ()


def _join_names(names: Iterable[str]) -> str:
    return " and ".join(dict.fromkeys(names))
