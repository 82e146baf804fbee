"""Jumps of world time as typed after `/time`: `+2h`, `+1d 2h`, `to dusk`, `to 18:30`, `to day 5`.

    jump   = ["+"] (number unit)+  |  ["to"] day | [day] (clock | part)
    unit   = "m" | "h" | "d"                     as long as the calendar makes them; m is one tick
    clock  = hour ":" minute
    part   = a part of the day: dawn, noon, dusk ...
    day    = ("day" | the calendar's own word) number

Without a day, a clock time or part is the next one after now. Time never goes back.

Source: design/ontology.md, "Time" ("Calendar arithmetic is code, never a model's guess").
"""

from __future__ import annotations

import re
from typing import Final

from rapidfuzz import process

from agents.orchestrator.calendar import clock_time
from stores.errors import InputError
from stores.records.world import Calendar

MAX_TICK: Final = 10**12
"""As far as the world's time goes: two million years of our days."""
MAX_LENGTH: Final = 100
"""Characters after `/time`."""
EXAMPLES: Final = "+2h, +30m, +1d 2h, to dusk, to 18:30, to day 5 or to day 5 dawn"

_UNITS: Final = r"d(?:ays?)?|h(?:ours?|rs?)?|m(?:in(?:ute)?s?)?"
_AMOUNT: Final = re.compile(rf"([0-9]{{1,9}})\s*({_UNITS})(?![^\W\d_])[\s,+]*", re.IGNORECASE)
_DURATION: Final = re.compile(rf"\+?\s*(?:{_AMOUNT.pattern})+", re.IGNORECASE)
_CLOCK: Final = re.compile(r"(?P<rest>.*?)(?P<hour>[0-9]{1,9})\s*:\s*(?P<minute>[0-9]{1,9})")
_TO_WORDS: Final = ("to", "until", "till")
_TO: Final = re.compile(rf"(?:{'|'.join(_TO_WORDS)})\s+(?P<rest>.*)", re.IGNORECASE)


def read_time(text: str, calendar: Calendar, now: int) -> int:
    """Return the tick that `text` leads to from `now`; it is always later.

    Raises InputError, with examples, for what cannot be read, is not of this calendar, or is past.
    """
    said = " ".join(text.split())
    if len(said) > MAX_LENGTH:
        raise _error(f"That is {len(said):,} characters; a time has at most {MAX_LENGTH}.")
    if said.startswith(("-", "−", "–")):
        raise _error("Time only goes on here.", "To take back what was played, /undo it.")
    if _DURATION.fullmatch(said):
        return _later(now + _length(said, calendar), calendar, now)
    to = _TO.fullmatch(said)
    moment = to["rest"] if to else said
    if not moment or moment.casefold() in _TO_WORDS:
        raise _error("Until when?")
    return _later(_moment(moment, calendar, now), calendar, now)


def _length(said: str, calendar: Calendar) -> int:
    units = {"d": _day(calendar), "h": calendar.minutes_per_hour, "m": 1}
    return sum(int(amount) * units[unit[0].lower()] for amount, unit in _AMOUNT.findall(said))


def _later(tick: int, calendar: Calendar, now: int) -> int:
    if tick > MAX_TICK:
        raise _error("That is further than time goes here.")
    if tick <= now:
        raise _error(f"That is not later than now: it is {clock_time(calendar, now)}.")
    return tick


# --- moments ----------------------------------------------------------------------------------------


def _moment(said: str, calendar: Calendar, now: int) -> int:
    """Return the tick of a day, of a clock time or part, or of both."""
    day, of_day = split_day(said, calendar)
    minutes = minutes_of(of_day, calendar) if of_day else [0]
    if day is None:
        return min(_next(minute, calendar, now) for minute in minutes)
    start = day * _day(calendar)
    return min((start + m for m in minutes if start + m > now), default=start + max(minutes))


def split_day(said: str, calendar: Calendar) -> tuple[int | None, str]:
    """Part `day 5` from what follows it; days count from 0 at the epoch."""
    words = sorted({"day", " ".join(calendar.day_word.split())} - {""}, key=len, reverse=True)
    named = "|".join(map(re.escape, words))
    found = re.match(rf"(?:{named})\s*(-?[0-9]{{1,9}})(?![0-9:])[\s,]*", said, re.IGNORECASE)
    if found is None:
        return None, said
    return int(found[1]) - calendar.first_day, said[found.end() :]


def minutes_of(said: str, calendar: Calendar) -> list[int]:
    """Return the minutes after midnight of a clock time, or those at which a part of the day begins.

    Raises InputError for what is neither.
    """
    minutes = _clock_minutes(said, calendar) or part_begins(calendar, said)
    if not minutes:
        raise _unknown(said, calendar)
    return minutes


def _clock_minutes(said: str, calendar: Calendar) -> list[int]:
    """Return the minute after midnight of `18:30`; nothing if it is no clock time."""
    found = _CLOCK.fullmatch(said)
    if found is None or found["rest"].strip(", "):
        return []
    hour, minute = int(found["hour"]), int(found["minute"])
    if hour >= calendar.hours_per_day or minute >= calendar.minutes_per_hour:
        last = f"{calendar.hours_per_day - 1}:{calendar.minutes_per_hour - 1:02d}"
        raise _error(f"A day has no {hour}:{minute:02d} here: it goes from 0:00 to {last}.")
    return [hour * calendar.minutes_per_hour + minute]


def part_begins(calendar: Calendar, name: str) -> list[int]:
    """Return the minutes of the day at which a part of that name begins, in order.

    A night that runs over midnight begins once. One that lasts all day begins at midnight. A name that
    is no part of the day gives none.
    """
    wanted = _plain(name)
    changes = sorted({0, *(p.from_minute for p in calendar.parts if p.from_minute < _day(calendar))})
    names = [_plain(_part_at(calendar, minute)) for minute in changes]
    if set(names) == {wanted}:
        return [0]
    before = [names[-1], *names]
    return [m for m, was, now in zip(changes, before, names, strict=False) if now == wanted != was]


def _part_at(calendar: Calendar, minute: int) -> str:
    """As `calendar.label` says it: the last part in the list that has begun."""
    return next((p.name for p in reversed(calendar.parts) if p.from_minute <= minute), "")


def _plain(name: str) -> str:
    return " ".join(name.split()).casefold()


def _next(minute: int, calendar: Calendar, now: int) -> int:
    today, passed = divmod(now, _day(calendar))
    return (today + (minute <= passed)) * _day(calendar) + minute


def _day(calendar: Calendar) -> int:
    return calendar.minutes_per_hour * calendar.hours_per_day


# --- words for what is wrong ------------------------------------------------------------------------


def _unknown(said: str, calendar: Calendar) -> InputError:
    names = list(dict.fromkeys(part.name for part in calendar.parts if part_begins(calendar, part.name)))
    near = process.extractOne(said, names, processor=_plain, score_cutoff=70)
    todo = f"Did you mean {near[0]}?" if near else ""
    there = f" The parts of a day here: {', '.join(names)}." if names else ""
    return _error(f"{said[:40]!r} is no time that is known here.{there}", todo)


def _error(what: str, todo: str = "") -> InputError:
    return InputError(what, kept="Time stands where it stood.", todo=todo or f"Try {EXAMPLES}.")
