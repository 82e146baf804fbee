"""What moves by itself: clocks that fill and strike, tracks that are worked at and finished by a roll.

Pure: each function returns another record, or the change to propose. A track is finished by two d10: each
that shows no more than the boxes that are full is met. Both met is a success, one a partial one. So ten
full boxes cannot fail, and at seven it is 49, 42 and 9 in a hundred. Source: design/product.md, "Solo
procedures" (clocks and tracks) and pain 15 ("clocks and threads act at scene end"). The rule is our own.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from agents.resolver.dice import roll
from agents.resolver.dice_score import Roll
from stores.records.canon import AdvanceClock
from stores.records.clocks import BOXES, ProgressClock
from stores.records.play import Degree, Die

CHALLENGE: Final = "2d10"
FINISHES: Final = (Degree.FAIL, Degree.PARTIAL, Degree.SUCCESS)
"""How a track ends, by how many of the two dice are met."""


class Acted(NamedTuple):
    """What a clock did at scene end. `strikes`: it is full, and what it counted towards happens now."""

    before: ProgressClock
    after: ProgressClock
    strikes: bool

    @property
    def change(self) -> AdvanceClock:
        """The change to propose."""
        by = self.after.filled - self.before.filled
        return change_of(self.before, by=by, closed=True if self.strikes else None)

    @property
    def text(self) -> str:
        moved = f"{self.before.name} {self.before.filled} → {self.after.filled} of {self.after.size}"
        return f"{moved} · it strikes" if self.strikes else moved


def change_of(
    clock: ProgressClock,
    *,
    by: int = 0,
    to: int | None = None,
    per_scene: int | None = None,
    closed: bool | None = None,
) -> AdvanceClock:
    """Return the change that does this to the clock."""
    return AdvanceClock(
        clock=clock.name,
        by=by,
        size=clock.size,
        to=to,
        per_scene=per_scene,
        closed=closed,
        pace=clock.pace,
    )


def folded(standing: Iterable[ProgressClock], changes: Iterable[AdvanceClock]) -> tuple[ProgressClock, ...]:
    """Return the clocks as the changes leave them, in their order; new ones follow."""
    clocks = {key_of(clock): clock for clock in standing}
    for change in changes:
        key = change.predicate
        clocks[key] = change.after(clocks.get(key))
    return tuple(clocks.values())


def key_of(clock: ProgressClock) -> str:
    """Return what tells the clock from all others: a track and a clock may have one name."""
    return change_of(clock).predicate


# --- clocks -----------------------------------------------------------------------------------------


def at_scene_end(clocks: Iterable[ProgressClock]) -> tuple[Acted, ...]:
    """Return what the open clocks do at scene end, in order, without those that do nothing.

    A clock moves by its own `per_scene` steps. One that is full, now or since it was filled in play,
    strikes once and is closed. Tracks wait for the hero.
    """
    acted = (_at_scene_end(clock) for clock in clocks if not clock.closed and not clock.is_track)
    return tuple(one for one in acted if one.after != one.before)


def _at_scene_end(clock: ProgressClock) -> Acted:
    after = clock if clock.is_full else clock.moved_to(clock.filled + clock.per_scene)
    return Acted(clock, after.model_copy(update={"closed": after.is_full}), strikes=after.is_full)


# --- tracks -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Finish:
    """The roll that says how well what was worked at ends; it stays open if it fails."""

    track: ProgressClock
    roll: Roll

    @property
    def met(self) -> int:
        """Dice that show no more than the boxes that are full."""
        return sum(die.face <= self.track.boxes for die in self.roll.dice)

    @property
    def degree(self) -> Degree:
        return FINISHES[self.met]

    @property
    def dice(self) -> tuple[Die, ...]:
        return self.roll.dice

    @property
    def rule(self) -> str:
        return f"finish of a track, {self.track.boxes} boxes"

    @property
    def changes(self) -> tuple[AdvanceClock, ...]:
        """What it proposes: the track is closed, unless it failed."""
        return () if self.degree is Degree.FAIL else (change_of(self.track, closed=True),)

    @property
    def effects(self) -> tuple[str, ...]:
        return tuple(f"{change.clock} is finished" for change in self.changes)

    @property
    def text(self) -> str:
        faces = ", ".join(str(die.face) for die in self.roll.dice)
        boxes = f"{self.track.boxes} {'box' if self.track.boxes == 1 else 'boxes'}"
        return f"finish “{self.track.name}” · {boxes} · {CHALLENGE} {faces} · {self.degree}"


def finish(track: ProgressClock, rng: random.Random, faces: Iterable[int] | None = None) -> Finish:
    """Roll with `rng`, or read the physical dice typed as `faces`. Raises InputError if they do not fit."""
    return Finish(track, roll(CHALLENGE, rng, faces=faces))


def finish_odds(boxes: int) -> Mapping[Degree, int]:
    """Return in how many of the 100 ways two dice fall a track of so many full boxes ends so."""
    unmet = BOXES - boxes
    return dict(zip(FINISHES, (unmet * unmet, 2 * boxes * unmet, boxes * boxes), strict=True))
