"""Logs in plain text: `Name: words`, with lines that go on, stamps, marks and talk out of character.

A line without a name goes on with the one before it. After an empty line it is told: by the GM if the GM
spoke before, else by nobody.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from agents.importing.asides import is_aside
from agents.importing.entries import Entry, Gathering, Voice
from agents.importing.marks import day_in, mark_in
from agents.importing.times import day_of, read_time
from agents.importing.voices import voice_of_name

_STAMP: Final = re.compile(
    r"\s*(?:\[(?P<square>[^\[\]]{3,40})\]|\((?P<round>\d[^()]{2,40})\)"
    r"|(?P<bare>\d{1,2}:\d{2}(?::\d{2})?(?:\s*[ap]m)?)(?:\s+[-–—]\s*|\s+))\s*",
    re.IGNORECASE,
)
_SAYS: Final = re.compile(
    r"\s*(?:\*\*(?P<bold>[^*:]{1,60}):?\*\*:?|<(?P<irc>[^<>]{1,60})>|(?P<name>[^\s:][^:\n]{0,58}?)\s*[:：])"
    r"(?:\s+(?P<text>.*)|$)",
    re.DOTALL,
)
_SMALL: Final = frozenset(
    (
        "of",
        "the",
        "and",
        "de",
        "da",
        "di",
        "du",
        "del",
        "der",
        "den",
        "van",
        "von",
        "la",
        "le",
        "les",
        "el",
        "al",
    )
)
_HOUR: Final = re.compile(r"\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:\s*[ap]\.?m\.?)?", re.IGNORECASE)
_KEYS: Final = frozenset(
    (
        "turn",
        "speaker",
        "role",
        "text",
        "time",
        "timestamp",
        "date",
        "id",
        "name",
        "content",
        "message",
        "type",
    )
)
"""Begin lines of YAML and the like, which is no play."""

_OFTEN: Final = 3
"""Times that a name in small letters begins a line, from when on it is one."""


def looks_like_play(lines: Sequence[str]) -> bool:
    """Whether a line says who speaks."""
    often = _often(lines)
    return any(_says(line, often) is not None for line in lines)


def read_text(lines: Sequence[str]) -> Gathering:
    """Read entries; every line with something on it is part of one."""
    reader = _Reader(_often(lines))
    for number, line in enumerate(lines, 1):
        reader.take(number, line)
    reader.close()
    return reader.gathering


class _Reader:
    def __init__(self, often: frozenset[str]) -> None:
        self.gathering = Gathering()
        self._often = often
        self._open: Entry | None = None
        self._day: datetime | None = None
        self._apart = False

    def take(self, number: int, line: str) -> None:
        if not line.strip():
            self._apart = True
            return
        if (day := day_in(line)) is not None:
            self._day = day
            self._mark(number, line.strip(" #*_=-[]") or day_of(day))
        elif (mark := mark_in(line)) is not None:
            self._mark(number, mark)
            self._day = day_in(mark) or self._day
        elif said := _says(line, self._often):
            name, words, stamp = said
            self._begin(Entry(number, str(number), words, name, said=stamp[0], at=stamp[1]))
        elif is_aside(line):
            self._begin(Entry(number, str(number), line, voice=Voice.OOC))
            self.close()
        else:
            self._go_on(number, line)
        self._apart = False

    def close(self) -> None:
        if self._open is not None:
            self.gathering.entries.append(self._open)
            self._open = None

    def _mark(self, number: int, title: str) -> None:
        self.close()
        self.gathering.entries.append(Entry(number, "", title, voice=Voice.MARK))

    def _begin(self, entry: Entry) -> None:
        self.close()
        self._open = self._dated(entry)

    def _go_on(self, number: int, line: str) -> None:
        indented = line[:1] in " \t"
        if self._open is not None and (indented or not self._apart):
            words = f"{self._open.text}\n{line.strip()}" if self._open.text else line.strip()
            self._open = replace(self._open, text=words)
            return
        before = self._open
        tells = before is not None and voice_of_name(before.speaker) is Voice.GM
        stamp, rest = _stamp(line)
        speaker = before.speaker if before is not None and tells else ""
        self._begin(Entry(number, str(number), rest.strip(), speaker, said=stamp[0], at=stamp[1]))

    def _dated(self, entry: Entry) -> Entry:
        """Give a stamp that shows the hour alone the day that the log is at."""
        if self._day is None or entry.at is not None:
            return entry
        said, at = read_time(f"{day_of(self._day)} {entry.said}".strip())
        return replace(entry, said=said, at=at if entry.said else None)


def _often(lines: Sequence[str]) -> frozenset[str]:
    """Return the names in small letters that begin many lines."""
    counted: Counter[str] = Counter()
    for line in lines:
        _, rest = _stamp(line)
        match = _SAYS.match(rest)
        words = match["name"].split() if match and match["name"] else []
        if 1 <= len(words) <= 2 and words[0][0].isalpha() and words[0].casefold() not in _KEYS:
            counted[" ".join(words)] += 1
    return frozenset(name for name, times in counted.items() if times >= _OFTEN)


_Stamp = tuple[str, datetime | None]


def _says(line: str, often: frozenset[str]) -> tuple[str, str, _Stamp] | None:
    """Return who says a line, what, and when by its stamp; None if nobody is named."""
    stamp, rest = _stamp(line)
    match = _SAYS.match(rest)
    if match is None:
        return None
    if name := match["irc"]:
        return name.strip(), (match["text"] or "").strip(), stamp
    name = (match["bold"] or match["name"]).strip()
    if match["bold"] or is_name(name) or name in often or voice_of_name(name):
        return name, (match["text"] or "").strip(), stamp
    return None


def _stamp(line: str) -> tuple[_Stamp, str]:
    """Part a line into its stamp, in words and as a moment, and what follows."""
    match = _STAMP.match(line)
    if match is None:
        return ("", None), line
    words = next(group for group in match.groups() if group is not None)
    said, at = read_time(words)
    if at is None and not _HOUR.fullmatch(said):
        return ("", None), line
    return (said, at), line[match.end() :]


def is_name(name: str) -> bool:
    """Whether words look like a name: a few, none in small letters but those that stand between."""
    words = name.replace("(", " ").replace(")", " ").split()
    if not 1 <= len(words) <= 5 or any(c in name for c in '?!;,"“”'):
        return False
    return (
        words[0][0].isalnum()
        and not words[0][0].islower()
        and any(c.isalpha() for c in name)
        and all(not word[0].islower() or word in _SMALL for word in words)
    )
