"""Reads and rolls the generic check: `2d6+2 vs 8`, `might 9`, or plain luck.

    check    = [roll] (";" [degree ":"] effects)*
    roll     = dice "vs" number | name ["vs"] number | "likely" | "unlikely" | "even"
    degree   = "success" | "hit" | "partial" | "fail" | "miss"       without one: success

A name is a number of the acting character and is added to 2d6; dice may use names too (`d20+might vs
15`). An empty roll, or a word of likelihood, asks the *narrative randomizer*: one percentile die against
the odds below.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Final, NamedTuple

from agents.proposals.effects import Effect, parse_effects
from agents.resolver.dice import roll_dice
from agents.resolver.dice_faces import split_faces
from agents.resolver.dice_formula import Formula
from agents.resolver.dice_parser import parse
from agents.resolver.dice_score import DiceRoll
from agents.typed_text import did_you_mean, fold_name, one_line, split_outside_quotes
from stores.errors import InputError
from stores.records.play import Degree
from stores.records.world import Number

MAX_LENGTH: Final = 1_000
"""Characters after `/check`."""
NAMED_DICE: Final = "2d6"
"""What a character's number is added to when only the number is named."""
LUCK: Final = parse("d%")
"""The one die of the narrative randomizer."""
PARTIAL_WITHIN: Final = 2
"""A total this far below its target, or less, is a partial success."""


class Odds(StrEnum):
    LIKELY = "likely"
    EVEN = "even"
    UNLIKELY = "unlikely"


class LuckOdds(NamedTuple):
    """Of 100: how many faces of a d% fail (the lowest), are partial, and succeed (the highest)."""

    fail: int
    partial: int
    success: int


ODDS: Final[Mapping[Odds, LuckOdds]] = MappingProxyType(
    {
        Odds.LIKELY: LuckOdds(fail=15, partial=25, success=60),
        Odds.EVEN: LuckOdds(fail=35, partial=30, success=35),
        Odds.UNLIKELY: LuckOdds(fail=60, partial=25, success=15),
    }
)
"""The narrative randomizer's published odds. High is good, as in every other check."""

DEGREE_WORDS: Final[Mapping[str, Degree]] = MappingProxyType(
    {
        "success": Degree.SUCCESS,
        "hit": Degree.SUCCESS,
        "partial": Degree.PARTIAL,
        "fail": Degree.FAIL,
        "miss": Degree.FAIL,
    }
)

_ODDS_WORDS: Final = {"": Odds.EVEN, **{odds.value: odds for odds in Odds}}
_EXAMPLES: Final = (
    "2d6+2 vs 8, might 9, d20+might vs 15, likely, or might 9; success: NAME.hp -8; fail: NAME +wounded"
)
_VERSUS: Final = re.compile(r"(?<![^\W\d_])vs(?![^\W\d_])\.?", re.IGNORECASE)
_TARGET: Final = re.compile(r"[+-]?[0-9]{1,7}")
_NAME_AND_TARGET: Final = re.compile(r"(?P<roll>.*\S) (?P<target>[0-9]{1,7})")
_DEGREE: Final = re.compile(r"\s*(\w+)\s*:")


@dataclass(frozen=True, slots=True)
class CheckSpec:
    """A check as read."""

    rule: str
    formula: Formula | None = None
    target: int | None = None
    """Without formula and target, it is luck by `odds`."""

    odds: Odds = Odds.EVEN
    effects: Mapping[Degree, tuple[Effect, ...]] = field(default_factory=dict)
    partial_within: int = PARTIAL_WITHIN
    """A total that misses its target by this or less is a partial success."""

    low_wins: bool = False
    says: Mapping[Degree, str] = field(default_factory=dict)
    """What each degree means, in words."""

    @property
    def dice(self) -> Formula:
        """The dice to throw."""
        return LUCK if self.formula is None or self.target is None else self.formula

    def degree_of(self, total: int) -> Degree:
        """Return the degree that the dice's total comes to."""
        if self.formula is None or self.target is None:
            return luck_degree(total, self.odds)
        margin = self.target - total if self.low_wins else total - self.target
        if margin >= 0:
            return Degree.SUCCESS
        return Degree.PARTIAL if margin >= -self.partial_within else Degree.FAIL

    def all_effects(self) -> tuple[Effect, ...]:
        return tuple(effect for effects in self.effects.values() for effect in effects)


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of a check; luck has no target and no margin."""

    degree: Degree
    roll: DiceRoll
    text: str
    rule: str
    effects: tuple[Effect, ...] = ()
    target: int | None = None
    margin: int | None = None
    """Total minus target."""


# --- resolving --------------------------------------------------------------------------------------


def roll_check(spec: CheckSpec, rng: random.Random, faces: Iterable[int] | None = None) -> CheckResult:
    """Roll the check with `rng`, or read the physical dice typed as `faces`.

    Raises InputError if the dice pass a limit while they are rolled, or the faces do not fit.
    """
    return score_check(spec, roll_dice(spec.dice, rng, faces=faces))


def score_check(spec: CheckSpec, dice_roll: DiceRoll, picked_degree: Degree | None = None) -> CheckResult:
    """Return what the dice of a check came to, or the degree that was picked instead."""
    degree = picked_degree or spec.degree_of(dice_roll.total)
    target = None if spec.formula is None else spec.target
    roll_words = f"{spec.odds} odds {dice_roll.text}" if target is None else f"{dice_roll.text} vs {target}"
    return CheckResult(
        degree=degree,
        roll=dice_roll,
        text=" · ".join(filter(None, (roll_words, degree, dice_roll.label, spec.says.get(degree)))),
        rule=spec.rule,
        effects=spec.effects.get(degree, ()),
        target=target,
        margin=None if target is None else dice_roll.total - target,
    )


def resolve_by_luck(spec: CheckSpec, rng: random.Random, because: str) -> CheckResult:
    """Resolve by luck a check whose own rules failed; `because` says why."""
    rule = f"narrative randomizer, {spec.odds} odds; {because}"
    result = roll_check(replace(spec, rule=rule, formula=None, target=None, says={}), rng)
    return replace(result, text=f"{result.text} ({because})")


def luck_degree(face: int, odds: Odds) -> Degree:
    """Return the degree that the `face` of a d% (1 to 100) stands for."""
    luck_odds = ODDS[odds]
    if face <= luck_odds.fail:
        return Degree.FAIL
    return Degree.PARTIAL if face <= luck_odds.fail + luck_odds.partial else Degree.SUCCESS


# --- reading ----------------------------------------------------------------------------------------


def read_check(text: str, numbers: Mapping[str, Number]) -> CheckSpec:
    """Read what follows `/check`; `numbers` are those of the acting character.

    Raises InputError saying what was not understood and what would be.
    """
    if len(text) > MAX_LENGTH:
        raise _check_error(f"A check has at most {MAX_LENGTH:,} characters; this has {len(text):,}.")
    head, *clauses = split_outside_quotes(text, ";")
    effects = _read_clauses(clauses)
    check_words = one_line(head)
    if odds := _ODDS_WORDS.get(check_words.casefold()):
        return CheckSpec(f"narrative randomizer, {odds} odds", odds=odds, effects=effects)
    expression, target = _split_target(check_words, numbers)
    return CheckSpec(f"{expression} vs {target}", _read_formula(expression, numbers), target, effects=effects)


def split_check_faces(typed_text: str) -> tuple[str, tuple[int, ...] | None]:
    """Split a check from the faces of the player's own dice, which may follow any of its parts behind a ` = `.

    The number that an effect sets (`; fail: Mara.luck = 3`) is no face. The faces are None if there is no such =, and
    empty if nothing follows it yet. Raises InputError for faces that no die has.
    """
    try:
        parts = _split_as_typed(typed_text)
    except InputError:
        return split_faces(typed_text)
    words: list[str] = []
    faces: tuple[int, ...] | None = None
    for part_number, part in enumerate(parts):
        part_words, part_faces = (part, None) if part_number and _is_effects(part) else split_faces(part)
        blanks = part[: len(part) - len(part.lstrip())]
        words.append(part if part_faces is None else blanks + part_words)
        if part_faces is not None:
            faces = (*(faces or ()), *part_faces)
    return ";".join(words).strip(), faces


def _split_as_typed(typed_text: str) -> list[str]:
    """Split at each semicolon outside quotation marks, with the signs as they were typed. Raises InputError."""
    parts, start = [], 0
    for plain_part in split_outside_quotes(typed_text, ";"):
        parts.append(typed_text[start : start + len(plain_part)])
        start += len(plain_part) + 1
    return parts


def _is_effects(clause: str) -> bool:
    try:
        return bool(_read_clauses([clause]))
    except InputError:
        return False


def _split_target(head: str, numbers: Mapping[str, Number]) -> tuple[str, int]:
    """Split `roll vs target`, or `name target`."""
    parts = _VERSUS.split(head, maxsplit=1)
    if len(parts) == 2:
        expression, target = parts[0].strip(), parts[1].strip()
        if not expression:
            raise _check_error("What is rolled is missing before vs.")
        if not _TARGET.fullmatch(target):
            raise _check_error(f"After vs comes the number to reach, not {target!r}.")
        return expression, int(target)
    if match := _NAME_AND_TARGET.fullmatch(head):
        expression, target = match["roll"], match["target"]
        if _find_number(expression, numbers) is not None:
            return expression, int(target)
        if not _can_be_rolled(head, numbers):
            _read_formula(expression, numbers)  # raises the more exact error, if it cannot be rolled
            raise _check_error(
                f"{head!r} does not say what to reach.", f"Did you mean {expression} vs {target}?"
            )
    _read_formula(head, numbers)
    raise _check_error(f"{head!r} does not say what to reach.", f"Add it, as in {head} vs 9.")


def _can_be_rolled(expression: str, numbers: Mapping[str, Number]) -> bool:
    try:
        _read_formula(expression, numbers)
    except InputError:
        return False
    return True


def _read_formula(expression: str, numbers: Mapping[str, Number]) -> Formula:
    """Read the name of a number, which is added to 2d6, or dice."""
    value = _find_number(expression, numbers)
    if value is not None:
        return parse(f"{NAMED_DICE}{_round_down(expression, value):+d}")
    if _is_name(expression):
        raise _unknown_number_error(expression, numbers)
    return parse(expression, whole_numbers(numbers))


def whole_numbers(numbers: Mapping[str, Number]) -> dict[str, int]:
    """Return the numbers as dice expressions may use them: rounded down, without infinities."""
    return {name: math.floor(value) for name, value in numbers.items() if math.isfinite(value)}


def _find_number(name: str, numbers: Mapping[str, Number]) -> Number | None:
    return {fold_name(number_name): value for number_name, value in numbers.items()}.get(fold_name(name))


def _round_down(name: str, value: Number) -> int:
    if not math.isfinite(value):
        raise _check_error(f"{name} is {value}, and that cannot be added to dice.")
    return math.floor(value)


def _is_name(expression: str) -> bool:
    """Return whether it reads as a name and not as dice."""
    return expression.casefold() != "df" and all(part.isalpha() for part in re.split("[ '-]", expression))


def _unknown_number_error(name: str, numbers: Mapping[str, Number]) -> InputError:
    if not numbers:
        return _check_error(f"The character has no number called {name!r}, nor any other yet.")
    known_numbers = ", ".join(f"{number_name} {value}" for number_name, value in numbers.items())
    hint = did_you_mean(name, numbers)
    return _check_error(f"The character has no number called {name!r}. There is: {known_numbers}.", hint)


def _read_clauses(clauses: Iterable[str]) -> dict[Degree, tuple[Effect, ...]]:
    effects: dict[Degree, tuple[Effect, ...]] = {}
    for clause in clauses:
        match = _DEGREE.match(clause)
        word = match[1] if match else "success"
        degree = DEGREE_WORDS.get(word.casefold())
        if degree is None:
            raise _check_error(f"{word!r} is no degree: they are success, partial and fail (or hit, miss).")
        clause_effects = parse_effects(clause[match.end() :] if match else clause)
        effects[degree] = effects.get(degree, ()) + clause_effects
    return effects


def _check_error(what: str, todo: str = "") -> InputError:
    return InputError(what, kept="Nothing was rolled.", todo=todo or f"Try {_EXAMPLES}.")
