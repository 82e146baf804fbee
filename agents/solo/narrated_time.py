"""Lets world time pass by what was narrated: a drive through the night ends in the morning.

The time is an entry of the story's journal on the narration's turn, so that undoing or retelling the turn takes it
back; turns that follow come after it. What a model's words for it do not say plainly lets no time pass.
"""

from __future__ import annotations

from typing import Final

from agents.context_assembly.scene_context import SceneContext
from agents.solo.story_journal import StoryJournal
from agents.world_time.calendar import format_clock_time, minutes_per_day
from agents.world_time.durations import read_time_jump
from stores.errors import InputError
from stores.records.ids import derive_id
from stores.records.play import Turn
from stores.records.story_journal import TimeEntry
from stores.records.world import Calendar

MAX_DAYS: Final = 30
"""Days that a narration lets pass at most; more is a slip of the model, or the GM's to say with /time."""
_NO_TIME: Final = frozenset({"", "none", "no", "no time", "0", "moments", "seconds", "a moment"})
_VAGUE_TIMES: Final = {
    "minutes": "10m",
    "a few minutes": "10m",
    "half an hour": "30m",
    "an hour": "1h",
    "hours": "3h",
    "a few hours": "3h",
    "a day": "1d",
    "a week": "7d",
    "overnight": "to dawn",
    "the night": "to dawn",
    "to morning": "to dawn",
}
"""What is meant by words without a number."""


class NarratedTime:
    """Enters the world time that narrations let pass. The caller holds the session lock."""

    def __init__(self, journal: StoryJournal) -> None:
        self._journal = journal

    async def record_time(self, context: SceneContext, turn: Turn, words: str) -> tuple[str, ...]:
        """Enter that time passes by a turn of this scene, and return a line on it; nothing if none does.

        Doing it twice has no further effect.
        """
        calendar = context.universe.calendar
        until_tick = read_narrated_time(words, calendar, turn.tick)
        if until_tick is None:
            return ()
        entry = TimeEntry(
            id=derive_id("time passes", turn.id),
            scene_id=turn.scene_id,
            turn_id=turn.id,
            tick=turn.tick,
            at=turn.created_at,
            until_tick=until_tick,
        )
        await self._journal.add_entries(context, (entry,))
        return (f"Time passes: it is {format_clock_time(calendar, until_tick)}.",)


def read_narrated_time(words: str, calendar: Calendar, now: int) -> int | None:
    """Return the tick that a model's words for a time lead to from `now`; None if no time passes by them."""
    time_text = " ".join(words.casefold().split()).rstrip(".")
    if time_text in _NO_TIME:
        return None
    try:
        until_tick = read_time_jump(_VAGUE_TIMES.get(time_text, time_text), calendar, now)
    except InputError:
        return None
    return until_tick if until_tick - now <= MAX_DAYS * minutes_per_day(calendar) else None
