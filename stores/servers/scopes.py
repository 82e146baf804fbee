"""A scope as the servers filter by it: one exact word for each `key = value`. Source: stores/ports.py."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

_MAX_WORD_LENGTH = 500
"""Characters of a value that are kept as they are; no identifier comes near."""


def scope_words(scope: Mapping[str, str] | None) -> list[str]:
    """Return the words that stand for the pairs of a scope: each for one pair and no other."""
    return [_scope_word(key, value) for key, value in (scope or {}).items()]


def to_storable_text(text: str) -> str:
    """Return text that can be sent: halves of a surrogate pair become question marks."""
    return text.encode(errors="replace").decode()


def _scope_word(key: str, value: str) -> str:
    """Readable, as `scene=...`; what is too long for an index, or no text, stands there as its digest."""
    word = f"{key.replace('%', '%25').replace('=', '%3D')}={value}"
    if len(word) <= _MAX_WORD_LENGTH and to_storable_text(word) == word:
        return word
    return f"={hashlib.sha256(word.encode(errors='surrogatepass')).hexdigest()}"
