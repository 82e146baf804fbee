"""Numbers of a sheet as they are typed: `hp 10, might 1`. Pure."""

from __future__ import annotations

import re
from typing import Final

from stores.errors import InputError
from stores.records.world import Number

LARGEST: Final = 1_000_000_000
_NUMBER: Final = re.compile(
    r"(?P<name>[^\d\s=:+-][^\d=:+-]*?)\s*[=:]?\s*(?P<value>[+-]?\d{1,10}(?:\.\d{1,4})?)"
)
_BEHIND: Final = re.compile(r"(?P<before>.*?)\s*\((?P<inside>[^()]*)\)\s*", re.DOTALL)


def numbers_from(text: str) -> tuple[tuple[str, Number], ...]:
    """Read `hp 10, might 1` (also `hp=10; might: +1`). Raises InputError."""
    numbers: list[tuple[str, Number]] = []
    for part in (p.strip() for p in re.split(r"[,;\n]", text)):
        if not part:
            continue
        found = _NUMBER.fullmatch(part)
        value = number_in(found["value"]) if found else LARGEST + 1
        if found is None or abs(value) > LARGEST:
            raise InputError(
                f"“{part[:60]}” is not a number with a name.",
                kept="Everything else you typed is still here.",
                todo="Write names and numbers, with commas between: hp 10, might 1",
            )
        numbers.append((found["name"].strip().casefold(), value))
    return tuple(numbers)


def numbers_behind(text: str) -> tuple[str, tuple[tuple[str, Number], ...]]:
    """Part words from the numbers in brackets behind them: `keeper of the bell (hp 4, might 1)`.

    Brackets that hold anything else are words like the others.
    """
    found = _BEHIND.fullmatch(text)
    if found is None or not found["inside"].strip():
        return text, ()
    try:
        return found["before"], numbers_from(found["inside"])
    except InputError:
        return text, ()


def number_in(text: str) -> Number:
    """Return digits as a whole number, or as one with decimals if it has a point."""
    return float(text) if "." in text else int(text)
