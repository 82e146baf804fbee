"""Defines what a log is read into, whatever its format: entries in order, and the problems in reading them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from stores.records.world import EntityKind

LEGEND: Final = "@ action  ? question  d: roll -> result  => what happens  ! fact  <- what it rests on"
"""The second line of a journal that MONITOR exports; it explains the signs."""


class Voice(StrEnum):
    """Who speaks. OOC is out of character and becomes a note; MARK begins a scene and has no turn."""

    PLAYER = "player"
    GM = "gm"
    NPC = "npc"
    ORACLE = "oracle"
    SYSTEM = "system"
    OOC = "ooc"
    MARK = "mark"


class LogFormat(StrEnum):
    """The formats of logs that can be read."""

    JSON = "json"
    TEXT = "text"
    LONELOG = "lonelog"
    MARKDOWN = "markdown"


class TagKind(StrEnum):
    """What a tag of a solo log, or a link of a journal, is about."""

    CHARACTER = "character"
    HERO = "hero"
    PLACE = "place"
    THREAD = "thread"
    CLOCK = "clock"
    TIMER = "timer"
    LINK = "link"
    """Whatever has a note of its own: a link names it, and seldom says what it is."""


@dataclass(frozen=True, slots=True)
class LogTag:
    """Something that a log says of the world beside its words: who or what, and in what state."""

    kind: TagKind
    name: str
    details: tuple[str, ...] = ()
    """States in the log's words; `+` or `-` before one adds it or takes it away."""

    steps: tuple[int, int] | None = None
    """Of a clock: how far it is filled, and its size. Of a timer: what is left, and its size or 0."""

    entity_kind: EntityKind | None = None
    """Of a link: the kind that its folder or the front matter says; None where neither does."""

    shown: str = ""
    """Of a link: the words that it reads as in the text."""

    is_npc: bool = False
    """Of a link: whether its folder is one of NPCs."""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One entry of a log."""

    line: int
    """Line of the file, from 1."""

    ref: str
    """The log's own identifier of the entry."""

    text: str
    speaker: str = ""
    voice: Voice | None = None
    """None until it is guessed from the `speaker`."""

    is_deed: bool = False
    """Whether it tells what the `speaker` does, whom the log marks as played."""

    is_callout: bool = False
    """Whether a callout quotes the `speaker`, of whom it does not say whether the player plays them."""

    time_text: str = ""
    """When it was said, in the log's words."""

    moment: datetime | None = None
    """The same as a moment, if it could be parsed."""

    scene: str = ""
    """What the log calls the part that the entry belongs to."""

    tags: tuple[LogTag, ...] = ()
    """What it says of the world in tags."""


@dataclass(frozen=True, slots=True)
class ImportProblem:
    """Something in the file that could not be imported as it stands."""

    line: int
    """Line of the file; 0: the whole file."""

    message: str
    is_lost: bool = False
    """Whether it was left out of the entries."""

    def __str__(self) -> str:
        return f"line {self.line:,}: {self.message}" if self.line else self.message


@dataclass(frozen=True, slots=True)
class ParsedLog:
    """A log that was read."""

    form: LogFormat
    entries: tuple[LogEntry, ...]
    problems: tuple[ImportProblem, ...] = ()


@dataclass(slots=True)
class ParsedEntries:
    """Entries and problems that a parser has collected."""

    entries: list[LogEntry] = field(default_factory=list)
    problems: list[ImportProblem] = field(default_factory=list)
