"""Writes days as words of the index, so that a day leads to the turns of it and to those that tell of it. Pure.

A turn has two clocks: that of the wall (when it was played or, imported, when its log says) and the world's. What
it says of another day (`yesterday`, `on Monday`) is resolved when it is indexed: of an imported turn by the wall,
for it has no other clock, of a turn of play by the world.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from agents.prose.dates import read_dates
from agents.prose.day_mentions import MAX_MENTIONED_DAYS, find_day_offsets, find_mentioned_days
from agents.world_time.calendar import minutes_per_day
from agents.world_time.log_times import find_said_day
from stores.records.play import Scene, Turn
from stores.records.world import Calendar


def list_day_words(turn: Turn, scene: Scene, calendar: Calendar) -> tuple[str, ...]:
    """Return the words for the days of a turn: its own, and those that it tells of."""
    words: list[str] = []
    if said_on := find_said_day(turn, scene):
        days = (said_on, *find_mentioned_days(turn.text, said_on)) if turn.ref else (said_on,)
        words += [word for day in days for word in calendar_day_words(day.year, day.month, day.day)]
    if turn.ref:
        for named in islice(read_dates(turn.text), MAX_MENTIONED_DAYS):
            if named.month and named.day:
                words += calendar_day_words(named.year, named.month, named.day)
    if not turn.ref:
        day_number = calendar.first_day + turn.tick // minutes_per_day(calendar)
        words += [world_day_word(day_number + offset) for offset in (0, *find_day_offsets(turn.text))]
    return tuple(dict.fromkeys(words))


def calendar_day_words(year: int | None, month: int, day: int) -> Sequence[str]:
    """Return the words for a day of the calendar: of its year, if that is known, and of any year."""
    of_any_year = f"onday{month:02d}{day:02d}"
    return (of_any_year,) if year is None else (f"onday{year:04d}{month:02d}{day:02d}", of_any_year)


def world_day_word(day_number: int) -> str:
    """Return the word for a day of the world, as its calendar counts them."""
    return f"worldday{day_number}" if day_number >= 0 else f"worlddaybefore{-day_number}"
