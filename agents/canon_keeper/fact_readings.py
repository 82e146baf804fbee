"""What a fact says, read so that two facts can be compared: who, what, of whom, and when.

Pure. Times are world ticks (minutes); no start means since ever, no end means still.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from agents.canon_keeper.predicates import Catalogue, comparable_value, same_value, value_in_words
from stores.records.canon import Fact, FactKind, FactStatus, FactValue, Standing
from stores.records.ids import Id

IS: Final = "is"
IS_NOT: Final = "is_not"
"""A tag is a state too: `is wounded`, and when it is taken away, `is_not wounded`."""

ALIVE: Final = "alive"
CONNECTED_TO: Final = "connected_to"
LOCATED_IN: Final = "located_in"
OWNED_BY: Final = "owned_by"
PART_OF: Final = "part_of"

SUBJECT: Final = "subject"
OBJECT: Final = "object"
PARTICIPANT: Final = "participant"

OCCURRENCE_KINDS = frozenset({FactKind.EVENT, FactKind.CHANGE, FactKind.ENCOUNTER, FactKind.ASSERTION})
"""What happens at a time, and may happen again; everything else holds for a while."""

ENDED_PREDICATE: Final = "ended"
UPDATED_PREDICATE: Final = "updated"
MERGED_PREDICATE: Final = "merged"
CANON_EVENTS: Final = frozenset({ENDED_PREDICATE, UPDATED_PREDICATE, MERGED_PREDICATE})
"""Events that canon itself makes of an ending, an edit and a merge: nobody in the world does them."""


class FactReading(NamedTuple):
    """A fact in its canonical direction: `contains` is read as `located_in` from the other end."""

    predicate: str
    subject: Id | None
    object: Id | None
    value: FactValue | None


class FactKey(NamedTuple):
    """Where only one value stands at a time: a predicate of a subject, or one tag of it."""

    predicate: str
    subject: Id | None
    tag: str = ""


class ClaimKey(NamedTuple):
    """What a fact claims, equal for all facts that claim the same in other words or from the other end."""

    predicate: str
    ends: frozenset[Id | None]
    value: tuple[str, FactValue | None]


def read_fact(fact: Fact, catalogue: Catalogue) -> FactReading:
    subject, object_ = (fact.entity(SUBJECT), fact.entity(OBJECT)) if fact.involves else (None, None)
    inverse_of = catalogue[fact.predicate].inverse_of
    if inverse_of is not None:
        return FactReading(inverse_of, object_, subject, fact.value)
    return FactReading(fact.predicate, subject, object_, fact.value)


def fact_key_of(fact: Fact, catalogue: Catalogue) -> FactKey | None:
    """Return what the fact gives a value to; None if any number of its like may hold at once.

    A state whose key is in no catalogue has one value at a time; a mere sentence gives none.
    """
    reading = read_fact(fact, catalogue)
    if reading.value is None and reading.object is None:
        return None
    if fact.predicate in (IS, IS_NOT):
        return FactKey(IS, reading.subject, value_in_words(reading.value).casefold())
    predicate = catalogue[reading.predicate]
    is_single_valued = predicate.cardinality == "one"
    if is_single_valued or (fact.kind is FactKind.STATE and reading.predicate not in catalogue.predicates):
        return FactKey(reading.predicate, reading.subject)
    return None


def claim_key_of(fact: Fact, catalogue: Catalogue) -> ClaimKey | None:
    """Return what the fact claims; None for an occurrence and a mere sentence, which only words tell apart."""
    reading = read_fact(fact, catalogue)
    if fact.kind in OCCURRENCE_KINDS or (reading.value is None and reading.object is None):
        return None
    return ClaimKey(
        reading.predicate, frozenset((reading.subject, reading.object)), comparable_value(reading.value)
    )


def gives_same_value(one: Fact, other: Fact, catalogue: Catalogue) -> bool:
    """Say whether two facts of one fact key give it the same value."""
    a, b = read_fact(one, catalogue), read_fact(other, catalogue)
    return a.predicate == b.predicate and a.object == b.object and same_value(a.value, b.value)


def is_same_statement(one: Fact, other: Fact, catalogue: Catalogue) -> bool:
    """Say whether `other` says already what `one` does, whatever their times: predicate, roles and value, or sentence.

    A mere sentence says less than a relation or a state in the same words: it has no place among their values.
    """
    if claim_key_of(one, catalogue) is not None and _is_mere_sentence(other, catalogue):
        return False
    if one.standing is not other.standing or (one.kind in OCCURRENCE_KINDS) is not (
        other.kind in OCCURRENCE_KINDS
    ):
        return False
    if one.statement_key == other.statement_key and _about_the_same(one, other):
        return True
    if one.kind in OCCURRENCE_KINDS:
        return False
    a, b = read_fact(one, catalogue), read_fact(other, catalogue)
    if (
        a.predicate != b.predicate
        or not same_value(a.value, b.value)
        or (a.value is None and a.object is None)
    ):
        return False
    is_reversed = catalogue[a.predicate].symmetric and (a.subject, a.object) == (b.object, b.subject)
    return is_reversed or _canonical_roles(one, catalogue) == _canonical_roles(other, catalogue)


def _is_mere_sentence(fact: Fact, catalogue: Catalogue) -> bool:
    return fact.kind not in OCCURRENCE_KINDS and claim_key_of(fact, catalogue) is None


def is_same_time(one: Fact, other: Fact) -> bool:
    """Say whether two facts mean the same time: an occurrence the same moment, all else any shared one."""
    if one.kind in OCCURRENCE_KINDS:
        return None in (one.valid_from, other.valid_from) or one.valid_from == other.valid_from
    return times_overlap(one, other)


def times_overlap(one: Fact, other: Fact) -> bool:
    """Say whether there is a time at which both hold."""
    is_within = _before(one.valid_from, other.valid_to) and _before(other.valid_from, one.valid_to)
    return is_within and all(_before(fact.valid_from, fact.valid_to) for fact in (one, other))


def starts_later(one: Fact, other: Fact) -> bool:
    """Say whether it is known that `one` begins after `other` did."""
    if one.valid_from is None:
        return False
    return other.valid_from is None or one.valid_from > other.valid_from


def is_later(one: Fact, other: Fact) -> bool:
    """Say whether `one` begins after `other` did or, if they begin together, was recorded after it."""
    if one.valid_from == other.valid_from:
        return one.recorded_at > other.recorded_at
    return starts_later(one, other)


def is_open(fact: Fact) -> bool:
    """Say whether the fact is canon and still holds."""
    return fact.status is FactStatus.CANONICAL and fact.valid_to is None


def is_in_force(fact: Fact) -> bool:
    """Say whether the fact holds at some time.

    It was not retconned, nor replaced at a time unknown or by a correction, which leaves nothing of it.
    """
    is_replaced = fact.status is FactStatus.SUPERSEDED and fact.valid_to in (None, fact.valid_from)
    return fact.status is not FactStatus.RETCONNED and not is_replaced


def is_true(fact: Fact) -> bool:
    """Say whether the fact stands against others: rumours, lies and disputed words do not."""
    return fact.standing is Standing.TRUE and is_in_force(fact)


def is_true_death(fact: Fact) -> bool:
    """Say whether the fact is that somebody is dead: nobody is by a rumour or a lie, or by what was taken back."""
    return fact.predicate == ALIVE and fact.value is False and is_true(fact)


def _before(start: int | None, end: int | None) -> bool:
    return start is None or end is None or start < end


def _canonical_roles(fact: Fact, catalogue: Catalogue) -> frozenset[tuple[str, Id]]:
    is_inverse = catalogue[fact.predicate].inverse_of is not None
    swap = {SUBJECT: OBJECT, OBJECT: SUBJECT} if is_inverse else {}
    return frozenset((swap.get(i.role, i.role), i.entity_id) for i in fact.involves)


def _about_the_same(one: Fact, other: Fact) -> bool:
    a, b = ({i.entity_id for i in fact.involves} for fact in (one, other))
    return a <= b or b <= a
