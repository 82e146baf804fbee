"""Tells an amount, such as what somebody owes, from a thing that has a name of its own. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from agents.canon_keeper.sentences.word_lists import number_of, singular

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
_METAL: Final = r"(?:silver|gold|copper|bronze)"
_UNIT: Final = rf"(?:pieces?(?: of {_METAL})?|{_METAL}|{'|'.join(_MONEY_WORDS.split())})"
SUM_OF_MONEY: Final = rf"(?:(?:a|some|about) )?{COUNT}(?:[ -]{COUNT})* (?:{_METAL} )?{_UNIT}"
"""A sum of money: `fifty silver`, `two hundred gold crowns`."""


def is_amount(name: str) -> bool:
    """Say whether words are a number of things or a sum of money: `five crowns`, `money`; not `crown`."""
    return _COUNTED.match(name) is not None or name.casefold().split()[-1] in _MONEY


_PART: Final = re.compile(
    r"\b(?:pay|pays|paid|repays?|repaid|gives?|gave|hands?|handed|returns?|returned)(?:\s+[\w'’-]+){0,3}?\s+"
    r"(?:half|part|some|most|a\s+(?:third|quarter|fourth|fifth))\s+(?:of\s+)?(?:the|his|her|my|our|their|what|that)\b",
    re.IGNORECASE,
)
_MULTIPLIERS: Final = frozenset({100, 1_000, 12})
"""What the number before it multiplies: hundred, thousand, dozen."""
_WORDS_TO_UNIT: Final = 4
"""Words behind an amount among which its unit is: `ten of the forty crowns`."""


def names_other_amount(payment: str, debt: str) -> bool:
    """Say whether a payment is plainly of another sum than a debt, or of a part: `twenty crowns` of forty."""
    if " owe" not in debt:
        return False
    if _PART.search(payment):
        return True
    paid_amounts = list(_read_amounts(payment))
    for number, units in _read_amounts(debt.partition(" for ")[0]):
        paid = next(
            (paid for paid, paid_units in paid_amounts if units[:1] and units[0] in paid_units), number
        )
        if paid != number:
            return True
    return False


def _read_amounts(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each number of a text with the words behind it, in the singular."""
    words = re.findall(r"[^\W_]+(?:-[^\W_]+)*", text.casefold())
    index = 0
    while index < len(words):
        total, number = 0, number_of(words[index])
        while number is not None:
            is_multiplier = number in _MULTIPLIERS and not words[index].isdecimal()
            total = max(total, 1) * number if is_multiplier else total + number
            index += 1
            number = number_of(words[index]) if index < len(words) else None
        if total:
            yield total, [singular(word) for word in words[index : index + _WORDS_TO_UNIT]]
        else:
            index += 1
