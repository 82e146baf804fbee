"""Reads and writes the typed effects of a result: `Orc.hp -8`, `Mara +wounded`, `Mara.alive = false`.

effect  = name "." key ("+" | "-") number       add to a number
        | name "." key "=" value                set a number or a value
        | name ("+" | "-") tag                  put on or take off a tag
name    = words or "words in quotes"
value   = true, false, yes, no, a number, words or "words in quotes"
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Final, assert_never

from agents.typed_numbers import number_label
from agents.typed_text import OTHER_PRONOUNS, plain_line, split_outside_quotes
from stores.errors import InputError
from stores.records.canon import FactValue, StateOp
from stores.records.world import Number

MAX_LENGTH: Final = 300
"""Characters in one effect."""
MAX_EFFECTS: Final = 20
"""Effects in one list."""
MAX_NUMBER: Final = 1_000_000_000

EXAMPLES: Final = "NAME.hp -8, NAME.luck = 3, NAME.alive = false, NAME +wounded or NAME -wounded"

_NAME: Final = r"""@?(?P<name>"[^"]+"|[^"=]+?)"""
# No blank before a minus: `Orc.hp -5 = 3` is not the key `hp -5`.
_KEY: Final = r"""\.(?P<key>[^\W\d](?:(?:[\w'-]| (?!-))*?\w)?)"""
_TAG_WORDS: Final = r"""(?P<tag>[^\W\d](?:[\w '-]*\w)?)"""
_NUMBER: Final = r"[0-9]+(?:\.[0-9]{1,4})?"
_ADD: Final = re.compile(rf"{_NAME}{_KEY} ?(?P<sign>[+-])=? ?(?P<number>{_NUMBER})")
_SET: Final = re.compile(rf"""{_NAME}{_KEY} ?= ?(?P<value>"[^"]*"|[^="]+)""")
_TAG: Final = re.compile(rf"""{_NAME}(?: |(?<="))(?P<sign>[+-]) ?{_TAG_WORDS}""")
_MISSING_DOT: Final = re.compile(rf"""(?P<name>[^."]+?) (?P<key>\w+) ?(?P<rest>[+=-] ?{_NUMBER})""")
_DIES: Final = re.compile(
    r"""@?(?P<name>[^.,;:=+"]+?) (?:dies?|is dead|is killed|falls dead|perish(?:es)?)\.?""", re.IGNORECASE
)
_AMBIGUOUS: Final = re.compile(r"""[,;:=@]|\.\S|\s[+-]""")
_TRUTH_WORDS: Final = {
    **dict.fromkeys(("true", "yes", "alive", "living"), True),
    **dict.fromkeys(("false", "no", "dead"), False),
}
_PLAIN_TRUTH_WORDS: Final = frozenset({"true", "yes", "false", "no"})
"""Words that are true or false for every key; of others, as `dead`, it depends."""
TRUTH_KEYS: Final = frozenset({"alive"})
"""Keys whose values are true or false."""


@dataclass(frozen=True, slots=True)
class Effect:
    """One change to the thing called `name`; `key` is the tag itself for TAG and UNTAG."""

    name: str
    key: str
    op: StateOp
    value: FactValue | None = None

    def __str__(self) -> str:
        """Write the effect as `parse_effect` reads it."""
        name = f'"{self.name}"' if _AMBIGUOUS.search(self.name) else self.name
        match self.op:
            case StateOp.ADD:
                amount = str(self.value)
                return f"{name}.{self.key} {amount if amount.startswith('-') else '+' + amount}"
            case StateOp.SET:
                return f"{name}.{self.key} = {_write_value(self.value)}"
            case StateOp.TAG:
                return f"{name} +{self.key}"
            case StateOp.UNTAG:
                return f"{name} -{self.key}"


def describe_effects(texts: Iterable[str], rejected: Collection[int] = ()) -> list[str]:
    """Return effects as the player reads them; those at the `rejected` indexes are said to be so no more."""
    return [
        f"{describe_effect(text)}{' (rejected)' if n in rejected else ''}" for n, text in enumerate(texts)
    ]


def describe_effect(text: str) -> str:
    """Return an effect as the player reads it: `Rat: HP -1`, `Rat dies`; unreadable text as it is."""
    try:
        effect = parse_effect(text)
    except InputError:
        return text
    label = number_label(effect.key)
    match effect.op:
        case StateOp.TAG:
            return f"{effect.name} is {effect.key}"
        case StateOp.UNTAG:
            return f"{effect.name} is no longer {effect.key}"
        case StateOp.ADD:
            amount = str(effect.value)
            return f"{effect.name}: {label} {amount if amount.startswith('-') else '+' + amount}"
        case StateOp.SET if effect.key == "alive" and isinstance(effect.value, bool):
            return f"{effect.name} {'lives' if effect.value else 'dies'}"
        case StateOp.SET:
            return f"{effect.name}: {label} = {_write_value(effect.value)}"
        case _:
            assert_never(effect.op)


def parse_effects(text: str) -> tuple[Effect, ...]:
    """Read effects separated by commas (quote a name that has one). Raises InputError."""
    parts = [part for part in split_outside_quotes(text, ",") if part.strip()]
    if len(parts) > MAX_EFFECTS:
        raise _effect_error(f"A result has at most {MAX_EFFECTS} effects; these are {len(parts)}.")
    return tuple(map(parse_effect, parts))


def parse_effect(text: str) -> Effect:
    """Read one effect. Raises InputError saying what was not understood and what would be."""
    if len(text) > MAX_LENGTH:
        raise _effect_error(f"An effect has at most {MAX_LENGTH} characters; this has {len(text):,}.")
    plain_text = plain_line(text)
    if match := _ADD.fullmatch(plain_text):
        return Effect(
            _target_name(match), match["key"], StateOp.ADD, _read_number(match["sign"] + match["number"])
        )
    if match := _SET.fullmatch(plain_text):
        return Effect(_target_name(match), match["key"], StateOp.SET, _read_value(match["value"]))
    if match := _TAG.fullmatch(plain_text):
        op = StateOp.TAG if match["sign"] == "+" else StateOp.UNTAG
        return Effect(_target_name(match), match["tag"], op)
    if match := _MISSING_DOT.fullmatch(plain_text):
        name = "NAME" if match["name"].casefold() in OTHER_PRONOUNS else match["name"]
        suggested_effect = f"{name}.{match['key']} {match['rest']}"
        raise _effect_error(f"{plain_text!r} is not an effect yet.", f"Did you mean {suggested_effect}?")
    if match := _DIES.fullmatch(plain_text):
        if match["name"].casefold() in OTHER_PRONOUNS:
            raise _effect_error(
                f"“{match['name']}” does not say who is meant.", "Write the name: NAME.alive = false."
            )
        raise _effect_error(
            f"{plain_text!r} is not an effect yet.", f"Did you mean {match['name']}.alive = false?"
        )
    raise _effect_error(f"{plain_text!r} is not an effect.")


def _use_known_key(effect: Effect, number_keys: Collection[str]) -> Effect:
    """Return the effect on the number that is meant: `HP`, as a sheet writes it, is `hp`."""
    if effect.op not in (StateOp.ADD, StateOp.SET) or effect.key in number_keys:
        return effect
    folded_key = effect.key.casefold()
    known_keys = [k for k in number_keys if folded_key in (k.casefold(), number_label(k).casefold())]
    return replace(effect, key=known_keys[0]) if len(known_keys) == 1 else effect


def fit_value(effect: Effect, number_keys: Collection[str]) -> Effect:
    """Return the effect on a known number, if one is meant, with a value that fits it: `dead` for `alive` is false.

    `number_keys` are the keys under which its target has numbers. Raises InputError for a value that is neither
    true nor false where only these fit, or no number where there is one.
    """
    effect = _use_known_key(effect, number_keys)
    key, value = effect.key.casefold(), effect.value
    match effect.op:
        case StateOp.ADD if key in TRUTH_KEYS:
            raise _effect_error(
                f"{effect.key} is true or false, and no number.", f"As in: {effect.name}.{effect.key} = false"
            )
        case StateOp.SET if key in TRUTH_KEYS:
            return replace(effect, key=key, value=read_truth(effect.name, key, value))
        case StateOp.SET if key in {k.casefold() for k in number_keys} and not _is_number(value):
            raise _effect_error(
                f"{number_label(effect.key)} of {effect.name} is a number; {_write_value(value)} is none.",
                f"As in: {effect.name}.{effect.key} = 3, or {effect.name}.{effect.key} -1",
            )
        case StateOp.ADD | StateOp.SET | StateOp.TAG | StateOp.UNTAG:
            return effect
        case _:
            assert_never(effect.op)


def read_truth(name: str, key: str, value: FactValue | None) -> bool:
    """Return a value of a key that is true or false. Raises InputError for any other value."""
    if isinstance(value, str):
        value = _TRUTH_WORDS.get(value.casefold(), value)
    if not isinstance(value, bool):
        raise _effect_error(
            f"{key} is true or false; {_write_value(value)} is neither.", f"As in: {name}.{key} = false"
        )
    return value


def _is_number(value: FactValue | None) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _target_name(match: re.Match[str]) -> str:
    name = match["name"].strip('" ')
    if not name:
        raise _effect_error("An effect needs the name of whom it is for.")
    return name


def _read_value(text: str) -> FactValue:
    if text.startswith('"'):
        return text[1:-1].strip()
    if text.casefold() in _PLAIN_TRUTH_WORDS:
        return _TRUTH_WORDS[text.casefold()]
    return _read_number(text) if re.fullmatch(rf"[+-]?{_NUMBER}", text) else text


def _read_number(text: str) -> Number:
    value: Number = float(text) if "." in text else int(text)
    if abs(value) > MAX_NUMBER:
        raise _effect_error(f"Numbers go up to {MAX_NUMBER:,}.")
    return value


def _write_value(value: FactValue | None) -> str:
    """Write a value so that it reads back as the same type."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return (
            value if value and not re.search("[,;=]", value) and _read_value(value) == value else f'"{value}"'
        )
    return str(value)


def _effect_error(what: str, todo: str = "") -> InputError:
    return InputError(what, kept="Nothing was rolled or changed.", todo=todo or f"Try {EXAMPLES}.")
