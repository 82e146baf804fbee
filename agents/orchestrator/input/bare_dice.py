"""Recognizes a line that is nothing but dice: `2d6+1`, `d20 adv`, `2d6+might vs 9`. Pure."""

from __future__ import annotations

import re
from typing import Final

from agents.resolver.roll_kinds import RollKind

MAX_BARE_DICE: Final = 200
"""Characters of a line that may be dice alone; a longer one is words."""

_COMPARISON: Final = r"(?:>=|<=|[<>=])"
_MODIFIER: Final = (
    rf"(?:adv(?:antage)?|dis(?:advantage)?|[kd][hl]\d*|k\d*|(?:ro?|!)(?:{_COMPARISON}?\d+)?|{_COMPARISON}\d+)"
)
_DICE: Final = rf"\d*d(?:\d+|%|f){_MODIFIER}*"
_TERM: Final = rf"[-−(]*(?:{_DICE}|\d+|[^\W\d]\w*)\)*"
_EXPRESSION: Final = re.compile(rf"(?=[-−+(\d]*d(?:\d|%|f))(?:{_TERM}[-−+*/×÷])*{_TERM}", re.IGNORECASE)
"""Dice come first, so that no word joined by a dash is taken for a number of the hero's."""
_VERSUS: Final = re.compile(r"(?<![^\W\d_])vs(?![^\W\d_])", re.IGNORECASE)
_TARGET: Final = re.compile(r"\s*vs\.?\s*[+-]?\d+\s*(?:;.*)?", re.IGNORECASE | re.DOTALL)
_LABEL: Final = re.compile(r"\s*(?:\[[^\[\]]*\]|#.*)$", re.DOTALL)
_FACES: Final = re.compile(r"\s=(?:\s.*)?$", re.DOTALL)
_BLANKS: Final = re.compile(r"\s+")
_WORDS_APART: Final = re.compile(r"[^\W\d_]\s+[^\W\d_]|\d\s+\d")


def find_bare_roll(text: str) -> RollKind | None:
    """Return how a line that is a dice expression is rolled: as `check` with a target, else as `roll`.

    None for words of the story, also if they have dice among them. Whether there are such dice is for the roll to say.
    """
    if len(text) > MAX_BARE_DICE:
        return None
    kind: RollKind = "roll"
    if versus := _VERSUS.search(text):
        if not _TARGET.fullmatch(_FACES.sub("", text[versus.start() :])):
            return None
        kind, dice = "check", text[: versus.start()]
    else:
        dice = _LABEL.sub("", _FACES.sub("", text))
    if _WORDS_APART.search(dice):
        return None
    return kind if _EXPRESSION.fullmatch(_BLANKS.sub("", dice)) else None
