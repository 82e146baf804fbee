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

_ALL, _START_OF_WORD, _INSIDE, _INITIALS, _FROM_STARTS = 1.0, 0.8, 0.6, 0.5, 0.4
"""Scores by how the letters stand: as the whole text, at the start of a word, inside one, as initials, or strewn
over words whose first letters are among them."""

STREWN: Final = 0.05
"""The score of letters that are strewn anyhow: it is less than that of any other match, of a word on an entry too."""

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
    if from_starts := _find_from_starts(query, text):
        gaps = sum(1 for a, b in pairwise(from_starts) if b != a + 1)
        return FuzzyMatch(_FROM_STARTS * (1 - gaps / (2 * len(query))) + shortness, from_starts)
    if strewn := _find_in_order(query, text):
        return FuzzyMatch(STREWN, strewn)
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


def _find_from_starts(query: str, text: str) -> tuple[int, ...]:
    """Return the places of the letters of a query, the first of them in each word at its start: `wnpk` in Wenna Pike.

    Empty if they do not stand so. A blank in the query is between two words.
    """
    letters = query.replace(" ", "")
    places_before = list[
        dict[int, int]
    ]()  # by letter: its possible places, each with that of the letter before
    for letter in letters:
        before = places_before[-1] if places_before else {-1: -1}
        earliest, last_in_word = min(before, default=len(text)), -1
        places: dict[int, int] = {}
        for place, character in enumerate(text):
            is_start = _starts_word(text, place)
            if is_start:
                last_in_word = -1
            if character == letter and (last_in_word >= 0 or (is_start and earliest < place)):
                places[place] = last_in_word if last_in_word >= 0 else earliest
            if place in before:
                last_in_word = place
        places_before.append(places)
    if not places_before or not places_before[-1]:
        return ()
    positions = [min(places_before[-1])]
    for places in places_before[:0:-1]:
        positions.append(places[positions[-1]])
    return tuple(reversed(positions))


def _find_in_order(query: str, text: str) -> tuple[int, ...]:
    positions: list[int] = []
    place = -1
    for letter in query:
        place = text.find(letter, place + 1)
        if place < 0:
            return ()
        positions.append(place)
    return tuple(positions)
