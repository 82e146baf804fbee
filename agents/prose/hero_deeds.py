"""Finds what the hero sets out to do in a player's own line: `I draw my knife and attack the orc.` Pure.

Only what is done now: `I attacked`, `I will attack`, `I do not attack`, `if I attack` and what is said aloud are no
deeds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from agents.prose.hero_words import split_plain_sentences
from agents.prose.names import any_name_pattern
from agents.prose.speech import strip_speech
from agents.prose.words import split_paragraphs

MAX_READ_CHARS: Final = 2_000
"""Characters of a line that is read; a longer one is a telling, and no deed to roll for."""

_JOINT: Final = re.compile(r"[,;:–—]\s*|\s+(?:and|then|but)\s+", re.IGNORECASE)
_LEAD_IN: Final = r"(?:(?:and|then|so|now|but|next|finally|\w+ly|at\s+(?:last|once)|without\s+a\s+word)\s+)*"
_AUXILIARY: Final = r"(?:\s+am|['’]m)?"
_MANNER: Final = r"(?:(?:together\s+|along\s+)?(?:with|alongside|beside)\s+[\w'’-]+(?:\s+[\w'’-]+){0,5}?\s+)?"
"""With whom or how something is done, before who does it: `With Lisk at my side I attack the orc`."""
_ATTEMPT: Final = (
    r"(?:(?:try|tries|trying|attempt|attempts|attempting|want|wants|decide|decides|start|starts|begin|begins|going"
    r"|prepare|prepares)\s+(?:to|and)\s+|gonna\s+)?"
)
_ADVERBS: Final = r"(?:(?:\w+ly|now|then|just|first|again|once\s+more)\s+)*"
_NO_SUBJECT: Final = re.compile(
    rf"{_LEAD_IN}{_ATTEMPT}{_ADVERBS}(?!(?:the|his|her|their|this|that|its)\b)"
    r"(?P<deed>[a-z]{3,}(?:\s+\w+)?\s+(?:the|a|an|my|his|her|their|this|that|him|her|them|it|at|with|on|for)\b.*|"
    r"[a-z]{3,}\s+(?=(?-i:[A-Z])).*)",
    re.IGNORECASE,
)
_VERB_ALONE: Final = re.compile(rf"{_LEAD_IN}[a-z]+(?:\s+\w+ly)?")
_NOT_NOW: Final = re.compile(r"\b(?:if|unless|whether|would|could|should)\b|\?\s*$", re.IGNORECASE)


def find_hero_deeds(text: str, hero_names: Sequence[str]) -> tuple[str, ...]:
    """Return what a player's line has the hero do, in order, each from its verb on: `attack the orc`.

    The hero is `I`, one of the names, or left out (`attack the orc`).
    """
    if len(text) > MAX_READ_CHARS:
        return ()
    subject = re.compile(
        rf"{_LEAD_IN}{_MANNER}(?:I{_AUXILIARY}|(?-i:{any_name_pattern(hero_names)})(?:\s+is)?)\s+{_ATTEMPT}{_ADVERBS}(?P<deed>[a-z].*)",
        re.IGNORECASE | re.DOTALL,
    )
    deeds: list[str] = []
    for paragraph in split_paragraphs(text):
        for sentence in split_plain_sentences(strip_speech(paragraph)):
            if not _NOT_NOW.search(sentence):
                deeds.extend(_read_sentence(sentence.strip().rstrip(".!…"), subject))
    return tuple(deeds)


def _read_sentence(sentence: str, subject: re.Pattern[str]) -> list[str]:
    deeds: list[str] = []
    is_of_hero = False
    """Whether a clause without a subject goes on about the hero."""
    for number, clause in enumerate(filter(None, map(str.strip, _JOINT.split(sentence)))):
        match = subject.fullmatch(clause)
        if match:
            is_of_hero = True
        elif is_of_hero or number == 0:
            match = _NO_SUBJECT.fullmatch(clause)
            is_of_hero = is_of_hero and (match is not None or _VERB_ALONE.fullmatch(clause) is not None)
        if match:
            deeds.append(" ".join(match["deed"].split()))
    return deeds
