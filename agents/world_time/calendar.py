"""Formats world time: ticks (minutes since the universe's epoch) become "Day 3, dusk"."""

from __future__ import annotations

from typing import Final

from stores.records.world import Calendar

DAYS_PER_YEAR: Final = 365
"""A calendar has days alone: what is long ago is told in years of this length."""

MIN_YEARS: Final = 2
"""Years from which a span is told in years: one of them would hide months."""


def format_tick(calendar: Calendar, tick: int) -> str:
    """Return `tick` as day and part of the day; before the epoch, as days or years before the first."""
    if tick < 0:
        days = -(tick // minutes_per_day(calendar))
        span = f"{days} day{'s' if days > 1 else ''}"
        if days >= MIN_YEARS * DAYS_PER_YEAR:
            years = round(days / DAYS_PER_YEAR)
            span = f"{'about ' if days % DAYS_PER_YEAR else ''}{years:,} years"
        return f"{span} before {calendar.day_word} {calendar.first_day}"
    day, minute = divmod(tick, minutes_per_day(calendar))
    day_part = name_day_part(calendar, minute)
    name = f"{calendar.day_word} {calendar.first_day + day}"
    return f"{name}, {day_part}" if day_part else name


def format_clock_time(calendar: Calendar, tick: int) -> str:
    """Return `tick` as day, hour and minute."""
    day, minute = divmod(tick, minutes_per_day(calendar))
    hour, minute = divmod(minute, calendar.minutes_per_hour)
    return f"{calendar.day_word} {calendar.first_day + day}, {hour:02d}:{minute:02d}"


def name_day_part(calendar: Calendar, minute: int) -> str:
    """Return the name of the last part in the calendar that has begun at this minute of the day, or nothing."""
    return next((part.name for part in reversed(calendar.parts) if part.from_minute <= minute), "")


def minutes_per_day(calendar: Calendar) -> int:
    return calendar.minutes_per_hour * calendar.hours_per_day
