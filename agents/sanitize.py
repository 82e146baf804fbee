"""Cleans text from outside before it is stored: typed, pasted, imported or generated text is data.

Control characters, terminal escapes and direction overrides are removed.
"""

from __future__ import annotations

import re
import unicodedata

from stores.errors import InputError

MAX_LINE_LENGTH = 20_000
"""Characters in one typed line. A page of prose is about 3,000."""

MAX_TITLE_LENGTH = 120
"""Characters of a title or name."""

_TERMINAL_ESCAPES = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # OSC: titles, links, clipboard
    r"|\x1b[PX^_].*?(?:\x1b\\|$)"  # DCS, SOS, PM, APC strings
    r"|\x1b\[[0-?]*[ -/]*[@-~]?"  # CSI
    r"|\x9b[0-?]*[ -/]*[@-~]?"  # CSI in one byte
    r"|\x1b[ -/]*[0-~]?",  # the rest
    re.DOTALL,
)
_DIRECTION_OVERRIDES = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f")


def clean(text: str) -> str:
    r"""Return `text` without terminal escapes, control characters and direction overrides.

    Line breaks stay (as `\n`), tabs become spaces, accents are composed (NFC).
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", "    ")
    text = _TERMINAL_ESCAPES.sub("", text)
    allowed = (
        c
        for c in text
        if c == "\n" or (unicodedata.category(c) not in ("Cc", "Cs") and c not in _DIRECTION_OVERRIDES)
    )
    return unicodedata.normalize("NFC", "".join(allowed)).strip()


def clean_line(text: str, limit: int = MAX_LINE_LENGTH) -> str:
    """Clean one typed line. Raises InputError if it is empty or longer than `limit` characters."""
    if len(text) > limit:
        raise InputError(
            f"That is {len(text):,} characters; one turn holds {limit:,}.",
            kept="Nothing was played and your words are still in the prompt.",
            todo="Split it into several turns.",
        )
    cleaned = clean(text)
    if not cleaned:
        raise InputError(
            "There is nothing to play in that." if text.strip() else "There is nothing typed.",
            todo="Type what your character does, or /help.",
        )
    return cleaned


def require_title(text: str, missing_message: str) -> str:
    """Return a clean one-line title. Raises InputError if it is missing or too long."""
    cleaned = " ".join(clean(text).split())
    if not cleaned:
        raise InputError(missing_message)
    if len(cleaned) > MAX_TITLE_LENGTH:
        raise InputError(
            f"That has {len(cleaned)} characters; a name or title has at most {MAX_TITLE_LENGTH}."
        )
    return cleaned
