"""Reads typed moments of world time (`day 3, dusk`) and of record time (`2026-01-01 20:00`).

    moment = "now" | "always" | tick | day ["," (clock | part)] | count "days before" day

A moment may be past or future, unlike a jump (`durations`). A bare day is its beginning.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from agents.world_time.calendar import minutes_per_day
from agents.world_time.durations import MAX_TICK, MAX_TIME_LENGTH, read_day_minutes, split_day
from stores.errors import InputError
from stores.records.world import Calendar

MOMENT_UNCHANGED: Final = "Nothing was changed."
ALWAYS: Final = "always"
NOW: Final = "now"
_MOMENT_EXAMPLES: Final = "Try day 3, day 3 dusk, day 3 18:30, now or always."
_BEFORE_PATTERN: Final = re.compile(r"([0-9][0-9,]{0,12})\s+days?\s+before\s+(.+)", re.IGNORECASE)
_TICK_PATTERN: Final = re.compile(r"-?[0-9]{1,13}")


def read_moment(text: str, calendar: Calendar, now: int | None) -> int | None:
    """Return the tick of a moment; None for `always`, and for `now` where no story has a present.

    Raises InputError, with examples, for what cannot be read or is no time of this calendar.
    """
    moment_text = " ".join(text.split())
    if len(moment_text) > MAX_TIME_LENGTH:
        raise _moment_error(f"That is {len(moment_text):,} characters; a time has at most {MAX_TIME_LENGTH}.")
    if not moment_text or moment_text.casefold() == NOW:
        return now
    if moment_text.casefold() in (ALWAYS, "ever", "since ever"):
        return None
    tick = (
        int(moment_text) if _TICK_PATTERN.fullmatch(moment_text) else _read_named_day(moment_text, calendar)
    )
    if abs(tick) > MAX_TICK:
        raise _moment_error("That is too far away in time.")
    return tick


def _read_named_day(moment_text: str, calendar: Calendar) -> int:
    if before_match := _BEFORE_PATTERN.fullmatch(moment_text):
        return _read_named_day(before_match[2], calendar) - int(
            before_match[1].replace(",", "")
        ) * minutes_per_day(calendar)
    day, time_of_day = split_day(moment_text, calendar)
    if day is None:
        raise _moment_error(f"{moment_text[:40]!r} names no day.")
    try:
        minutes = read_day_minutes(time_of_day, calendar) if time_of_day else [0]
    except InputError as error:
        hint = error.todo if error.todo.startswith("Did you mean") else _MOMENT_EXAMPLES
        raise InputError(error.what, kept=MOMENT_UNCHANGED, todo=hint) from None
    return day * minutes_per_day(calendar) + min(minutes)


def read_record_time(text: str, now: datetime) -> datetime | None:
    """Return a moment (UTC) from a date and time of the machine's own time zone; None for no words.

    A minute or a bare date means its end, because record times are shown in minutes.

    Raises InputError for what is no date, and for what is still to come.
    """
    moment_text = " ".join(text.split())
    if not moment_text or moment_text.casefold() == NOW:
        return None
    try:
        moment = _end_of_named_period(
            datetime.fromisoformat(moment_text[:MAX_TIME_LENGTH]), moment_text
        ).astimezone(UTC)
    except (ValueError, OverflowError):
        raise InputError(
            f"{moment_text[:40]!r} is no date and time.",
            kept=MOMENT_UNCHANGED,
            todo=f"Write year, month, day, and a time if you like: {format_record_time(now)}.",
        ) from None
    if moment > now and moment.date() > now.date():
        raise InputError(
            "That is in the future.",
            kept=MOMENT_UNCHANGED,
            todo=f"Now it is {format_record_time(now)}.",
        )
    return moment


def _end_of_named_period(moment: datetime, moment_text: str) -> datetime:
    """Return the end of the day or minute that the text names."""
    if re.fullmatch(r"[0-9-]+", moment_text):
        return moment + timedelta(days=1, microseconds=-1)
    names_second = re.search(r":[0-9]{2}:", moment_text)
    return moment if names_second else moment + timedelta(minutes=1, microseconds=-1)


def format_record_time(moment: datetime) -> str:
    """Return a record time in the machine's own time zone."""
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"


def _moment_error(what: str) -> InputError:
    return InputError(what, kept=MOMENT_UNCHANGED, todo=_MOMENT_EXAMPLES)
