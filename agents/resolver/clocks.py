"""What moves by itself: clocks that fill, tracks that are worked at, threads that weigh more or close.

Pure: each function returns another record, or the change to propose. Source: design/product.md, "Solo
procedures" (clocks and tracks) and pain 15 ("clocks and threads act at scene end").
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Final, NamedTuple

from stores.records.canon import AdvanceClock
from stores.records.threads import BOXES, TICKS_PER_BOX, TRACK_TICKS, ProgressClock, ProgressTrack, Thread

HEAVIEST: Final = 3
STALE_AFTER: Final = 3
"""Scenes that an open thread may go unmentioned before scene end brings it up."""
_PARTS: Final = "·░▓█"
"""How a box looks with 0 to 3 of its ticks."""


class Pace(IntEnum):
    """Ticks that one step forward marks on a track: from 5 steps to 30 for the whole of it."""

    BRISK = 6
    STEADY = 3
    SLOW = 2
    EPIC = 1


class Acted(NamedTuple):
    """What a clock did at scene end. `strikes`: it is full, and what it counted towards happens now."""

    before: ProgressClock
    after: ProgressClock
    strikes: bool

    @property
    def change(self) -> AdvanceClock | None:
        """The change to propose; None if it only strikes."""
        by = self.after.filled - self.before.filled
        return AdvanceClock(clock=self.after.name, by=by, size=self.after.size) if by else None

    @property
    def text(self) -> str:
        moved = f"{self.before.name} {self.before.filled} → {self.after.filled} of {self.after.size}"
        return f"{moved} · it strikes" if self.strikes else moved


# --- clocks -----------------------------------------------------------------------------------------


def advance(clock: ProgressClock, by: int = 1) -> ProgressClock:
    """Return the clock `by` steps further (back, if negative), never beyond its ends. A closed one stays."""
    if clock.closed:
        return clock
    return clock.model_copy(update={"filled": max(0, min(clock.size, clock.filled + by))})


def at_scene_end(clocks: Iterable[ProgressClock]) -> tuple[Acted, ...]:
    """Return what the open clocks do at scene end, in order, without those that do nothing.

    A clock moves by its own `per_scene` steps. One that is full, now or since it was filled in play,
    strikes once and is closed.
    """
    acted = (_at_scene_end(clock) for clock in clocks if not clock.closed)
    return tuple(one for one in acted if one.strikes or one.change)


def show_clock(clock: ProgressClock) -> str:
    """Return `●●○○○○ 2/6`; a clock of more than twelve steps in numbers alone."""
    numbers = f"{clock.filled}/{clock.size}"
    if clock.size > 12:
        return numbers
    return f"{'●' * clock.filled}{'○' * (clock.size - clock.filled)} {numbers}"


def _at_scene_end(clock: ProgressClock) -> Acted:
    after = clock if clock.is_full else advance(clock, clock.per_scene)
    return Acted(clock, after.model_copy(update={"closed": after.is_full}), strikes=after.is_full)


# --- tracks -----------------------------------------------------------------------------------------


def mark(track: ProgressTrack, pace: Pace, times: int = 1) -> ProgressTrack:
    """Return the track `times` steps further at that pace (back, if negative), never beyond its ends."""
    ticks = max(0, min(TRACK_TICKS, track.ticks + pace * times))
    return track.model_copy(update={"ticks": ticks})


def show_track(track: ProgressTrack) -> str:
    """Return `███▓······ 3/10`."""
    full, rest = divmod(track.ticks, TICKS_PER_BOX)
    boxes = (_PARTS[-1] * full + (_PARTS[rest] if full < BOXES else "")).ljust(BOXES, _PARTS[0])
    return f"{boxes} {track.boxes}/{BOXES}"


# --- threads ----------------------------------------------------------------------------------------


def weigh(thread: Thread, by: int) -> Thread:
    """Return the thread so much heavier (lighter, if negative), between 1 and 3."""
    return thread.model_copy(update={"weight": max(1, min(HEAVIEST, thread.weight + by))})


def close(thread: Thread, tick: int) -> Thread:
    """Return the thread closed at world time `tick`. One that is closed keeps its time."""
    return thread.model_copy(update={"closed_at": tick}) if thread.is_open else thread


def reopen(thread: Thread) -> Thread:
    return thread.model_copy(update={"closed_at": None})


def stale(threads: Iterable[tuple[Thread, int]], after: int = STALE_AFTER) -> tuple[Thread, ...]:
    """Return the open threads that have gone at least `after` scenes unmentioned, the heaviest first.

    Each comes with the number of scenes since it was last mentioned.
    """
    waiting = [(thread, scenes) for thread, scenes in threads if thread.is_open and scenes >= after]
    return tuple(thread for thread, _ in sorted(waiting, key=lambda pair: (-pair[0].weight, -pair[1])))
