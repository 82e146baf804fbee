"""How one is disposed towards another, as canon has it: what stands between them, with the facts.

Warmth counts like points on two dice: 3 is a friend, -3 an enemy. What canon does not say is no bond.
Source: design/product.md, "Solo procedures"; design/ontology.md, "Predicates are a catalogue".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.readings import Reading, is_in_force, read, stands
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

THROUGH_A_SIDE: Final[Mapping[str, int]] = MappingProxyType({"ally_of": 2, "enemy_of": -2})
"""Friendships and enmities that those on a side share with it, somewhat less."""
SAME_SIDE: Final = 1
"""What belonging to the same faction is worth."""
_SIDES: Final = frozenset({"member_of", "serves"})


class Bond(NamedTuple):
    """One thing that stands between two; `facts` say it, the first of them most directly."""

    warmth: int
    facts: tuple[Fact, ...]

    @property
    def text(self) -> str:
        return f"{self.warmth:+d}: {' '.join(fact.statement for fact in self.facts)}"


def holds_now(fact: Fact, tick: int | None = None) -> bool:
    """Say whether the fact stands as true at world time `tick` (minutes; None: has no end)."""
    return stands(fact) and is_current(fact, tick)


def is_current(fact: Fact, tick: int | None = None) -> bool:
    """Say whether the fact is of that time, be it the truth, a rumour or a lie."""
    begun = tick is None or fact.valid_from is None or fact.valid_from <= tick
    over = fact.valid_to is not None and (tick is None or fact.valid_to <= tick)
    return is_in_force(fact) and begun and not over


def bonds(
    who: Id, towards: Id, facts: Iterable[Fact], catalogue: Catalogue, tick: int | None = None
) -> tuple[Bond, ...]:
    """Return what disposes `who` towards the other, in the order of the facts, each fact once.

    `facts` should hold those of both and of the factions they belong to.
    """
    said = [(fact, read(fact, catalogue)) for fact in facts if holds_now(fact, tick) and not fact.closed]
    found = [*_direct(who, towards, said), *_through_sides(who, towards, said)]
    return tuple({frozenset(fact.id for fact in bond.facts): bond for bond in found}.values())


_Said = list[tuple[Fact, Reading]]


def _direct(who: Id, towards: Id, said: _Said) -> Iterator[Bond]:
    for fact, reading in said:
        of_subject, of_object = WARMTH.get(reading.predicate, (0, 0))
        ends = reading.subject, reading.object
        if ends == (who, towards) and of_subject:
            yield Bond(of_subject, (fact,))
        elif ends == (towards, who) and of_object:
            yield Bond(of_object, (fact,))


def _through_sides(who: Id, towards: Id, said: _Said) -> Iterator[Bond]:
    """Yield what comes of the factions that one or both belong to."""
    ours, theirs = _sides(who, said), _sides(towards, said)
    for side, facts in ours.items():
        if side in theirs and side not in (who, towards):
            yield Bond(SAME_SIDE, (*facts, *theirs[side]))
    for fact, reading in said:
        warmth = THROUGH_A_SIDE.get(reading.predicate)
        for one, other in ((reading.subject, reading.object), (reading.object, reading.subject)):
            indirect = (one, other) != (who, towards)
            if warmth and indirect and one in ours and other in theirs and one != other:
                yield Bond(warmth, (fact, *ours[one], *theirs[other]))


def _sides(who: Id, said: _Said) -> dict[Id | None, tuple[Fact, ...]]:
    """Return whom `who` stands with, by the facts that say so; with oneself, by none."""
    belongs: dict[Id | None, tuple[Fact, ...]] = {
        reading.object: (fact,)
        for fact, reading in said
        if reading.predicate in _SIDES and reading.subject == who and reading.object
    }
    return {**belongs, who: ()}
