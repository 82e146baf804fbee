"""Offers to let the world time pass that plain words tell of: `Two days pass.` Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agents.prose.passing_time import find_time_jump
from agents.solo.notices import CommandHint
from agents.views.scene_views import Offer
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


def notice_time(text: str, calendar: Calendar, now: int, hero_names: Sequence[str] = ()) -> list[CommandHint]:
    """Return the notice that time passes by a text, with the command for it; none if none does in this calendar."""
    told_jump = find_time_jump(text, hero_names)
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
