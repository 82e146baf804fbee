"""Parses numbers of a sheet as they are typed: `hp 10, might 1`."""

from __future__ import annotations

import re
from typing import Final

from stores.errors import InputError
from stores.records.world import Number

MAX_TYPED_NUMBER: Final = 1_000_000_000
_NUMBER: Final = re.compile(
    r"(?P<name>[^\d\s=:+-][^\d=:+-]*?)\s*[=:]?\s*(?P<value>[+-]?\d{1,10}(?:\.\d{1,4})?)"
)
_TRAILING_BRACKETS: Final = re.compile(r"(?P<before>.*?)\s*\((?P<inside>[^()]*)\)\s*", re.DOTALL)


def parse_numbers(text: str) -> tuple[tuple[str, Number], ...]:
    """Parse `hp 10, might 1` (also `hp=10; might: +1`). Raises InputError."""
    numbers: list[tuple[str, Number]] = []
    for part in (p.strip() for p in re.split(r"[,;\n]", text)):
        if not part:
            continue
        match = _NUMBER.fullmatch(part)
        value = parse_number(match["value"]) if match else MAX_TYPED_NUMBER + 1
        if match is None or abs(value) > MAX_TYPED_NUMBER:
            raise InputError(
                f"“{part[:60]}” is not a number with a name.",
                kept="Everything else you typed is still here.",
                todo="Write names and numbers, with commas between: hp 10, might 1",
            )
        numbers.append((match["name"].strip().casefold(), value))
    return tuple(numbers)


def split_trailing_numbers(text: str) -> tuple[str, tuple[tuple[str, Number], ...]]:
    """Split a text from the numbers in brackets after it: `keeper of the bell (hp 4, might 1)`.

    Brackets with any other content stay part of the text.
    """
    match = _TRAILING_BRACKETS.fullmatch(text)
    if match is None or not match["inside"].strip():
        return text, ()
    try:
        return match["before"], parse_numbers(match["inside"])
    except InputError:
        return text, ()


def parse_number(text: str) -> Number:
    """Return digits as an integer, or as a float if they have a point."""
    return float(text) if "." in text else int(text)
