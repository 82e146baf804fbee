"""Reads logs in plain text: `Name: words`, with continued lines, time stamps, scene marks and asides.

A line without a name continues the one before it. After an empty line it is narration: by the GM if the GM
spoke before, else by nobody.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from agents.importers.log_entries import LogEntry, ParsedEntries, Voice
from agents.importers.scenes import find_day, find_heading
from agents.importers.voices import is_aside, voice_from_name
from agents.world_time.log_times import format_day, parse_time

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
"""Words that begin lines of YAML and the like, which is no play."""

_QUOTATION_MARKS: Final = ('"', "“", "«", "‘", "'", "„")
"""What a quotation begins with."""

_MIN_LINES: Final = 3
"""Lines that a lower-case word must begin to count as a name."""


def looks_like_play(lines: Sequence[str]) -> bool:
    """Return whether any line says who speaks."""
    frequent_names = _frequent_names(lines)
    return any(_parse_attribution(line, frequent_names) is not None for line in lines)


def read_text(lines: Sequence[str]) -> ParsedEntries:
    """Read entries; every line with content is part of one."""
    reader = TextReader(lines)
    for number, line in enumerate(lines, 1):
        reader.read_line(number, line)
    reader.close()
    return reader.parsed


class TextReader:
    """Reads a log line by line.

    In a journal, which is prose, a name and a colon say who speaks only if the name is bold, speaks often or is
    followed by a quotation: `Weather: rain` is a remark.
    """

    def __init__(self, lines: Sequence[str], *, is_journal: bool = False) -> None:
        self.parsed = ParsedEntries()
        self._frequent_names = _frequent_names(lines)
        self._is_journal = is_journal
        self._open_entry: LogEntry | None = None
        self._day: datetime | None = None
        self._is_after_blank = False

    def read_line(self, number: int, line: str) -> None:
        if not line.strip():
            self._is_after_blank = True
            return
        if (day := find_day(line)) is not None:
            self._day = day
            self._add_heading(number, line.strip(" #*_=-[]") or format_day(day))
        elif (heading := find_heading(line)) is not None:
            self._add_heading(number, heading)
            self._day = find_day(heading) or self._day
        elif attribution := self._parse_attribution(line):
            name, words, stamp = attribution
            self._start_entry(LogEntry(number, str(number), words, name, time_text=stamp[0], moment=stamp[1]))
        elif is_aside(line):
            self._start_entry(LogEntry(number, str(number), line, voice=Voice.OOC))
            self.close()
        else:
            self._continue_entry(number, line)
        self._is_after_blank = False

    def close(self) -> None:
        if self._open_entry is not None:
            self.parsed.entries.append(self._open_entry)
            self._open_entry = None

    def _parse_attribution(self, line: str) -> tuple[str, str, _TimeStamp] | None:
        attribution = _parse_attribution(line, self._frequent_names)
        if attribution is None or not self._is_journal:
            return attribution
        name, words, _ = attribution
        is_speaker = (
            name in self._frequent_names
            or voice_from_name(name) is not None
            or line.lstrip().startswith("**")
            or words.startswith(_QUOTATION_MARKS)
        )
        return attribution if is_speaker else None

    def _add_heading(self, number: int, title: str) -> None:
        self.close()
        self.parsed.entries.append(LogEntry(number, "", title, voice=Voice.MARK))

    def _start_entry(self, entry: LogEntry) -> None:
        self.close()
        self._open_entry = self._with_day(entry)

    def _continue_entry(self, number: int, line: str) -> None:
        is_indented = line[:1] in " \t"
        if self._open_entry is not None and (is_indented or not self._is_after_blank):
            words = f"{self._open_entry.text}\n{line.strip()}" if self._open_entry.text else line.strip()
            self._open_entry = replace(self._open_entry, text=words)
            return
        previous_entry = self._open_entry
        is_gm_speaking = previous_entry is not None and voice_from_name(previous_entry.speaker) is Voice.GM
        stamp, rest = _split_stamp(line)
        speaker = previous_entry.speaker if previous_entry is not None and is_gm_speaking else ""
        self._start_entry(
            LogEntry(number, str(number), rest.strip(), speaker, time_text=stamp[0], moment=stamp[1])
        )

    def _with_day(self, entry: LogEntry) -> LogEntry:
        """Add the log's current day to a time stamp that shows only the hour."""
        if self._day is None or entry.moment is not None:
            return entry
        time_text, moment = parse_time(f"{format_day(self._day)} {entry.time_text}".strip())
        return replace(entry, time_text=time_text, moment=moment if entry.time_text else None)


def _frequent_names(lines: Sequence[str]) -> frozenset[str]:
    """Return the lower-case names that begin many lines."""
    name_counts: Counter[str] = Counter()
    for line in lines:
        _, rest = _split_stamp(line)
        match = _SAYS.match(rest)
        words = match["name"].split() if match and match["name"] else []
        if 1 <= len(words) <= 2 and words[0][0].isalpha() and words[0].casefold() not in _KEYS:
            name_counts[" ".join(words)] += 1
    return frozenset(name for name, count in name_counts.items() if count >= _MIN_LINES)


_TimeStamp = tuple[str, datetime | None]


def _parse_attribution(line: str, frequent_names: frozenset[str]) -> tuple[str, str, _TimeStamp] | None:
    """Return who says a line, what, and when by its time stamp; None if nobody is named."""
    stamp, rest = _split_stamp(line)
    match = _SAYS.match(rest)
    if match is None:
        return None
    if name := match["irc"]:
        return name.strip(), (match["text"] or "").strip(), stamp
    name = (match["bold"] or match["name"]).strip()
    if match["bold"] or is_name(name) or name in frequent_names or voice_from_name(name):
        return name, (match["text"] or "").strip(), stamp
    return None


def parse_quotation(line: str) -> tuple[str, str] | None:
    """Return who says a line, and the quotation that it is: `**Kell:** "No."`; None for any other line."""
    match = _SAYS.match(line)
    if match is None or not (match["text"] or "").startswith(_QUOTATION_MARKS):
        return None
    name = (match["bold"] or match["name"] or "").strip()
    return (name, match["text"].strip()) if is_name(name) else None


def _split_stamp(line: str) -> tuple[_TimeStamp, str]:
    """Split a line into its time stamp, in words and as a moment, and the rest."""
    match = _STAMP.match(line)
    if match is None:
        return ("", None), line
    words = next(group for group in match.groups() if group is not None)
    time_text, moment = parse_time(words)
    if moment is None and not _HOUR.fullmatch(time_text):
        return ("", None), line
    return (time_text, moment), line[match.end() :]


def is_name(name: str) -> bool:
    """Return whether words look like a name: a few, in capitals except for joining words."""
    words = name.replace("(", " ").replace(")", " ").split()
    if not 1 <= len(words) <= 5 or any(c in name for c in '?!;,"“”'):
        return False
    return (
        words[0][0].isalnum()
        and not words[0][0].islower()
        and any(c.isalpha() for c in name)
        and all(not word[0].islower() or word in _SMALL for word in words)
    )
