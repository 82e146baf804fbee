"""Reads jumps of world time as typed after `/time`: `+2h`, `+1d 2h`, `to dusk`, `to 18:30`, `to day 5`.

    jump   = ["+"] (number unit)+  |  ["to"] day | [day] (clock | part)
    unit   = "m" | "h" | "d"                     as long as the calendar makes them; m is one tick
    clock  = hour ":" minute
    part   = a part of the day: dawn, noon, dusk ...
    day    = ("day" | the calendar's own word) number

Without a day, a clock time or part is the next one after now. Time never goes back.
"""

from __future__ import annotations

import re
from typing import Final

from agents.world_time.calendar import format_clock_time, minutes_per_day, name_day_part
from stores.errors import InputError
from stores.records.world import Calendar

MAX_TICK: Final = 10**12
"""The last tick of any world: two million years of our days."""
MAX_TIME_LENGTH: Final = 100
"""Characters after `/time`."""
TIME_EXAMPLES: Final = "+2h, +30m, +1d 2h, to dusk, to 18:30, to day 5 or to day 5 dawn"

_UNIT_PATTERN: Final = r"d(?:ays?)?|h(?:ours?|rs?)?|m(?:in(?:ute)?s?)?"
_AMOUNT_PATTERN: Final = re.compile(rf"([0-9]{{1,9}})\s*({_UNIT_PATTERN})(?![^\W\d_])[\s,+]*", re.IGNORECASE)
_DURATION_PATTERN: Final = re.compile(rf"\+?\s*(?:{_AMOUNT_PATTERN.pattern})+", re.IGNORECASE)
_CLOCK_PATTERN: Final = re.compile(r"(?P<rest>.*?)(?P<hour>[0-9]{1,9})\s*:\s*(?P<minute>[0-9]{1,9})")
_TO_WORDS: Final = ("to", "until", "till")
_TO_PATTERN: Final = re.compile(rf"(?:{'|'.join(_TO_WORDS)})\s+(?P<rest>.*)", re.IGNORECASE)


def read_time_jump(text: str, calendar: Calendar, now: int) -> int:
    """Return the tick that `text` leads to from `now`; it is always later.

    Raises InputError, with examples, for what cannot be read, is not of this calendar, or is past.
    """
    time_text = " ".join(text.split())
    if len(time_text) > MAX_TIME_LENGTH:
        raise _time_error(f"That is {len(time_text):,} characters; a time has at most {MAX_TIME_LENGTH}.")
    if time_text.startswith(("-", "−", "–")):
        raise _time_error("Time cannot go back.", "To take back what was played, /undo it.")
    if _DURATION_PATTERN.fullmatch(time_text):
        return _require_later(now + _count_minutes(time_text, calendar), calendar, now)
    to_match = _TO_PATTERN.fullmatch(time_text)
    moment_text = to_match["rest"] if to_match else time_text
    if not moment_text or moment_text.casefold() in _TO_WORDS:
        raise _time_error("Until when?")
    return _require_later(_read_moment_after(moment_text, calendar, now), calendar, now)


def _count_minutes(time_text: str, calendar: Calendar) -> int:
    units = {"d": minutes_per_day(calendar), "h": calendar.minutes_per_hour, "m": 1}
    return sum(int(amount) * units[unit[0].lower()] for amount, unit in _AMOUNT_PATTERN.findall(time_text))


def _require_later(tick: int, calendar: Calendar, now: int) -> int:
    if tick > MAX_TICK:
        raise _time_error("That is too far away in time.")
    if tick <= now:
        raise _time_error(f"That is not later than now: it is {format_clock_time(calendar, now)}.")
    return tick


# --- moments ----------------------------------------------------------------------------------------


def _read_moment_after(moment_text: str, calendar: Calendar, now: int) -> int:
    """Return the tick of a day, of a clock time or part, or of both."""
    day, time_of_day = split_day(moment_text, calendar)
    minutes = read_day_minutes(time_of_day, calendar) if time_of_day else [0]
    if day is None:
        return min(_next_occurrence(minute, calendar, now) for minute in minutes)
    start = day * minutes_per_day(calendar)
    ticks = [start + minute for minute in minutes]
    return min((tick for tick in ticks if tick > now), default=max(ticks))


def split_day(moment_text: str, calendar: Calendar) -> tuple[int | None, str]:
    """Split `day 5` from what follows it; days count from 0 at the epoch."""
    day_words = sorted({"day", " ".join(calendar.day_word.split())} - {""}, key=len, reverse=True)
    day_pattern = "|".join(map(re.escape, day_words))
    match = re.match(rf"(?:{day_pattern})\s*(-?[0-9]{{1,9}})(?![0-9:])[\s,]*", moment_text, re.IGNORECASE)
    if match is None:
        return None, moment_text
    return int(match[1]) - calendar.first_day, moment_text[match.end() :]


def read_day_minutes(time_text: str, calendar: Calendar) -> list[int]:
    """Return the minutes after midnight of a clock time, or those at which a part of the day begins.

    Raises InputError for what is neither.
    """
    minutes = _clock_minutes(time_text, calendar) or part_start_minutes(calendar, time_text)
    if not minutes:
        raise _unknown_time_error(time_text, calendar)
    return minutes


def _clock_minutes(time_text: str, calendar: Calendar) -> list[int]:
    """Return the minute after midnight of `18:30`; nothing if it is no clock time."""
    match = _CLOCK_PATTERN.fullmatch(time_text)
    if match is None or match["rest"].strip(", "):
        return []
    hour, minute = int(match["hour"]), int(match["minute"])
    if hour >= calendar.hours_per_day or minute >= calendar.minutes_per_hour:
        last_minute = f"{calendar.hours_per_day - 1}:{calendar.minutes_per_hour - 1:02d}"
        raise _time_error(f"A day has no {hour}:{minute:02d} here: it goes from 0:00 to {last_minute}.")
    return [hour * calendar.minutes_per_hour + minute]


def part_start_minutes(calendar: Calendar, name: str) -> list[int]:
    """Return the minutes of the day at which a part of that name begins, in order.

    A night that runs over midnight begins once, a part that lasts all day begins at midnight, and an unknown
    name has none.
    """
    wanted_name = _normalize_name(name)
    change_minutes = sorted(
        {0, *(p.from_minute for p in calendar.parts if p.from_minute < minutes_per_day(calendar))}
    )
    part_names = [_normalize_name(name_day_part(calendar, minute)) for minute in change_minutes]
    if set(part_names) == {wanted_name}:
        return [0]
    names_before = [part_names[-1], *part_names]
    return [
        minute
        for minute, name_before, part_name in zip(change_minutes, names_before, part_names, strict=False)
        if part_name == wanted_name != name_before
    ]


def _normalize_name(name: str) -> str:
    return " ".join(name.split()).casefold()


def _next_occurrence(minute: int, calendar: Calendar, now: int) -> int:
    today, minute_of_day = divmod(now, minutes_per_day(calendar))
    return (today + (minute <= minute_of_day)) * minutes_per_day(calendar) + minute


# --- errors ------------------------------------------------------------------------


def _unknown_time_error(time_text: str, calendar: Calendar) -> InputError:
    from rapidfuzz import process  # loaded when it is needed: three megabytes

    part_names = list(
        dict.fromkeys(part.name for part in calendar.parts if part_start_minutes(calendar, part.name))
    )
    nearest = process.extractOne(time_text, part_names, processor=_normalize_name, score_cutoff=70)
    todo = f"Did you mean {nearest[0]}?" if nearest else ""
    parts_hint = f" The parts of a day here: {', '.join(part_names)}." if part_names else ""
    return _time_error(f"{time_text[:40]!r} is not a time of this calendar.{parts_hint}", todo)


def _time_error(what: str, todo: str = "") -> InputError:
    return InputError(what, kept="The time was not changed.", todo=todo or f"Try {TIME_EXAMPLES}.")
