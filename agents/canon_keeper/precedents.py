"""Rulings of the court, found by what two statements say: the same pair never asks again. Pure.

A statement is known by who, what and of whom, in whatever words; a mere sentence, or what happened at a
time, by its words (and its tick). Source: design/authority.md, "Contradictions"; design/ontology.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from agents.canon_keeper.predicates import Catalogue, words_of
from agents.canon_keeper.readings import OCCURRENCES, read
from stores.records.canon import Fact, Standing
from stores.records.ids import Id, derived
from stores.records.ledger import CourtRuling, Ruling

WORDS: Mapping[CourtRuling, str] = {
    CourtRuling.FROM_NOW: "the new one holds from then on",
    CourtRuling.NEW: "the new one is so, the old one never was",
    CourtRuling.OLD: "the old one stands",
    CourtRuling.BOTH: "both stand, one of them as {standing}",
    CourtRuling.BOUNDED: "each has its own time",
    CourtRuling.SPLIT: "they are about different things",
}


def side_of(fact: Fact, catalogue: Catalogue) -> str:
    """Return the key of what a fact says, the same for all that say it."""
    said = read(fact, catalogue)
    if fact.kind in OCCURRENCES or (said.object is None and said.value is None):
        who = sorted(f"{i.role} {i.entity_id}" for i in fact.involves)
        when = fact.valid_from if fact.kind in OCCURRENCES else None
        return derived("side", fact.said, when, *who)
    ends = [said.subject, said.object]
    if catalogue[said.predicate].symmetric:
        ends.sort(key=str)
    return derived("side", said.predicate, *ends, words_of(said.value).casefold())


def pair_of(one: Fact, other: Fact, catalogue: Catalogue) -> tuple[str, str]:
    """Return the key of a pair, whichever of the two is new."""
    first, second = sorted((side_of(one, catalogue), side_of(other, catalogue)))
    return first, second


def two_of(one: Id, other: Id) -> tuple[Id, Id]:
    """Return the key of two entities that may be one."""
    first, second = sorted((one, other))
    return first, second


def ruling_id(universe_id: Id, pair: tuple[str, str]) -> Id:
    return derived("ruling", universe_id, *pair)


class Precedents:
    """What the court ruled in one universe."""

    def __init__(self, rulings: Iterable[Ruling] = ()) -> None:
        self._rulings = {ruling.pair: ruling for ruling in rulings}

    def and_also(self, rulings: Iterable[Ruling]) -> Precedents:
        """Return these precedents with others beside them."""
        return Precedents([*self._rulings.values(), *rulings])

    def are_different(self, one: Id, other: Id) -> bool:
        """Say whether two entities were ruled to be two."""
        return two_of(one, other) in self._rulings

    def of(self, one: Fact, other: Fact, catalogue: Catalogue) -> Ruling | None:
        if not self._rulings:
            return None
        return self._rulings.get(pair_of(one, other, catalogue))


def upholds(ruling: Ruling, fact: Fact, catalogue: Catalogue) -> bool:
    """Say whether the ruling was for what this fact says."""
    return ruling.upheld == side_of(fact, catalogue)


def in_words(ruling: Ruling) -> str:
    """Return a sentence for the reasons of what meets the ruling again."""
    return " ".join(filter(None, [f"You ruled on this: {words_of_ruling(ruling)}.", ruling.reason]))


def words_of_ruling(ruling: Ruling) -> str:
    """Return how the ruling settled it."""
    standing = ruling.standing
    told = "disputed" if standing is Standing.DISPUTED else f"a {standing}" if standing else ""
    return WORDS[ruling.ruling].format(standing=told)
