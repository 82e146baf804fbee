"""Rolls how much, how many or how far: three dice give one of seven amounts, mostly those in the middle.

A lean of -3 to 3 is added to the dice when the fiction suggests more or less than usual. The bands are our
own.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from typing import Final

from agents.resolver.dice import roll_dice
from agents.resolver.dice_score import DiceRoll
from stores.errors import InputError
from stores.records.play import Die

MAX_LEAN: Final = 3
OUTCOMES: Final = 6**3
"""Different throws of three dice."""


class Amount(StrEnum):
    """From the least to the most; *as expected* is what everybody there would have guessed."""

    ALMOST_NOTHING = "almost nothing"
    VERY_LITTLE = "very little"
    LESS = "less than expected"
    AS_EXPECTED = "as expected"
    MORE = "more than expected"
    VERY_MUCH = "very much"
    OVERWHELMING = "overwhelming"


HIGHEST_TOTALS: Final[tuple[int, ...]] = (4, 6, 8, 12, 14, 16)
"""The highest total of each amount but the last."""


@dataclass(frozen=True, slots=True)
class AmountResult:
    amount: Amount
    roll: DiceRoll
    text: str
    rule: str

    @property
    def dice(self) -> tuple[Die, ...]:
        return self.roll.dice


def roll_amount(rng: random.Random, faces: Iterable[int] | None = None, *, lean: int = 0) -> AmountResult:
    """Roll with `rng`, or read the physical dice typed as `faces`.

    Raises InputError if `lean` is not -3 to 3, or if the faces are not those of three six-sided dice.
    """
    if abs(lean) > MAX_LEAN:
        raise InputError(
            f"A lean of {lean:+d} is too much.",
            kept="Nothing was rolled.",
            todo=f"It goes from -{MAX_LEAN} to {MAX_LEAN}.",
        )
    dice_roll = roll_dice(f"3d6{lean:+d}" if lean else "3d6", rng, faces=faces)
    amount = amount_of(dice_roll.total)
    rule = f"how much, lean {lean:+d}" if lean else "how much"
    return AmountResult(amount, dice_roll, f"how much · {dice_roll.text} · {amount}", rule)


def amount_of(total: int) -> Amount:
    """Return the amount that a total of three dice stands for."""
    return list(Amount)[sum(total > highest for highest in HIGHEST_TOTALS)]


def amount_odds(lean: int = 0) -> Mapping[Amount, int]:
    """Return in how many of the 216 throws of three dice each amount comes."""
    totals = [sum(faces) + lean for faces in product(range(1, 7), repeat=3)]
    return {amount: sum(amount_of(total) is amount for total in totals) for amount in Amount}
