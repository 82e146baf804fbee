"""Leaves out of a prompt the memories that another line of it says: their room is for what has left the view."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from agents.prose.struck_words import is_stated
from agents.search.question_cues import content_stems
from stores.records.memory import Memory, MemoryOrigin

MIN_REPEATED_SHARE: Final = 0.75
"""The share of a memory's words in one other line from which the line says the same."""
MAX_KEPT_LINES: Final = 4_096
"""Lines that were read and are kept: nearly all of a prompt stands in the next one, too."""
_NEGATIONS: Final = re.compile(
    r"\b(?:no|not|never|nobody|nothing|none|cannot|without)\b|n['’]t\b", re.IGNORECASE
)


class _ReadLine(NamedTuple):
    text: str
    stems: frozenset[str]
    is_negated: bool


class ShownLines:
    """The lines of a prompt that memories may repeat."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines: Sequence[_ReadLine] = [_read_line(line) for line in lines]

    def drop_repeated(self, memories: Iterable[Memory]) -> tuple[Memory, ...]:
        """Return the memories without those that one of the lines repeats.

        What was concluded, is mistaken or corrects an error stays: it is somebody's own.
        """
        return tuple(memory for memory in memories if _is_own(memory) or not self._repeat(memory))

    def _repeat(self, memory: Memory) -> bool:
        text, stems, is_negated = _read_line(memory.text)
        needed_count = MIN_REPEATED_SHARE * len(stems)
        # A long line that denies one thing may say another in the memory's very words.
        return any(
            len(stems & line.stems) >= needed_count
            and (is_negated == line.is_negated or is_stated(line.text, text))
            for line in self._lines
        )


def _is_own(memory: Memory) -> bool:
    return memory.how is MemoryOrigin.INFERRED or memory.mistaken or memory.corrects is not None


@lru_cache(maxsize=MAX_KEPT_LINES)
def _read_line(text: str) -> _ReadLine:
    return _ReadLine(text, frozenset(content_stems(text)), _NEGATIONS.search(text) is not None)
