"""Leaves out of a prompt the memories that another line of it says: their room is for what has left the view."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from agents.search.question_cues import content_stems
from stores.records.memory import Memory, MemoryOrigin

MIN_REPEATED_SHARE: Final = 0.75
"""The share of a memory's words in one other line from which the line says the same."""
_NEGATIONS: Final = re.compile(
    r"\b(?:no|not|never|nobody|nothing|none|cannot|without)\b|n['’]t\b", re.IGNORECASE
)


def drop_repeated_memories(memories: Iterable[Memory], shown_lines: Iterable[str]) -> tuple[Memory, ...]:
    """Return the memories without those that one of the lines repeats.

    What was concluded, is mistaken or corrects an error stays: it is somebody's own.
    """
    lines = [(content_stems(line), _is_negated(line)) for line in shown_lines]
    return tuple(memory for memory in memories if _is_own(memory) or not _is_repeated(memory, lines))


def _is_own(memory: Memory) -> bool:
    return memory.how is MemoryOrigin.INFERRED or memory.mistaken or memory.corrects is not None


def _is_repeated(memory: Memory, lines: Sequence[tuple[Iterable[str], bool]]) -> bool:
    stems = set(content_stems(memory.text))
    is_negated = _is_negated(memory.text)
    return any(
        is_negated == is_line_negated
        and len(stems.intersection(line_stems)) >= MIN_REPEATED_SHARE * len(stems)
        for line_stems, is_line_negated in lines
    )


def _is_negated(text: str) -> bool:
    return _NEGATIONS.search(text) is not None
