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
_INVISIBLE = re.compile(
    "(\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f)"  # the flag of England and its like, which stays
    "|[\u00ad\u034f\u061c\u115f\u1160\u180e\u200b\u2060-\u2065\u2800\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""Characters that take no place on the screen, or an empty one; joiners stay, which emoji and some scripts need."""

_DIRECTION_OVERRIDES = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f")


def clean(text: str) -> str:
    r"""Return `text` without terminal escapes, control and invisible characters and direction overrides.

    Line breaks stay (as `\n`), tabs become spaces, accents are composed (NFC). What has nothing to see is empty.
    """
    if text.isascii() and text.isprintable():
        return text.strip()
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", "    ")
    text = _INVISIBLE.sub(r"\1", _TERMINAL_ESCAPES.sub("", text))
    allowed = (
        c
        for c in text
        if c == "\n" or (unicodedata.category(c) not in ("Cc", "Cs") and c not in _DIRECTION_OVERRIDES)
    )
    cleaned = unicodedata.normalize("NFC", "".join(allowed)).strip()
    return cleaned if any(unicodedata.category(c)[0] in "LNPS" for c in cleaned) else ""


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


def split_described_name(typed_name: str, description: str = "") -> tuple[str, str]:
    """Return a name and who or what that is, of `Name: description` typed where a name is asked for.

    What stands in a field of its own is added behind.
    """
    name, _, description_after = typed_name.partition(":")
    return name.strip(), " ".join(filter(None, (description_after.strip(), description.strip())))


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


def require_letter(name: str, *, kept: str = "", todo: str = "") -> str:
    """Return the name of somebody or something. Raises InputError for digits and signs alone, as in `/npc 3`."""
    if not any(map(str.isalpha, name)):
        raise InputError(f"“{name}” is no name: a name has a letter in it.", kept=kept, todo=todo)
    return name
