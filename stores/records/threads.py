"""What drives a story on by itself: open threads, progress clocks and progress tracks.

Source: design/product.md, "Solo procedures"; design/ontology.md, "Narrative log" (`stories`).
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from stores.records.base import Record
from stores.records.ids import Id

Weight = Annotated[int, Field(ge=1, le=3)]
"""How often chance picks it, beside the others."""

TICKS_PER_BOX = 3
"""Strokes that fill one box of a progress track."""
BOXES = 10
TRACK_TICKS = TICKS_PER_BOX * BOXES


class Thread(Record):
    """Something that the story has left open. `since` and `closed_at` are world times (ticks).

    `fact_id` names the commitment that it shows, if it is one of canon's.
    """

    id: Id
    story_id: Id
    name: str = Field(min_length=1)
    weight: Weight = 1
    since: int = 0
    closed_at: int | None = None
    fact_id: Id | None = None

    @property
    def is_open(self) -> bool:
        return self.closed_at is None


class ProgressClock(Record):
    """Something that comes nearer in `size` steps. `per_scene` steps come by themselves at scene end.

    `closed`: it has struck, or was stopped, and does nothing any more.
    """

    name: str = Field(min_length=1)
    filled: int = Field(default=0, ge=0)
    size: int = Field(default=6, ge=1, le=100)
    per_scene: int = Field(default=0, ge=-100, le=100)
    closed: bool = False

    @model_validator(mode="after")
    def _no_fuller_than_full(self) -> ProgressClock:
        if self.filled > self.size:
            raise ValueError(f"a clock of {self.size} cannot be filled to {self.filled}")
        return self

    @property
    def is_full(self) -> bool:
        return self.filled == self.size


class ProgressTrack(Record):
    """Something that the hero works at: ten boxes, each filled by three ticks."""

    name: str = Field(min_length=1)
    ticks: int = Field(default=0, ge=0, le=TRACK_TICKS)

    @property
    def boxes(self) -> int:
        """Boxes that are full, 0 to 10."""
        return self.ticks // TICKS_PER_BOX

    @property
    def is_complete(self) -> bool:
        return self.ticks == TRACK_TICKS
