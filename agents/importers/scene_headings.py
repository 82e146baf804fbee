"""Lines of a text that say where in it one is: scenes, sessions, days."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from agents.importers.log_times import parse_time

_HEADING: Final = re.compile(r"#{1,6}\s+(?P<title>.+?)\s*#*")
_TITLED_RULE: Final = re.compile(
    r"(?:={2,}|-{2,}|\*{3,}|~{2,}|_{3,})\s*(?P<title>[^=\-*~_].*?)\s*[=\-*~_]{2,}"
)
_NUMBERED_HEADING: Final = re.compile(
    r"(?:scene|session|chapter|episode|part|act)\s+"
    r"(?:\d+|[ivxlc]+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b\s*(?:[:.·–—-].*)?",
    re.IGNORECASE,
)
_RULE: Final = re.compile(r"(?:[-=*~_]\s*){3,}")
_MAX_HEADING: Final = 160


def find_heading(line: str) -> str | None:
    """Return the title of the scene that begins at a line: a heading, a titled rule, `Session 3: The yard`;
    empty for a bare rule, None if it is no mark."""
    line = line.strip()
    if not line or len(line) > _MAX_HEADING:
        return None
    if _RULE.fullmatch(line):
        return ""
    for pattern in (_HEADING, _TITLED_RULE):
        if match := pattern.fullmatch(line):
            return match["title"].strip()
    return line.rstrip(":") if _NUMBERED_HEADING.fullmatch(line) else None


def find_day(line: str) -> datetime | None:
    """Return the day that a line is about, if it says nothing else: `8 May 2023`, `[Date] 2023-05-08`."""
    day_text = re.sub(r"^\W*(?:date|session of|on)?\W*", "", line.strip(), flags=re.IGNORECASE).rstrip(
        "]*_=- "
    )
    if not day_text or len(day_text) > 40 or not any(c.isdigit() for c in day_text):
        return None
    _, moment = parse_time(day_text)
    other_words = re.sub(r"(?:mon|tues|wednes|thurs|fri|satur|sun)day", "", day_text, flags=re.IGNORECASE)
    return moment if moment and len(re.findall(r"[^\W\d_]{3,}", other_words)) <= 1 else None
