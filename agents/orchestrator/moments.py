"""Moments as typed: of world time (`day 3, dusk`) and of record time (`2026-01-01 20:00`).

    moment = "now" | "always" | tick | day ["," (clock | part)] | count "days before" day

A moment may be past or to come; a jump of play (`durations`) only goes on. A bare day is its beginning.

Source: design/ontology.md, "Time": world time and record time are different questions.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from agents.orchestrator.durations import MAX_LENGTH, MAX_TICK, minutes_of, split_day
from stores.errors import InputError
from stores.records.world import Calendar

UNCHANGED: Final = "Nothing was changed."
ALWAYS: Final = "always"
NOW: Final = "now"
_EXAMPLES: Final = "Try day 3, day 3 dusk, day 3 18:30, now or always."
_BEFORE: Final = re.compile(r"([0-9][0-9,]{0,12})\s+days?\s+before\s+(.+)", re.IGNORECASE)
_TICK: Final = re.compile(r"-?[0-9]{1,13}")


def read_moment(text: str, calendar: Calendar, now: int | None) -> int | None:
    """Return the tick of a moment; None for `always`, and for `now` where no story has a present.

    Raises InputError, with examples, for what cannot be read or is no time of this calendar.
    """
    said = " ".join(text.split())
    if len(said) > MAX_LENGTH:
        raise _refused(f"That is {len(said):,} characters; a time has at most {MAX_LENGTH}.")
    if not said or said.casefold() == NOW:
        return now
    if said.casefold() in (ALWAYS, "ever", "since ever"):
        return None
    tick = int(said) if _TICK.fullmatch(said) else _named(said, calendar)
    if abs(tick) > MAX_TICK:
        raise _refused("That is further than time goes here.")
    return tick


def _named(said: str, calendar: Calendar) -> int:
    if before := _BEFORE.fullmatch(said):
        return _named(before[2], calendar) - int(before[1].replace(",", "")) * _day(calendar)
    day, of_day = split_day(said, calendar)
    if day is None:
        raise _refused(f"{said[:40]!r} names no day.")
    try:
        minutes = minutes_of(of_day, calendar) if of_day else [0]
    except InputError as error:
        hint = error.todo if error.todo.startswith("Did you mean") else _EXAMPLES
        raise InputError(error.what, kept=UNCHANGED, todo=hint) from None
    return day * _day(calendar) + min(minutes)


def read_record_time(text: str, now: datetime) -> datetime | None:
    """Return a moment (UTC) from a date and time of the machine's own time zone; None for no words.

    As `recorded` shows minutes, a minute is meant to its end, and so is a bare date.

    Raises InputError for what is no date, and for what is still to come.
    """
    said = " ".join(text.split())
    if not said or said.casefold() == NOW:
        return None
    try:
        moment = _whole(datetime.fromisoformat(said[:MAX_LENGTH]), said).astimezone(UTC)
    except (ValueError, OverflowError):
        raise InputError(
            f"{said[:40]!r} is no date and time.",
            kept=UNCHANGED,
            todo=f"Write year, month, day, and a time if you like: {recorded(now)}.",
        ) from None
    if moment > now and moment.date() > now.date():
        raise InputError(
            "That is still to come: nothing was known then.",
            kept=UNCHANGED,
            todo=f"Now it is {recorded(now)}.",
        )
    return moment


def _whole(moment: datetime, said: str) -> datetime:
    """Return the end of the day, or of the minute, that was named."""
    if re.fullmatch(r"[0-9-]+", said):
        return moment + timedelta(days=1, microseconds=-1)
    to_the_second = re.search(r":[0-9]{2}:", said)
    return moment if to_the_second else moment + timedelta(minutes=1, microseconds=-1)


def recorded(moment: datetime) -> str:
    """Return when something was written down, in the machine's own time zone."""
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"


def _day(calendar: Calendar) -> int:
    return calendar.minutes_per_hour * calendar.hours_per_day


def _refused(what: str) -> InputError:
    return InputError(what, kept=UNCHANGED, todo=_EXAMPLES)
