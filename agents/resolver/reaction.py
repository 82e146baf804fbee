"""Rolls how somebody reacts: two dice plus their bonds, in five attitudes. The bands are our own."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from typing import Final

from agents.resolver.bonds import Bond
from agents.resolver.dice import roll_dice
from agents.resolver.dice_score import DiceRoll
from stores.records.play import Die

MAX_MODIFIER: Final = 4
"""The most that bonds and circumstances together add or subtract, so that people can surprise."""
OUTCOMES: Final = 6**2
"""Different throws of two dice."""


class Attitude(StrEnum):
    """From the worst to the best."""

    HOSTILE = "hostile"
    UNFRIENDLY = "unfriendly"
    WARY = "wary"
    FRIENDLY = "friendly"
    HELPFUL = "helpful"


HIGHEST_TOTALS: Final[tuple[int, ...]] = (3, 5, 8, 10)
"""The highest total of each attitude but the last."""


@dataclass(frozen=True, slots=True)
class Reaction:
    """The result of a reaction roll."""

    attitude: Attitude
    roll: DiceRoll
    bonds: tuple[Bond, ...]
    """The bonds of canon that were added to the dice."""

    text: str
    rule: str

    @property
    def dice(self) -> tuple[Die, ...]:
        return self.roll.dice


def roll_reaction(
    rng: random.Random,
    faces: Iterable[int] | None = None,
    *,
    bonds: Iterable[Bond] = (),
    modifier: int = 0,
    name: str = "",
) -> Reaction:
    """Roll with `rng`, or read the physical dice typed as `faces`.

    `modifier` is what the GM adds for the circumstances, `name` whose reaction it is. Raises InputError if the
    faces are not those of two six-sided dice.
    """
    bond_list = tuple(bonds)
    total = total_modifier(bond_list, modifier)
    dice_roll = roll_dice(f"2d6{total:+d}" if total else "2d6", rng, faces=faces)
    attitude = attitude_of(dice_roll.total)
    rule = f"reaction, {total:+d}" if total else "reaction"
    heading = f"reaction of {name}" if name else "reaction"
    return Reaction(attitude, dice_roll, bond_list, f"{heading} · {dice_roll.text} · {attitude}", rule)


def total_modifier(bonds: Iterable[Bond], modifier: int = 0) -> int:
    """Return what is added to the dice: all warmth and `modifier`, within the limit."""
    total = modifier + sum(bond.warmth for bond in bonds)
    return max(-MAX_MODIFIER, min(MAX_MODIFIER, total))


def attitude_of(total: int) -> Attitude:
    """Return the attitude that a total of two dice with its modifier stands for."""
    return list(Attitude)[sum(total > highest for highest in HIGHEST_TOTALS)]


def reaction_odds(modifier: int = 0) -> Mapping[Attitude, int]:
    """Return in how many of the 36 throws of two dice each attitude comes."""
    totals = [sum(faces) + modifier for faces in product(range(1, 7), repeat=2)]
    return {attitude: sum(attitude_of(total) is attitude for total in totals) for attitude in Attitude}
