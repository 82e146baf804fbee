"""Marks names in a sentence, so that patterns can read what is said of them: `@0@ cuts the rope`. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from agents.search.normal_words import word_forms

MARK: Final = re.compile(r"@\d+@")
_WORD: Final = re.compile(r"[^\W_]+")
_REST_OF_NAME: Final = re.compile(r"(?: [A-ZÀ-Þ][\w-]+)+")


def mark_names(sentence: str, names: Sequence[frozenset[str]], spoken: dict[str, str] | None = None) -> str:
    """Return a sentence with `@0@` for the first of these names, and add to `spoken` how each is spoken.

    The names are given by their words in normal form; one word of a name is enough.
    """
    parts: list[str] = []
    end = 0
    for word in _WORD.finditer(sentence):
        number = next((n for n, words in enumerate(names) if word_forms(word[0]) & words), None)
        if number is None or word.start() < end:
            continue
        rest = _REST_OF_NAME.match(sentence, word.end())
        name_end = rest.end() if rest is not None else word.end()
        mark = f"@{number}@"
        if spoken is not None:
            spoken.setdefault(mark, sentence[word.start() : name_end])
        parts += [sentence[end : word.start()], mark]
        end = name_end
    return "".join([*parts, sentence[end:]])
