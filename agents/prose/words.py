"""Splitting prose into paragraphs and sentences, and reducing words to their stems."""

from __future__ import annotations

import re
from typing import Final

SHORT_TITLES: Final = (
    *(
        "Mr",
        "Mrs",
        "Ms",
        "Dr",
        "St",
        "Sgt",
        "Cpl",
        "Capt",
        "Cmdr",
        "Lt",
        "Maj",
        "Col",
        "Gen",
        "Adm",
        "Prof",
        "Rev",
    ),
    *("Fr", "Msgr", "Mme", "Mlle", "Gov", "Insp", "Det"),
)
"""Titles that are written with a full stop before a name, which ends no sentence: `Dr. Mora`."""
SHORT_TITLE_PATTERN: Final = rf"(?:(?:{'|'.join(SHORT_TITLES)})\.\s+)?"
"""What may stand before a name, in patterns of names."""
NO_TITLE_BEFORE: Final = "".join(rf"(?<!\b{title}\.)" for title in SHORT_TITLES)
"""Behind a full stop: it is not that of a title, and so may end a sentence."""
_TITLE_STOP: Final = re.compile(rf"\b({'|'.join(SHORT_TITLES)})\.(?=\s)")
_AFTER_SHORT_TITLE: Final = "|".join(rf"(?<=\b{title})" for title in SHORT_TITLES)
_SENTENCE: Final = re.compile(
    rf"(?:[^.!?…\n]+|(?:{_AFTER_SHORT_TITLE})\.(?=[ \t]+[^\W\d_a-z]))+(?:[.!?…]+[\"”’»)]*|\n|$)"
)


def split_paragraphs(text: str) -> list[str]:
    """Return the paragraphs that are not empty."""
    return [part for part in text.split("\n") if part.strip()]


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text, stripped."""
    return [match[0].strip() for match in _SENTENCE.finditer(text) if match[0].strip()]


def drop_title_stops(text: str) -> str:
    """Return a text without the full stops of titles: `Mrs Hale` for `Mrs. Hale`."""
    return _TITLE_STOP.sub(r"\1", text)


def stem(word: str) -> str:
    """Return a word without its ending: `crosses` and `crossing` become `cross`."""
    for ending, instead in (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return word[: -len(ending)] + instead
    return word.removesuffix("e") if len(word) > 4 else word
