"""Small things about typed words that every reader here needs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from stores.errors import InputError

_MIN_LIKENESS: Final = 60
"""Likeness in per cent from which a word is worth suggesting."""
_PLAIN_SIGNS: Final = str.maketrans("−–’“”„", '--\'"""')

OTHER_PRONOUNS: Final = frozenset(
    {"he", "she", "it", "they", "him", "her", "them", "his", "hers", "its", "their", "theirs"}
)
"""Words that stand for somebody or something, and do not say for whom."""


def one_line(text: str) -> str:
    """Return the printable characters of `text` with single blanks between words."""
    printable = text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)
    return " ".join(printable.split())


def plain_line(text: str) -> str:
    """Return one line with the dashes and quotation marks of a plain keyboard."""
    return one_line(text.translate(_PLAIN_SIGNS))


def fold_name(text: str) -> str:
    """Return the form in which two spellings of one name are equal."""
    return plain_line(text).casefold()


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """Return a question with up to three of `choices` that are like `word`; empty if none is."""
    from rapidfuzz import fuzz, process  # not loaded before the menu is filled

    near_choices = process.extract(
        word, list(choices), scorer=fuzz.WRatio, processor=fold_name, limit=3, score_cutoff=_MIN_LIKENESS
    )
    return f"Did you mean {' or '.join(choice for choice, *_ in near_choices)}?" if near_choices else ""


def count_slips(word: str, other: str) -> int:
    """Return how many letters are missing, too many, wrong or swapped with their neighbour between two words."""
    from rapidfuzz.distance import OSA

    return OSA.distance(word, other)


def split_outside_quotes(text: str, separator: str) -> list[str]:
    """Split at each `separator` that is not inside double quotes. Raises InputError on an open quote."""
    parts, is_quoted = [""], False
    for character in text.translate(_PLAIN_SIGNS):
        is_quoted ^= character == '"'
        if character == separator and not is_quoted:
            parts.append("")
        else:
            parts[-1] += character
    if is_quoted:
        raise InputError(
            "A quotation mark is not closed.", kept="Nothing was rolled or changed.", todo='Close it with ".'
        )
    return parts
