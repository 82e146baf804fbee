"""Builds and applies the changes of clocks and tracks. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from stores.records.canon import AdvanceClock
from stores.records.clocks import ProgressClock


def clock_change(
    clock: ProgressClock,
    *,
    by: int = 0,
    to: int | None = None,
    per_scene: int | None = None,
    is_closed: bool | None = None,
) -> AdvanceClock:
    """Return the change that does this to the clock."""
    return AdvanceClock(
        clock=clock.name,
        by=by,
        size=clock.size,
        to=to,
        per_scene=per_scene,
        closed=is_closed,
        pace=clock.pace,
    )


def apply_clock_changes(
    clocks_before: Iterable[ProgressClock], changes: Iterable[AdvanceClock]
) -> tuple[ProgressClock, ...]:
    """Return the clocks with the changes applied, in their order; new ones follow."""
    clocks = {_clock_key(clock): clock for clock in clocks_before}
    for change in changes:
        key = change.predicate
        clocks[key] = change.after(clocks.get(key))
    return tuple(clocks.values())


def _clock_key(clock: ProgressClock) -> str:
    """Return a key that differs for a clock and a track of the same name."""
    return clock_change(clock).predicate
