"""Looks up earlier rulings by what two statements say, so that a pair is ruled on once. Pure.

A statement is known by who, what and of whom, in whatever words; a mere sentence, or what happened at a time,
by its words (and its tick).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final

from agents.canon_keeper.fact_readings import OCCURRENCE_KINDS, read_fact
from agents.canon_keeper.predicates import Catalogue, value_in_words
from stores.records.canon import Fact, Standing
from stores.records.ids import Id, derive_id
from stores.records.workflow import Ruling, RulingKind

MAX_STAGED: Final = 6
"""Proposals that one ruling stages: two corrections, what they end or retcon, and another entity."""

RULING_WORDS: Mapping[RulingKind, str] = {
    RulingKind.FROM_NOW: "the new one is true from then on",
    RulingKind.NEW: "the new one is true, the old one never was",
    RulingKind.OLD: "the old one is true",
    RulingKind.BOTH: "both are kept, one of them as {standing}",
    RulingKind.BOUNDED: "each is true at its own time",
    RulingKind.SPLIT: "they are about different things",
}


def statement_key(fact: Fact, catalogue: Catalogue) -> str:
    """Return the key of what a fact says, the same for all that say it."""
    reading = read_fact(fact, catalogue)
    if fact.kind in OCCURRENCE_KINDS or (reading.object is None and reading.value is None):
        role_words = sorted(f"{i.role} {i.entity_id}" for i in fact.involves)
        occurrence_tick = fact.valid_from if fact.kind in OCCURRENCE_KINDS else None
        return derive_id("side", fact.statement_key, occurrence_tick, *role_words)
    end_ids = [reading.subject, reading.object]
    if catalogue[reading.predicate].symmetric:
        end_ids.sort(key=str)
    return derive_id("side", reading.predicate, *end_ids, value_in_words(reading.value).casefold())


def pair_key(one: Fact, other: Fact, catalogue: Catalogue) -> tuple[str, str]:
    """Return the key of a pair, whichever of the two is new."""
    first, second = sorted((statement_key(one, catalogue), statement_key(other, catalogue)))
    return first, second


def entity_pair_key(one: Id, other: Id) -> tuple[Id, Id]:
    """Return the key of two entities that may be one."""
    first, second = sorted((one, other))
    return first, second


def ruling_id(universe_id: Id, pair: tuple[str, str]) -> Id:
    return derive_id("ruling", universe_id, *pair)


class Precedents:
    """The rulings of one universe."""

    def __init__(self, rulings: Iterable[Ruling] = ()) -> None:
        self._rulings = {ruling.pair: ruling for ruling in rulings if not ruling.is_withdrawn}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Precedents) and self._rulings == other._rulings

    __hash__ = None  # type: ignore[assignment]

    def with_rulings(self, rulings: Iterable[Ruling]) -> Precedents:
        """Return these precedents with others beside them."""
        return Precedents([*self._rulings.values(), *rulings])

    def are_different(self, one: Id, other: Id) -> bool:
        """Say whether two entities were ruled to be two."""
        return entity_pair_key(one, other) in self._rulings

    def find_ruling(self, one: Fact, other: Fact, catalogue: Catalogue) -> Ruling | None:
        """Return the ruling on what two facts say, unless canon has come to say it anew since."""
        if not self._rulings:
            return None
        ruling = self._rulings.get(pair_key(one, other, catalogue))
        return None if ruling is None or _has_lapsed(ruling, one, other) else ruling


def _has_lapsed(ruling: Ruling, one: Fact, other: Fact) -> bool:
    """Say whether neither of two facts was there for the ruling or is of its making.

    Tom and Ann, who were ruled to be enemies from then on, were reconciled later, and fall out once more: that was not
    ruled on.
    """
    return not any(_is_ruled_on(ruling, fact) for fact in (one, other))


def _is_ruled_on(ruling: Ruling, fact: Fact) -> bool:
    own_proposal_ids = {
        ruling.proposal_id,
        *(
            derive_staged_id(ruling.id, ruling.ruling, ruling.at, "correction", nth)
            for nth in range(MAX_STAGED)
        ),
    }
    return fact.recorded_at <= ruling.at or fact.id == ruling.fact_id or fact.proposal_id in own_proposal_ids


def derive_staged_id(ruling_id: Id, ruling: RulingKind, at: datetime, step: str, nth: int) -> Id:
    """Return the id of the nth proposal that a ruling stages."""
    return derive_id("ruled", ruling_id, ruling, at, step, nth)


def is_upheld(ruling: Ruling, fact: Fact, catalogue: Catalogue) -> bool:
    """Say whether the ruling was for what this fact says."""
    return ruling.upheld == statement_key(fact, catalogue)


def describe_precedent(ruling: Ruling) -> str:
    """Return a sentence for the reasons of what meets the ruling again."""
    return " ".join(filter(None, [f"You resolved this before: {describe_ruling(ruling)}.", ruling.reason]))


def describe_ruling(ruling: Ruling) -> str:
    """Return how the ruling settled it."""
    standing = ruling.standing
    standing_words = "disputed" if standing is Standing.DISPUTED else f"a {standing}" if standing else ""
    return RULING_WORDS[ruling.ruling].format(standing=standing_words)
