"""What a log is read into, whatever its form: entries in their order, and what could not be read.

Source: the issue "Context that remembers", "Import of existing play".
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum


class Voice(StrEnum):
    """Who speaks. OOC is no part of the story: it becomes a note. MARK begins a scene and says nothing."""

    PLAYER = "player"
    GM = "gm"
    NPC = "npc"
    ORACLE = "oracle"
    SYSTEM = "system"
    OOC = "ooc"
    MARK = "mark"


class LogFormat(StrEnum):
    """The forms of a log that are read."""

    JSON = "json"
    TEXT = "text"
    LONELOG = "lonelog"


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One thing of the log. `ref` is the log's own name for it, `line` where it stands in the file (from 1).

    `voice` is None while it is still to be guessed from the `speaker`. `said` is when, in the log's words,
    and `at` what could be read of that. `scene` is what the log calls the part that it belongs to.
    """

    line: int
    ref: str
    text: str
    speaker: str = ""
    voice: Voice | None = None
    time_text: str = ""
    moment: datetime | None = None
    scene: str = ""


@dataclass(frozen=True, slots=True)
class ImportProblem:
    """Something of the file that was not taken in as it stands, in words; `line` 0: of the whole of it."""

    line: int
    message: str
    is_lost: bool = False

    def __str__(self) -> str:
        return f"line {self.line:,}: {self.message}" if self.line else self.message


@dataclass(frozen=True, slots=True)
class ParsedLog:
    """A log that was read. `problems` that are `lost` are lines that are not among the entries."""

    form: LogFormat
    entries: tuple[LogEntry, ...]
    problems: tuple[ImportProblem, ...] = ()
    title: str = ""

    def with_problems(self, *more: ImportProblem) -> ParsedLog:
        return replace(self, problems=(*self.problems, *more))


@dataclass(slots=True)
class ParsedEntries:
    """What a parser has gathered so far."""

    entries: list[LogEntry] = field(default_factory=list)
    problems: list[ImportProblem] = field(default_factory=list)
