"""What a calendar says of a day: its month and year, the phases of the moons, and the days that have names.

Days count from 0 at the epoch, as `tick // minutes_per_day` does.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from agents.world_time.calendar import DAYS_PER_YEAR
from stores.records.world import Calendar, Moon, NamedDay

DAYS_PER_MONTH: Final = 30
"""What a month takes where a calendar names none."""


@dataclass(frozen=True, slots=True)
class YearDay:
    """A day by its year (from 1) and month; without months the month is empty, and the day is that of the year."""

    year: int
    month: str
    day: int


class MoonPhase(StrEnum):
    NEW = "new"
    WAXING = "waxing"
    FULL = "full"
    WANING = "waning"


def days_per_year(calendar: Calendar) -> int:
    return sum(month.days for month in calendar.months) or DAYS_PER_YEAR


def find_year_day(calendar: Calendar, day: int) -> YearDay:
    """Return a day's year, month and day of the month. The year before the first is the year 0."""
    year, day_of_year = divmod(day, days_per_year(calendar))
    for month in calendar.months:
        if day_of_year < month.days:
            return YearDay(year + 1, month.name, day_of_year + 1)
        day_of_year -= month.days
    return YearDay(year + 1, "", day_of_year + 1)


def list_month_lengths(calendar: Calendar, day: int, count: int) -> list[int]:
    """Return the days of so many months from that of a day on; a calendar without months has them of 30 days."""
    lengths = [month.days for month in calendar.months] or [DAYS_PER_MONTH]
    name = find_year_day(calendar, day).month
    first = next((i for i, month in enumerate(calendar.months) if month.name == name), 0)
    return [lengths[(first + i) % len(lengths)] for i in range(count)]


def find_moon_phase(moon: Moon, day: int) -> MoonPhase:
    """Return the phase of a moon on a day. It is full, and new, on one day of each cycle."""
    since_full = (day - (moon.full_on - 1)) % moon.cycle_days
    half = moon.cycle_days // 2
    if since_full == 0:
        return MoonPhase.FULL
    if since_full == half:
        return MoonPhase.NEW
    return MoonPhase.WANING if since_full < half else MoonPhase.WAXING


def next_full_moon(moon: Moon, day: int) -> int:
    """Return the first day from `day` on at which the moon is full."""
    return day + (moon.full_on - 1 - day) % moon.cycle_days


def next_new_moon(moon: Moon, day: int) -> int:
    """Return the first day from `day` on at which the moon is new."""
    return day + (moon.full_on - 1 + moon.cycle_days // 2 - day) % moon.cycle_days


def next_named_day(calendar: Calendar, named_day: NamedDay, day: int) -> int:
    """Return the first day from `day` on that has the name."""
    period = named_day.every_days or days_per_year(calendar)
    return day + (named_day.day - 1 - day) % period


def next_month_start(calendar: Calendar, name: str, day: int) -> int | None:
    """Return the first day from `day` on at which a month of that name begins; None if there is no such month."""
    start = 0
    for month in calendar.months:
        if month.name.casefold() == name.casefold():
            return day + (start - day) % days_per_year(calendar)
        start += month.days
    return None


def names_on_day(calendar: Calendar, day: int) -> list[str]:
    """Return the names that a day has."""
    return [named.name for named in calendar.named_days if next_named_day(calendar, named, day) == day]
