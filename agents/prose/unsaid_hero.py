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
_DEED_TO_SOMEBODY: Final = (
    r"(?:attack|fight|hit|punch|kick|strike|shoot|slap|push|shove|grab|hug|kiss|greet|thank|threaten|question|ask|bribe|help|"
    r"heal|wake|watch|join|meet|find|hire|trust|ignore|face|chase|search|untie|disarm|ambush|distract|comfort|accuse|confront|"
    r"bring|send|carry|lead|drag|haul|call|visit|approach|see|let|make|show|get|rouse|free|release|arrest|bandage|scold|beat|"
    r"stop|hold|tie|bind|escort|guide|feed|dismiss|invite|summon|order|tackle|tickle|thrash|knock|catch|serve|marry|bless|curse)"
)
"""What is done to somebody; the words are nouns or names as well, where nobody follows."""
_BEGINS_WITH_DEED: Final = re.compile(
    rf"(?:{_DEED}\s+(?!(?:me|us|thou|you)\b)\S"
    rf"|{_DEED_TO_SOMEBODY}\s+(?:@[^@]+@|(?-i:[A-Z])[\w’'-]|(?:the|him|her|them|my|his|their|old)\b))",
    re.IGNORECASE,
)
_DEED_BEFORE_NAME: Final = re.compile(
    rf"(?:{_DEED_TO_SOMEBODY}|follow|kill|slay|murder|stab|behead|strangle|tell|warn|inform|remind|assure|pay)"
    r"\s+(?=(?-i:[A-Z])[\w’'-])",
    re.IGNORECASE,
)
_ENDS_WITH_CALL: Final = re.compile(
    r"[!?][\s\"”’]*$|,\s*(?:@[^@]+@|(?-i:[A-Z])[\w'’-]*|please)[\s.!]*$", re.IGNORECASE
)
"""The end of a sentence that tells somebody else to do it: `Go to the Tarn, Osric.`"""


def skip_deed(sentence: str) -> int:
    """Return where somebody's name begins behind what is done to them, at the beginning of a sentence; 0 if nowhere."""
    match = _DEED_BEFORE_NAME.match(sentence)
    return match.end() if match is not None else 0


def begins_with_deed(sentence: str) -> bool:
    """Say whether a sentence begins with what somebody does, and not with a name: `Follow Vess`."""
    return _BEGINS_WITH_DEED.match(sentence) is not None


def add_hero(sentence: str, hero: str = "I") -> str:
    """Return a sentence of a player's line with the hero before it, if it begins with what they do."""
    if not begins_with_deed(sentence) or _ENDS_WITH_CALL.search(sentence):
        return sentence
    return f"{hero} {sentence[:1].lower()}{sentence[1:]}"
