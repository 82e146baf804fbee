"""Reads a statement by the names that exist into claims, and keeps what it read."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from agents.canon_keeper.sentences.claims import Claim, SentenceReading
from agents.canon_keeper.sentences.clause_reader import ClauseReader
from agents.canon_keeper.sentences.figures_of_speech import claims_relation, find_figures
from agents.canon_keeper.sentences.interpretation import Interpreter
from agents.canon_keeper.sentences.noun_phrases import NounPhrase
from agents.canon_keeper.sentences.tokens import NameBook, read_tokens
from agents.canon_keeper.sentences.word_lists import load_word_lists
from agents.prose.day_mentions import attach_earlier_time
from agents.prose.opening_times import drop_opening_times
from agents.prose.words import NO_TITLE_BEFORE

MAX_READ_CHARS = 600
"""Characters of a statement up to which it is read; a longer one is a story."""

FIRST_TIME = "for the first time"
"""Words of a sentence by which it was never so before."""
_SENTENCE_END = re.compile(rf"(?<=[.!?…]){NO_TITLE_BEFORE}\s+")


def read_statement(statement: str, names: NameBook, pronoun_id: str = "") -> SentenceReading:
    """Return what a statement claims; `pronoun_id` is whom `he`, `she`, `it` and `I` mean in its first sentence."""
    if len(statement) > MAX_READ_CHARS:
        return SentenceReading()
    return _read(statement, names.restricted_to(statement), pronoun_id)


@lru_cache(maxsize=20_000)
def _read(statement: str, names: NameBook, pronoun_id: str) -> SentenceReading:
    lists = load_word_lists()
    clause_reader, interpreter = ClauseReader(lists, names), Interpreter(lists, names)
    pronoun = NounPhrase(entity=pronoun_id) if pronoun_id else None
    claims: list[Claim] = []
    words: list[tuple[str, str, str]] = []
    for sentence in map(attach_earlier_time, _SENTENCE_END.split(drop_opening_times(statement))):
        figures = find_figures(sentence)
        for clause in clause_reader.read(read_tokens(sentence, names), pronoun):
            clause_claims = interpreter.claims_of(clause)
            if FIRST_TIME in sentence:
                clause_claims = [replace(claim, is_change=True) for claim in clause_claims]
            clause_claims = [c for c in clause_claims if claims_relation(figures, c.relation)]
            claims += clause_claims
            if clause_claims:
                words.append(clause.spoken)
            if clause.subject.entity:
                pronoun = NounPhrase(entity=clause.subject.entity)
    return SentenceReading(tuple(claims), tuple(dict.fromkeys(words)))
