"""Finds what narration tells against what is known, also where it proposes nothing: the ferry that burned sails. Pure.

Most of a story tells of the moment, so only what does not pass by itself counts: a gate that was shut may be open now.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.sentence_index import SentenceIndex
from agents.canon_keeper.sentences.comparison import DEAD
from agents.canon_keeper.sentences.lasting_statements import reports_words
from agents.canon_keeper.sentences.tokens import build_name_book, read_tokens, unquote_values
from agents.declarations.coordinated_clauses import split_clauses
from agents.declarations.said_in_passing import read_said_in_passing
from agents.proposals.statements import as_sentence
from agents.prose.frames import find_framed_sentences
from agents.prose.names import NON_NAME_WORDS
from agents.prose.speech import SINGLE_QUOTED, strip_speech
from agents.prose.words import split_sentences
from stores.records.canon import Fact, FactKind
from stores.records.ids import Id
from stores.records.world import Entity

MAX_SENTENCES: Final = 20
"""Sentences of one text that are read."""
_SPEECH: Final = "¶"
_NARRATED_ID: Final = "narrated"


class ContradictedFact(NamedTuple):
    """A fact that a sentence of a text cannot be true beside; `reason` is a sentence."""

    fact: Fact
    reason: str


def split_told_sentences(text: str) -> list[str]:
    """Return the sentences in which a text itself tells what happens: no speech, no report, no dream, no question."""
    text = unquote_values(text)
    if SINGLE_QUOTED.search(text):
        return []
    told_text = strip_speech(text)
    framed = find_framed_sentences(told_text)
    told = [
        sentence
        for position, sentence in enumerate(split_sentences(told_text)[:MAX_SENTENCES])
        if position not in framed and _SPEECH not in sentence and "?" not in sentence
    ]
    return [
        part
        for sentence in told
        for part in (*_said_in_passing(sentence), *_without_reports(sentence))
        if not reports_words(part)
    ]


def _said_in_passing(sentence: str) -> list[str]:
    statement = read_said_in_passing(sentence)
    return [statement.sentence] if statement is not None else []


def _without_reports(sentence: str) -> list[str]:
    """Return the sentence; its clauses if it tells among other things what somebody says."""
    return [c.sentence for c in split_clauses(sentence)] if reports_words(sentence) else [sentence]


def find_named_ids(sentences: Iterable[str], entities: Sequence[Entity]) -> frozenset[Id]:
    """Return who and what the sentences name."""
    names = build_name_book(entities)
    return frozenset(
        token.entity
        for sentence in sentences
        for token in read_tokens(sentence, names.restricted_to(sentence))
        if token.entity
    )


def names_others(sentences: Iterable[str], entities: Sequence[Entity]) -> bool:
    """Say whether the sentences may name somebody or something besides these entities."""
    names = build_name_book(entities)
    return any(
        token.text[:1].isupper()
        and not token.entity
        and (position or not token.word.isalpha() or _is_rare(token.word))
        for sentence in sentences
        for position, token in enumerate(read_tokens(sentence, names.restricted_to(sentence)))
    )


def _is_rare(word: str) -> bool:
    """Say whether a word that begins a sentence may be a name."""
    return word not in NON_NAME_WORDS


def find_contradicted_facts(
    sentences: Iterable[str],
    template: Fact,
    facts: Iterable[Fact],
    entities: Sequence[Entity],
    catalogue: Catalogue,
) -> list[ContradictedFact]:
    """Return the facts that one of the sentences cannot be true beside, of each sentence the first.

    A sentence counts as a fact like `template`, in its own words.
    """
    # Any two places may lie one in the other: that somebody is elsewhere is no matter here.
    index = SentenceIndex(catalogue, lambda _, __: True)
    index.add_entities(entities)
    for fact in facts:
        index.add_fact(fact)
    contradicted: list[ContradictedFact] = []
    for sentence in sentences:
        told = template.model_copy(
            update={"id": _NARRATED_ID, "kind": FactKind.EVENT, "statement": as_sentence(sentence)}
        )
        rival = next((r for r in index.find_rivals(told) if not (r.passes_in_play or r.reason == DEAD)), None)
        if rival is not None and rival.fact.statement != told.statement:
            contradicted.append(ContradictedFact(rival.fact, rival.reason))
    return contradicted
