"""Out-of-character talk in a log: what sets it apart, and what of a text is left without it."""

from __future__ import annotations

import re
from typing import Final

_WHOLE: Final = re.compile(
    r"""^\s*(?:
         \(\s*o\.?o\.?c\.?\s*\)[:.,]?(?P<after_round>.*)       # (ooc) brb
        |\(\s*o\.?o\.?c\b\.?[:,]?(?P<in_round>[^()]*)\)?       # (ooc: brb)
        |\[\s*o\.?o\.?c\.?\s*\][:.,]?(?P<after_square>.*)      # [ooc] brb
        |\[\s*o\.?o\.?c\b\.?[:,]?(?P<in_square>[^\[\]]*)\]?    # [ooc: brb]
        |o\.?o\.?c\.?\s*[:>](?P<named>.*)                      # OOC: brb
        |//(?!/)(?P<strokes>.*)                                # // brb
        |\(\((?P<double>(?:(?!\)\)).)*)(?:\)\))?               # ((brb))
        )\s*$""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_INSIDE: Final = re.compile(
    r"\(\((?P<double>(?:(?!\(\(|\)\)).)*)\)\)|[(\[]\s*ooc\b[:,]?(?P<named>[^()\[\]]+)[)\]]",
    re.IGNORECASE | re.DOTALL,
)


def split_asides(text: str) -> tuple[str, list[str]]:
    """Return the words of the story in a text, and those that are out of character.

    Out of character is a text that begins with `(ooc)`, `[ooc]`, `OOC:` or `//`; and what stands in double
    parentheses, `((so))`, or in `(ooc: so)`, wherever it stands.
    """
    if match := _WHOLE.match(text):
        return "", [word for word in [_captured_words(match)] if word]
    asides = [word for word in map(_captured_words, _INSIDE.finditer(text)) if word]
    story_text = _INSIDE.sub(" ", text)
    if story_text == text:
        return text, []
    return "\n".join(" ".join(line.split()) for line in story_text.split("\n")).strip(), asides


def _captured_words(match: re.Match[str]) -> str:
    return next((group for group in match.groups() if group is not None), "").strip()


def is_aside(text: str) -> bool:
    """Whether all of a text is out of character."""
    return _WHOLE.match(text) is not None
