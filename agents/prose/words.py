"""Splitting prose into paragraphs and sentences, and reducing words to their stems."""

from __future__ import annotations

import re

_SENTENCE = re.compile(r"[^.!?…\n]+(?:[.!?…]+[\"”’»)]*|\n|$)")


def split_paragraphs(text: str) -> list[str]:
    """Return the paragraphs that are not empty."""
    return [part for part in text.split("\n") if part.strip()]


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text, stripped."""
    return [match[0].strip() for match in _SENTENCE.finditer(text) if match[0].strip()]


def stem(word: str) -> str:
    """Return a word without its ending: `crosses` and `crossing` become `cross`."""
    for ending, instead in (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return word[: -len(ending)] + instead
    return word.removesuffix("e") if len(word) > 4 else word
