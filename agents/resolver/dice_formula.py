"""The parts of a dice expression, how they are written, and their limits."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

MAX_LENGTH: Final = 200
"""Characters in an expression."""
MAX_DICE: Final = 1_000
"""Dice thrown in one roll, rerolls and explosions included."""
MAX_SIDES: Final = 10_000
MAX_DEPTH: Final = 20
"""Parentheses and signs inside one another."""
MAX_CHAIN: Final = 100
"""Rerolls and explosions of one die."""
MAX_NUMBER: Final = 1_000_000
"""The largest number that may be written."""
MAX_VALUE: Final = 1_000_000_000_000
"""The largest value that any part of an expression may come to."""

EXAMPLES: Final = "2d6+1, 4d6kh3, d20adv+5, 8d10>=7, 3d6!, 4dF, d66 or (2d6+1)*2"

Comparison = Literal[">=", "<=", ">", "<", "="]
_COMPARISONS: Final = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
}


@dataclass(frozen=True, slots=True)
class DieType:
    """A kind of die by its written `sides` (6, %, F); its faces run from `low` to `high`."""

    sides: str
    low: int
    high: int

    def __str__(self) -> str:
        return f"d{self.sides}"

    def show(self, face: int) -> str:
        """Return the face as players read it: Fate dice have + and -."""
        return {-1: "-", 0: "0", 1: "+"}[face] if self.sides == "F" else str(face)


@dataclass(frozen=True, slots=True)
class FaceCondition:
    """A condition on faces: `>=7`, or `1` for just that face."""

    compare: Comparison
    number: int

    def holds(self, face: int) -> bool:
        return bool(_COMPARISONS[self.compare](face, self.number))

    def holds_for_all(self, die: DieType) -> bool:
        return all(self.holds(face) for face in range(die.low, die.high + 1))

    def __str__(self) -> str:
        return f"{self.compare}{self.number}"

    @property
    def brief(self) -> str:
        """The shortest spelling. A minus stays behind its =, or it would be subtracted."""
        return str(self.number) if self.compare == "=" and self.number >= 0 else str(self)


@dataclass(frozen=True, slots=True)
class KeepRule:
    """Keep (k) or drop (d) the highest (h) or lowest (l) `count` dice."""

    rule: Literal["kh", "kl", "dh", "dl"]
    count: int

    def counting_dice(self, dice_count: int) -> int:
        """Return how many of so many dice count."""
        return self.count if self.rule[0] == "k" else dice_count - self.count

    @property
    def keeps_highest(self) -> bool:
        """Whether the highest dice are those that count."""
        return self.rule in ("kh", "dl")

    def __str__(self) -> str:
        return f"{self.rule}{self.count}"


@dataclass(frozen=True, slots=True)
class Dice:
    """Dice of one kind thrown together, and what is done with them.

    The order is always: reroll, explode, keep or drop, count successes.
    """

    count: int
    die: DieType
    digits: int = 1
    """With 2 or 3, so many dice are read as one number (d66, d666)."""

    reroll: FaceCondition | None = None
    reroll_once: bool = False
    explode: FaceCondition | None = None
    keep: KeepRule | None = None
    success: FaceCondition | None = None
    advantage: Literal["", "adv", "dis"] = ""
    """The word for throwing twice and keeping one."""

    @property
    def throw_count(self) -> int:
        """How many dice are thrown, before rerolls and explosions."""
        return self.count * self.digits

    def __str__(self) -> str:
        sides = self.die.sides * self.digits
        head = f"d{sides}" if self.advantage or self.count == 1 else f"{self.count}d{sides}"
        return "".join(
            (head, self._show_reroll(), self._show_explosion(), self._show_keep(), str(self.success or ""))
        )

    def _show_reroll(self) -> str:
        return f"{'ro' if self.reroll_once else 'r'}{self.reroll.brief}" if self.reroll else ""

    def _show_explosion(self) -> str:
        if self.explode is None:
            return ""
        # `8d10!>=7` would explode on 7, so the maximum is spelled out where a success test follows.
        is_usual = self.explode == FaceCondition("=", self.die.high) and self.success is None
        return "!" if is_usual else f"!{self.explode.brief}"

    def _show_keep(self) -> str:
        return self.advantage or str(self.keep or "")


@dataclass(frozen=True, slots=True)
class Constant:
    value: int

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True, slots=True)
class Group:
    inner: Node

    def __str__(self) -> str:
        return f"({self.inner})"


@dataclass(frozen=True, slots=True)
class Negation:
    operand: Node

    def __str__(self) -> str:
        return f"-{self.operand}"


@dataclass(frozen=True, slots=True)
class BinaryOperation:
    """Two parts joined by a sign."""

    sign: Literal["+", "-", "*", "/"]
    left: Node
    right: Node
    column: int
    """Where the sign stands in the typed text (from 1), for error messages."""

    def __str__(self) -> str:
        return f"{self.left}{self.sign}{self.right}"


@dataclass(frozen=True, slots=True)
class Beats:
    """How many of the challenge dice are lower than the action: `d6+2 beats 2d10`."""

    action: Node
    challenge: Dice

    def __str__(self) -> str:
        return f"{self.action} beats {self.challenge}"


Node = Constant | Dice | Group | Negation | BinaryOperation | Beats


@dataclass(frozen=True, slots=True)
class Formula:
    """A whole expression. `str()` gives its normal spelling, which parses to the same formula."""

    root: Node
    label: str = ""

    def __str__(self) -> str:
        return str(self.root)

    def dice(self) -> Iterator[Dice]:
        """Yield the dice in the order they are thrown: left to right."""
        return _dice_of(self.root)


def _dice_of(node: Node) -> Iterator[Dice]:
    match node:
        case Dice():
            yield node
        case Group(inner) | Negation(inner):
            yield from _dice_of(inner)
        case BinaryOperation(_, left, right):
            yield from _dice_of(left)
            yield from _dice_of(right)
        case Beats(action, challenge):
            yield from _dice_of(action)
            yield challenge
        case Constant():
            pass
