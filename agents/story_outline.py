"""What a story is set up from: a new universe, a hero, the outline of the story and its first scene."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from stores.records.ids import Id
from stores.records.play import Critical, DiceBy, StoryMode, TensionMode
from stores.records.world import EntityKind, Number


class Mode(StrEnum):
    """The Main Loop's modes that exist so far."""

    START_STORY = "start_story"
    CONTINUE = "continue_story"
    UNIVERSE = "universe"
    CHARACTERS = "characters"
    QUERY = "query"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class NewUniverse:
    name: str
    genre: str = ""
    tone: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class NewCharacter:
    """A player character to create; `numbers` such as hp or might."""

    name: str
    description: str = ""
    numbers: tuple[tuple[str, Number], ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Newcomer:
    """Somebody or something to propose to the world."""

    kind: EntityKind
    name: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class StoryOutline:
    """Story and first scene. `pc` is an existing character's id or one to create; `tick` the world time
    that the scene begins at; `prose` is told by the GM before the first turn. `newcomers` are proposed at
    the first scene's gate, on nobody's word; who of them is known already is there instead."""

    universe_id: Id
    title: str
    pc: Id | NewCharacter | None
    theme: str = ""
    tone: str = ""
    constraints: str = ""
    lines_and_veils: str = ""
    mode: StoryMode = StoryMode.COPILOT
    critical: Critical = Critical.ASK
    system: str = ""
    dice: DiceBy = DiceBy.PROGRAM
    tension_mode: TensionMode = TensionMode.BEND
    scene_title: str = "Scene 1"
    scene_goal: str = ""
    place: Id | str | None = None
    cast: tuple[Id, ...] = ()
    tick: int = 480
    prose: tuple[str, ...] = ()
    newcomers: tuple[Newcomer, ...] = ()
