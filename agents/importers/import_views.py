"""What an import tells: what it is about to do, how far it is, what came of it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

from agents.importers.log_entries import ImportProblem, LogFormat
from stores.records.ids import Id


@dataclass(frozen=True)
class ImportRequest:
    """What is asked for: the file's name and bytes; names of universe, story and player character (empty:
    from the file's name, and nobody). `form` overrides what the content says."""

    name: str
    data: bytes
    universe: str = ""
    story: str = ""
    hero: str = ""
    form: LogFormat | None = None

    @cached_property
    def digest(self) -> str:
        """What the contents are known by, whatever the file is called."""
        return hashlib.sha256(self.data).hexdigest()


@dataclass(frozen=True, slots=True)
class ImportProgress:
    """How much is in the library: turns and scenes of how many, and the scene that came last."""

    turns: int
    total_turns: int
    scenes: int
    total_scenes: int
    title: str = ""


@dataclass(frozen=True, slots=True)
class ImportPreview:
    """What a file holds and where it would go. `begun`: turns of it that are in the library already."""

    form: LogFormat
    universe: str
    new_universe: bool
    story: str
    hero: str
    new_hero: bool
    scenes: int
    turns: int
    notes: int
    turns_already_in: int
    titles: tuple[str, ...]
    speakers: tuple[tuple[str, str, int], ...]
    problems: tuple[ImportProblem, ...]


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What is in now. `resumed_at` is the turn (from 1) that this run began with, `whole`: nothing was left
    to do. `last_scene` is the one that play goes on in."""

    universe_id: Id
    universe: str
    story_id: Id
    story: str
    scenes: int
    turns: int
    notes: int
    resumed_at: int
    was_already_complete: bool
    last_scene: Id
    problems: tuple[ImportProblem, ...]
