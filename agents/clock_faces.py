"""Draws clocks and tracks as text, and finds the most urgent clock.

Imports little, because widgets use it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from stores.records.clocks import BOXES_PER_TRACK, TICKS_PER_BOX, ProgressClock

_BOX_FILLS: Final = "·░▓█"
"""A box with 0 to 3 of its ticks, and full."""
CLOCK_SIGN: Final = "◷"
"""Stands before a clock; the usual stopwatch is missing from many monospaced fonts."""
_MAX_DRAWN_STEPS: Final = 12
"""Steps of a clock that are drawn one by one."""


def find_most_urgent_clock(clocks: Iterable[ProgressClock]) -> ProgressClock | None:
    """Return the open clock with the fewest steps left, or None; the first one of several."""
    open_clocks = [clock for clock in clocks if not clock.closed and not clock.is_track]
    return min(open_clocks, key=lambda clock: clock.size - clock.filled, default=None)


def format_clock(clock: ProgressClock) -> str:
    """Return `●●○○○○ 2/6`; a clock of more than twelve steps as numbers only."""
    numbers = f"{clock.filled}/{clock.size}"
    if clock.size > _MAX_DRAWN_STEPS:
        return numbers
    return f"{'●' * clock.filled}{'○' * (clock.size - clock.filled)} {numbers}"


def format_track(track: ProgressClock) -> str:
    """Return `███▓······ 3/10`."""
    full, rest = divmod(track.filled, TICKS_PER_BOX)
    boxes = (_BOX_FILLS[-1] * full + (_BOX_FILLS[rest] if full < BOXES_PER_TRACK else "")).ljust(
        BOXES_PER_TRACK, _BOX_FILLS[0]
    )
    return f"{boxes} {track.boxes}/{BOXES_PER_TRACK}"
