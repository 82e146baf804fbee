"""Reads who somebody is, said in passing as a sentence begins: `Vess, the captain of the skiff, laughs`. Pure."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from agents.prose.words import SHORT_TITLE_PATTERN

NAME_RUN: Final = re.compile(
    rf"{SHORT_TITLE_PATTERN}[^\W\d_a-z][\w'’-]*(?:\s+(?:(?:of|of\s+the|de|von|van)\s+)?[^\W\d_a-z][\w'’-]*)*"
)
_SAID_IN_PASSING: Final = re.compile(
    rf"(?P<who>{NAME_RUN.pattern}), (?P<what>(?:(?:the|an?)\s|[^\W\d_a-z])[^,;:.!?¶]{{2,80}}),\s"
)
"""A name, and between commas who that is: `Vess, the captain of the skiff, ...`."""
KIN: Final = (
    r"(?:(?:half-|step)?(?:brother|sister)|(?:step|grand)?(?:mother|father|son|daughter)|husband|wife|uncle|aunt|"
    r"cousin|nephew|niece)"
)
_SORT: Final = r"(?:\s+(?:[a-z]+er|young|old|dead|late|lost|twin|dear|own|little|big|poor))?"
_NAMED_KIN: Final = re.compile(
    rf"(?P<whose>[Mm]y|[Yy]our|{NAME_RUN.pattern}(?:(?<=['’]s)|(?<=s['’])))"
    rf"{_SORT}\s+(?P<kin>{KIN})\s+(?P<who>{NAME_RUN.pattern})(?<!['’]s)(?!['’])(?=,?\s+[a-z])"
)
"""A relative by name: `Lisbet's brother Corm was ...`, `My brother Corm laughs`."""
_KIN_OF_HERO: Final = rf"\bI\b[^.!?;:¶]*?\bmy{_SORT}\s+(?P<kin>{KIN})\s+%s(?![\w-])"
"""A relative of the hero's by name, in what the hero does: `I ask Dob where my brother Corm went`."""
_SAYS_I: Final = re.compile(r"\b(?:I|[Mm]e|[Mm]y|mine)\b")
_SAYS_YOU: Final = re.compile(r"\b[Yy]ou(?:rs?)?\b")
_IS_KIN: Final = re.compile(rf"[^\W\d_a-z][^,;]*? is [^\W\d_a-z][^,;]*?['’]s? {KIN}\.?")


class Statement(NamedTuple):
    """A part of a text as a sentence, and its very words in the text."""

    sentence: str
    quote: str


def hides_speaker(sentence: str) -> bool:
    """Say whether a sentence does not tell who speaks: `I give you the key`."""
    return _SAYS_I.search(sentence) is not None and _SAYS_YOU.search(sentence) is not None


def read_said_in_passing(sentence: str) -> Statement | None:
    """Return who somebody is as a sentence begins, said in passing: `Vess, the captain of the skiff, laughs`.

    So it is of a relative by name: `Lisbet's brother Corm laughs`, `My brother Corm laughs`.
    """
    if "?" in sentence:
        return None
    if kin := _NAMED_KIN.match(sentence):
        if hides_speaker(sentence):
            return None
        whose = kin["whose"].lower() if kin["whose"].lower() in ("my", "your") else kin["whose"]
        return Statement(f"{kin['who']} is {whose} {kin['kin']}", kin[0])
    match = _SAID_IN_PASSING.match(sentence)
    if match is None:
        return None
    return Statement(f"{match['who']} is {match['what']}", f"{match['who']}, {match['what']}")


def find_kin_of_hero(name: str, told_text: str) -> str:
    """Return what somebody is of the hero's by a text without speech: `my brother`; empty if it does not say."""
    match = re.search(_KIN_OF_HERO % re.escape(name), told_text)
    return f"my {match['kin']}" if match else ""


def says_kinship(statement: str) -> bool:
    """Say whether a statement says only whose relative somebody is: `Hela is Mara's aunt`."""
    return _IS_KIN.fullmatch(statement) is not None
