"""Splits a text into words with their places, and says which of them begin a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_WORD: Final = re.compile(
    r"(?:[^\W\d_]\.){2,}(?!\w)"  # J.R.R., M.P.
    r"|[^\W\d_]+(?:[-'’][^\W\d_]+)*"
)
_POSSESSIVE: Final = re.compile(r"['’][sS]$")
_CONTRACTION: Final = re.compile(r"['’](?:ll|d|ve|re|m|LL|D|VE|RE|M)$")
_BLANK_LINE: Final = re.compile(r"\n[^\S\n]*\n")
_SENTENCE_MARKS: Final = frozenset(".!?…:“«„*#|>—[")
_OPENING_QUOTE: Final = re.compile(r"(?:^|[\s(\[—–-])[\"“«„'‘`]+$")
_SPACES: Final = frozenset(" \n\r\t\u00a0")
_ABBREVIATIONS: Final = frozenset(
    [
        *(
            "mr",
            "mrs",
            "ms",
            "dr",
            "st",
            "sgt",
            "capt",
            "lt",
            "col",
            "gen",
            "prof",
            "rev",
            "messrs",
            "mme",
            "mlle",
        ),
        *("maj", "hon", "esq", "jr", "sr", "lieut", "mons", "co", "bros", "mt", "ft", "no", "vol", "bp"),
    ]
)
_VERSE_LINES: Final = 3
"""Lines of a paragraph from which it can be verse."""
_MAX_VERSE_LINE: Final = 60


class TextToken(NamedTuple):
    """A word of a text."""

    word: str
    """Without a possessive ending."""
    key: str
    """The word in lower case, with straight apostrophes."""
    start: int
    end: int
    """Where the word ends, without its possessive ending."""
    gap: str
    """What stands before it, after the word before."""
    opens_sentence: bool
    is_possessive: bool
    is_capitalised: bool
    is_shouted: bool
    """Whether all its letters are capitals, and it is longer than one letter."""
    in_heading: bool
    """Whether its line is all in capitals."""


def read_text_tokens(text: str) -> list[TextToken]:
    """Return the words of a text, in order."""
    return list(_read_tokens(text))


def _read_tokens(text: str) -> Iterator[TextToken]:
    verse_starts = _find_verse_starts(text)
    previous_word, position = "", 0
    heading_span, is_heading = (0, -1), False
    for match in _WORD.finditer(text):
        word, start = match[0], match.start()
        gap = text[position:start]
        position = match.end()
        is_possessive = _POSSESSIVE.search(word) is not None and len(word) > 2
        bare_word = (
            word[:-2] if is_possessive else _CONTRACTION.sub("", word) if word[-1] in "ldemLDEM" else word
        )
        if word in ("s", "S") and gap in (" '", " ’") and previous_word:
            continue  # `Darcy 's`, as texts split into words have it
        if text.startswith((" 's ", " ’s "), position):
            is_possessive = True
        if not is_possessive and word[-1] in "sz" and text[position : position + 2] in ("' ", "’ "):
            is_possessive = True
        is_capitalised = bare_word[0].isupper()
        is_shouted = is_capitalised and len(bare_word) > 1 and bare_word.isupper() and "." not in bare_word
        if is_shouted and not heading_span[0] <= start < heading_span[1]:
            line_end = text.find("\n", start)
            heading_span = (text.rfind("\n", 0, start) + 1, line_end if line_end >= 0 else len(text))
            line = text[heading_span[0] : heading_span[1]]
            is_heading = line.isupper() and not line.rstrip().endswith((",", ";", "”", '"', "-"))
        yield TextToken(
            bare_word,
            bare_word.casefold().replace("’", "'").rstrip("."),
            start,
            start + len(bare_word),
            gap,
            start in verse_starts or _opens_sentence(previous_word, gap),
            is_possessive,
            is_capitalised,
            is_shouted,
            is_shouted and is_heading and start < heading_span[1],
        )
        previous_word = word


def _opens_sentence(previous_word: str, gap: str) -> bool:
    if not previous_word:
        return True
    if gap == " ":
        return False
    if gap[:1] == "." and is_abbreviation(previous_word) and gap[1:].strip(" \n\r\t") == "":
        return _BLANK_LINE.search(gap) is not None
    if not _SENTENCE_MARKS.isdisjoint(gap) or "--" in gap:
        return True
    if _SPACES.issuperset(gap):
        return "\n" in gap and _BLANK_LINE.search(gap) is not None
    return _OPENING_QUOTE.search(gap) is not None or _BLANK_LINE.search(gap) is not None


def is_abbreviation(word: str) -> bool:
    """Return whether a full stop after the word ends no sentence: `Mr`, an initial."""
    return word.casefold() in _ABBREVIATIONS or (len(word) == 1 and word.isupper() and word != "I")


def _find_verse_starts(text: str) -> frozenset[int]:
    """Return where the lines of verses begin: each begins with a capital, whatever word it is."""
    starts: set[int] = set()
    position = 0
    paragraph: list[tuple[int, str]] = []
    for line in [*text.split("\n"), ""]:
        if line.strip():
            paragraph.append((position, line))
        else:
            if len(paragraph) >= _VERSE_LINES and all(_is_verse_line(each) for _, each in paragraph):
                starts.update(at + len(each) - len(each.lstrip(" \t\"“'‘`_")) for at, each in paragraph)
            paragraph = []
        position += len(line) + 1
    return frozenset(starts)


def _is_verse_line(line: str) -> bool:
    bare_line = line.strip(" \t\r\"“'‘`_")
    return len(bare_line) <= _MAX_VERSE_LINE and not bare_line[:1].islower()
