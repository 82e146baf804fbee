"""Canon policy: what a commit would do with a proposal, and why. Pure, total, deterministic.

Source: design/authority.md, "Canon policy"; AGENT_ORCHESTRATION, "Canonization Policy Evaluation".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from agents.canon_keeper.kinds import in_words, kinds_of
from agents.views import ConflictView
from stores.records.canon import Authority, Fact, Literalish
from stores.records.ids import Id
from stores.records.ledger import KindRule, ProposedChange

Mark = Literal["accept", "reject", "defer", "hold"]
"""What a commit does with a proposal that the GM leaves undecided. `hold` waits for a ruling."""

BASE_CONFIDENCE: Mapping[Authority, float] = {
    Authority.SOURCE: 1.0,
    Authority.GM: 1.0,
    Authority.PLAYER: 0.8,
    Authority.SYSTEM: 0.5,
}
UNSUPPORTED = 0.5
"""What confidence is multiplied with when a proposal rests on nothing."""

THRESHOLD = 0.7
"""From here on a proposal is pre-ticked (copilot) or accepted (autopilot)."""


KindRules = Mapping[str, KindRule]
"""Rules by what `kinds_of` calls a proposal (`create_entity`, `state_change:hp` ...)."""

NO_RULES: KindRules = {}


@dataclass(frozen=True, slots=True)
class Findings:
    """What the checks found out about one proposal.

    `locked` names the locked things it would alter; `repeats` says that another open proposal says the
    same; `ruled_out`, that the court ruled against it. `fact` is what it would make true, `was` the value
    before it, `ends` what it would end (or retcon, or restore).
    """

    locked: tuple[str, ...] = ()
    duplicate_of: Id | None = None
    repeats: bool = False
    conflicts: tuple[ConflictView, ...] = ()
    alike: tuple[ConflictView, ...] = ()
    ruled_out: str = ""
    notes: tuple[str, ...] = ()
    fact: Fact | None = None
    was: Literalish | None = None
    ends: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True)
class Judgement:
    """`reasons` are sentences, the deciding one first. `duplicate_of` names the fact or entity that the
    evidence would be added to; `by_rule` says that a rule of the house made the mark."""

    mark: Mark
    confidence: float
    reasons: tuple[str, ...] = ()
    conflicts: tuple[ConflictView, ...] = field(default=())
    duplicate_of: Id | None = None
    by_rule: bool = False


AUTHORITY_WORDS: Mapping[Authority, str] = {
    Authority.SOURCE: "from a source",
    Authority.GM: "your word",
    Authority.PLAYER: "by a resolved action",
    Authority.SYSTEM: "inferred",
}


def confidence_of(proposal: ProposedChange) -> float:
    """Return how far a proposal is to be believed on its own, from 0 to 1."""
    base = BASE_CONFIDENCE[proposal.authority]
    return base if proposal.evidence else base * UNSUPPORTED


def judge(proposal: ProposedChange, findings: Findings, rules: KindRules = NO_RULES) -> Judgement:
    """Weigh one proposal, in the order that the design lays down."""
    confidence = confidence_of(proposal)
    by_gm = proposal.authority is Authority.GM
    believed = _believed(proposal, confidence)

    def judged(mark: Mark, *reasons: str, by_rule: bool = False) -> Judgement:
        return Judgement(
            mark=mark,
            confidence=confidence,
            reasons=(*reasons, *_repeated(findings), *findings.notes),
            conflicts=findings.conflicts,
            duplicate_of=findings.duplicate_of,
            by_rule=by_rule,
        )

    if findings.locked and not by_gm:
        return judged("reject", f"{_listed(findings.locked)} is locked: only your own word changes it.")
    if findings.duplicate_of is not None:
        return judged("accept", "Canon has it already: the evidence is added to it.")
    if findings.ruled_out:
        return judged("reject", findings.ruled_out)
    if findings.conflicts:
        way_out = (
            "Accept it to override what it meets." if by_gm else "It is held until you accept or reject it."
        )
        return judged("hold", findings.conflicts[0].text, way_out)
    kind = next((kind for kind in kinds_of(proposal) if kind in rules), "")
    yours = f"Your rule for {in_words(kind)}: {rules.get(kind)}."
    match rules.get(kind):
        case KindRule.ACCEPT:
            return judged("accept", yours, by_rule=True)
        case KindRule.REJECT:
            return judged("reject", yours, by_rule=True)
        case KindRule.ASK:
            return judged("defer", yours, believed, by_rule=True)
    if confidence >= THRESHOLD:
        return judged("accept", believed)
    return judged("defer", believed, f"Below {THRESHOLD:.1f} it waits for your decision.")


def _believed(proposal: ProposedChange, confidence: float) -> str:
    word = AUTHORITY_WORDS[proposal.authority]
    evidence = "with evidence" if proposal.evidence else "without evidence"
    return f"{word[0].upper()}{word[1:]}, {evidence}: {confidence:.2f}."


def _repeated(findings: Findings) -> tuple[str, ...]:
    return ("Another proposal says the same.",) if findings.repeats else ()


def _listed(names: Iterable[str]) -> str:
    return " and ".join(dict.fromkeys(names))
