"""Fills in the placeholders in the text of a rule pack: `2d6+{might}`, `{target}.hp -{harm}`.

Numbers are filled in before the text is read, the names of {actor} and {target} only after it, so that a
name is never read as dice or as an effect.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final, TypeVar

from agents.proposals.effects import Effect, parse_effects
from agents.resolver.dice_formula import Formula
from agents.resolver.dice_parser import parse
from agents.resolver.dice_scanner import dice_error
from agents.resolver.dice_score import score_roll
from agents.typed_text import did_you_mean
from stores.errors import InputError

ACTOR: Final = "actor"
TARGET: Final = "target"
_Value = TypeVar("_Value", int, str)
_PLACEHOLDER: Final = re.compile(r"(?P<sign>[+-] ?)?\{(?P<key>[^{}]*)\}")


def read_formula(template: str, numbers: Mapping[str, int]) -> Formula:
    """Read dice with `numbers` filled in. Raises InputError as the dice parser does."""
    return parse(_fill_numbers(template, numbers))


def read_number(template: str, numbers: Mapping[str, int]) -> int:
    """Work out a number such as `12` or `8+{might}`. Raises InputError if it cannot be read, or has dice."""
    formula = read_formula(template, numbers)
    if any(formula.dice()):
        raise dice_error(f"{template!r} should be a number, without dice.")
    return score_roll(formula, ()).total


def read_effects(
    template: str, numbers: Mapping[str, int], *, actor: str, target: str = ""
) -> tuple[Effect, ...]:
    """Read effects on {actor} and {target}. Without a target, the effects that need one are left out.

    Raises InputError if an effect cannot be read, or is on somebody else.
    """
    names = {"{actor}": actor, "{target}": target}
    effects = []
    for effect in parse_effects(_fill_numbers(template, numbers, skipped_keys=(ACTOR, TARGET))):
        if effect.name not in names:
            raise InputError(f"A pack's effects are on {{actor}} or {{target}}, not on {effect.name!r}.")
        if target or "{target}" not in (effect.name, effect.value):
            value = names.get(effect.value, effect.value) if isinstance(effect.value, str) else effect.value
            effects.append(replace(effect, name=names[effect.name], value=value))
    return tuple(effects)


def read_words(template: str, *, actor: str, target: str = "") -> str:
    """Return words with the names filled in. Raises InputError for any other placeholder."""
    names = {ACTOR: actor or "you", TARGET: target or "them"}
    return _PLACEHOLDER.sub(lambda match: (match["sign"] or "") + _look_up(match["key"], names), template)


def _fill_numbers(template: str, numbers: Mapping[str, int], skipped_keys: tuple[str, ...] = ()) -> str:
    """Fill numbers in, each with its own sign where a sign stands before it: `-{harm}` of -2 is `+2`."""

    def fill(match: re.Match[str]) -> str:
        key, sign = match["key"], (match["sign"] or "").strip()
        if key in skipped_keys:
            return match[0]
        value = _look_up(key, numbers)
        return f"{-value if sign == '-' else value:+d}" if sign else str(value)

    return _PLACEHOLDER.sub(fill, template)


def _look_up(key: str, values: Mapping[str, _Value]) -> _Value:
    if key not in values:
        known_keys = ", ".join(f"{{{name}}}" for name in values) or "nothing yet"
        problem = f"{{{key}}} is not known here. Known: {known_keys}."
        raise InputError(problem, kept="Nothing was rolled.", todo=did_you_mean(key, values))
    return values[key]
