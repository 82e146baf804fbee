"""Finds where a text names what canon has. Pure, and as fast among twenty thousand names as among twenty."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from sys import intern
from typing import Final

from agents.prose.names import HONORIFICS, NON_NAME_WORDS, list_shorter_names
from stores.records.world import ACTORS, EntityNames, fold_name

MIN_FIRST_NAME_LETTERS: Final = 3
_WORD: Final = re.compile(r"\w+(?:['’-]\w+)*")
_POSSESSIVE_ENDS: Final = ("'s", "’s")

_Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EntityNameSpan:
    """Characters `start` to `end` of a text that name an entity."""

    start: int
    end: int
    entity: EntityNames


class EntityNameIndex:
    """Names, aliases and first names by their words.

    A first name, or a name without what precedes it (`Mother Grice`), that several have names nobody. A single word
    that names a person counts only with its capital: a will is nobody called Will.
    """

    def __init__(self, entities: Iterable[EntityNames]) -> None:
        self._names: dict[_Words, tuple[str, EntityNames]] = {}
        self._longest_by_first_word: dict[str, int] = {}
        bearers: defaultdict[str, list[EntityNames]] = defaultdict(list)
        for entity in entities:
            for name in (entity.name, *entity.aliases):
                self._add(name, entity)
            if entity.kind in ACTORS:
                short_names = (*list_shorter_names(entity.name), _find_first_name(entity.name))
                for short_name in filter(None, short_names):
                    bearers[short_name].append(entity)
        for short_name, (bearer, *others) in bearers.items():
            if not others:
                self._add(short_name, bearer)

    def _add(self, name: str, entity: EntityNames) -> None:
        """Add a name, unless something else has it already."""
        # Names share most of their words: each is held once.
        if words := tuple(intern(fold_name(word)) for word in _WORD.findall(name)):
            self._names.setdefault(words, (name, entity))
            longest = self._longest_by_first_word.get(words[0], 0)
            self._longest_by_first_word[words[0]] = max(longest, len(words))

    def find(self, text: str) -> tuple[EntityNameSpan, ...]:
        """Return the names in a text in their order; of names that begin at one word the longest."""
        words = list(_WORD.finditer(text))
        folded_words = [fold_name(word[0]) for word in words]
        spans: list[EntityNameSpan] = []
        number = 0
        while number < len(words):
            length, span = self._match(text, words, folded_words, number)
            if span is not None:
                spans.append(span)
            number += length
        return tuple(spans)

    def _match(
        self, text: str, words: Sequence[re.Match[str]], folded_words: Sequence[str], first: int
    ) -> tuple[int, EntityNameSpan | None]:
        """Return the longest name at word number `first`, with the number of words to go on after."""
        folded = folded_words[first]
        longest = max(self._longest_by_first_word.get(w, 0) for w in (folded, _drop_possessive(folded)))
        for length in range(min(longest, len(words) - first), 0, -1):
            *before, last = folded_words[first : first + length]
            for last_word in dict.fromkeys((last, _drop_possessive(last))):
                name, entity = self._names.get((*before, last_word), ("", None))
                start, end = words[first].start(), words[first + length - 1].end()
                end -= len(last) - len(last_word)
                if entity is not None and _is_written_so(name, entity, text[start:end]):
                    return length, EntityNameSpan(start, end, entity)
        return 1, None


def _find_first_name(name: str) -> str:
    """Return the first of several words of a name, if people are called by it; else nothing."""
    first_word, _, others = name.partition(" ")
    if not others or len(first_word) < MIN_FIRST_NAME_LETTERS:
        return ""
    folded_word = fold_name(first_word).rstrip(".")
    return "" if folded_word in HONORIFICS or folded_word in NON_NAME_WORDS else first_word


def _is_written_so(name: str, entity: EntityNames, text: str) -> bool:
    """Return whether words of a text that are those of a name are written as the name is.

    A name may be broken over lines; a full stop between its words ends it.
    """
    if " " not in name and entity.kind in ACTORS and name[0].isupper() and text[0].islower():
        return False
    return [gap.strip() for gap in _WORD.split(text)[1:-1]] == [
        gap.strip() for gap in _WORD.split(name)[1:-1]
    ]


def _drop_possessive(word: str) -> str:
    return word[:-2] if word.endswith(_POSSESSIVE_ENDS) else word
