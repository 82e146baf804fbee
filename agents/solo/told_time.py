"""Offers to let the world time pass that plain words tell of: `Two days pass.` Pure."""

from __future__ import annotations

from agents.prose.passing_time import find_time_jump
from agents.solo.notices import CommandHint
from agents.world_time.calendar import minutes_per_day, name_day_part
from agents.world_time.durations import read_time_jump
from stores.errors import InputError
from stores.records.world import Calendar


def notice_time(text: str, calendar: Calendar, now: int) -> list[CommandHint]:
    """Return the notice that time passes by a text, with the command for it; none if none does in this calendar."""
    jump = find_time_jump(text)
    present_part = name_day_part(calendar, now % minutes_per_day(calendar))
    if not jump or jump == f"to {present_part}":
        return []
    try:
        read_time_jump(jump, calendar, now)
    except InputError:
        return []  # another calendar has no such part of the day
    return [CommandHint(f"Time passes? /time {jump}", f"/time {jump}")]
