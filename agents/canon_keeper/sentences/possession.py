"""Reads who has a thing after a deed: whoever took it has it, and who lost it or saw it burn has it no more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agents.canon_keeper.sentences.claims import AFTER_THAT, LOCATED_IN, Claim, ClaimTime
from agents.canon_keeper.sentences.noun_phrases import NounPhrase
from agents.canon_keeper.sentences.tokens import NameBook

_TAKING_VERBS: Final = frozenset(
    ["steal", "take", "snatch", "grab", "seize", "pocket", "purchase", "inherit", "receive", "confiscate"]
)  # fmt: skip
_LOSING_VERBS: Final = frozenset({"lose", "drop", "mislay", "discard"})
_THROWING_VERBS: Final = frozenset({"throw", "fling", "hurl", "toss", "cast", "chuck", "pitch", "heave"})
_DESTROYING_VERBS: Final = frozenset({"destroy", "burn", "shatter", "incinerate"})
_PARTICLES: Final = frozenset({"", "away", "back", "up", "down"})
"""What may stand behind these verbs and makes no other deed of them."""
ANYBODY: Final = NounPhrase(head="person", determiner="any")
GONE_STATES: Final = frozenset({"destroyed", "burnt", "burned", "ash", "ashes", "in ashes"})
"""What is so is no more, and nobody has it."""


def read_possession(
    lemma: str, particle: str, subject: NounPhrase, thing: NounPhrase, names: NameBook
) -> Iterator[Claim]:
    """Yield who has a thing, or has it no more, after a deed that was done to it."""
    if not thing.entity or thing.entity in names.people or particle not in _PARTICLES:
        return
    if thing.entity == subject.entity:
        return  # `We found the bell and lost it`: something without a name, and never who lost it
    if lemma in _LOSING_VERBS or (lemma in _THROWING_VERBS and particle in ("away", "overboard")):
        # `The letter is lost` does not say by whom: nobody has it.
        yield from has_no_more(ANYBODY if subject.determiner == "some" else subject, thing)
        if thing.entity not in names.places | names.factions:
            yield _lies_there_no_more(thing)
    elif thing.entity in names.places | names.factions:
        return
    elif lemma in _TAKING_VERBS:
        # `The letter was stolen` does not say by whom.
        yield from (
            has_no_more(ANYBODY, thing) if subject.determiner == "some" else (has_then(subject, thing),)
        )
        yield _lies_there_no_more(thing)
    elif lemma in _DESTROYING_VERBS:
        yield from has_no_more(ANYBODY, thing)
        yield _lies_there_no_more(thing)
        yield Claim("state:wholeness", thing, value="1:destroyed", is_change=True, when=AFTER_THAT)


def has_then(holder: NounPhrase, thing: NounPhrase) -> Claim:
    """Return that somebody has a thing since a deed: whoever had it before has it no more."""
    return Claim("has", holder, thing, is_change=True, time=ClaimTime.PAST, when=AFTER_THAT)


def has_no_more(former_holder: NounPhrase, thing: NounPhrase) -> Iterator[Claim]:
    """Yield that somebody neither has nor owns a thing since a deed."""
    for relation in ("has", "owns"):
        yield Claim(
            relation,
            former_holder,
            thing,
            is_change=True,
            is_affirmed=False,
            time=ClaimTime.PAST,
            when=AFTER_THAT,
        )


def _lies_there_no_more(thing: NounPhrase) -> Claim:
    return Claim(LOCATED_IN, thing, is_affirmed=False, is_change=True, when=AFTER_THAT)
