"""Reads how many, how old, how tall and in which year, as the span of numbers that the words leave open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from agents.canon_keeper.sentences.word_lists import number_of, singular

_ABOUT: Final = 0.2
"""How far off `about thirty` may be."""
_UNITS: Final = frozenset(
    ["foot", "inch", "mile", "league", "yard", "pace", "fathom", "pound", "stone", "ton", "year", "month", "week",
     "day", "hour", "acre", "storey", "story", "floor", "gallon"]
)  # fmt: skip
_DECADES: Final = {
    "teens": 13, "twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60, "seventies": 70,
    "eighties": 80, "nineties": 90,
}  # fmt: skip
_EXACT: Final = frozenset({"exactly", "precisely", "just", "only", "all", "both"})
_OVER: Final = frozenset({"over", "above", "past"})
_UNDER: Final = frozenset({"under", "below", "yet"})
_NEAR: Final = frozenset({"about", "around", "roughly", "some", "nearly", "almost", "approximately", "nigh"})


class Quantity(NamedTuple):
    """Numbers from `least` to `most`, of `unit`; `is_exact`: and no more."""

    least: float
    most: float
    unit: str
    is_exact: bool = False

    def excludes(self, other: Quantity) -> bool:
        return self.unit == other.unit and (self.most < other.least or other.most < self.least)


def read_number(words: Sequence[str], index: int) -> tuple[int, int] | None:
    """Return the number whose words begin at `index`, and where it ends: `two hundred and twelve`."""
    total, part, end = 0, 0, index
    while end < len(words):
        word = words[end]
        if word == "and" and end > index and end + 1 < len(words) and number_of(words[end + 1]) is not None:
            end += 1
            continue
        if word in ("a", "an") and end == index and end + 1 < len(words) and words[end + 1] in (
            "hundred", "thousand", "dozen",
        ):  # fmt: skip
            end += 1
            continue
        value = number_of(word)
        if value is None or word == "both":
            break
        if value in (100, 12) and word in ("hundred", "dozen"):
            part = max(1, part) * value
        elif value == 1000 and word == "thousand":
            total, part = total + max(1, part) * 1000, 0
        elif part and value >= part % 100 and part % 100:
            break
        else:
            part += value
        end += 1
    return (total + part, end) if end > index else None


def quantity_at(words: Sequence[str], index: int) -> tuple[Quantity, int] | None:
    """Read a number with the words that qualify it and its noun or unit; return it and where it ends."""
    number = read_number(words, index)
    if number is None:
        return None
    value, end = number
    before = words[max(0, index - 3) : index]
    last = before[-1] if before else ""
    least: float = value
    most: float = value
    is_exact = last in _EXACT
    two = " ".join(before[-2:])
    if two in ("more than", "no fewer", "at least", "upwards of", "not less") or last in _OVER:
        least, most = value + 1, float("inf")
        if two == "at least":
            least = value
    elif two in ("less than", "fewer than", "no more", "not yet", "at most", "not even") or last in _UNDER:
        least, most = 0, value - 1
    elif last in _NEAR:
        least, most = value * (1 - _ABOUT), value * (1 + _ABOUT)
    if list(words[end : end + 1]) == ["or"]:
        return None
    return Quantity(least, most, "", is_exact), end


def decade_of(word: str) -> Quantity | None:
    """Return the ages that `forties` covers."""
    start = _DECADES.get(word)
    if start is None:
        return None
    return Quantity(start, 19 if start == 13 else start + 9, "age")


def unit_of(word: str) -> str:
    """Return the unit that a word means, such as `foot` for `feet`; empty if it is none."""
    noun = singular(word)
    return noun if noun in _UNITS else ""
