"""Lines of a text that say where in it one is: scenes, sessions, days."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from agents.importing.times import read_time

_HEADING: Final = re.compile(r"#{1,6}\s+(?P<title>.+?)\s*#*")
_RULED: Final = re.compile(r"(?:={2,}|-{2,}|\*{3,}|~{2,}|_{3,})\s*(?P<title>[^=\-*~_].*?)\s*[=\-*~_]{2,}")
_NAMED: Final = re.compile(
    r"(?:scene|session|chapter|episode|part|act)\s+"
    r"(?:\d+|[ivxlc]+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b\s*(?:[:.·–—-].*)?",
    re.IGNORECASE,
)
_RULE: Final = re.compile(r"(?:[-=*~_]\s*){3,}")
_LONGEST: Final = 160


def mark_in(line: str) -> str | None:
    """Return the title of the scene that begins at a line: a heading, a titled rule, `Session 3: The yard`;
    empty for a bare rule, None if it is no mark."""
    line = line.strip()
    if not line or len(line) > _LONGEST:
        return None
    if _RULE.fullmatch(line):
        return ""
    for pattern in (_HEADING, _RULED):
        if match := pattern.fullmatch(line):
            return match["title"].strip()
    return line.rstrip(":") if _NAMED.fullmatch(line) else None


def day_in(line: str) -> datetime | None:
    """Return the day that a line is about, if it says nothing else: `8 May 2023`, `[Date] 2023-05-08`."""
    bare = re.sub(r"^\W*(?:date|session of|on)?\W*", "", line.strip(), flags=re.IGNORECASE).rstrip("]*_=- ")
    if not bare or len(bare) > 40 or not any(c.isdigit() for c in bare):
        return None
    _, at = read_time(bare)
    said_more = re.sub(r"(?:mon|tues|wednes|thurs|fri|satur|sun)day", "", bare, flags=re.IGNORECASE)
    return at if at and len(re.findall(r"[^\W\d_]{3,}", said_more)) <= 1 else None
