"""Offers to let the world time pass that plain words tell of: `Two days pass.` Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from agents.prose.passing_time import find_time_jump
from agents.solo.notices import CommandHint
from agents.views.scene_views import Offer
from agents.world_time.almanac import days_per_year, list_month_lengths, next_named_day
from agents.world_time.calendar import minutes_per_day, name_day_part
from agents.world_time.durations import read_time_jump
from stores.errors import InputError
from stores.records.world import Calendar

_NEAR_PARTS: Final = {
    "to evening": "to dusk",
    "to afternoon": "to noon",
    "to midnight": "to night",
    "to night": "to dusk",
    "to dawn": "to morning",
}
"""The part of the day that stands for one that a calendar does not name."""
_SEASONS: Final = ("spring", "summer", "autumn", "winter")
_LONG_TIME: Final = re.compile(r"\+(?P<number>[0-9]+) (?P<unit>month|season|year)s?")
_TIME_OF_YEAR: Final = re.compile(rf"(?P<word>through|to) (?P<season>{'|'.join(_SEASONS)})")
_BEGINNING: Final = re.compile(r"(?:the )?(?:(?:first day|first|beginning|start) of )?(?:the )?")


def notice_time(text: str, calendar: Calendar, now: int, hero_names: Sequence[str] = ()) -> list[CommandHint]:
    """Return the notice that time passes by a text, with the command for it; none if none does in this calendar."""
    told_jump = _apply_calendar(find_time_jump(text, hero_names), calendar, now // minutes_per_day(calendar))
    present_part = name_day_part(calendar, now % minutes_per_day(calendar))
    for jump in filter(None, (told_jump, _NEAR_PARTS.get(told_jump))):
        if jump == f"to {present_part}":
            return []
        try:
            read_time_jump(jump, calendar, now)
        except InputError:
            continue  # another calendar has no such part of the day
        offer = Offer("Time passes?", f"/time {jump}")
        return [CommandHint(offer.text, offer.command, (offer,))]
    return []


def _apply_calendar(jump: str, calendar: Calendar, day: int) -> str:
    """Return a jump with months, seasons and years as this calendar has them; empty if it does not say when that is."""
    if long_time := _LONG_TIME.fullmatch(jump):
        number, unit = int(long_time["number"]), long_time["unit"]
        if unit == "month":
            return _count_days(sum(list_month_lengths(calendar, day, number)))
        return _count_days(round(number * days_per_year(calendar) / (4 if unit == "season" else 1)))
    if (match := _TIME_OF_YEAR.fullmatch(jump)) is None:
        return jump
    season, is_passing = match["season"], match["word"] == "through"
    next_season = _SEASONS[(_SEASONS.index(season) + 1) % 4] if is_passing else season
    for named_day in calendar.named_days:
        if _BEGINNING.sub("", named_day.name.casefold(), count=1) == next_season:
            return f"to day {calendar.first_day + next_named_day(calendar, named_day, day + 1)}"
    return _count_days(round(days_per_year(calendar) / 4)) if is_passing else ""


def _count_days(days: int) -> str:
    return f"+{days} day{'s' if days != 1 else ''}"
