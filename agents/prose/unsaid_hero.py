"""Puts `I` before what a player's line in notes says without it: `go to the mill`, `give the axe to Bodil`."""

from __future__ import annotations

import re
from typing import Final

_DEED: Final = (
    r"(?:go|walk|run|ride|head|hurry|march|climb|sail|row|step|swim|travel|return|enter|sneak|creep|crawl|stroll|drive|hike"
    r"|descend|follow|leave|get\s+up|stand\s+up"  # where the hero goes
    r"|take|grab|snatch|pick\s+up|steal|buy|sell|give|hand|pass|pay|lend|drop|hide|bury|put|throw"  # what they have
    r"|light|open|close|lock"
    r"|kill|slay|murder|stab|behead|strangle|draw|pull"  # what they do to others
    r"|tell|warn|inform|remind|assure|admit|confess|confide|explain|whisper|promise|swear|vow|pledge|decide|resolve)"
)
_BEGINS_WITH_DEED: Final = re.compile(rf"{_DEED}\s+(?!(?:me|us|thou|you)\b)\S", re.IGNORECASE)
_ENDS_WITH_CALL: Final = re.compile(
    r"[!?][\s\"”’]*$|,\s*(?:@[^@]+@|(?-i:[A-Z])[\w'’-]*|please)[\s.!]*$", re.IGNORECASE
)
"""The end of a sentence that tells somebody else to do it: `Go to the Tarn, Osric.`"""


def begins_with_deed(sentence: str) -> bool:
    """Say whether a sentence begins with what somebody does, and not with a name: `Follow Vess`."""
    return _BEGINS_WITH_DEED.match(sentence) is not None


def add_hero(sentence: str, hero: str = "I") -> str:
    """Return a sentence of a player's line with the hero before it, if it begins with what they do."""
    if not begins_with_deed(sentence) or _ENDS_WITH_CALL.search(sentence):
        return sentence
    return f"{hero} {sentence[:1].lower()}{sentence[1:]}"
