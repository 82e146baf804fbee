"""Reads a statement into propositions. Words that are in doubt say nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from agents.canon_keeper.propositions.clause_context import ClauseContext
from agents.canon_keeper.propositions.clause_propositions import propositions_of
from agents.canon_keeper.propositions.clause_splitting import ClauseSplitter, ClauseWords
from agents.canon_keeper.propositions.proposition import Proposition, Span
from agents.canon_keeper.propositions.vocabulary import load_vocabulary
from agents.canon_keeper.sentences.noun_phrases import PREPOSITIONS, PRONOUNS
from agents.canon_keeper.sentences.reader import MAX_READ_CHARS
from agents.canon_keeper.sentences.tokens import NameBook, Token, read_tokens
from agents.prose.words import NO_TITLE_BEFORE

_SENTENCE_END: Final = re.compile(rf"(?<=[.!?…]){NO_TITLE_BEFORE}\s+")
_READ_ANYWAY: Final = frozenset({"half", "may", "almost", "nearly", "more"})
"""Words that leave a sentence uncertain elsewhere, and are understood here."""
_READ_PHRASES: Final = frozenset({"more than", "less than", "fewer than", "at least"})
_NO_REPORTS: Final = frozenset(
    ["lie", "swear", "order", "command", "insist", "deny", "doubt", "dream", "fear", "suppose", "advise", "warn", "ask"]
)  # fmt: skip


def read_propositions(statement: str, names: NameBook, pronoun_id: str = "") -> tuple[Proposition, ...]:
    """Return what a statement says; `pronoun_id` is whom `he`, `she` and `it` mean in its first sentence."""
    if len(statement) > MAX_READ_CHARS:
        return ()
    return _read(statement, names.restricted_to(statement), pronoun_id)


@lru_cache(maxsize=20_000)
def _read(statement: str, names: NameBook, pronoun_id: str) -> tuple[Proposition, ...]:
    splitter = ClauseSplitter(load_vocabulary())
    propositions: list[Proposition] = []
    named: set[str] = set()
    for sentence in _SENTENCE_END.split(statement):
        tokens = _with_had(read_tokens(sentence, names))
        named |= {t.entity for t in tokens if t.entity}
        if _is_open(tokens):
            continue
        previous: ClauseWords | None = None
        for clause in splitter.split(tokens):
            if _says_always(clause):
                propositions = [
                    *propositions[:-1],
                    *(replace(p, span=Span.ALWAYS) for p in propositions[-1:]),
                ]
                continue
            clause = _with_thing_meant(clause, previous)
            previous = clause
            propositions += propositions_of(ClauseContext(clause, pronoun_id, frozenset(named)))
            pronoun_id = pronoun_id or next((t.entity for t in clause.subject if t.entity), "")
    return tuple(propositions)


def _is_open(tokens: Sequence[Token]) -> bool:
    """Say whether a sentence asks, supposes, or tells what others say and think."""
    lists = load_vocabulary()
    words = [t.word for t in tokens]
    uncertain = lists.uncertain_words - _READ_ANYWAY
    if not {"?", "“", "”", '"', "½"}.isdisjoint(words) or not uncertain.isdisjoint(words):
        return True
    if "may" in words and not {"only", "no", "nobody", "anybody", "anyone", "everyone"} & set(words):
        return True
    text = f" {' '.join(words)} "
    if any(f" {phrase} " in text for phrase in lists.uncertain_phrases if phrase not in _READ_PHRASES):
        return True
    reports = lists.reporting_verbs - _NO_REPORTS
    return any(r.lemma in reports and r.tag != "part" for word in words for r in lists.readings_as_verb(word))


def _with_had(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens with `had` for the `would` that `'d` was taken for: `he'd sworn`."""
    lists = load_vocabulary()
    fixed = list(tokens)
    for index, token in enumerate(tokens[:-1]):
        tags = {r.tag for r in lists.readings_as_verb(tokens[index + 1].word)}
        if token.word == "would" and "part" in tags and "base" not in tags:
            fixed[index] = Token("had", "had")
    return fixed


def _says_always(clause: ClauseWords) -> bool:
    """Say whether a clause only adds that it was always so: `and always has been`, `and never did`."""
    words = {t.word for t in clause.helpers}
    return not clause.rest and clause.verb in ("be", "do", "have") and bool(words & {"always", "never"})


def _with_thing_meant(clause: ClauseWords, previous: ClauseWords | None) -> ClauseWords:
    """Replace `it` by what the clause before is about, unless that is somebody."""
    if previous is None or not any(t.word == "it" for t in (*clause.subject, *clause.rest)):
        return clause
    candidates = (previous.subject, tuple(t for t in previous.rest if t.word != "it"))
    names = [t for candidate in candidates for t in candidate if t.entity and not t.is_person]
    thing = next((c for c in candidates if c and not any(t.is_person or t.word in PRONOUNS for t in c)), ())
    if len(names) == 1 and names[0] not in thing:
        thing = (names[0],)
    while thing and thing[0].word in PREPOSITIONS:
        thing = thing[1:]
    if not thing:
        return clause

    def with_thing(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
        return tuple(t for token in tokens for t in (thing if token.word == "it" else (token,)))

    return replace(clause, subject=with_thing(clause.subject), rest=with_thing(clause.rest))
