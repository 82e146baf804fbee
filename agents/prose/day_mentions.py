"""Reads the days that a text tells of, from the day on which it was said: `yesterday`, `on Monday`. Pure.

What names a day by an event (`a week before the fair`) is not resolved: nothing says which day that was.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Final

_COUNTS: Final = {
    word: number
    for number, words in enumerate(
        ("", "a|an|one", "two|a couple of", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    )
    for word in words.split("|")
    if word
}
_COUNT: Final = "|".join(sorted(_COUNTS, key=len, reverse=True))
_UNIT_DAYS: Final = {"day": 1, "night": 1, "week": 7, "fortnight": 14}
_NAMED_OFFSETS: Final = {
    "the day before yesterday": -2,
    "the night before last": -2,
    "yesterday": -1,
    "last night": -1,
    "tomorrow": 1,
    "the day after tomorrow": 2,
}
_NAMED: Final = re.compile(
    rf"\b(?:{'|'.join(sorted(_NAMED_OFFSETS, key=len, reverse=True))})\b", re.IGNORECASE
)
_COUNTED: Final = re.compile(
    rf"\b(?:(?P<later>in) )?(?P<count>{_COUNT}|\d{{1,3}}) (?P<unit>{'|'.join(_UNIT_DAYS)})s?\b(?: (?P<ago>ago|since))?",
    re.IGNORECASE,
)
_WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKDAY: Final = re.compile(
    rf"\b(?P<which>on|last|next|this|since|until|by) (?P<day>{'|'.join(_WEEKDAYS)})\b", re.IGNORECASE
)
_COMING: Final = frozenset({"next", "this", "until", "by"})
_EARLIER: Final = re.compile(
    r"\b(?:(?:(?:long|(?:\w+ )?(?:days?|nights?|weeks?|months?|years?)) (?:ago|since))"
    r"|(?:the (?:day|night) before )?yesterday|(?:the night before )?last night"
    r"|last (?:week|month|year|spring|summer|autumn|winter|harvest|(?:Sun|Mon|Tues|Wednes|Thurs|Fri|Satur)day)"
    r"|at (?:midsummer|midwinter|(?:Michael|Christ|Lam|Candle|Martin|Rood|Child)mas|(?-i:[A-Z]\w+tide)"
    r"|Easter|Yule|Halloween|harvest)"
    r"|in (?:the )?(?:spring|summer|autumn|winter) of\b)",
    re.IGNORECASE,
)
_BEHIND_COMMA: Final = re.compile(rf",\s+(?P<time>{_EARLIER.pattern})(?=\s*[.!…]?\s*$)", re.IGNORECASE)
_WITHOUT_COMMA: Final = re.compile(
    rf"^(?P<time>{_EARLIER.pattern})\s+(?=(?:the|an?|my|his|her|their|our)\s|(?-i:[A-Z]))", re.IGNORECASE
)
MAX_MENTIONED_DAYS: Final = 8
"""Days of one text that are read."""


def find_earlier_time(text: str) -> str:
    """Return the words of a text that set it at an earlier time: `at Michaelmas`; empty if none do."""
    match = _EARLIER.search(text)
    return match[0] if match else ""


def attach_earlier_time(sentence: str) -> str:
    """Return a sentence with an earlier time as a part of its clause: `Dob sold it years ago` for `..., years ago`."""
    sentence = _BEHIND_COMMA.sub(lambda match: f" {match['time']}", sentence)
    return _WITHOUT_COMMA.sub(lambda match: f"{match['time']}, ", sentence)


def find_day_offsets(text: str) -> tuple[int, ...]:
    """Return how many days before (negative) or after its own day a text tells of, each once."""
    offsets = [_NAMED_OFFSETS[match[0].casefold()] for match in _NAMED.finditer(text)]
    for match in _COUNTED.finditer(text):
        direction = -1 if match["ago"] else 1 if match["later"] else 0
        if direction:
            days = _read_count(match["count"]) * _UNIT_DAYS[match["unit"].casefold()]
            offsets.append(direction * days)
    return tuple(dict.fromkeys(offsets))[:MAX_MENTIONED_DAYS]


def find_mentioned_days(text: str, said_on: date) -> tuple[date, ...]:
    """Return the days of the calendar that a text tells of, each once; `on Monday` is the last one before its own."""
    days = [_add_days(said_on, offset) for offset in find_day_offsets(text)]
    for match in _WEEKDAY.finditer(text):
        days_back = (said_on.weekday() - _WEEKDAYS.index(match["day"].casefold())) % 7
        is_coming = match["which"].casefold() in _COMING
        days.append(_add_days(said_on, 7 - days_back if is_coming else -(days_back or 7)))
    return tuple(dict.fromkeys(day for day in days if day is not None))[:MAX_MENTIONED_DAYS]


def _read_count(text: str) -> int:
    return int(text) if text.isdecimal() else _COUNTS[text.casefold()]


def _add_days(day: date, days: int) -> date | None:
    try:
        return day + timedelta(days=days)
    except OverflowError:
        return None
