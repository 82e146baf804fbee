"""What a fact says, read so that two facts can be compared: who, what, of whom, and when.

Pure. Times are world ticks (minutes); no start means since ever, no end means still.
Source: design/ontology.md, "Time" and "Predicates are a catalogue".
"""

from __future__ import annotations

from typing import Final, NamedTuple

from agents.canon_keeper.predicates import Catalogue, same_value, words_of
from stores.records.canon import Fact, FactKind, FactStatus, Literalish, Standing
from stores.records.ids import Id

IS: Final = "is"
IS_NOT: Final = "is_not"
"""A tag is a state too: `is wounded`, and when it is taken away, `is_not wounded`."""

ALIVE: Final = "alive"
LOCATED_IN: Final = "located_in"
PART_OF: Final = "part_of"

SUBJECT: Final = "subject"
OBJECT: Final = "object"

OCCURRENCES = frozenset({FactKind.EVENT, FactKind.CHANGE, FactKind.ENCOUNTER, FactKind.ASSERTION})
"""What happens at a time, and may happen again; everything else holds for a while."""

ENDED: Final = "ended"
UPDATED: Final = "updated"
MERGED: Final = "merged"
OF_CANON: Final = frozenset({ENDED, UPDATED, MERGED})
"""Events that canon itself makes of an ending, an edit and a merge: nobody in the world does them."""


class Reading(NamedTuple):
    """A fact in its canonical direction: `contains` is read as `located_in` from the other end."""

    predicate: str
    subject: Id | None
    object: Id | None
    value: Literalish | None


class Slot(NamedTuple):
    """Where only one value stands at a time: a predicate of a subject, or one tag of it."""

    predicate: str
    subject: Id | None
    tag: str = ""


def read(fact: Fact, catalogue: Catalogue) -> Reading:
    subject, object_ = fact.entity(SUBJECT), fact.entity(OBJECT)
    inverse_of = catalogue[fact.predicate].inverse_of
    if inverse_of is not None:
        return Reading(inverse_of, object_, subject, fact.value)
    return Reading(fact.predicate, subject, object_, fact.value)


def slot_of(fact: Fact, catalogue: Catalogue) -> Slot | None:
    """Return the slot that the fact stands in; None if any number of its like may hold at once.

    A state whose key is in no catalogue has one value at a time; a mere sentence has no slot.
    """
    said = read(fact, catalogue)
    if said.value is None and said.object is None:
        return None
    if fact.predicate in (IS, IS_NOT):
        return Slot(IS, said.subject, words_of(said.value).casefold())
    known = catalogue[said.predicate]
    one = known.cardinality == "one"
    if one or (fact.kind is FactKind.STATE and said.predicate not in catalogue.predicates):
        return Slot(said.predicate, said.subject)
    return None


def same_value_given(one: Fact, other: Fact, catalogue: Catalogue) -> bool:
    """Say whether two facts of one slot give it the same value."""
    a, b = read(one, catalogue), read(other, catalogue)
    return a.predicate == b.predicate and a.object == b.object and same_value(a.value, b.value)


def same_thing_said(one: Fact, other: Fact, catalogue: Catalogue) -> bool:
    """Say whether two facts say the same, whatever their times: predicate, roles and value, or sentence."""
    if one.standing is not other.standing or (one.kind in OCCURRENCES) is not (other.kind in OCCURRENCES):
        return False
    if one.said == other.said and _about_the_same(one, other):
        return True
    if one.kind in OCCURRENCES:
        return False
    a, b = read(one, catalogue), read(other, catalogue)
    if (
        a.predicate != b.predicate
        or not same_value(a.value, b.value)
        or (a.value is None and a.object is None)
    ):
        return False
    turned = catalogue[a.predicate].symmetric and (a.subject, a.object) == (b.object, b.subject)
    return turned or _roles(one, catalogue) == _roles(other, catalogue)


def same_time(one: Fact, other: Fact) -> bool:
    """Say whether two facts mean the same time: an occurrence the same moment, all else any shared one."""
    if one.kind in OCCURRENCES:
        return None in (one.valid_from, other.valid_from) or one.valid_from == other.valid_from
    return overlap(one, other)


def overlap(one: Fact, other: Fact) -> bool:
    """Say whether there is a time at which both hold."""
    within = _before(one.valid_from, other.valid_to) and _before(other.valid_from, one.valid_to)
    return within and all(_before(fact.valid_from, fact.valid_to) for fact in (one, other))


def starts_later(one: Fact, other: Fact) -> bool:
    """Say whether it is known that `one` begins after `other` did."""
    if one.valid_from is None:
        return False
    return other.valid_from is None or one.valid_from > other.valid_from


def is_open(fact: Fact) -> bool:
    """Say whether the fact is canon and still holds."""
    return fact.status is FactStatus.CANONICAL and fact.valid_to is None


def is_in_force(fact: Fact) -> bool:
    """Say whether the fact holds at some time: it was not retconned, nor replaced at a time unknown or
    by a correction, which leaves nothing of it."""
    replaced = fact.status is FactStatus.SUPERSEDED and fact.valid_to in (None, fact.valid_from)
    return fact.status is not FactStatus.RETCONNED and not replaced


def stands(fact: Fact) -> bool:
    """Say whether the fact stands against others: rumours, lies and disputed words do not."""
    return fact.standing is Standing.TRUE and is_in_force(fact)


def _before(start: int | None, end: int | None) -> bool:
    return start is None or end is None or start < end


def _roles(fact: Fact, catalogue: Catalogue) -> frozenset[tuple[str, Id]]:
    turned = catalogue[fact.predicate].inverse_of is not None
    swap = {SUBJECT: OBJECT, OBJECT: SUBJECT} if turned else {}
    return frozenset((swap.get(i.role, i.role), i.entity_id) for i in fact.involves)


def _about_the_same(one: Fact, other: Fact) -> bool:
    a, b = ({i.entity_id for i in fact.involves} for fact in (one, other))
    return a <= b or b <= a
