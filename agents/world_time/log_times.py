"""Parses the time when something was said: ISO, the common formats, and Unix seconds.

A time that cannot be parsed is no error: its words are kept. Times without a zone are compared as written; a
time with a zone is taken as its local clock showed it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from stores.records.play import Scene, Turn

MAX_TIME_TEXT: Final = 80
"""Characters of a time in words that are kept."""

SESSION_TITLE: Final = "Session of"
"""Begins the title of a scene that is named after its day."""

_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sep sept",
            "october oct",
            "november nov",
            "december dec",
        ),
        1,
    )
    for name in names.split()
}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_CLOCK = re.compile(r"(?<!\d)(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s*([ap])?\.?(?:m\b\.?)?", re.I)
_HOUR = re.compile(r"(?<![\d:])(\d{1,2})\s*([ap])\.?m\b\.?", re.I)
_DAYS: Final[tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], date]], ...]] = (
    (re.compile(r"(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)"), lambda m: _make_date(m[1], m[2], m[3])),
    (
        re.compile(
            rf"(?<!\d)(\d{{1,2}})(?:st|nd|rd|th)?[\s-]+(?:of\s+)?({_MONTH})\.?,?[\s-]+(\d{{4}})", re.I
        ),
        lambda m: _make_date(m[3], _MONTHS[m[2].casefold()], m[1]),
    ),
    (
        re.compile(rf"\b({_MONTH})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+(\d{{4}})", re.I),
        lambda m: _make_date(m[3], _MONTHS[m[1].casefold()], m[2]),
    ),
    # With dots the day is first; with slashes the month is, unless it is over 12.
    (re.compile(r"(?<!\d)(\d{1,2})\.(\d{1,2})\.(\d{4})(?!\d)"), lambda m: _make_date(m[3], m[2], m[1])),
    (
        re.compile(r"(?<!\d)(\d{1,2})/(\d{1,2})/(\d{4})(?!\d)"),
        lambda m: _parse_slashed_date(m[3], m[1], m[2]),
    ),
)
_SECONDS = range(10**8, 10**11)
"""Numbers that are Unix seconds (1973 to 5138); a thousand times as much is milliseconds."""


def parse_time(value: object) -> tuple[str, datetime | None]:
    """Return a log's time in its own words, and the moment if it can be parsed."""
    if value is None or isinstance(value, bool):
        return "", None
    if isinstance(value, int | float):
        return _parse_unix_time(value)
    words = " ".join(str(value).split())[:MAX_TIME_TEXT]
    if re.fullmatch(r"\d{9,13}(?:\.\d+)?", words):
        return _parse_unix_time(float(words))
    return words, _parse_moment(words)


def format_day(moment: datetime) -> str:
    """Return the day in words: `8 May 2023`."""
    return f"{moment.day} {moment:%B} {moment.year}"


def describe_said_time(turn: Turn, scene: Scene) -> str:
    """Return when an imported turn was said in the real world, in searchable words; empty if unknown.

    It has both the log's words and the day spelled out, because a question may use either: `2023-05-08T13:56`
    is also found as `8 May 2023`. Turns without a time take their scene's, if that is named after a day.
    """
    if not turn.ref:
        return ""
    if not turn.time_text:
        _, moment = parse_time(scene.title.partition(f"{SESSION_TITLE} ")[2])
        return format_day(moment) if moment else ""
    _, moment = parse_time(turn.time_text)
    day = format_day(moment) if moment else ""
    return (
        turn.time_text
        if not day or day.casefold() in turn.time_text.casefold()
        else f"{day} ({turn.time_text})"
    )


def find_said_day(turn: Turn, scene: Scene | None) -> date | None:
    """Return the day on which a turn was played; None if its log gave none."""
    if not turn.ref:
        return turn.created_at.date()
    _, moment = parse_time(describe_said_time(turn, scene)) if scene else ("", None)
    return moment.date() if moment else None


# --- reading ----------------------------------------------------------------------------------------


def _parse_moment(words: str) -> datetime | None:
    try:
        return _without_zone(datetime.fromisoformat(words))
    except ValueError:
        pass
    for pattern, day in _DAYS:
        if match := pattern.search(words):
            try:
                clock = _parse_clock(f"{words[: match.start()]} {words[match.end() :]}")
                return datetime.combine(day(match), clock)
            except ValueError:
                return None
    return None


def _parse_clock(words: str) -> time:
    if match := _CLOCK.search(words):
        return time(_to_24_hours(match[1], match[4]), int(match[2]), int(match[3] or 0))
    if match := _HOUR.search(words):
        return time(_to_24_hours(match[1], match[2]))
    return time()


def _to_24_hours(digits: str, meridiem: str | None) -> int:
    hour = int(digits)
    if meridiem and 1 <= hour <= 12:
        return hour % 12 + (12 if meridiem.casefold() == "p" else 0)
    return hour


def _make_date(year: str, month: str | int, day: str) -> date:
    return date(int(year), int(month), int(day))


def _parse_slashed_date(year: str, first: str, second: str) -> date:
    return _make_date(year, second, first) if int(first) > 12 else _make_date(year, first, second)


def _parse_unix_time(value: float) -> tuple[str, datetime | None]:
    seconds = value / 1_000 if _SECONDS.stop <= value < _SECONDS.stop * 1_000 else value
    if not _SECONDS.start <= seconds < _SECONDS.stop:
        return f"{value:g}" if isinstance(value, float) else str(value)[:MAX_TIME_TEXT], None
    moment = _without_zone(datetime.fromtimestamp(seconds, UTC))
    return f"{moment:%Y-%m-%d %H:%M}", moment


def _without_zone(moment: datetime) -> datetime:
    return moment.replace(tzinfo=None)
