"""Finds the words that a reported change rests on: in the narration, or in what the player said. Pure.

A quote has to be there, and to say something of what it is quoted for; if another sentence says more of it, that one is
the evidence.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from agents.personas.outputs import ChangeKind, ReportedChange
from agents.prose.quotes import Quote, find_quote
from agents.prose.words import split_sentences
from agents.search.question_cues import content_stems
from stores.records.play import Turn

QUOTE_MISSING: Final = "its quote is not in the text"
QUOTE_UNRELATED: Final = "its quote says nothing of it"

_STATED_KINDS: Final[frozenset[ChangeKind]] = frozenset(
    {"fact", "holds", "wants", "promise", "debt", "question", "said"}
)
"""Kinds whose quote has to share a word with what is stated; a death or a move is told in many ways."""
_SPOKEN_KINDS: Final[frozenset[ChangeKind]] = frozenset({"promise", "debt", "question", "said", "wants"})
"""Kinds that come about by saying so: what the player types that the hero does is not done by that."""


@dataclass(frozen=True, slots=True)
class ChangeQuote:
    """The words that a change rests on, in the turn that has them."""

    turn: Turn
    quote: Quote


def find_change_quote(change: ReportedChange, narration: Turn, words: Turn | None) -> ChangeQuote | str:
    """Return the words that a change rests on, or the reason why there are none."""
    turns = [narration, *([words] if words is not None and change.kind in _SPOKEN_KINDS else [])]
    quotes = [ChangeQuote(t, quote) for t in turns if (quote := find_quote(change.quote, t.text))]
    if not quotes:
        return QUOTE_MISSING
    if change.kind not in _STATED_KINDS or _supports(quotes[0].quote.text, change):
        return quotes[0]
    sentences = (ChangeQuote(turn, quote) for turn in turns for quote in _list_sentences(turn.text))
    better_quote = max(sentences, key=lambda q: _count_shared(q.quote.text, change), default=None)
    if better_quote is None or not _supports(better_quote.quote.text, change):
        return QUOTE_UNRELATED
    return better_quote


def _supports(text: str, change: ReportedChange) -> bool:
    return not _telling_stems(change) or _count_shared(text, change) > 0


def _count_shared(text: str, change: ReportedChange) -> int:
    return len(_telling_stems(change).intersection(content_stems(text)))


def _telling_stems(change: ReportedChange) -> set[str]:
    """Return the stems of what is said of the subject; its name alone supports nothing but a question about it."""
    stated_words = f"{change.predicate.replace('_', ' ')} {change.object}"
    subject_stems = content_stems(change.subject) if change.kind != "question" else ()
    return set(content_stems(stated_words)) - set(subject_stems)


def _list_sentences(text: str) -> Iterator[Quote]:
    position = 0
    for sentence in split_sentences(text):
        start = text.find(sentence, position)
        if start >= 0:
            position = start + len(sentence)
            yield Quote(sentence, start, position)
