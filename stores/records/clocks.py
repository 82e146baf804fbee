"""Progress clocks, and progress tracks, which are clocks that the hero works at."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from pydantic import Field, model_validator

from stores.records.base import Record

TICKS_PER_BOX: Final = 3
"""Strokes that fill one box of a progress track."""
BOXES_PER_TRACK: Final = 10
TRACK_TICKS: Final = TICKS_PER_BOX * BOXES_PER_TRACK

CLOCK_PREFIX: Final = "clock:"
TRACK_PREFIX: Final = "track:"
"""In canon a clock is a state of nobody; its predicate is this and its name."""


class Pace(StrEnum):
    """How fast a track is worked at, from 5 steps to 30 for the whole of it."""

    BRISK = "brisk"
    STEADY = "steady"
    SLOW = "slow"
    EPIC = "epic"

    @property
    def ticks(self) -> int:
        """What one step forward marks."""
        return {Pace.BRISK: 6, Pace.STEADY: 3, Pace.SLOW: 2, Pace.EPIC: 1}[self]


class ProgressClock(Record):
    """Something that comes nearer in `size` steps. `per_scene` steps come by themselves at scene end.

    `closed`: it has struck, or was stopped, and does nothing any more. With a `pace` it is a track: ten
    boxes, each filled by three ticks.
    """

    name: str = Field(min_length=1)
    filled: int = Field(default=0, ge=0)
    size: int = Field(default=6, ge=1, le=100)
    per_scene: int = Field(default=0, ge=-100, le=100)
    closed: bool = False
    pace: Pace | None = None

    @model_validator(mode="after")
    def _check_filled_within_size(self) -> ProgressClock:
        if self.filled > self.size:
            raise ValueError(f"a clock of {self.size} cannot be filled to {self.filled}")
        return self

    @property
    def is_full(self) -> bool:
        return self.filled == self.size

    @property
    def is_track(self) -> bool:
        return self.pace is not None

    @property
    def boxes(self) -> int:
        """Boxes of a track that are full, 0 to 10."""
        return self.filled // TICKS_PER_BOX

    def moved_to(self, filled: int) -> ProgressClock:
        """Return the clock filled so far, never beyond its ends."""
        return self.model_copy(update={"filled": max(0, min(self.size, filled))})


def clock_predicate(name: str, pace: Pace | None) -> str:
    """Return the predicate that a clock (or, with a pace, a track) of that name has in canon."""
    return f"{TRACK_PREFIX if pace else CLOCK_PREFIX}{name}"
