"""How clocks and tracks look in a line, and which is the most urgent. Light: widgets draw with it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from stores.records.clocks import BOXES, TICKS_PER_BOX, ProgressClock

_PARTS: Final = "·░▓█"
"""How a box looks with 0 to 3 of its ticks."""
_DRAWN: Final = 12
"""Steps of a clock that are drawn one by one."""


def most_urgent(clocks: Iterable[ProgressClock]) -> ProgressClock | None:
    """Return the open clock that has the fewest steps left, the first of several; None without one."""
    running = [clock for clock in clocks if not clock.closed and not clock.is_track]
    return min(running, key=lambda clock: clock.size - clock.filled, default=None)


def show_clock(clock: ProgressClock) -> str:
    """Return `●●○○○○ 2/6`; a clock of more than twelve steps in numbers alone."""
    numbers = f"{clock.filled}/{clock.size}"
    if clock.size > _DRAWN:
        return numbers
    return f"{'●' * clock.filled}{'○' * (clock.size - clock.filled)} {numbers}"


def show_track(track: ProgressClock) -> str:
    """Return `███▓······ 3/10`."""
    full, rest = divmod(track.filled, TICKS_PER_BOX)
    boxes = (_PARTS[-1] * full + (_PARTS[rest] if full < BOXES else "")).ljust(BOXES, _PARTS[0])
    return f"{boxes} {track.boxes}/{BOXES}"
