"""Reads decisions that summaries must never drop: `@DECISION(reason=..., impact=...)` markers in prose, plain words.

A marker inside a character's speech is ignored. Plain words count in the player's lines alone (`I decide never to
...`), and only where they plainly hold from then on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from agents.prose.plain_decisions import find_decisions
from agents.prose.speech import find_speech_spans
from agents.sanitize import clean
from stores.records.ids import Id, derive_id
from stores.records.llm import DecisionMark
from stores.records.play import Speaker, Turn

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


_COMPLETE_MARKER = re.compile(r"@DECISION[ \t]*\(((?:[^()\n]|\([^()\n]*\)){1,600})\)", re.IGNORECASE)


def find_decision_marks(text: str, turn: Turn, universe_id: Id) -> tuple[DecisionMark, ...]:
    """Return the `@DECISION(...)` markers of a model's text as marks of `turn`."""
    return tuple(_parse_marks(_find_markers(_MARKER, text), turn, universe_id))


def strip_markers(text: str) -> str:
    """Return a model's text without its `@DECISION(...)` markers, as it is shown and stored."""
    if "@" not in text:
        return text
    return _tidy(_MARKER.sub("", text))


def find_typed_marks(text: str, turn: Turn, universe_id: Id) -> tuple[DecisionMark, ...]:
    """Return the markers of a typed text as marks of `turn`: complete ones alone, so that no word is lost."""
    return tuple(_parse_marks(_find_markers(_COMPLETE_MARKER, text), turn, universe_id))


def find_plain_marks(text: str, turn: Turn, universe_id: Id) -> tuple[DecisionMark, ...]:
    """Return what the player's words decide without a marker, as marks of `turn`."""
    if turn.speaker is not Speaker.PLAYER:
        return ()
    lasting_decisions = [decision for decision in find_decisions(text) if decision.is_lasting]
    return tuple(
        DecisionMark(
            id=derive_id("decision", "plain", turn.id, index),
            universe_id=universe_id,
            scene_id=turn.scene_id,
            turn_id=turn.id,
            text=decision.words,
            at=turn.created_at,
        )
        for index, decision in enumerate(lasting_decisions[:MAX_MARKS])
    )


def strip_typed_markers(text: str) -> str:
    """Return a typed text without the markers that `find_typed_marks` reads."""
    if "@" not in text:
        return text
    markers = [m for m in _find_markers(_COMPLETE_MARKER, text) if any(_parse_fields(m))]
    for marker in reversed(markers):
        text = text[: marker.start()] + text[marker.end() :]
    return _tidy(text) if markers else text


def _find_markers(pattern: re.Pattern[str], text: str) -> list[re.Match[str]]:
    """Return the markers that count: the first few outside speech."""
    spans = find_speech_spans(text) if "@" in text else []
    markers = (
        marker
        for marker in pattern.finditer(text)
        if not any(start < marker.start() < end for start, end in spans)
    )
    return list(islice(markers, MAX_MARKS))


def _parse_marks(markers: Iterable[re.Match[str]], turn: Turn, universe_id: Id) -> Iterator[DecisionMark]:
    for index, marker in enumerate(markers):
        reason, impact = _parse_fields(marker)
        if reason or impact:
            yield DecisionMark(
                id=derive_id("decision", turn.id, index),
                universe_id=universe_id,
                scene_id=turn.scene_id,
                turn_id=turn.id,
                text=_clean_and_cut(marker[0], 2 * MAX_CHARACTERS),
                reason=reason,
                impact=impact,
                at=turn.created_at,
            )


def _parse_fields(marker: re.Match[str]) -> tuple[str, str]:
    """Return the reason and the impact; words without either name are the reason."""
    body = marker[1] or ""
    fields = {part[1].casefold(): _clean_and_cut(part[2]) for part in _PART.finditer(body)}
    reason = fields.get("reason") or ("" if fields else _clean_and_cut(body))
    return reason, fields.get("impact", "")


def _tidy(text: str) -> str:
    """Return the text without the blanks and empty lines that markers leave."""
    plain_text = re.sub(r"[ \t]+(?=\n|$)", "", text)
    return re.sub(r"\n[ \t]*\n(?:[ \t]*\n)+", "\n\n", plain_text).strip()


def _clean_and_cut(text: str, limit: int = MAX_CHARACTERS) -> str:
    return " ".join(clean(text).strip(" ,;\"'“”").split())[:limit]
