"""Values that describe an import: the request, a preview, the progress, the result."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

from agents.importers.log_entries import ImportProblem, LogFormat
from stores.records.ids import Id


@dataclass(frozen=True)
class ImportRequest:
    """A file to import, and where to."""

    name: str
    data: bytes
    universe: str = ""
    """Name of the universe; empty: a new one, named after the file."""

    story: str = ""
    """Name of the story; empty: named after the file."""

    hero: str = ""
    """Name of the player character; empty: nobody."""

    form: LogFormat | None = None
    """Overrides the format that the content suggests."""

    @cached_property
    def own_titles(self) -> tuple[str, str]:
        """What the log calls itself and its world; empty where it says neither. Raises InputError for no log."""
        from agents.importers.log_reading import read_title  # most sessions import nothing

        return read_title(self.data)

    @cached_property
    def digest(self) -> str:
        """Identifies the contents, whatever the file is called."""
        return hashlib.sha256(self.data).hexdigest()


@dataclass(frozen=True, slots=True)
class ImportProgress:
    """How much of a log has been imported."""

    turns: int
    total_turns: int
    scenes: int
    total_scenes: int
    title: str = ""
    """Title of the scene imported last."""


@dataclass(frozen=True, slots=True)
class ImportPreview:
    """What a file contains and where it would go."""

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
    """Turns of the file that the library already has."""

    titles: tuple[str, ...]
    speakers: tuple[tuple[str, str, int], ...]
    """Name, voice and number of turns of each speaker."""

    problems: tuple[ImportProblem, ...]
    proposal_count: int = 0
    """Changes that the log's tags and links would propose."""

    undecided_names: tuple[str, ...] = ()
    """Those of them that are proposed as concepts because nothing in the log says what they are."""


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What an import added."""

    universe_id: Id
    universe: str
    story_id: Id
    story: str
    scenes: int
    turns: int
    notes: int
    resumed_at: int
    """The turn (from 1) at which this run started; 0: at the beginning."""

    was_already_complete: bool
    """Whether there was nothing left to import."""

    last_scene: Id
    """The scene in which play continues."""

    problems: tuple[ImportProblem, ...]
    proposal_count: int = 0
    """Changes that the log's tags and links propose, at the gate of the last scene."""

    undecided_names: tuple[str, ...] = ()
    """Those of them that are proposed as concepts because nothing in the log says what they are."""
