"""Random events, the check at a scene's start, and the tension after a scene.

A random event is about one of the given threads, people and places, picked by their weights; rows about a
kind that has none are removed from the table.

The scene check reads one d100. The lowest faces, two for each point of tension, *interrupt*: something else
happens first. The next, four for each point, *alter*: the scene is not quite as planned. So at tension 5 it
is 10, 20 and 70 in a hundred, and at 9 hardly half of all scenes begin as expected.

The rules and numbers are our own.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from types import MappingProxyType
from typing import Final

from agents.resolver.dice import roll_dice
from agents.resolver.dice_score import DiceRoll
from agents.resolver.oracle import TENSIONS, check_tension
from agents.resolver.random_tables import RowAim, TableDraw, TableLibrary, draw_row, single_die
from agents.resolver.sparks import Spark, draw_spark, find_table
from stores.errors import InputError
from stores.records.ids import Id
from stores.records.play import Die
from stores.records.story_journal import Thread
from stores.records.world import Entity

EVENTS: Final = "events"
"""The name of the table that says what an event is about."""
CHECK_RULE: Final = "scene check"
INTERRUPTED_PER_POINT: Final = 2
ALTERED_PER_POINT: Final = 4


# --- random events ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Candidate:
    """A thread, person or place that an event may be about."""

    id: Id
    name: str
    weight: int = 1
    """0 excludes it."""


@dataclass(frozen=True, slots=True)
class RandomEvent:
    """A random event."""

    focus: TableDraw
    target: Candidate | None
    """None if the row is about nobody in particular."""

    target_roll: DiceRoll | None
    """The roll that chose the target."""

    spark: Spark

    @property
    def aim(self) -> RowAim | None:
        return self.focus.row.aim

    @property
    def dice(self) -> tuple[Die, ...]:
        return (*self.focus.dice, *(self.target_roll.dice if self.target_roll else ()), *self.spark.dice)

    @property
    def rule(self) -> str:
        return "random event"

    @property
    def about(self) -> str:
        """What happens and to whom: `Wenna Pike is in trouble`; a thread's name is in quotes."""
        if self.target is None:
            return self.focus.row.text
        name = f"“{self.target.name}”" if self.aim is RowAim.THREAD else self.target.name
        return f"{name} {self.focus.row.text}"

    @property
    def text(self) -> str:
        rolls = (self.focus.roll, self.target_roll, *(table_draw.roll for table_draw in self.spark.draws))
        rolls_text = ", ".join(
            f"{dice_roll.expression} {dice_roll.total}" for dice_roll in rolls if dice_roll
        )
        return f"event · {rolls_text} · {self.about} · {' / '.join(self.spark.words)}"


def draw_random_event(
    candidates: Mapping[RowAim, Sequence[Candidate]], table_library: TableLibrary, rng: random.Random
) -> RandomEvent:
    """Draw what happens, to which candidate, and two spark words.

    `candidates` may lack an aim, or have none for it. Raises InputError if the table of events then has no
    row left. (These dice depend on each other and are never physical.)
    """
    weighted_candidates = {
        aim: [candidate for candidate in aim_candidates if candidate.weight > 0]
        for aim, aim_candidates in candidates.items()
    }
    table = find_table(table_library, EVENTS).filter_rows(
        lambda row: row.aim is None or bool(weighted_candidates.get(row.aim))
    )
    if table is None:
        raise InputError(
            "There is nothing that an event could be about.",
            kept="Nothing was rolled.",
            todo="Open a thread, or create an NPC.",
        )
    focus = draw_row(table, rng)
    target, target_roll = None, None
    if focus.row.aim is not None:
        target, target_roll = _pick_candidate(weighted_candidates[focus.row.aim], rng)
    return RandomEvent(focus, target, target_roll, draw_spark(table_library, rng))


def event_candidates(
    threads: Iterable[Thread], people: Iterable[tuple[Entity, int]], places: Iterable[Entity]
) -> dict[RowAim, list[Candidate]]:
    """Return the open threads and the people with their weights, and the places, which are equally likely."""
    return {
        RowAim.THREAD: [Candidate(t.id, t.name, t.weight) for t in threads if t.is_open],
        RowAim.NPC: [Candidate(npc.id, npc.name, weight) for npc, weight in people if not npc.is_pc],
        RowAim.PLACE: [Candidate(place.id, place.name) for place in places],
    }


def _pick_candidate(candidates: Sequence[Candidate], rng: random.Random) -> tuple[Candidate, DiceRoll]:
    highest_faces = list(accumulate(candidate.weight for candidate in candidates))
    target_roll = roll_dice(single_die(highest_faces[-1]), rng)
    chosen_candidate = next(
        candidate
        for candidate, highest in zip(candidates, highest_faces, strict=True)
        if target_roll.total <= highest
    )
    return chosen_candidate, target_roll


# --- scenes -----------------------------------------------------------------------------------------


class SceneStartKind(StrEnum):
    """How a scene begins, from the lowest faces of the die to the highest."""

    INTERRUPTED = "interrupted"
    ALTERED = "altered"
    EXPECTED = "as expected"


@dataclass(frozen=True, slots=True)
class SceneCheck:
    """How a scene begins, by a roll: interrupted by a random event, with something altered, or as expected."""

    start: SceneStartKind
    tension: int
    roll: DiceRoll

    @property
    def dice(self) -> tuple[Die, ...]:
        return self.roll.dice

    @property
    def rule(self) -> str:
        return f"{CHECK_RULE}, tension {self.tension}"

    @property
    def text(self) -> str:
        return f"{CHECK_RULE} · tension {self.tension} · d100 {self.roll.total} · {self.start}"


def roll_scene_check(tension: int, rng: random.Random, faces: Iterable[int] | None = None) -> SceneCheck:
    """Roll with `rng`, or read the physical d100 typed as `faces`.

    Raises InputError if `tension` is not 1 to 9, or if the faces are not those of one d100.
    """
    odds = scene_odds(tension)
    dice_roll = roll_dice("d%", rng, faces=faces)
    highest_faces = zip(odds, accumulate(odds.values()), strict=True)
    start = next(start for start, highest in highest_faces if dice_roll.total <= highest)
    return SceneCheck(start, tension, dice_roll)


def scene_odds(tension: int) -> Mapping[SceneStartKind, int]:
    """Return how many of the 100 faces give each start. Raises InputError if `tension` is not 1 to 9."""
    check_tension(tension)
    interrupted_faces, altered_faces = INTERRUPTED_PER_POINT * tension, ALTERED_PER_POINT * tension
    return MappingProxyType(
        {
            SceneStartKind.INTERRUPTED: interrupted_faces,
            SceneStartKind.ALTERED: altered_faces,
            SceneStartKind.EXPECTED: 100 - interrupted_faces - altered_faces,
        }
    )


def tension_after(tension: int, in_control: bool | None) -> int:
    """Return the tension after a scene: one up if it got out of control, one down if not.

    None (neither, or both) does not change it. Raises InputError if `tension` is not 1 to 9.
    """
    check_tension(tension)
    step = 0 if in_control is None else -1 if in_control else 1
    return max(TENSIONS[0], min(TENSIONS[-1], tension + step))
