"""Says whether two phrases of claims mean one and the same, or surely two."""

from __future__ import annotations

from agents.canon_keeper.sentences.claims import Claim
from agents.canon_keeper.sentences.noun_phrases import NounPhrase, includes, same_thing


def is_same_individual(one: NounPhrase | None, other: NounPhrase | None) -> bool:
    """Say whether two phrases mean one and the same individual."""
    if one is None or other is None:
        return False
    if one.entity or other.entity:
        return one.entity == other.entity
    if (one.within is None) is not (other.within is None):
        return False  # `the toll`, and `the toll for a wagon`
    definite = ("the", "own", "")
    return one.determiner in definite and other.determiner in definite and same_thing(one, other)


def is_instance(one: NounPhrase, other: NounPhrase) -> bool:
    """Say whether what is said of every door of a tower is said of its north door, or the other way round."""
    for every, single in ((one, other), (other, one)):
        if (
            every.is_everybody
            and every.head == single.head
            and single.determiner in ("the", "own")
            and not single.is_general
        ):
            places = every.entities()
            return bool(places) and places <= single.entities() and every.modifiers <= single.modifiers
    return False


def same_or_none(one: NounPhrase | None, other: NounPhrase | None) -> bool:
    return (one is None and other is None) or is_same_individual(one, other)


def are_different(one: NounPhrase | None, other: NounPhrase | None, *, is_any_kind: bool = False) -> bool:
    """Say whether two phrases surely mean two individuals: two names, or two things called otherwise."""
    if one is None or other is None:
        return False
    if one.entity and other.entity:
        return one.entity != other.entity
    if one.is_general or other.is_general or one.determiner == "some" or other.determiner == "some":
        return False
    if is_any_kind and bool(one.entity) is not bool(other.entity):
        named, kind = (one, other) if one.entity else (other, one)
        return (
            kind.head not in ("person", "man", "woman", "thing")
            and named.entity not in kind.entities()
            and (kind.determiner in ("the", "a") or kind.number is not None)
        )
    if bool(one.entity) is not bool(other.entity):
        return False
    definite = ("the", "own", "")
    return one.determiner in definite and other.determiner in definite and one.head != other.head


def are_two_deaths(one: str, other: str) -> bool:
    """Say whether nobody dies of both: to be hanged is to be killed, and to die in bed is not."""
    if "natural" in (one, other):
        return one != other
    return one != other and "kill" not in (one, other)


def covers_adjuncts(denied: Claim, affirmed: Claim) -> bool:
    return all(
        any(p == preposition and includes(phrase, other) for p, other in affirmed.adjuncts)
        for preposition, phrase in denied.adjuncts
    )


def is_other_adjunct(one: Claim, other: Claim, prepositions: tuple[str, ...]) -> bool:
    for preposition in prepositions:
        first = next((n for p, n in one.adjuncts if p == preposition), None)
        second = next((n for p, n in other.adjuncts if p == preposition), None)
        if first is not None and second is not None and first.entity and second.entity:
            return first.entity != second.entity
    return False
