"""Tells an amount, such as what somebody owes, from a thing that has a name of its own. Pure."""

from __future__ import annotations

import re
from typing import Final

COUNT: Final = (
    r"(?:[0-9]+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|(?:twen|thir|for|fif|six|seven|"
    r"eigh|nine)ty|(?:\w+ty-\w+)|hundred|thousand|dozen|few|several|many|half)"
)
_COUNTED: Final = re.compile(rf"{COUNT} \w", re.IGNORECASE)
_MONEY_WORDS: Final = (
    "bill cash cents change coin coins coppers crowns debt dimes dollars ducats dues fare fee florins guineas money "
    "payment pence pennies penny pounds price rent shilling shillings sovereigns thalers toll wage wages"
)
_MONEY: Final = frozenset(_MONEY_WORDS.split())


def is_amount(name: str) -> bool:
    """Say whether words are a number of things or a sum of money: `five crowns`, `money`; not `crown`."""
    return _COUNTED.match(name) is not None or name.casefold().split()[-1] in _MONEY
