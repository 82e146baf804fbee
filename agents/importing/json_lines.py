"""Logs in JSON: an object a line, or one array of them; `{turn, speaker, role, text[, time]}`.

Keys that are not known are left out; those that other programs use for the same are read, too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from agents.importing.entries import Entry, Gathering, Problem, Voice
from agents.importing.times import read_time
from agents.importing.voices import voice_of

_TURN: Final = ("turn", "turn_id", "id", "dia_id", "index")
_SPEAKER: Final = ("speaker", "name", "author", "character", "who")
_TEXT: Final = ("text", "content", "message", "body", "words")
_TIME: Final = ("time", "timestamp", "date", "datetime", "date_time", "at", "when")
_SCENE: Final = ("scene", "session", "chapter")
_LISTS: Final = ("turns", "messages", "log", "entries", "data", "items")
MAX_JSON: Final = 1_000_000
"""Characters of one line of JSON. A long turn is a few thousand."""


class _Unreadable(Exception):
    """Why an object is no entry, in words."""


def looks_like_json(lines: Sequence[str]) -> bool:
    """Whether the first line with anything on it begins an object or an array of them."""
    start = "".join(lines[:200])[:4_000].lstrip()
    first = next((line.strip() for line in lines if line.strip()), "")
    return first.startswith("{") or start.startswith(("[{", "[]")) or _opens_array(start)


def read_json(lines: Sequence[str]) -> Gathering:
    """Read entries. A line that is none is a problem with its number, and the others are read."""
    written = [line.strip() for line in lines if line.strip()][:2]
    one = len(written) < 2 or written[0].startswith("[") or not _is_json(written[0])
    if one and (whole := _whole(lines)) is not None:
        return _gathered((f"entry {n:,}: ", 0, n, value) for n, value in enumerate(whole, 1))
    return _gathered(_by_lines(lines))


_Found = tuple[str, int, int, Any]
"""What a problem begins with, the line, the number that stands for a missing id, the value or its fault."""


def _by_lines(lines: Sequence[str]) -> Iterator[_Found]:
    for number, line in enumerate(lines, 1):
        # An array that is broken somewhere is mostly an object a line with commas.
        bare = line.strip().removesuffix(",")
        if not bare or bare in ("[", "]"):
            continue
        yield "", number, number, _loaded(bare)


def _gathered(found: Iterator[_Found]) -> Gathering:
    gathering = Gathering()
    for before, line, number, value in found:
        try:
            if isinstance(value, _Unreadable):
                raise value
            gathering.entries.append(_entry(value, line or number, number, gathering, before))
        except _Unreadable as fault:
            gathering.problems.append(Problem(line, f"{before}{fault}; left out", lost=True))
    return gathering


def _entry(value: Any, line: int, number: int, gathering: Gathering, before: str) -> Entry:
    if not isinstance(value, Mapping):
        raise _Unreadable(f"it is {_kind(value)} and no object with a turn's fields")
    text = _text(_first(value, _TEXT))
    role = _plain(_first(value, ("role", "type", "kind")))
    voice = voice_of(role) if role else None
    if role and voice is None:
        words = f"{before}there is no role “{role[:40]}”; guessed from the name"
        gathering.problems.append(Problem(line, words))
    ref = _plain(_first(value, _TURN)) or str(number)
    said, at = read_time(_scalar(_first(value, _TIME)))
    scene = _plain(_first(value, _SCENE))
    if voice is Voice.MARK and not text:
        text = scene or ref
    return Entry(
        line=line,
        ref=ref,
        text=text,
        speaker=_plain(_first(value, _SPEAKER)),
        voice=voice,
        said=said,
        at=at,
        scene=scene,
    )


def _text(value: Any) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        # Chat programs write a message as parts.
        parts = [part.get("text") if isinstance(part, Mapping) else part for part in value]
        value = "\n".join(part for part in parts if isinstance(part, str))
    if value is None:
        raise _Unreadable("it has no text")
    if not isinstance(value, str):
        raise _Unreadable(f"its text is {_kind(value)}")
    return value


def _first(value: Mapping[str, Any], keys: Sequence[str]) -> Any:
    return next((value[key] for key in keys if value.get(key) is not None), None)


def _scalar(value: Any) -> Any:
    return value if isinstance(value, str | int | float) else None


def _plain(value: Any) -> str:
    """Return a name or an id as a line; what is no word or number is as if it were not there."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return " ".join(str(value).split())


def _loaded(text: str) -> Any:
    if len(text) > MAX_JSON:
        return _Unreadable(f"it is {len(text):,} characters long, and {MAX_JSON:,} are the most")
    try:
        return json.loads(text)
    except RecursionError:
        return _Unreadable("it is nested too deep")
    except ValueError as error:
        where = f" at column {error.colno:,}" if isinstance(error, json.JSONDecodeError) else ""
        return _Unreadable(f"it is not whole JSON{where}")


def _whole(lines: Sequence[str]) -> list[Any] | None:
    """Return the entries of one array over all lines; None if it is not one, or not whole."""
    try:
        value = json.loads("\n".join(lines))
    except (ValueError, RecursionError):
        return None
    if isinstance(value, Mapping):
        listed = (value[key] for key in _LISTS if isinstance(value.get(key), list))
        # An object on one line is a line like any other.
        value = next(listed, [value] if sum(bool(line.strip()) for line in lines) > 1 else None)
    return value if isinstance(value, list) else None


def _is_json(text: str) -> bool:
    return not isinstance(_loaded(text), _Unreadable)


def _opens_array(start: str) -> bool:
    return start.startswith("[") and start[1:].lstrip().startswith("{")


def _kind(value: Any) -> str:
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list):
        return "a list"
    return {bool: "true or false", type(None): "null", str: "a text"}.get(type(value), "a number")
