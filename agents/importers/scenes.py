"""Splits a log into scenes: at its own marks, where hours lie between two lines, or after many turns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from agents.importers.log_entries import LogEntry, Voice
from agents.world_time.log_times import SESSION_TITLE, format_day, parse_time

_HEADING: Final = re.compile(r"#{1,6}\s+(?P<title>.+?)\s*#*")
_TITLED_RULE: Final = re.compile(
    r"(?:={2,}|-{2,}|\*{3,}|~{2,}|_{3,})\s*(?P<title>[^=\-*~_].*?)\s*[=\-*~_]{2,}"
)
_NUMBERED_HEADING: Final = re.compile(
    r"(?:scene|session|chapter|episode|part|act)\s+"
    r"(?:\d+|[ivxlc]+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b\s*(?:[:.·–—-].*)?",
    re.IGNORECASE,
)
_PART: Final = re.compile(r"(?:scene|session|chapter|episode|part|act|day|prologue|S\d+)\b", re.IGNORECASE)
_RULE: Final = re.compile(r"(?:[-=*~_]\s*){3,}")
_MAX_HEADING: Final = 160


def find_heading(line: str) -> str | None:
    """Return the title of the scene that a line begins: a heading, a titled rule, `Session 3: The yard`.

    Empty for a bare rule, None if the line is no mark.
    """
    line = line.strip()
    if not line or len(line) > _MAX_HEADING:
        return None
    if _RULE.fullmatch(line):
        return ""
    for pattern in (_HEADING, _TITLED_RULE):
        if match := pattern.fullmatch(line):
            return match["title"].strip()
    return line.rstrip(":") if _NUMBERED_HEADING.fullmatch(line) else None


def names_a_part(heading: str) -> bool:
    """Return whether a heading names a session, a scene or a day, and not the whole log."""
    return _PART.match(heading) is not None or find_day(heading) is not None


def find_day(line: str) -> datetime | None:
    """Return the day that a line names and nothing else: `8 May 2023`, `[Date] 2023-05-08`."""
    day_text = re.sub(r"^\W*(?:date|session of|on)?\W*", "", line.strip(), flags=re.IGNORECASE).rstrip(
        "]*_=- "
    )
    if not day_text or len(day_text) > 40 or not any(c.isdigit() for c in day_text):
        return None
    _, moment = parse_time(day_text)
    other_words = re.sub(r"(?:mon|tues|wednes|thurs|fri|satur|sun)day", "", day_text, flags=re.IGNORECASE)
    return moment if moment and len(re.findall(r"[^\W\d_]{3,}", other_words)) <= 1 else None


def drop_dates_at_headings(entries: Sequence[LogEntry]) -> list[LogEntry]:
    """Return the entries without the marks that only name the day of a heading next to them."""
    marks = [entry.voice is Voice.MARK for entry in entries]

    def is_at_heading(index: int) -> bool:
        return any(0 <= i < len(marks) and marks[i] for i in (index - 1, index + 1))

    return [
        entry
        for index, entry in enumerate(entries)
        if not (marks[index] and is_at_heading(index) and find_day(entry.text) is not None)
    ]


SESSION_GAP: Final = timedelta(hours=6)
"""Time between two lines from which they belong to two sessions."""

MIN_TURNS_BEFORE_GAP: Final = 10
"""Turns that a scene must have before a gap ends it: in play by post, hours lie between all lines."""

LONG_SCENE_TURNS: Final = 150
"""From here on, a scene without marks ends at the player's next turn."""

MAX_SCENE_TURNS: Final = 200
"""A scene without marks ends here in any case."""

START_TICK: Final = 480
"""World time, in minutes, at which an imported story begins: the first morning."""


MAX_TITLE: Final = 100
"""Characters of a mark that become a scene's title."""


@dataclass(slots=True)
class ImportedScene:
    """A scene of the log: its title, and its turns and notes in order."""

    title: str
    entries: list[LogEntry] = field(default_factory=list)
    ticks: list[int] = field(default_factory=list)
    """World time of each entry."""

    @property
    def turns(self) -> int:
        return sum(entry.voice is not Voice.OOC for entry in self.entries)


def split_scenes(entries: Sequence[LogEntry]) -> list[ImportedScene]:
    """Return the scenes. One without turns is dropped, and its notes go to the next."""
    scenes = _name_scenes(_split_drafts(entries))
    _set_ticks(scenes)
    return scenes


@dataclass(slots=True)
class _SceneDraft:
    """Entries that belong together."""

    heading: str = ""
    is_continuation: bool = False
    """Whether it only began because the scene before was long."""

    scene_name: str = ""
    entries: list[LogEntry] = field(default_factory=list)
    turns: int = 0
    last_moment: datetime | None = None

    def add(self, entry: LogEntry) -> None:
        if entry.scene and not self.turns:
            self.heading = self.heading or entry.scene
        self.scene_name = entry.scene or self.scene_name
        self.entries.append(entry)
        self.turns += entry.voice is not Voice.OOC
        self.last_moment = entry.moment or self.last_moment

    def has_gap_before(self, entry: LogEntry) -> bool:
        return (
            entry.moment is not None
            and self.last_moment is not None
            and abs(entry.moment - self.last_moment) >= SESSION_GAP
        )


def _split_drafts(entries: Sequence[LogEntry]) -> list[_SceneDraft]:
    drafts = [_SceneDraft()]
    for entry in entries:
        draft = drafts[-1]
        if entry.voice is Voice.MARK:
            _start_draft(drafts, entry.text)
            continue
        if entry.scene and draft.turns and entry.scene != (draft.scene_name or draft.heading):
            _start_draft(drafts, entry.scene)
        elif entry.voice is not Voice.OOC:
            is_after_gap = draft.has_gap_before(entry)
            if (is_after_gap and draft.turns >= MIN_TURNS_BEFORE_GAP) or _is_long(draft, entry):
                _start_draft(drafts, "", is_continuation=not is_after_gap)
        drafts[-1].add(entry)
    if not drafts[-1].turns and len(drafts) > 1:
        trailing_draft = drafts.pop()
        drafts[-1].entries += trailing_draft.entries
    return drafts


def _start_draft(drafts: list[_SceneDraft], heading: str, *, is_continuation: bool = False) -> None:
    """Begin another draft, or give this mark to the last one if it has no turns yet."""
    if drafts[-1].turns:
        scene = drafts[-1].scene_name if is_continuation else heading
        drafts.append(_SceneDraft(heading, is_continuation, scene))
    elif heading and heading not in drafts[-1].heading:
        drafts[-1].heading = " · ".join(filter(None, (drafts[-1].heading, heading)))


def _is_long(draft: _SceneDraft, entry: LogEntry) -> bool:
    return draft.turns >= MAX_SCENE_TURNS or (draft.turns >= LONG_SCENE_TURNS and entry.voice is Voice.PLAYER)


def _name_scenes(drafts: Sequence[_SceneDraft]) -> list[ImportedScene]:
    """Name each scene after its mark, else its day, else its number; parts of one scene are numbered."""
    scenes: list[ImportedScene] = []
    title_counts: Counter[str] = Counter()
    stem = ""
    for number, draft in enumerate(drafts, 1):
        if not (draft.is_continuation and stem):
            day = next((format_day(entry.moment) for entry in draft.entries if entry.moment), "")
            stem = " ".join(draft.heading.split())[:MAX_TITLE] or (f"{SESSION_TITLE} {day}" if day else "")
        title_counts[stem] += 1
        title = stem if title_counts[stem] == 1 else f"{stem} ({title_counts[stem]})"
        scenes.append(ImportedScene(title if stem else f"Part {number}", draft.entries))
    return scenes


def _set_ticks(scenes: Sequence[ImportedScene]) -> None:
    """Set the world time: a minute a turn, and the log's own clock where it has one; it never runs back."""
    tick = START_TICK - 1
    anchor: tuple[int, datetime] | None = None
    for scene in scenes:
        for entry in scene.entries:
            if entry.voice is not Voice.OOC:
                tick += 1
            if entry.moment is not None:
                anchor = anchor or (max(tick, START_TICK), entry.moment)
                tick = max(tick, anchor[0] + int((entry.moment - anchor[1]).total_seconds() // 60))
            scene.ticks.append(max(tick, START_TICK))


def scene_turns(scene: ImportedScene) -> Iterator[tuple[LogEntry, int]]:
    """Yield the scene's turns with their world times."""
    return ((e, t) for e, t in zip(scene.entries, scene.ticks, strict=True) if e.voice is not Voice.OOC)
