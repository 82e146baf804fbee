"""Leaves out how a sentence introduces who it is about: `A girl named Wren steals the ring`. Pure."""

from __future__ import annotations

import re
from typing import Final

from agents.prose.words import SHORT_TITLE_PATTERN

_NAME_WORD: Final = r"[^\W\d_a-z][\w'’-]*"
_NAME: Final = (
    rf"(?P<name>{SHORT_TITLE_PATTERN}{_NAME_WORD}(?: (?:of |the |de |von |van )?{_NAME_WORD}){{0,3}})"
)
_INTRODUCED: Final = re.compile(
    r"(?:(?:And|But|Then|Now),? )?(?:An?|The|One|Another|Some) (?:[a-z][\w'’-]*,? ){1,5}?"
    rf"(?:named|called|known as|by the name of|who is called) {_NAME},? (?=[a-z])"
)
_DESCRIBED: Final = re.compile(rf"{_NAME}, (?:an?|the|my|our|his|her) [^,;:.!?¶]{{2,60}}, (?=[a-z])")


def drop_introduction(sentence: str) -> str:
    """Return a sentence that begins with the name of whom it introduces or describes there: `Wren steals the ring`."""
    for pattern in (_INTRODUCED, _DESCRIBED):
        if match := pattern.match(sentence):
            return f"{match['name']} {sentence[match.end() :]}"
    return sentence
