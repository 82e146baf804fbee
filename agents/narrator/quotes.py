"""Finding the very words that something rests on, in the text that was told. Pure.

Blanks, quotation marks and dashes are compared alike, for models change them in copying; nothing else is.
Source: design/authority.md (evidence is "the very words, roll or page").
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

SHORTEST: Final = 8
"""Characters below which words prove nothing."""

_SAME: Final = str.maketrans(
    {**dict.fromkeys("“”„«»″", '"'), **dict.fromkeys("‘’‚′`", "'"), **dict.fromkeys("—–−‐‑", "-")}
)
_EDGES: Final = "\"' \t\n."


@dataclass(frozen=True, slots=True)
class Quote:
    """Words as they stand in the text, from `start` to `end` (characters)."""

    words: str
    start: int
    end: int


def verbatim(quote: str, text: str) -> Quote | None:
    """Return the words of the text that a quote copies; None if it has none such."""
    wanted, _ = _plain(re.sub(r"\.{3}$|…$|^\.{3}|^…", "", quote.strip()))
    wanted = wanted.strip(_EDGES)
    if len(wanted) < SHORTEST:
        return None
    plain, places = _plain(text)
    at = plain.find(wanted)
    if at < 0:
        return None
    start, end = places[at], places[at + len(wanted) - 1] + 1
    return Quote(text[start:end], start, end)


def _plain(text: str) -> tuple[str, list[int]]:
    """Return the text as it is compared, and where each of its characters stands in the original."""
    chars: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        for same in "..." if char == "…" else char.translate(_SAME):
            if same.isspace():
                if chars and chars[-1] == " ":
                    continue
                same = " "
            elif same == "-" and chars and chars[-1] == "-":
                continue  # a dash typed as two
            chars.append(same)
            places.append(place)
    return "".join(chars), places
