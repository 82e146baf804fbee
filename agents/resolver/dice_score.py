"""What fallen dice come to: pure, so that a sealed roll can be checked again at any time.

Source: design/libraries.md, "Dice"; design/interface.md, "Scene screen" (how a result reads).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from agents.resolver.dice_formula import (
    MAX_VALUE,
    Constant,
    Dice,
    DieType,
    Formula,
    Group,
    Negation,
    Node,
    Operation,
)
from agents.resolver.dice_scanner import dice_error
from stores.records.play import Die

_SHOWN: Final = 40
"""Dice of one set that the text spells out; the record holds them all."""


@dataclass(frozen=True, slots=True)
class Roll:
    """What was rolled: `dice` in the order they fell, `text` such as `2d6+1 [5,4]+1 = 10`."""

    expression: str
    dice: tuple[Die, ...]
    total: int
    text: str
    label: str = ""


def score(formula: Formula, dice: Sequence[Die]) -> Roll:
    """Work out what fallen dice come to under `formula`. Raises InputError if they do not fit it."""
    scorer = _Scorer(chains_of(dice))
    total, shown = scorer.value(formula.root)
    scorer.finish()
    text = f"{formula} {shown} = {total}" if scorer.scored else f"{formula} = {total}"
    return Roll(str(formula), tuple(scorer.scored), total, text, formula.label)


def chains_of(dice: Iterable[Die]) -> Iterator[list[Die]]:
    """Part fallen dice into chains: one die with what it was before a reroll and what exploded from it."""
    chain: list[Die] = []
    for die in dice:
        if chain and not die.exploded and not chain[-1].rerolled:
            yield chain
            chain = []
        chain.append(die)
    if chain:
        yield chain


class _Scorer:
    """Walks a formula with the fallen dice; `scored` collects them with what is dropped marked."""

    def __init__(self, chains: Iterator[list[Die]]) -> None:
        self._chains = chains
        self.scored: list[Die] = []

    def value(self, node: Node) -> tuple[int, str]:
        """Return what `node` comes to, and it written with faces instead of dice."""
        match node:
            case Constant(number):
                return number, str(number)
            case Group(inner):
                value, shown = self.value(inner)
                return value, f"({shown})"
            case Negation(operand):
                value, shown = self.value(operand)
                return -value, f"-{shown}"
            case Operation():
                left, left_shown = self.value(node.left)
                right, right_shown = self.value(node.right)
                return _calculate(node, left, right), f"{left_shown}{node.sign}{right_shown}"
            case Dice():
                return self._dice(node)

    def finish(self) -> None:
        if next(self._chains, None) is not None:
            raise dice_error("There are more dice than the expression rolls.")

    def _dice(self, dice: Dice) -> tuple[int, str]:
        chains = [self._next_chain(dice.die) for _ in range(dice.thrown)]
        chains = _mark_dropped(dice, chains)
        fallen = [die for chain in chains for die in chain]
        self.scored += fallen
        faces = [die.face for die in fallen if not die.dropped]
        return _count(dice, faces), _show(dice, chains)

    def _next_chain(self, die: DieType) -> list[Die]:
        chain = next(self._chains, None)
        if chain is None or not all(d.sides == die.sides and die.low <= d.face <= die.high for d in chain):
            raise dice_error(f"The dice do not fit the expression: it wants a {die} here.")
        return chain


def _mark_dropped(dice: Dice, chains: list[list[Die]]) -> list[list[Die]]:
    """Keep whole chains: a die and what exploded from it stand or fall together, the earlier on a tie."""
    kept = set(range(len(chains)))
    if dice.keep is not None:
        values = [sum(die.face for die in chain if not die.rerolled) for chain in chains]
        best = sorted(kept, key=lambda i: -values[i] if dice.keep and dice.keep.highest else values[i])
        kept = set(best[: dice.keep.kept_of(len(chains))])
    return [
        [die.model_copy(update={"dropped": die.rerolled or i not in kept}) for die in chain]
        for i, chain in enumerate(chains)
    ]


def _count(dice: Dice, faces: list[int]) -> int:
    if dice.success is not None:
        return sum(map(dice.success.holds, faces))
    # d66: within each group of digits, tens before ones.
    return sum(face * 10 ** (dice.digits - 1 - i % dice.digits) for i, face in enumerate(faces))


def _calculate(node: Operation, left: int, right: int) -> int:
    if node.sign == "/" and right == 0:
        raise dice_error(f"Cannot divide by zero (column {node.column}).")
    match node.sign:
        case "+":
            value = left + right
        case "-":
            value = left - right
        case "*":
            value = left * right
        case "/":
            value = left // right
    if abs(value) > MAX_VALUE:
        raise dice_error(f"That comes to more than {MAX_VALUE:,} (column {node.column}).")
    return value


def _show(dice: Dice, chains: list[list[Die]]) -> str:
    """Write the faces: (1) dropped, 6!,2 exploded, 1→4 rerolled, 9* a success."""
    written = [_show_chain(dice, chain) for chain in chains[:_SHOWN]]
    if len(chains) > _SHOWN:
        written.append(f"… {len(chains) - _SHOWN:,} more")
    return f"[{','.join(written)}]"


def _show_chain(dice: Dice, chain: list[Die]) -> str:
    text = ""
    for die, after in zip(chain, [*chain[1:], None], strict=True):
        face = dice.die.show(die.face)
        if die.rerolled:
            text += f"{face}→"
            continue
        hit = "*" if dice.success and not die.dropped and dice.success.holds(die.face) else ""
        text += f"{face}{hit}" + ("!," if after else "")
    return f"({text})" if chain[-1].dropped else text
