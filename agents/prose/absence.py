"""Reads of whom a marked sentence (`agents/prose/mentions.py`) says that they are not here. Pure."""

from __future__ import annotations

import re
from typing import Final

_NOT_HERE: Final = (
    r"(?:(?:is|are)(?:\s+(?:[a-z]+ly|still|just))?\s+(?:not|no\s+longer|never)|(?:isn|aren)['’]t|cannot\s+be|can['’]t\s+be)\s+"
    r"(?:[a-z]+ly\s+)?(?:here|there|present|around|among\s+us|near(?:by)?|with\s+(?:me|us|@[^@]+@)|in\s+the\s+room)\b"
)
_AWAY: Final = (
    r"(?:is|are)(?:\s+(?:[a-z]+ly|still|long))?\s+(?:nowhere|absent|missing|elsewhere|away|far\s+(?:away|off|from)|gone|"
    r"miles)\b"
)
_ABSENT: Final = re.compile(
    rf"@(?P<who>[\d,]+)@,?(?:\s+who)?\s+(?:{_NOT_HERE}|{_AWAY})|"
    r"\b(?:without|missing)\s+@(?P<without>[\d,]+)@(?:\s+here\b|,)|"
    r"@(?P<in_mind>[\d,]+)@\s+[^.;@]*\bin\s+(?:my|her|his|their)\s+(?:thoughts?|heart|head|imagination)\b|"
    r"\bin\s+(?:my|her|his|their)\s+(?:thoughts?|heart|head|imagination),?\s+@(?P<thought_of>[\d,]+)@",
    re.IGNORECASE,
)
_COMES_AFTER_ALL: Final = re.compile(
    r"\b(?:comes?|returns?|arrives?|appears?|enters?|joins?|steps?\s+in|walks?\s+in)\b"
)


def find_absent(sentence: str) -> frozenset[int]:
    """Return the numbers of those who are not here by a sentence, unless it has them come in behind that."""
    return frozenset(
        int(number)
        for match in _ABSENT.finditer(sentence)
        if not _COMES_AFTER_ALL.search(sentence, match.end())
        for mark in match.groups()
        if mark
        for number in mark.split(",")
        if number
    )
