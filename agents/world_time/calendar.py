"""World time as people say it: ticks (minutes since the universe's epoch) to "Day 3, dusk" and back."""

from __future__ import annotations

from stores.records.world import Calendar


def format_tick(calendar: Calendar, tick: int) -> str:
    """Return `tick` as day and part of the day; long ago, as days before the first."""
    if tick < 0:
        days = -(tick // _minutes_per_day(calendar))
        return f"{days:,} day{'s' if days > 1 else ''} before {calendar.day_word} {calendar.first_day}"
    day, minute = divmod(tick, _minutes_per_day(calendar))
    day_part = next((p.name for p in reversed(calendar.parts) if p.from_minute <= minute), "")
    name = f"{calendar.day_word} {calendar.first_day + day}"
    return f"{name}, {day_part}" if day_part else name


def format_clock_time(calendar: Calendar, tick: int) -> str:
    """Return `tick` as day, hour and minute."""
    day, minute = divmod(tick, _minutes_per_day(calendar))
    hour, minute = divmod(minute, calendar.minutes_per_hour)
    return f"{calendar.day_word} {calendar.first_day + day}, {hour:02d}:{minute:02d}"


def _minutes_per_day(calendar: Calendar) -> int:
    return calendar.minutes_per_hour * calendar.hours_per_day
