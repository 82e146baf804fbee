"""Fuzzy matching of what is typed into the palette: letters in their order, in time that grows with the text alone.

Textual's own matcher tries every way in which the letters may stand in a text: `eeeeeee` in a sentence takes seconds.
RapidFuzz tells how alike two texts are: `wp` is as much like Wapping as like Wenna Pike, whose initials it is. It is
not loaded before the menu is filled, either.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

_ALL, _START_OF_WORD, _INSIDE, _INITIALS, _SCATTERED = 1.0, 0.8, 0.6, 0.5, 0.2
"""Scores by how the letters stand: as the whole text, at the start of a word, inside one, as initials, anyhow."""

_SHORTNESS: Final = 0.1
"""What a text gains that is all match."""

_BEGINNING: Final = 0.05
"""What a text gains that begins with the match."""


@dataclass(frozen=True, slots=True)
class FuzzyMatch:
    """How well letters match a text, and where they stand in it."""

    score: float
    """From 0 to 1."""
    positions: tuple[int, ...]


def fold_text(text: str) -> str:
    """Return a text of the same length without case and accents, character by character."""
    if text.isascii():
        return text.lower()
    return "".join(unicodedata.normalize("NFD", character)[0].lower()[0] for character in text)


def compile_filter(query: str) -> re.Pattern[str]:
    """Return a pattern that matches the folded texts with the letters of a folded query in their order."""
    letters = [re.escape(letter) for letter in query]
    return re.compile("".join(f"[^{letter}]*{letter}" for letter in letters), re.DOTALL)


def match_text(query: str, text: str) -> FuzzyMatch | None:
    """Match a folded query against a folded text."""
    if not query or len(query) > len(text):
        return None
    shortness = _SHORTNESS * len(query) / len(text)
    if (start := _find_best(query, text)) >= 0:
        positions = tuple(range(start, start + len(query)))
        if query == text:
            return FuzzyMatch(_ALL, positions)
        base = _START_OF_WORD if _starts_word(text, start) else _INSIDE
        return FuzzyMatch(base + shortness + (_BEGINNING if start == 0 else 0), positions)
    if initials := _find_initials(query, text):
        return FuzzyMatch(_INITIALS + shortness, initials)
    if scattered := _find_in_order(query, text):
        gaps = sum(1 for a, b in pairwise(scattered) if b != a + 1)
        return FuzzyMatch(_SCATTERED * (1 - gaps / len(query)) + shortness, scattered)
    return None


def _find_best(query: str, text: str) -> int:
    """Return where a query stands in a text as it is, at the start of a word if it does at any; -1 for nowhere."""
    first = place = text.find(query)
    while place >= 0 and not _starts_word(text, place):
        place = text.find(query, place + 1)
    return place if place >= 0 else first


def _starts_word(text: str, place: int) -> bool:
    return place == 0 or not text[place - 1].isalnum()


def _find_initials(query: str, text: str) -> tuple[int, ...]:
    """Return the places of a query whose every run of letters begins a word: `wp`, `wenpi`; none if it does not."""
    positions: list[int] = []
    letters = query.replace(" ", "")
    for place in range(len(text)):
        if len(positions) == len(letters):
            break
        follows = bool(positions) and positions[-1] == place - 1
        if text[place] == letters[len(positions)] and (follows or _starts_word(text, place)):
            positions.append(place)
    return tuple(positions) if len(positions) == len(letters) else ()


def _find_in_order(query: str, text: str) -> tuple[int, ...]:
    positions: list[int] = []
    place = -1
    for letter in query:
        place = text.find(letter, place + 1)
        if place < 0:
            return ()
        positions.append(place)
    return tuple(positions)
