"""Reads `@DECISION(reason=..., impact=...)` markers in prose: decisions that summaries must never drop.

A marker inside a character's speech is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from agents.prose.speech import strip_speech
from agents.sanitize import clean
from stores.records.ids import Id, derive_id
from stores.records.llm import DecisionMark
from stores.records.play import Turn

MAX_MARKS: Final = 3
"""Markers of one turn that count."""
MAX_CHARACTERS: Final = 200
"""Characters of a reason, and of an impact."""

_MARKER = re.compile(
    r"@DECISION\b[ \t]*(?:\(((?:[^()\n]|\([^()\n]*\)){0,600})\)?|:?[^\n]{0,600})", re.IGNORECASE
)
_PART = re.compile(
    r"\b(reason|impact)\s*[=:]\s*(.*?)(?=\s*[,;]?\s*\b(?:reason|impact)\s*[=:]|$)", re.IGNORECASE
)


def find_decision_marks(text: str, turn: Turn, universe_id: Id) -> tuple[DecisionMark, ...]:
    """Return the `@DECISION(...)` markers of a text as marks of `turn`."""
    return tuple(_parse_marks(strip_speech(text), turn, universe_id))


def strip_markers(text: str) -> str:
    """Return the text without its `@DECISION(...)` markers, as it is shown and stored."""
    if "@" not in text:
        return text
    plain_text = re.sub(r"[ \t]+(?=\n|$)", "", _MARKER.sub("", text))
    return re.sub(r"\n[ \t]*\n(?:[ \t]*\n)+", "\n\n", plain_text).strip()


def _parse_marks(text: str, turn: Turn, universe_id: Id) -> Iterator[DecisionMark]:
    for index, match in enumerate(list(_MARKER.finditer(text))[:MAX_MARKS]):
        marker_fields = {
            part[1].casefold(): _clean_and_cut(part[2]) for part in _PART.finditer(match[1] or "")
        }
        reason = marker_fields.get("reason") or ("" if marker_fields else _clean_and_cut(match[1] or ""))
        if not (reason or marker_fields.get("impact")):
            continue
        yield DecisionMark(
            id=derive_id("decision", turn.id, index),
            universe_id=universe_id,
            scene_id=turn.scene_id,
            turn_id=turn.id,
            text=_clean_and_cut(match[0], 2 * MAX_CHARACTERS),
            reason=reason,
            impact=marker_fields.get("impact", ""),
            at=turn.created_at,
        )


def _clean_and_cut(text: str, limit: int = MAX_CHARACTERS) -> str:
    return " ".join(clean(text).strip(" ,;\"'“”").split())[:limit]
