"""Reads logs in JSON: one object a line, or one array of them: `{turn, speaker, role, text[, time]}`.

Unknown keys are ignored, and common synonyms of other programs are recognised.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from agents.importers.log_entries import ImportProblem, LogEntry, ParsedEntries, Voice
from agents.importers.voices import parse_role
from agents.world_time.log_times import parse_time

_TURN: Final = ("turn", "turn_id", "id", "dia_id", "index")
_SPEAKER: Final = ("speaker", "name", "author", "character", "who")
_TEXT: Final = ("text", "content", "message", "body", "words")
_TIME: Final = ("time", "timestamp", "date", "datetime", "date_time", "at", "when")
_SCENE: Final = ("scene", "session", "chapter")
_LISTS: Final = ("turns", "messages", "log", "entries", "data", "items")
MAX_JSON: Final = 1_000_000
"""Characters of one line of JSON. A long turn is a few thousand."""


class _Unreadable(Exception):
    """Says why an object is no entry."""


def looks_like_json(lines: Sequence[str]) -> bool:
    """Return whether the first line with content begins an object or an array of objects."""
    start = "".join(lines[:200])[:4_000].lstrip()
    first = next((line.strip() for line in lines if line.strip()), "")
    return first.startswith("{") or start.startswith(("[{", "[]")) or _opens_array(start)


def read_json(lines: Sequence[str]) -> ParsedEntries:
    """Read entries. A line that is none is reported with its number, and the others are read."""
    first_lines = [line.strip() for line in lines if line.strip()][:2]
    is_single_document = (
        len(first_lines) < 2 or first_lines[0].startswith("[") or not _is_json(first_lines[0])
    )
    if is_single_document and (values := _load_array(lines)) is not None:
        return _parse_values((f"entry {n:,}: ", 0, n, value) for n, value in enumerate(values, 1))
    return _parse_values(_numbered_lines(lines))


_NumberedValue = tuple[str, int, int, Any]
"""The prefix of a problem, the line, the number that replaces a missing id, and the value or its fault."""


def _numbered_lines(lines: Sequence[str]) -> Iterator[_NumberedValue]:
    for number, line in enumerate(lines, 1):
        # Most broken arrays still have one object a line, with commas.
        stripped = line.strip().removesuffix(",")
        if not stripped or stripped in ("[", "]"):
            continue
        yield "", number, number, _load_json(stripped)


def _parse_values(numbered_values: Iterator[_NumberedValue]) -> ParsedEntries:
    parsed = ParsedEntries()
    for prefix, line, number, value in numbered_values:
        try:
            if isinstance(value, _Unreadable):
                raise value
            parsed.entries.append(_parse_entry(value, line or number, number, parsed, prefix))
        except _Unreadable as fault:
            parsed.problems.append(ImportProblem(line, f"{prefix}{fault}; left out", is_lost=True))
    return parsed


def _parse_entry(value: Any, line: int, number: int, parsed: ParsedEntries, prefix: str) -> LogEntry:
    if not isinstance(value, Mapping):
        raise _Unreadable(f"it is {_kind_name(value)} and no object with a turn's fields")
    text = _parse_text(_first_value(value, _TEXT))
    role = _plain_text(_first_value(value, ("role", "type", "kind")))
    voice = parse_role(role) if role else None
    if role and voice is None:
        message = f"{prefix}there is no role “{role[:40]}”; guessed from the name"
        parsed.problems.append(ImportProblem(line, message))
    ref = _plain_text(_first_value(value, _TURN)) or str(number)
    time_text, moment = parse_time(_scalar(_first_value(value, _TIME)))
    scene = _plain_text(_first_value(value, _SCENE))
    if voice is Voice.MARK and not text:
        text = scene or ref
    return LogEntry(
        line=line,
        ref=ref,
        text=text,
        speaker=_plain_text(_first_value(value, _SPEAKER)),
        voice=voice,
        time_text=time_text,
        moment=moment,
        scene=scene,
    )


def _parse_text(value: Any) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        # Chat programs split a message into parts.
        parts = [part.get("text") if isinstance(part, Mapping) else part for part in value]
        value = "\n".join(part for part in parts if isinstance(part, str))
    if value is None:
        raise _Unreadable("it has no text")
    if not isinstance(value, str):
        raise _Unreadable(f"its text is {_kind_name(value)}")
    return value


def _first_value(value: Mapping[str, Any], keys: Sequence[str]) -> Any:
    return next((value[key] for key in keys if value.get(key) is not None), None)


def _scalar(value: Any) -> Any:
    return value if isinstance(value, str | int | float) else None


def _plain_text(value: Any) -> str:
    """Return a name or an id as one line; empty for anything that is no word or number."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return " ".join(str(value).split())


def _load_json(text: str) -> Any:
    if len(text) > MAX_JSON:
        return _Unreadable(f"it is {len(text):,} characters long, and {MAX_JSON:,} are the most")
    try:
        return json.loads(text)
    except RecursionError:
        return _Unreadable("it is nested too deep")
    except ValueError as error:
        position_text = f" at column {error.colno:,}" if isinstance(error, json.JSONDecodeError) else ""
        return _Unreadable(f"it is not whole JSON{position_text}")


def _load_array(lines: Sequence[str]) -> list[Any] | None:
    """Return the entries of one array over all lines; None if it is none, or broken."""
    try:
        value = json.loads("\n".join(lines))
    except (ValueError, RecursionError):
        return None
    if isinstance(value, Mapping):
        entry_lists = (value[key] for key in _LISTS if isinstance(value.get(key), list))
        # An object on one line is read as a line.
        value = next(entry_lists, [value] if sum(bool(line.strip()) for line in lines) > 1 else None)
    return value if isinstance(value, list) else None


def _is_json(text: str) -> bool:
    return not isinstance(_load_json(text), _Unreadable)


def _opens_array(start: str) -> bool:
    return start.startswith("[") and start[1:].lstrip().startswith("{")


def _kind_name(value: Any) -> str:
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list):
        return "a list"
    return {bool: "true or false", type(None): "null", str: "a text"}.get(type(value), "a number")
