"""How one is disposed towards another, as canon has it: what stands between them, with the facts.

Warmth counts like points on two dice: 3 is a friend, -3 an enemy. What canon does not say is no bond.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from agents.canon_keeper.fact_readings import FactReading, is_in_force, is_true, read_fact
from agents.canon_keeper.predicates import Catalogue
from stores.records.canon import Fact
from stores.records.ids import Id

WARMTH: Final[Mapping[str, tuple[int, int]]] = MappingProxyType(
    {
        "ally_of": (3, 3),
        "enemy_of": (-3, -3),
        "married_to": (3, 3),
        "parent_of": (3, 2),
        "sibling_of": (2, 2),
        "serves": (2, 1),
        "member_of": (2, 1),
        "promised": (1, 1),
        "owes": (1, -1),
    }
)
"""What a relation makes its subject feel for its object, and its object for its subject."""

FACTION_WARMTH: Final[Mapping[str, int]] = MappingProxyType({"ally_of": 2, "enemy_of": -2})
"""Friendships and enmities that those on a side share with it, somewhat less."""
SAME_FACTION_WARMTH: Final = 1
"""What belonging to the same faction is worth."""
_FACTION_PREDICATES: Final = frozenset({"member_of", "serves"})


class Bond(NamedTuple):
    """One thing that stands between two; `facts` say it, the first of them most directly."""

    warmth: int
    facts: tuple[Fact, ...]

    @property
    def text(self) -> str:
        return f"{self.warmth:+d}: {' '.join(fact.statement for fact in self.facts)}"


def holds_now(fact: Fact, tick: int | None = None) -> bool:
    """Say whether the fact stands as true at world time `tick` (minutes; None: has no end)."""
    return is_true(fact) and is_current(fact, tick)


def is_current(fact: Fact, tick: int | None = None) -> bool:
    """Say whether the fact is of that time, be it the truth, a rumour or a lie."""
    has_begun = tick is None or fact.valid_from is None or fact.valid_from <= tick
    is_over = fact.valid_to is not None and (tick is None or fact.valid_to <= tick)
    return is_in_force(fact) and has_begun and not is_over


def find_bonds(
    who: Id, towards: Id, facts: Iterable[Fact], catalogue: Catalogue, tick: int | None = None
) -> tuple[Bond, ...]:
    """Return what disposes `who` towards the other, in the order of the facts, each fact once.

    `facts` should hold those of both and of the factions they belong to.
    """
    fact_readings = [
        (fact, read_fact(fact, catalogue)) for fact in facts if holds_now(fact, tick) and not fact.closed
    ]
    all_bonds = [*_direct_bonds(who, towards, fact_readings), *_faction_bonds(who, towards, fact_readings)]
    return tuple({frozenset(fact.id for fact in bond.facts): bond for bond in all_bonds}.values())


_FactReadings = list[tuple[Fact, FactReading]]


def _direct_bonds(who: Id, towards: Id, fact_readings: _FactReadings) -> Iterator[Bond]:
    for fact, reading in fact_readings:
        of_subject, of_object = WARMTH.get(reading.predicate, (0, 0))
        end_ids = reading.subject, reading.object
        if end_ids == (who, towards) and of_subject:
            yield Bond(of_subject, (fact,))
        elif end_ids == (towards, who) and of_object:
            yield Bond(of_object, (fact,))


def _faction_bonds(who: Id, towards: Id, fact_readings: _FactReadings) -> Iterator[Bond]:
    """Yield what comes of the factions that one or both belong to."""
    own_factions, other_factions = _factions_of(who, fact_readings), _factions_of(towards, fact_readings)
    for side, facts in own_factions.items():
        if side in other_factions and side not in (who, towards):
            yield Bond(SAME_FACTION_WARMTH, (*facts, *other_factions[side]))
    for fact, reading in fact_readings:
        warmth = FACTION_WARMTH.get(reading.predicate)
        for one, other in ((reading.subject, reading.object), (reading.object, reading.subject)):
            is_indirect = (one, other) != (who, towards)
            if warmth and is_indirect and one in own_factions and other in other_factions and one != other:
                yield Bond(warmth, (fact, *own_factions[one], *other_factions[other]))


def _factions_of(who: Id, fact_readings: _FactReadings) -> dict[Id | None, tuple[Fact, ...]]:
    """Return whom `who` stands with, by the facts that say so; with oneself, by none."""
    facts_by_faction: dict[Id | None, tuple[Fact, ...]] = {
        reading.object: (fact,)
        for fact, reading in fact_readings
        if reading.predicate in _FACTION_PREDICATES and reading.subject == who and reading.object
    }
    return {**facts_by_faction, who: ()}
