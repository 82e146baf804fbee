"""Completes each clause of a sentence by the clause before it: whom `him` means, where it was, who is what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from agents.canon_keeper.propositions.clause_splitting import ClauseWords
from agents.canon_keeper.propositions.clause_words import NEGATIONS, PERSON_NOUNS
from agents.canon_keeper.propositions.proposition import Proposition
from agents.canon_keeper.sentences.tokens import Token
from agents.canon_keeper.sentences.word_lists import singular

_OBJECT_PRONOUNS: Final = frozenset({"him", "her", "them"})
_PLACING: Final = frozenset({"aboard", "in", "at", "on"})


def with_person_meant(clause: ClauseWords, previous: ClauseWords | None) -> ClauseWords:
    """Replace `him` by the one whom the clause before names behind its verb, of the same subject."""
    if previous is None or not any(_is_object(clause.rest, n) for n in range(len(clause.rest))):
        return clause
    people = [t for t in previous.rest if t.is_person and t not in previous.subject]
    if len(people) != 1 or not clause.subject or clause.subject != previous.subject:
        return clause
    rest = (people[0] if _is_object(clause.rest, n) else t for n, t in enumerate(clause.rest))
    return replace(clause, rest=tuple(rest))


def _is_object(tokens: Sequence[Token], at: int) -> bool:
    """Say whether a pronoun stands alone, and does not say whose the next is: `suspects her`, not `her ring`."""
    if tokens[at].word not in _OBJECT_PRONOUNS:
        return False
    following = tokens[at + 1].word if at + 1 < len(tokens) else ""
    return tokens[at].word != "her" or following in ("", ",", "of", "for", "with", "and", "in", "at", "to")


def with_place_meant(clause: ClauseWords, previous: ClauseWords | None) -> ClauseWords:
    """Add where somebody was to what they did there: `was aboard the Heron and survived`."""
    is_open = not clause.rest and clause.tag != "be" and previous is not None and previous.verb == "be"
    if not is_open or previous is None or clause.subject != previous.subject:
        return clause
    is_there = bool(previous.rest) and previous.rest[0].word in _PLACING and len(previous.rest) <= 3
    return replace(clause, rest=previous.rest) if is_there else clause


def add_kinds(propositions: Iterable[Proposition], clauses: Sequence[ClauseWords]) -> list[Proposition]:
    """Add of which kind somebody is said to be to what else is said of them: `is a member and enters the club`."""
    kinds = _kinds_said(clauses)
    return [
        replace(p, kinds=p.kinds | frozenset(k for doer in p.doers for k in kinds.get(doer, ())))
        if kinds and not kinds.keys().isdisjoint(p.doers)
        else p
        for p in propositions
    ]


def _kinds_said(clauses: Sequence[ClauseWords]) -> Mapping[str, frozenset[str]]:
    kinds: dict[str, frozenset[str]] = {}
    if len(clauses) < 2:
        return kinds
    for clause in clauses:
        words = [t.word for t in clause.rest]
        is_kind = clause.tag == "be" and clause.verb == "be" and len(clause.subject) == 1
        if not is_kind or words[:1] not in (["a"], ["an"]) or not NEGATIONS.isdisjoint(words):
            continue
        nouns = frozenset(singular(w) for w in words[1:3]) & PERSON_NOUNS
        if clause.subject[0].entity and nouns and not any(t.word in NEGATIONS for t in clause.helpers):
            kinds[clause.subject[0].entity] = kinds.get(clause.subject[0].entity, frozenset()) | nouns
    return kinds
