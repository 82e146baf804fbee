"""Finds in canon how one character is disposed towards another, with the facts that say so.

Warmth counts like points on two dice: 3 is a friend, -3 an enemy.
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
"""The warmth of a relation's subject for its object, and of the object for the subject."""

FACTION_WARMTH: Final[Mapping[str, int]] = MappingProxyType({"ally_of": 2, "enemy_of": -2})
"""The warmth of a faction's members for its allies and enemies; weaker than their own relations."""
SAME_FACTION_WARMTH: Final = 1
"""The warmth between members of one faction."""
_FACTION_PREDICATES: Final = frozenset({"member_of", "serves"})


class Bond(NamedTuple):
    """One reason for warmth between two."""

    warmth: int
    facts: tuple[Fact, ...]
    """The facts that say so, the most direct one first."""

    @property
    def text(self) -> str:
        return f"{self.warmth:+d}: {' '.join(fact.statement for fact in self.facts)}"


def holds_now(fact: Fact, tick: int | None = None) -> bool:
    """Return whether the fact is true at world time `tick` (minutes; None: without an end)."""
    return is_true(fact) and is_current(fact, tick)


def is_current(fact: Fact, tick: int | None = None) -> bool:
    """Return whether the fact belongs to that time, be it the truth, a rumour or a lie."""
    has_begun = tick is None or fact.valid_from is None or fact.valid_from <= tick
    is_over = fact.valid_to is not None and (tick is None or fact.valid_to <= tick)
    return is_in_force(fact) and has_begun and not is_over


def find_bonds(
    character_id: Id, towards_id: Id, facts: Iterable[Fact], catalogue: Catalogue, tick: int | None = None
) -> tuple[Bond, ...]:
    """Return the bonds of `who` to the other, in the order of the facts; no two rest on the same facts.

    `facts` should hold those of both and of the factions they belong to.
    """
    fact_readings = [
        (fact, read_fact(fact, catalogue)) for fact in facts if holds_now(fact, tick) and not fact.closed
    ]
    all_bonds = [
        *_direct_bonds(character_id, towards_id, fact_readings),
        *_faction_bonds(character_id, towards_id, fact_readings),
    ]
    return tuple({frozenset(fact.id for fact in bond.facts): bond for bond in all_bonds}.values())


_FactReadings = list[tuple[Fact, FactReading]]


def _direct_bonds(character_id: Id, towards_id: Id, fact_readings: _FactReadings) -> Iterator[Bond]:
    for fact, reading in fact_readings:
        of_subject, of_object = WARMTH.get(reading.predicate, (0, 0))
        end_ids = reading.subject, reading.object
        if end_ids == (character_id, towards_id) and of_subject:
            yield Bond(of_subject, (fact,))
        elif end_ids == (towards_id, character_id) and of_object:
            yield Bond(of_object, (fact,))


def _faction_bonds(character_id: Id, towards_id: Id, fact_readings: _FactReadings) -> Iterator[Bond]:
    """Yield the bonds by the factions that one or both belong to."""
    own_factions, other_factions = (
        _factions_of(character_id, fact_readings),
        _factions_of(towards_id, fact_readings),
    )
    for faction, facts in own_factions.items():
        if faction in other_factions and faction not in (character_id, towards_id):
            yield Bond(SAME_FACTION_WARMTH, (*facts, *other_factions[faction]))
    for fact, reading in fact_readings:
        warmth = FACTION_WARMTH.get(reading.predicate)
        for one, other in ((reading.subject, reading.object), (reading.object, reading.subject)):
            is_indirect = (one, other) != (character_id, towards_id)
            if warmth and is_indirect and one in own_factions and other in other_factions and one != other:
                yield Bond(warmth, (fact, *own_factions[one], *other_factions[other]))


def _factions_of(character_id: Id, fact_readings: _FactReadings) -> dict[Id | None, tuple[Fact, ...]]:
    """Return the character's factions with the facts that say so, and the character itself with none."""
    facts_by_faction: dict[Id | None, tuple[Fact, ...]] = {
        reading.object: (fact,)
        for fact, reading in fact_readings
        if reading.predicate in _FACTION_PREDICATES and reading.subject == character_id and reading.object
    }
    return {**facts_by_faction, character_id: ()}
