"""A claim about a past meeting or answer that the record does not hold.

What happens now, and what a source or the GM tells, is first-hand: it makes the record. What a player
says or a model infers of the past has to be in it. Source: design/authority.md, "Contradictions";
design/product.md, pain 2.
"""

from __future__ import annotations

from collections.abc import Iterator

from rapidfuzz import fuzz

from agents.canon_keeper.naming import is_premise
from agents.canon_keeper.readings import SUBJECT, is_in_force
from agents.canon_keeper.sight import Found, Sight
from stores.records.canon import Fact, FactKind
from stores.records.ids import Id

SAME_WORDS = 80
"""Likeness of two quoted sentences, in per cent, from which they are taken for the same answer."""

_MET, _SAID = "met", "said"


def unheard_of(sight: Sight) -> Iterator[Found]:
    """Find meetings and answers that are spoken of as past and that canon has not."""
    fact = sight.fact
    if not is_premise(sight.proposal) or sight.when is None:
        return
    if fact.kind is FactKind.ENCOUNTER or fact.predicate == _MET:
        yield from _meeting(sight)
    elif fact.kind is FactKind.ASSERTION or fact.predicate == _SAID:
        yield from _answer(sight)


def _meeting(sight: Sight) -> Iterator[Found]:
    who = list(dict.fromkeys(i.entity_id for i in sight.fact.involves if i.role != "location"))
    if len(who) < 2:
        return
    met = [f for f in _recorded(sight, who[0]) if all(_has(f, other) for other in who[1:])]
    if any(_about_then(sight, f) for f in met):
        return
    known = max(met, key=lambda f: f.valid_from or 0, default=None)
    text = f"Canon knows of no such meeting of {' and '.join(map(sight.name, who))}."
    if known is not None:
        text = f"{text} What it has is “{known.statement}”"
    yield Found("no_such_encounter", text, known)


def _answer(sight: Sight) -> Iterator[Found]:
    speaker = sight.fact.entity(SUBJECT)
    if speaker is None:
        return
    said = [f for f in _recorded(sight, speaker) if f.entity(SUBJECT) == speaker and _is_said(f)]
    alike = {f.id: fuzz.token_set_ratio(_words(f), _words(sight.fact)) for f in said}
    if any(alike[f.id] >= SAME_WORDS for f in said):
        return
    nearest = max(said, key=lambda f: alike[f.id], default=None)
    text = f"Canon has no such answer of {sight.name(speaker)}."
    if nearest is not None:
        text = f"{text} What it has is “{nearest.statement}”"
    yield Found("no_such_assertion", text, nearest)


def _recorded(sight: Sight, who: Id) -> list[Fact]:
    return [f for f in sight.world.deeds(who) if f.id != sight.fact.id and is_in_force(f)]


def _about_then(sight: Sight, fact: Fact) -> bool:
    """Say whether the fact is of the day that the claim speaks of, or of no known day."""
    if fact.valid_from is None or sight.when is None:
        return True
    return abs(fact.valid_from - sight.when) < sight.world.canon.day


def _has(fact: Fact, entity_id: Id) -> bool:
    return any(i.entity_id == entity_id for i in fact.involves)


def _is_said(fact: Fact) -> bool:
    return fact.kind is FactKind.ASSERTION or fact.predicate == _SAID


def _words(fact: Fact) -> str:
    return fact.said
