"""Scopes as the servers filter by them: one exact word for each `key = value`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

_MAX_WORD_LENGTH = 500
"""Characters of a value that is used as it is; identifiers are much shorter."""


def scope_words(scope: Mapping[str, str] | None) -> list[str]:
    """Return the words for the pairs of a scope; each pair has a word of its own."""
    return [_scope_word(key, value) for key, value in (scope or {}).items()]


def to_storable_text(text: str) -> str:
    """Return text that can be sent: lone surrogates become question marks."""
    return text.encode(errors="replace").decode()


def _scope_word(key: str, value: str) -> str:
    """Return the word for one pair, as `scene=...`; a value that is too long is replaced by a digest."""
    word = f"{key.replace('%', '%25').replace('=', '%3D')}={value}"
    if len(word) <= _MAX_WORD_LENGTH and to_storable_text(word) == word:
        return word
    return f"={hashlib.sha256(word.encode(errors='surrogatepass')).hexdigest()}"
