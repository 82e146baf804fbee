"""Moves clocks, which fill and strike, and tracks, which are finished by a roll.

Pure: each function returns a new record, or the change to propose. Two d10 finish a track: a die that shows
no more than the number of full boxes is met. Both met is a success, one a partial one. So ten full boxes
cannot fail, and at seven it is 49, 42 and 9 in a hundred. The rule is our own.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from agents.resolver.clock_changes import clock_change
from agents.resolver.dice import roll_dice
from agents.resolver.dice_score import DiceRoll
from stores.records.canon import AdvanceClock
from stores.records.clocks import BOXES_PER_TRACK, ProgressClock
from stores.records.play import Degree, Die

CHALLENGE_DICE: Final = "2d10"
FINISH_DEGREES: Final = (Degree.FAIL, Degree.PARTIAL, Degree.SUCCESS)
"""How a track ends, by how many of the two dice are met."""


class ClockMovement(NamedTuple):
    """What a clock did at scene end."""

    before: ProgressClock
    after: ProgressClock
    is_struck: bool
    """Whether it is full, and what it counted towards happens now."""

    @property
    def change(self) -> AdvanceClock:
        """The change to propose."""
        by = self.after.filled - self.before.filled
        return clock_change(self.before, by=by, is_closed=True if self.is_struck else None)

    @property
    def text(self) -> str:
        movement_words = f"{self.before.name} {self.before.filled} → {self.after.filled} of {self.after.size}"
        return f"{movement_words} · it strikes" if self.is_struck else movement_words


# --- clocks -----------------------------------------------------------------------------------------


def advance_clocks(clocks: Iterable[ProgressClock]) -> tuple[ClockMovement, ...]:
    """Return what the open clocks do at scene end, in order, without those that do nothing.

    A clock moves by its own `per_scene` steps. One that is full, now or since it was filled in play,
    strikes once and is closed. Tracks only move in play.
    """
    movements = (_advance_clock(clock) for clock in clocks if not clock.closed and not clock.is_track)
    return tuple(movement for movement in movements if movement.after != movement.before)


def _advance_clock(clock: ProgressClock) -> ClockMovement:
    after = clock if clock.is_full else clock.moved_to(clock.filled + clock.per_scene)
    return ClockMovement(clock, after.model_copy(update={"closed": after.is_full}), is_struck=after.is_full)


# --- tracks -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TrackFinish:
    """The roll that finishes a track; if it fails, the track stays open."""

    track: ProgressClock
    roll: DiceRoll

    @property
    def met_count(self) -> int:
        """Dice that show no more than the boxes that are full."""
        return sum(die.face <= self.track.boxes for die in self.roll.dice)

    @property
    def degree(self) -> Degree:
        return FINISH_DEGREES[self.met_count]

    @property
    def dice(self) -> tuple[Die, ...]:
        return self.roll.dice

    @property
    def rule(self) -> str:
        return f"finish of a track, {self.track.boxes} boxes"

    @property
    def changes(self) -> tuple[AdvanceClock, ...]:
        """The change to propose: the track is closed, unless the roll failed."""
        return () if self.degree is Degree.FAIL else (clock_change(self.track, is_closed=True),)

    @property
    def effects(self) -> tuple[str, ...]:
        return tuple(f"{change.clock} is finished" for change in self.changes)

    @property
    def text(self) -> str:
        faces = ", ".join(str(die.face) for die in self.roll.dice)
        boxes = f"{self.track.boxes} {'box' if self.track.boxes == 1 else 'boxes'}"
        return f"finish “{self.track.name}” · {boxes} · {CHALLENGE_DICE} {faces} · {self.degree}"


def finish_track(track: ProgressClock, rng: random.Random, faces: Iterable[int] | None = None) -> TrackFinish:
    """Roll with `rng`, or read the physical dice typed as `faces`. Raises InputError if they do not fit."""
    return TrackFinish(track, roll_dice(CHALLENGE_DICE, rng, faces=faces))


def finish_odds(boxes: int) -> Mapping[Degree, int]:
    """Return in how many of the 100 throws of two dice a track with so many full boxes ends in each degree."""
    empty_boxes = BOXES_PER_TRACK - boxes
    throws = (empty_boxes * empty_boxes, 2 * boxes * empty_boxes, boxes * boxes)
    return dict(zip(FINISH_DEGREES, throws, strict=True))
