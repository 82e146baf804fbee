"""Defines the input for a new story: a universe, a hero, the outline of the story and its first scene."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from agents.sanitize import clean
from stores.errors import InputError
from stores.records.ids import Id
from stores.records.play import CriticalCommitMode, DiceRoller, StoryMode, TensionMode
from stores.records.world import EntityKind, Number

MAX_STYLE_LENGTH = 600
"""Characters of a story's style: it stands in every prompt."""


class MainMode(StrEnum):
    """Modes of the main loop."""

    START_STORY = "start_story"
    CONTINUE = "continue_story"
    UNIVERSE = "universe"
    CHARACTERS = "characters"
    INGEST = "ingest"
    QUERY = "query"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class NewUniverse:
    """A universe to create."""

    name: str
    genre: str = ""
    tone: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class NewCharacter:
    """A player character to create."""

    name: str
    description: str = ""
    numbers: tuple[tuple[str, Number], ...] = ()
    """Names and values on the sheet, such as hp or might."""

    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProposedNewcomer:
    """A person, place or thing to propose to the world."""

    kind: EntityKind
    name: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class StoryOutline:
    """A story and its first scene."""

    universe_id: Id
    title: str
    pc: Id | NewCharacter | None
    """An existing character's id, or one to create."""

    theme: str = ""
    tone: str = ""
    constraints: str = ""
    lines_and_veils: str = ""
    style: str = ""
    mode: StoryMode = StoryMode.COPILOT
    critical: CriticalCommitMode = CriticalCommitMode.ASK
    system: str = ""
    dice: DiceRoller = DiceRoller.PROGRAM
    tension_mode: TensionMode = TensionMode.BEND
    scene_title: str = "Scene 1"
    scene_goal: str = ""
    place: Id | str | None = None
    cast: tuple[Id, ...] = ()
    tick: int = 480
    """World time at which the scene begins."""

    prose: tuple[str, ...] = ()
    """The GM's opening text, before the first turn."""

    newcomers: tuple[ProposedNewcomer, ...] = ()
    """Proposed at the first scene's gate; those who already exist are put into the scene instead."""


def read_style(words: str) -> str:
    """Return what is typed as a style. Raises InputError if it is too long."""
    style = clean(words).strip()
    if len(style) > MAX_STYLE_LENGTH:
        raise InputError(
            f"That is {len(style):,} characters; a style has {MAX_STYLE_LENGTH}.",
            kept="Nothing was changed, and your words are still there.",
            todo="Say it shorter: it stands in every prompt.",
        )
    return style
