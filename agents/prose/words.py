"""Splitting prose into paragraphs and sentences, and reducing words to their stems."""

from __future__ import annotations

import re

_SENTENCE = re.compile(r"[^.!?…\n]+(?:[.!?…]+[\"”’»)]*|\n|$)")


def split_paragraphs(text: str) -> list[str]:
    return [part for part in text.split("\n") if part.strip()]


def split_sentences(text: str) -> list[str]:
    return [match[0].strip() for match in _SENTENCE.finditer(text) if match[0].strip()]


def stem(word: str) -> str:
    """Return what is left of a word when its ending is off: `crosses` and `crossing` are `cross`."""
    for ending, instead in (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return word[: -len(ending)] + instead
    return word.removesuffix("e") if len(word) > 4 else word
