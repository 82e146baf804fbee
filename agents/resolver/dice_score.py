"""Works out the total of fallen dice; pure, so that a sealed roll can be checked again at any time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from agents.resolver.dice_formula import (
    MAX_VALUE,
    Beats,
    BinaryOperation,
    Constant,
    Dice,
    DieType,
    Formula,
    Group,
    Negation,
    Node,
)
from agents.resolver.dice_scanner import dice_error
from stores.records.play import Die

_MAX_SHOWN_DICE: Final = 40
"""Dice of one set that the text spells out; the record holds them all."""


@dataclass(frozen=True, slots=True)
class DiceRoll:
    """What was rolled: `dice` in the order they fell, `text` such as `2d6+1 [5,4]+1 = 10`."""

    expression: str
    dice: tuple[Die, ...]
    total: int
    text: str
    label: str = ""


def score_roll(formula: Formula, dice: Sequence[Die]) -> DiceRoll:
    """Work out what fallen dice come to under `formula`. Raises InputError if they do not fit it."""
    scorer = _Scorer(chains_of(dice))
    total, faces_text = scorer.evaluate(formula.root)
    scorer.require_end()
    text = f"{formula} {faces_text} = {total}" if scorer.scored_dice else f"{formula} = {total}"
    return DiceRoll(str(formula), tuple(scorer.scored_dice), total, text, formula.label)


def chains_of(dice: Iterable[Die]) -> Iterator[list[Die]]:
    """Split fallen dice into chains, each one die with its rerolls and explosions."""
    chain: list[Die] = []
    for die in dice:
        if chain and not die.exploded and not chain[-1].rerolled:
            yield chain
            chain = []
        chain.append(die)
    if chain:
        yield chain


class _Scorer:
    """Evaluates a formula with the thrown dice, and marks those that are dropped."""

    def __init__(self, chains: Iterator[list[Die]]) -> None:
        self._chains = chains
        self.scored_dice: list[Die] = []

    def evaluate(self, node: Node) -> tuple[int, str]:
        """Return the value of `node`, and its text with faces instead of dice."""
        match node:
            case Constant(number):
                return number, str(number)
            case Group(inner):
                value, inner_text = self.evaluate(inner)
                return value, f"({inner_text})"
            case Negation(operand):
                value, inner_text = self.evaluate(operand)
                return -value, f"-{inner_text}"
            case BinaryOperation():
                left_value, left_text = self.evaluate(node.left)
                right_value, right_text = self.evaluate(node.right)
                return _calculate(node, left_value, right_value), f"{left_text}{node.sign}{right_text}"
            case Dice():
                return self._evaluate_dice(node)
            case Beats(action, challenge):
                score, action_text = self.evaluate(action)
                faces, challenge_text = self._take_dice(challenge)
                return sum(face < score for face in faces), f"{action_text} beats {challenge_text}"

    def require_end(self) -> None:
        if next(self._chains, None) is not None:
            raise dice_error("There are more dice than the expression rolls.")

    def _evaluate_dice(self, dice: Dice) -> tuple[int, str]:
        faces, text = self._take_dice(dice)
        return _total_of_faces(dice, faces), text

    def _take_dice(self, dice: Dice) -> tuple[list[int], str]:
        """Take the dice that fell for these, and return the faces that count, and their text."""
        chains = [self._next_chain(dice.die) for _ in range(dice.throw_count)]
        chains = _mark_dropped(dice, chains)
        fallen_dice = [die for chain in chains for die in chain]
        self.scored_dice += fallen_dice
        faces = [die.face for die in fallen_dice if not die.dropped]
        return faces, _show_chains(dice, chains)

    def _next_chain(self, die: DieType) -> list[Die]:
        chain = next(self._chains, None)
        if chain is None or not all(d.sides == die.sides and die.low <= d.face <= die.high for d in chain):
            raise dice_error(f"The dice do not fit the expression: it wants a {die} here.")
        return chain


def _mark_dropped(dice: Dice, chains: list[list[Die]]) -> list[list[Die]]:
    """Mark the dice that do not count; a die and what exploded from it are kept or dropped together.

    On a tie, the earlier chain is kept.
    """
    kept_indexes = set(range(len(chains)))
    if dice.keep is not None:
        values = [sum(die.face for die in chain if not die.rerolled) for chain in chains]
        ranked_indexes = sorted(
            kept_indexes, key=lambda i: -values[i] if dice.keep and dice.keep.keeps_highest else values[i]
        )
        kept_indexes = set(ranked_indexes[: dice.keep.counting_dice(len(chains))])
    return [
        [die.model_copy(update={"dropped": die.rerolled or i not in kept_indexes}) for die in chain]
        for i, chain in enumerate(chains)
    ]


def _total_of_faces(dice: Dice, faces: list[int]) -> int:
    if dice.success is not None:
        return sum(map(dice.success.holds, faces))
    # d66: within each group of digits, tens before ones.
    return sum(face * 10 ** (dice.digits - 1 - i % dice.digits) for i, face in enumerate(faces))


def _calculate(node: BinaryOperation, left: int, right: int) -> int:
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


def _show_chains(dice: Dice, chains: list[list[Die]]) -> str:
    """Write the faces: (1) dropped, 6!,2 exploded, 1→4 rerolled, 9* a success."""
    chain_texts = [_show_chain(dice, chain) for chain in chains[:_MAX_SHOWN_DICE]]
    if len(chains) > _MAX_SHOWN_DICE:
        chain_texts.append(f"… {len(chains) - _MAX_SHOWN_DICE:,} more")
    return f"[{','.join(chain_texts)}]"


def _show_chain(dice: Dice, chain: list[Die]) -> str:
    text = ""
    for die, next_die in zip(chain, [*chain[1:], None], strict=True):
        face = dice.die.show(die.face)
        if die.rerolled:
            text += f"{face}→"
            continue
        success_mark = "*" if dice.success and not die.dropped and dice.success.holds(die.face) else ""
        text += f"{face}{success_mark}" + ("!," if next_die else "")
    return f"({text})" if chain[-1].dropped else text
