"""Finds the names of a world in its texts, so that each can be a link. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from stores.records.ids import Id
from stores.records.world import Entity

_WORD: Final = re.compile(r"\w+")
MIN_NAME_CHARS: Final = 2


class TextPiece(NamedTuple):
    """A part of a text, and whom it names."""

    text: str
    entity_id: Id | None = None


class NameFinder:
    """Finds whole names and aliases as they are written, the longest first; a name of several is nobody's."""

    def __init__(self, entities: Iterable[Entity]) -> None:
        owners: defaultdict[str, set[Id]] = defaultdict(set)
        for entity in entities:
            for name in (entity.name, *entity.aliases):
                if len(name) >= MIN_NAME_CHARS and name[:1] == name[:1].upper() and _WORD.search(name):
                    owners[name].add(entity.id)
        self._names_by_word: defaultdict[str, list[tuple[str, Id]]] = defaultdict(list)
        for name in sorted(owners, key=len, reverse=True):
            if len(owners[name]) == 1 and (first_word := _WORD.match(name)):
                self._names_by_word[first_word[0]].append((name, next(iter(owners[name]))))

    def split(self, text: str, *, without: Id | None = None) -> Iterator[TextPiece]:
        """Yield the text in pieces; each name is a link where it stands first. `without` is linked nowhere."""
        linked_ids = {without}
        start = position = 0
        while match := _WORD.search(text, position):
            position = match.end()
            for name, entity_id in self._names_by_word.get(match[0], ()):
                end = match.start() + len(name)
                if text.startswith(name, match.start()) and not _goes_on(text, name, end):
                    position = end
                    if entity_id not in linked_ids:
                        linked_ids.add(entity_id)
                        if start < match.start():
                            yield TextPiece(text[start : match.start()])
                        yield TextPiece(name, entity_id)
                        start = end
                    break
        if start < len(text):
            yield TextPiece(text[start:])


def _goes_on(text: str, name: str, end: int) -> bool:
    """Return whether the word that the name ends with is longer in the text."""
    return name[-1].isalnum() and end < len(text) and (text[end].isalnum() or text[end] == "_")
