"""Reads until when something is promised: `by the thaw`, `before day 9`, `until the next full moon`. Pure.

A time that the calendar knows has a tick; another one (`before the wedding`) is a deadline in words alone. A place or
a person after `by` or `before` (`by the river`, `before the altar`) is none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from agents.world_time.almanac import next_full_moon, next_month_start, next_named_day, next_new_moon
from agents.world_time.calendar import minutes_per_day
from agents.world_time.durations import part_start_minutes, split_day
from stores.records.world import Calendar

_EVENTS: Final = (
    "thaw|frost|snow|snows|rains?|harvest|planting|tide|ebb|flood|solstice|equinox|midsummer|midwinter|yule|spring|"
    "summer|autumn|fall|winter|season|dawn|daybreak|sunrise|morning|noon|midday|afternoon|dusk|sunset|sundown|evening|"
    "nightfall|night|midnight|day|tomorrow|tonight|week|fortnight|month|moon|year|hour|festival|feast|fair|"
    "market|wedding|coronation|funeral|trial|election|execution|council|tournament|muster|siege|eclipse|convoy|caravan"
)
_DETERMINER: Final = r"(?:the|this|next|her|his|their|first|last|my|our|your|a|an)"
_DEADLINE: Final = re.compile(
    r"(?<!\bday )(?<!\bone )\b(?P<until>no later than|by|before|until|till|ere)\s+"
    r"(?!(?:day|night)\b(?!\s*[0-9]))(?P<when>"
    rf"(?:the\s+end\s+of\s+)?(?:{_DETERMINER}\s+){{0,3}}"
    r"(?:(?!(?:by|at|in|on|of|with|to|for|or|and|from|who|that)\b)[\w'’-]+\s+){0,2}?"
    rf"(?:{_EVENTS})(?:\s+(?:{_EVENTS}))?(?:\s+[0-9]{{1,6}})?(?:\s+of\s+(?:the\s+)?[\w'’-]+)?"
    r")(?![\w'’-])",
    re.IGNORECASE,
)
_SWORN: Final = re.compile(
    r"\b(?:swears?|swore|sworn|oaths?|vows?|vowed|pledges?|pledged)\s+$", re.IGNORECASE
)
_ARTICLES: Final = re.compile(r"^(?:(?:the|this|next|a|an|first)\s+)+", re.IGNORECASE)
_PART_NAMES: Final = {
    "daybreak": "dawn", "sunrise": "dawn", "midday": "noon", "sunset": "dusk", "sundown": "dusk", "evening": "dusk",
    "nightfall": "night", "tonight": "night",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Deadline:
    """Until when: in the words of the promise and, if the calendar knows it, as a tick."""

    words: str
    tick: int | None = None


def find_deadline(statement: str, calendar: Calendar, made_at: int | None) -> Deadline | None:
    """Return until when a promise that was made at a tick is to be kept; None if its words say nothing of it."""
    text = " ".join(statement.split())
    if (named := _find_calendar_name(text, calendar)) is not None:
        until, name = named
        return Deadline(f"{until.lower()} {name}", _tick_of(until, name, calendar, made_at))
    for match in _DEADLINE.finditer(text):
        if not _SWORN.search(text[: match.start()]):
            until, when = match["until"], match["when"].strip()
            return Deadline(f"{until.lower()} {when}", _tick_of(until, when, calendar, made_at))
    return None


def _find_calendar_name(text: str, calendar: Calendar) -> tuple[str, str] | None:
    """Return the word before, and the name of, a day or month of the calendar that the text names as a deadline."""
    names = [d.name for d in calendar.named_days] + [m.name for m in calendar.months]
    bare_names = sorted({_bare(name) for name in names} - {""}, key=len, reverse=True)
    if not bare_names:
        return None
    any_name = "|".join(map(re.escape, bare_names))
    pattern = rf"\b(no later than|by|before|until|till)\s+((?:(?:the|next|first)\s+)*(?:{any_name}))(?!\w)"
    match = re.search(pattern, text, re.IGNORECASE)
    return (match[1], match[2]) if match else None


def _tick_of(until: str, when: str, calendar: Calendar, made_at: int | None) -> int | None:
    day_length = minutes_per_day(calendar)
    made_day = (made_at or 0) // day_length
    bare = _bare(when)
    day: int | None = None
    for named_day in calendar.named_days:
        if _bare(named_day.name) == bare:
            day = next_named_day(calendar, named_day, made_day)
    if day is None:
        day = next_month_start(calendar, bare, made_day)
    if day is None and calendar.moons and bare in ("full moon", "new moon"):
        find_next = next_full_moon if bare == "full moon" else next_new_moon
        day = find_next(calendar.moons[0], made_day + 1)
    if day is None and bare == "tomorrow":
        day = made_day + 1
    if day is None:
        day, rest = split_day(bare, calendar)
        if rest:
            day = None
    if day is not None:
        # Before a day ends as it begins; by and until include it.
        return day * day_length if until.lower() in ("before", "ere") else (day + 1) * day_length - 1
    minutes = part_start_minutes(calendar, bare) or part_start_minutes(calendar, _PART_NAMES.get(bare, ""))
    if minutes and made_at is not None:
        return min(
            m + made_day * day_length + (day_length if m <= made_at % day_length else 0) for m in minutes
        )
    return None


def _bare(name: str) -> str:
    """Return a name as it is compared: without articles and case."""
    return _ARTICLES.sub("", " ".join(name.split())).casefold()
