"""What a sentence claims: a relation of two, a state, a number or a deed, affirmed or denied, now or in the past."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from agents.canon_keeper.sentences.noun_phrases import NounPhrase

LOCATED_IN: Final = "located_in"
ALIVE: Final = "alive"
AFTER_THAT: Final = "*after"
"""The `when` of what follows from a deed, and may be otherwise again: who gave a thing away has it no more."""


class ClaimTime(StrEnum):
    """When a claim holds; `ALWAYS`: what never or always was, up to now."""

    NOW = "now"
    PAST = "past"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim of a sentence.

    `relation` is a predicate of the catalogue, or a kind of its own: `verb:steal`, `state:openness`,
    `role:captain`, `more:old`, `most:old`, `count:son`, `kin:mother`, `is`, `has`, `lives_in`, `exists`.
    """

    relation: str
    subject: NounPhrase
    object: NounPhrase | None = None
    value: str = ""
    """A state or a plain word where there is no object."""
    is_affirmed: bool = True
    time: ClaimTime = ClaimTime.NOW
    when: str = ""
    adjuncts: tuple[tuple[str, NounPhrase], ...] = ()
    is_only_subject: bool = False
    is_only_object: bool = False
    is_ability: bool = False
    """Whether it says what the subject can do."""
    is_change: bool = False
    """Whether it tells that something became so (`now`, `became`, `no longer`): what was before ends."""
    is_lasting: bool = False
    """Whether it says that it is so still."""
    number: int | None = None
    classes: tuple[NounPhrase, ...] = ()
    """What else the sentence says that the subject is."""

    @property
    def is_state(self) -> bool:
        return not self.relation.startswith("verb:")


@dataclass(frozen=True, slots=True)
class SentenceReading:
    """What was read in a statement: its claims, and each in plain words."""

    claims: tuple[Claim, ...] = ()
    words: tuple[tuple[str, str, str], ...] = ()
    """For each claim its subject, what is said, and its object, as in the sentence."""

    @property
    def is_compared(self) -> bool:
        return bool(self.claims)


def says_death(claim: Claim) -> bool:
    """Say whether a claim is that somebody is dead, or died."""
    is_plain = claim.is_affirmed and not (claim.is_ability or claim.when or claim.classes)
    is_told = claim.time in (ClaimTime.NOW, ClaimTime.PAST)
    return claim.relation == ALIVE and claim.value == "false" and is_plain and is_told
