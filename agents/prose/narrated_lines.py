"""Says whether a player's line tells of others, as a narrator does, and is no word or deed of the hero. Pure."""

from __future__ import annotations

import re
from typing import Final

from agents.prose.speech import strip_speech

_FIRST_PERSON: Final = re.compile(r"\b(?:I|[Mm]e|[Mm]y|[Mm]ine|[Ww]e|[Uu]s|[Oo]ur)\b")
_OF_OTHERS: Final = re.compile(
    r"\W*(?:(?:The|An?|His|Her|Their)\s+(?:[\w'’-]+\s+){1,3}?|(?:He|She|They|It|There)\s+"
    r"|[^\W\d_a-z][\w'’-]*(?:\s+[^\W\d_a-z][\w'’-]*){0,3}\s+)"
    r"(?:[a-z]+s|was|were|are|had|came|went|said|told|gave|took|[a-z]+ed)\b"
)
"""Somebody or something, and what they do: `Dace says`, `The lamp gutters`; not `Go north`."""


def tells_of_others(text: str) -> bool:
    """Say whether a line tells of others in the third person, what is quoted aside."""
    told = strip_speech(text)
    return _FIRST_PERSON.search(told) is None and _OF_OTHERS.match(told) is not None
