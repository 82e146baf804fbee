"""Parses a dice expression into a `Formula`, by recursive descent over a bounded grammar.

    formula  = sum ["beats" dice] [label]           how many of those dice are lower than the sum
    sum      = product (("+" | "-") product)*
    product  = unary (("*" | "/") unary)*            division rounds down
    unary    = ("-" | "+") unary | primary
    primary  = "(" sum ")" | name | dice | number
    dice     = [count] "d" (sides | "%" | "F") modifier*
    modifier = "adv" | "dis" | ("kh" | "kl" | "dh" | "dl" | "k") [number]
             | "!" [faces] | ("r" | "ro") faces | comparison number
    faces    = number | comparison number
    label    = "[" words "]" | "#" words             at the end

Nothing is ever evaluated as code.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final, Literal, cast

from agents.resolver.dice_formula import (
    MAX_DEPTH,
    MAX_DICE,
    MAX_LENGTH,
    MAX_NUMBER,
    MAX_SIDES,
    Beats,
    BinaryOperation,
    Comparison,
    Constant,
    Dice,
    DieType,
    FaceCondition,
    Formula,
    Group,
    KeepRule,
    Negation,
    Node,
)
from agents.resolver.dice_scanner import Scanner, dice_error
from agents.typed_text import one_line

_NUMBER: Final = re.compile(r"[0-9]+")
_SIGNED: Final = re.compile(r"-?[0-9]+")
_DICE: Final = re.compile(r"([0-9]*)d([0-9]+|%|f)", re.IGNORECASE)
_MODIFIER: Final = re.compile(r"adv(?:antage)?|dis(?:advantage)?|[kd][hl]|k|ro?|!|>=|<=|>|<|=", re.IGNORECASE)
_COMPARISON: Final = re.compile(r">=|<=|>|<|=")
_LABEL: Final = re.compile(r"\[([^\[\]]*)\]\s*$|#(.*)$", re.DOTALL)
_BEATS: Final = re.compile(r"beats\b", re.IGNORECASE)
_DIGIT_DICE: Final = {"66": 2, "666": 3}


def parse(text: str, names: Mapping[str, int] | None = None) -> Formula:
    """Read a dice expression; `names` (in any case) may stand where a number may.

    Raises InputError saying what is wrong, at which column (from 1), and what would work.
    """
    if len(text) > MAX_LENGTH:
        raise dice_error(f"A dice expression has at most {MAX_LENGTH} characters; this has {len(text):,}.")
    return _Parser(Scanner(text), names or {}).parse_formula()


class _Parser:
    def __init__(self, scanner: Scanner, names: Mapping[str, int]) -> None:
        self._scanner = scanner
        self._names = names
        self._depth = 0
        self._dice = 0

    def parse_formula(self) -> Formula:
        root = self._parse_beats(self._parse_sum())
        label = self._scanner.take(_LABEL)
        if not label and self._scanner.peek():
            raise self._scanner.error_here(f"expected + - * / or the end, not {self._scanner.peek()!r}")
        return Formula(root, one_line(label[1] or label[2] or "") if label else "")

    def _parse_beats(self, action: Node) -> Node:
        if not self._scanner.take(_BEATS):
            return action
        dice = self._scanner.take(_DICE)
        challenge = self._parse_dice(dice[1], dice[2].upper()) if dice else None
        if challenge is None or challenge.digits > 1:
            raise self._scanner.error_here("dice should stand here, as in d6+2 beats 2d10")
        return Beats(action, challenge)

    def _parse_sum(self) -> Node:
        left_node = self._parse_product()
        while sign := self._scanner.take_any("+-"):
            column, right_node = self._scanner.column, self._parse_product()
            while isinstance(right_node, Negation):  # 2d6+-1 is written 2d6-1
                sign, right_node = "-" if sign == "+" else "+", right_node.operand
            left_node = BinaryOperation(cast(Literal["+", "-"], sign), left_node, right_node, column)
        return left_node

    def _parse_product(self) -> Node:
        left_node = self._parse_unary()
        while sign := self._scanner.take_any("*/"):
            column = self._scanner.column
            left_node = BinaryOperation(cast(Literal["*", "/"], sign), left_node, self._parse_unary(), column)
        return left_node

    def _parse_unary(self) -> Node:
        sign = self._scanner.take_any("+-")
        if not sign:
            return self._parse_primary()
        self._enter_level()
        operand = self._parse_unary()
        self._depth -= 1
        return Negation(operand) if sign == "-" else operand

    def _parse_primary(self) -> Node:
        if self._scanner.take_any("("):
            return self._parse_group()
        if (value := self._scanner.take_name(self._names)) is not None:
            self._check_number(value)
            return Constant(value) if value >= 0 else Negation(Constant(-value))
        if dice := self._scanner.take(_DICE):
            return self._parse_modifiers(self._parse_dice(dice[1], dice[2].upper()))
        if number := self._scanner.take(_NUMBER):
            return Constant(self._check_number(int(number[0])))
        next_token = self._scanner.peek()
        raise self._scanner.error_here(
            f"expected a number or dice, not {next_token!r}" if next_token else "it stops short"
        )

    def _parse_group(self) -> Node:
        self._enter_level()
        inner = self._parse_sum()
        if not self._scanner.take_any(")"):
            raise self._scanner.error_here("a parenthesis is not closed")
        self._depth -= 1
        return Group(inner)

    # --- dice ---------------------------------------------------------------------------------------

    def _parse_dice(self, count_text: str, sides: str) -> Dice:
        count = int(count_text or 1)
        digits = _DIGIT_DICE.get(sides, 1)
        if count < 1:
            raise self._scanner.token_error("there must be at least one die")
        self._count_dice(count * digits)
        if digits > 1:
            return Dice(count, DieType("6", 1, 6), digits)
        if sides == "F":
            return Dice(count, DieType("F", -1, 1))
        if sides == "%":
            return Dice(count, DieType("%", 1, 100))
        high = int(sides)
        if not 1 <= high <= MAX_SIDES:
            raise self._scanner.token_error(f"a die has 1 to {MAX_SIDES:,} sides, not {_show_number(high)}")
        return Dice(count, DieType(str(high), 1, high))

    def _parse_modifiers(self, dice: Dice) -> Dice:
        while modifier := self._scanner.take(_MODIFIER):
            if dice.digits > 1:
                raise self._scanner.token_error(
                    f"{dice} is read digit by digit and cannot take {modifier[0]!r}"
                )
            dice = self._apply_modifier(dice, modifier[0].lower())
        return dice

    def _apply_modifier(self, dice: Dice, word: str) -> Dice:
        match word:
            case "r" | "ro":
                return self._add_reroll(dice, once=word == "ro")
            case "!":
                return self._add_explosion(dice)
            case ">=" | "<=" | ">" | "<" | "=":
                self._require_unset(dice.success, "count successes")
                return replace(dice, success=FaceCondition(word, self._take_signed_number()))
            case "kh" | "kl" | "dh" | "dl" | "k":
                return self._add_keep_rule(dice, word)
            case _:
                return self._add_advantage(dice, word[:3])

    def _add_reroll(self, dice: Dice, *, once: bool) -> Dice:
        self._require_unset(dice.reroll, "reroll")
        faces = self._take_faces()
        if not faces:
            raise self._scanner.error_here("say which faces to reroll, as in r1 or r<=2")
        if not once:
            self._require_end(faces, dice, "rerolled")
        return replace(dice, reroll=faces, reroll_once=once)

    def _add_explosion(self, dice: Dice) -> Dice:
        self._require_unset(dice.explode, "explode")
        faces = self._take_faces() or FaceCondition("=", dice.die.high)
        self._require_end(faces, dice, "thrown again")
        return replace(dice, explode=faces)

    def _add_keep_rule(self, dice: Dice, word: str) -> Dice:
        self._require_unset(dice.keep, "keep or drop")
        rule = cast(Literal["kh", "kl", "dh", "dl"], "kh" if word == "k" else word)
        number = self._scanner.take(_NUMBER)
        keep = KeepRule(rule, int(number[0]) if number else 1)
        if keep.count < 1 or not 1 <= keep.counting_dice(dice.count) <= dice.count:
            verb = "kept" if rule[0] == "k" else "dropped"
            raise self._scanner.token_error(
                f"{_show_number(keep.count)} of {dice.count:,} dice cannot be {verb}"
            )
        return replace(dice, keep=keep)

    def _add_advantage(self, dice: Dice, word: str) -> Dice:
        self._require_unset(dice.keep, "keep or drop")
        if dice.count != 1:
            raise self._scanner.token_error(f"{word} is for one die, as in d20{word}")
        self._count_dice(1)
        keep = KeepRule("kh" if word == "adv" else "kl", 1)
        return replace(dice, count=2, keep=keep, advantage=cast(Literal["adv", "dis"], word))

    def _take_faces(self) -> FaceCondition | None:
        """Take `>=5` or `5`. A bare number has no sign: in `3d6!-1` one is subtracted."""
        if compare := self._scanner.take(_COMPARISON):
            return FaceCondition(cast(Comparison, compare[0]), self._take_signed_number())
        number = self._scanner.take(_NUMBER)
        return FaceCondition("=", self._check_number(int(number[0]))) if number else None

    def _take_signed_number(self) -> int:
        number = self._scanner.take(_SIGNED)
        if not number:
            raise self._scanner.error_here("a comparison needs a number, as in >=7")
        return self._check_number(int(number[0]))

    # --- limits -------------------------------------------------------------------------------------

    def _enter_level(self) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self._scanner.token_error(f"parentheses and signs go at most {MAX_DEPTH} deep")

    def _count_dice(self, count: int) -> None:
        self._dice += count
        if self._dice > MAX_DICE:
            raise self._scanner.token_error(
                f"at most {MAX_DICE:,} dice are rolled at once, not {_show_number(self._dice)}"
            )

    def _check_number(self, value: int) -> int:
        if abs(value) > MAX_NUMBER:
            raise self._scanner.token_error(f"numbers go up to {MAX_NUMBER:,}, not {_show_number(value)}")
        return value

    def _require_unset(self, current: object, action: str) -> None:
        if current is not None:
            raise self._scanner.token_error(f"the same dice can {action} in one way only")

    def _require_end(self, faces: FaceCondition, dice: Dice, action: str) -> None:
        if faces.holds_for_all(dice.die):
            raise self._scanner.token_error(f"every face of {dice.die} would be {action}, for ever")


def _show_number(number: int) -> str:
    return f"{number:,}" if abs(number) < 10**12 else "as many as that"
