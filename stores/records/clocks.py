"""Progress clocks, and progress tracks, which are clocks that a character works on."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from pydantic import Field, model_validator

from stores.records.base import Record

TICKS_PER_BOX: Final = 3
"""Ticks that fill one box of a progress track."""
BOXES_PER_TRACK: Final = 10
TRACK_TICKS: Final = TICKS_PER_BOX * BOXES_PER_TRACK

CLOCK_PREFIX: Final = "clock:"
TRACK_PREFIX: Final = "track:"
"""Canon has a clock as a state without a subject; its predicate is this prefix and its name."""


class Pace(StrEnum):
    """How many steps a track takes, from 5 to 30."""

    BRISK = "brisk"
    STEADY = "steady"
    SLOW = "slow"
    EPIC = "epic"

    @property
    def ticks(self) -> int:
        """Return the ticks that one step marks."""
        return {Pace.BRISK: 6, Pace.STEADY: 3, Pace.SLOW: 2, Pace.EPIC: 1}[self]


class ProgressClock(Record):
    """Something that comes nearer in `size` steps. It moves by `per_scene` steps at the end of each scene.

    `closed`: it has run out or was stopped. With a `pace` it is a track: ten boxes of three ticks each.
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
        """Return how many boxes of a track are full, 0 to 10."""
        return self.filled // TICKS_PER_BOX

    def moved_to(self, filled: int) -> ProgressClock:
        """Return the clock filled so far, never beyond its ends."""
        return self.model_copy(update={"filled": max(0, min(self.size, filled))})


def clock_predicate(name: str, pace: Pace | None) -> str:
    """Return the predicate that a clock (or, with a pace, a track) of that name has in canon."""
    return f"{TRACK_PREFIX if pace else CLOCK_PREFIX}{name}"
