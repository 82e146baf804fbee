"""Parses numbers of a sheet as they are typed (`hp 10, might 1`) and names them on screens (`HP`)."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final

from stores.errors import InputError
from stores.records.world import Number

MAX_TYPED_NUMBER: Final = 1_000_000_000
_NAME: Final = re.compile(r"[^\d\s=:+-][^\d=:+-]*")
_VALUE: Final = re.compile(r"[+-]?\d{1,10}(?:\.\d{1,4})?\Z")
_TRAILING_BRACKETS: Final = re.compile(r"\((?P<inside>[^()]*)\)\s*\Z")
MAX_ABBREVIATION_LENGTH: Final = 2
"""Letters of a key that is written in capitals."""


DEAD_TAG: Final = "dead"
"""The tag of somebody dead, in canon or proposed."""


def living_numbers(
    numbers: Mapping[str, Number], tags: Collection[str], changed_names: Collection[str] = ()
) -> Mapping[str, Number]:
    """Return the numbers that say how somebody is: the dead have none, but for those that are being changed."""
    if DEAD_TAG not in map(str.casefold, tags):
        return numbers
    return {name: value for name, value in numbers.items() if name in changed_names}


def number_label(key: str) -> str:
    """Return what a number of a sheet is called on screens: `HP` for `hp`, `max hp` for `max_hp`."""
    return key.upper() if len(key) <= MAX_ABBREVIATION_LENGTH else key.replace("_", " ")


def parse_numbers(text: str) -> tuple[tuple[str, Number], ...]:
    """Parse `hp 10, might 1` (also `hp=10; might: +1`). Raises InputError."""
    numbers: list[tuple[str, Number]] = []
    for part in (p.strip() for p in re.split(r"[,;\n]", text)):
        if not part:
            continue
        match = _VALUE.search(part)
        name = part[: match.start()].rstrip() if match else ""
        name = name[:-1].rstrip() if name.endswith(("=", ":")) else name
        value = parse_number(match[0]) if match else 0
        if not _NAME.fullmatch(name) or abs(value) > MAX_TYPED_NUMBER:
            raise InputError(
                f"“{part[:60]}” is not a number with a name.",
                kept="Everything else you typed is still here.",
                todo="Write names and numbers, with commas between: hp 10, might 1",
            )
        numbers.append((name.casefold(), value))
    return tuple(numbers)


def split_trailing_numbers(text: str) -> tuple[str, tuple[tuple[str, Number], ...]]:
    """Split a text from the numbers in brackets after it: `keeper of the bell (hp 4, might 1)`.

    Brackets with any other content stay part of the text.
    """
    match = _TRAILING_BRACKETS.search(text, max(text.rfind("("), 0))
    if match is None or not match["inside"].strip():
        return text, ()
    try:
        return text[: match.start()].rstrip(), parse_numbers(match["inside"])
    except InputError:
        return text, ()


def parse_number(text: str) -> Number:
    """Return digits as an integer, or as a float if they have a point."""
    return float(text) if "." in text else int(text)


def add_above_floor(before: Number, amount: Number, floor: Number | None) -> Number:
    """Return the sum, or the floor if the sum would fall below it; what is below it already stays there."""
    total = before + amount
    return total if floor is None or amount >= 0 or total >= floor else min(before, floor)
