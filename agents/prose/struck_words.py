"""Strikes from prose the sentences that have a statement in its very words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from agents.prose.words import split_sentences
from stores.records.canon import Evidence, EvidenceKind, normalize_statement

_MIN_WORDS: Final = 2
"""Words of a statement that is looked for."""


def strike_statements(text: str, statements: Sequence[str]) -> str:
    """Return a text without the sentences that have one of the statements in its very words."""
    for statement in statements:
        if is_stated(text, statement):
            text = " ".join(s for s in split_sentences(text) if not is_stated(s, statement))
            # It may be more than one sentence long: then nothing of the text is left.
            text = "" if is_stated(text, statement) else text
    return text


def list_tellings(statement: str, evidence: Iterable[Evidence]) -> list[str]:
    """Return the sentences that tell a fact, to be struck from what those read who may not know it.

    They are those of the turns that it rests on, and its statement.
    """
    quotes = (e.quote for e in evidence if e.kind is EvidenceKind.TURN)
    return [statement, *(sentence for quote in quotes for sentence in split_sentences(quote))]


def is_stated(text: str, statement: str) -> bool:
    """Return whether a text has a statement in its very words, whatever their case and punctuation."""
    words = _normalize(statement)
    return words.count(" ") + 1 >= _MIN_WORDS and f" {words} " in f" {_normalize(text)} "


@lru_cache(maxsize=16_384)
def _normalize(text: str) -> str:
    """Normalize a text once: every turn in view is compared with every secret that is held back."""
    return normalize_statement(text)
