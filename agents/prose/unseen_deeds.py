"""Reads from a sentence what somebody cannot see of it: what happens while they sleep, or behind their back. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from agents.prose.names import any_name_pattern
from agents.prose.speech import strip_speech
from agents.prose.words import split_sentences

_SLEEPS: Final = (
    r"(?:(?:am|are|is|was|were)|['’](?:m|re|s))\s+(?:\w+ly\s+|fast\s+|sound\s+|still\s+)?"
    r"(?:asleep|sleeping|dozing|snoring|unconscious|senseless|out\s+cold|away|gone|out|not\s+looking)\b"
    r"|(?:sleeps?|slept|dozes?|dozed|snores?|snored)\b|looks?\s+away\b|looked\s+away\b|lie\w*\s+(?:asleep|unconscious)\b"
)
_REPORTS: Final = re.compile(
    r"\b(?:tells?|told|says?|said|warns?|warned|claims?|claimed|swears?|swore|thinks?|thought|believes?|believed|admits?"
    r"|confess\w*|knows?|knew|hears?|heard|sees?|saw|dreams?|dreamt|suspects?|fears?)\b"
)
"""What is said, seen or thought of it is another matter."""
_HERO: Final = r"(?i:I|you)"
_HERO_OWNS: Final = r"(?:my|your)"


def strike_unseen(text: str, names: Sequence[str], *, is_hero: bool) -> str:
    """Return a text without the sentences that tell what others do while somebody of these names cannot see it.

    `is_hero`: `I` and `you` mean them, too.
    """
    names_pattern = any_name_pattern(names) if names else r"(?!)"
    who = rf"(?:{names_pattern}|{_HERO})" if is_hero else names_pattern
    owner = rf"(?:{names_pattern}['’]s?|{_HERO_OWNS})" if is_hero else rf"{names_pattern}['’]s?"
    unseen = re.compile(
        rf",?\s*\b(?:[Ww]hile|[Ww]hilst|[Aa]s|[Ww]hen)\s+{who}\s*(?:{_SLEEPS})[^,;.!?]*,?"
        rf"|,?\s*\b[Bb]ehind\s+{owner}\s+back\b,?|,?\s*\b[Ww]ithout\s+{owner}\s+(?:noticing|knowledge)\b,?"
    )
    if not unseen.search(text):
        return text
    sentences = split_sentences(text)
    return " ".join(s for s in sentences if not _tells_of_others(s, unseen, who))


def _tells_of_others(sentence: str, unseen: re.Pattern[str], who: str) -> bool:
    """Say whether a sentence tells what somebody cannot see, and it is not they who do it, or somebody who says so."""
    told = strip_speech(sentence)
    if not unseen.search(told) or _REPORTS.search(told):
        return False
    rest = unseen.sub(" ", told).strip()
    return re.match(rf"(?:(?:And|But|Then)\s+)?{who}\b", rest) is None
