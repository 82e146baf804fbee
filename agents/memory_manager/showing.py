"""What of a turn shows to somebody who was there, and who said it. Pure; the rules are in `memories.py`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from rapidfuzz import fuzz

from agents.memory_manager.beliefs import Beliefs
from agents.memory_manager.lived import Lived, Stated
from agents.memory_manager.sayings import Saying
from agents.prose.names import any_name_pattern
from agents.prose.quotes import find_quote
from stores.records.canon import EvidenceKind, Fact, FactKind, normal
from stores.records.ids import Id
from stores.records.play import Turn

LONGEST_NAME: Final = 6
"""Words of a name that is looked for in prose."""

_OUTWARD: Final = frozenset(
    {"alive", "located_in", "contains", "owned_by", "owns", "met", "promised", "owes", "said", "married_to"}
)
"""Predicates of what shows: who is there when it comes about sees it."""
_DEEDS: Final = frozenset({FactKind.EVENT, FactKind.CHANGE, FactKind.ENCOUNTER})
_SMALL: Final = frozenset(
    normal(
        "a an the is are was were be been of to in on at and or it its that this his her their has have had "
        "with for by from as he she they you i"
    ).split()
)


class Showing:
    """Reads turns as those who were there took them in."""

    def __init__(self, lived: Lived, beliefs: Beliefs) -> None:
        self._lived = lived
        self._beliefs = beliefs
        named = {normal(name): i for i, name in lived.names.items()}
        parts = {normal(name): i for i, names in lived.attendance.people.items() for name in names}
        self._named = {name: i for name, i in (named | parts).items() if name}

    def about(self, words: str, fact: Fact | None = None) -> tuple[Id, ...]:
        """Return whom and what words are about: those that the fact involves, and those that are named."""
        involved = [i.entity_id for i in fact.involves] if fact else []
        said = normal(words).split()
        spans = (
            " ".join(said[at : at + size])
            for at in range(len(said))
            for size in range(1, min(LONGEST_NAME, len(said) - at) + 1)
        )
        return tuple(
            dict.fromkeys((*involved, *(self._named[span] for span in spans if span in self._named)))
        )

    def reaches(self, stated: Stated, turn: Turn, who: Id, words: str, said: Sequence[Saying]) -> bool:
        """Say whether a fact comes to this one by the turn: what is said by hearing it, all else by sight."""
        claims = {c for c in self._lived.claims.of_fact(stated.fact, self._lived.named) if c.holds}
        spoken = [s for s in said if claims.intersection(self._beliefs.claimed(s.words, s.by))]
        if spoken and stated.fact.entity("subject") != who:
            return any(s.by == who or is_in(s.words, words) for s in spoken)
        return self._shows(stated, turn, who, words)

    def _shows(self, stated: Stated, turn: Turn, who: Id, words: str) -> bool:
        """Say whether this one could see the fact in what the turn gave to them."""
        fact = stated.fact
        if fact.entity("subject") == who or (
            self._lived.claims.is_mutual(fact) and who in (i.entity_id for i in fact.involves)
        ):
            return True
        quotes = [
            e.quote
            for e in stated.proposal.evidence
            if e.kind is EvidenceKind.TURN and e.turn_id == turn.id and normal(e.quote) != normal(turn.text)
        ]
        if any(find_quote(quote, words) for quote in quotes):
            return True
        if quotes:
            return False  # it rests on words that this one did not hear
        if is_in(fact.statement.rstrip("."), words):
            return True
        named = [self._is_there_or_named(i.entity_id, turn, words) for i in fact.involves]
        if (fact.predicate in _OUTWARD or fact.kind in _DEEDS or _is_tag(fact)) and named and all(named):
            return True
        return all(named) and self._worded(fact, words)

    def _worded(self, fact: Fact, words: str) -> bool:
        """Say whether half of what the fact says, beside names, is said in the words."""
        names = {w for i in fact.involves for w in normal(self._lived.names.get(i.entity_id, "")).split()}
        wanted = [w for w in normal(fact.statement).split() if w not in names and w not in _SMALL]
        said = normal(words).split()
        met = sum(any(w[:5] == s[:5] or fuzz.ratio(w, s) >= 85 for s in said) for w in wanted)
        return bool(wanted) and met * 2 >= len(wanted)

    def _is_there_or_named(self, entity_id: Id, turn: Turn, words: str) -> bool:
        attendance = self._lived.attendance
        if entity_id in attendance.people and entity_id in attendance.present(turn):
            return True
        names = attendance.people.get(entity_id) or (self._lived.names.get(entity_id, ""),)
        parts = {p for n in names for p in (n, *n.split()) if p and normal(p) not in _SMALL and len(p) > 2}
        return re.search(any_name_pattern(parts), words, re.IGNORECASE) is not None

    def is_whispered(self, turn: Turn, who: Id) -> bool:
        return who in turn.hearers or any(who in w.hearers for w in self._lived.attendance.whispers(turn))

    def whispered(self, turn: Turn, who: Id) -> str:
        """Return what this one alone is told, if that is all of the turn: without how it is told."""
        if who not in turn.hearers:
            return ""
        return " ".join(turn.text[w.start : w.end] for w in self._lived.attendance.whispers(turn))

    def is_named(self, who: Id, words: str) -> bool:
        attendance = self._lived.attendance
        if who == attendance.pc_id and re.search(r"\byou\b", words, re.IGNORECASE):
            return True
        return re.search(any_name_pattern(attendance.people.get(who, ())), words, re.IGNORECASE) is not None

    def teller(self, fact: Fact, stated: Stated, told: Sequence[Saying]) -> Id | None:
        """Return who says the fact in this turn, if it is said and not shown."""
        claims = {c for c in self._lived.claims.of_fact(fact, self._lived.named) if c.holds}
        for saying in told:
            if claims.intersection(self._beliefs.claimed(saying.words, saying.by)):
                return saying.by
            quoted = (e.quote for e in stated.proposal.evidence if e.kind is EvidenceKind.TURN)
            if any(q and is_in(q, saying.words) for q in quoted):
                return saying.by
        return None


def is_in(part: str, whole: str) -> bool:
    """Say whether words stand in others, whatever their case and punctuation."""
    return f" {normal(part)} " in f" {normal(whole)} "


def _is_tag(fact: Fact) -> bool:
    return fact.predicate in ("is", "is_not", "hp")
