"""Finds a quote in the text that it was copied from.

Blanks, quotation marks and dashes are normalised, because models change them in copying; nothing else is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

MIN_CHARACTERS: Final = 8
"""Characters below which a quote proves nothing."""

_CHARACTER_MAP: Final = str.maketrans(
    {**dict.fromkeys("“”„«»″", '"'), **dict.fromkeys("‘’‚′`", "'"), **dict.fromkeys("—–−‐‑", "-")}
)
_EDGES: Final = "\"' \t\n."


@dataclass(frozen=True, slots=True)
class Quote:
    """Words as they stand in the text, from `start` to `end` (characters)."""

    text: str
    start: int
    end: int


def find_quote(quote: str, text: str) -> Quote | None:
    """Return the words of the text that a quote copies, or None."""
    normalized_quote, _ = _normalize(re.sub(r"\.{3}$|…$|^\.{3}|^…", "", quote.strip()))
    normalized_quote = normalized_quote.strip(_EDGES)
    if len(normalized_quote) < MIN_CHARACTERS:
        return None
    normalized_text, offsets = _normalize(text)
    position = normalized_text.find(normalized_quote)
    if position < 0:
        return None
    start, end = offsets[position], offsets[position + len(normalized_quote) - 1] + 1
    return Quote(text[start:end], start, end)


def _normalize(text: str) -> tuple[str, list[int]]:
    """Return the normalised text, and the original position of each of its characters."""
    chars: list[str] = []
    offsets: list[int] = []
    for offset, char in enumerate(text):
        for mapped_char in "..." if char == "…" else char.translate(_CHARACTER_MAP):
            if mapped_char.isspace():
                if chars and chars[-1] == " ":
                    continue
                mapped_char = " "
            elif mapped_char == "-" and chars and chars[-1] == "-":
                continue  # a dash typed as two hyphens
            chars.append(mapped_char)
            offsets.append(offset)
    return "".join(chars), offsets
