"""What was said and rolled: stories, scenes, the append-only turn tree, sealed resolutions."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Final

from pydantic import Field

from stores.records.base import Record
from stores.records.canon import StateChange
from stores.records.ids import Id
from stores.records.story_journal import JournalEntry


class Speaker(StrEnum):
    PLAYER = "player"
    GM = "gm"
    NPC = "npc"
    ORACLE = "oracle"
    SYSTEM = "system"


GM_SPEAKERS: Final = (Speaker.GM, Speaker.NPC)
"""Speakers whose turns narrate: the GM, and the GM speaking as a character."""


class StoryMode(StrEnum):
    COPILOT = "copilot"
    AUTOPILOT = "autopilot"


class CriticalCommitMode(StrEnum):
    """What a trigger in mid-scene does: ask, or commit at once what the policy accepts."""

    ASK = "ask"
    AUTO = "auto"


class DiceRoller(StrEnum):
    """Who throws the dice of a story: the program, or the player, who types the faces."""

    PROGRAM = "program"
    PHYSICAL = "physical"


class TensionMode(StrEnum):
    """What the story's tension does to the oracle."""

    BEND = "bend"
    """It changes the odds of a yes."""
    EDGE = "edge"
    """It only changes how often *and* comes instead of *but*."""


class Story(Record):
    """A story in a universe: its settings, and the entries of its journal."""

    id: Id
    universe_id: Id
    title: str
    pc_id: Id | None = None
    theme: str = ""
    tone: str = ""
    constraints: str = ""
    lines_and_veils: str = ""
    style: str = ""
    """How it is narrated: length, tense, person, and what else the player asks for (empty: as usual)."""
    mode: StoryMode = StoryMode.COPILOT
    critical: CriticalCommitMode = CriticalCommitMode.ASK
    system: str = ""
    """The rule pack that it is played by (empty: none)."""
    tension: int = Field(default=5, ge=1, le=9)
    tension_mode: TensionMode = TensionMode.BEND
    dice: DiceRoller = DiceRoller.PROGRAM
    recap: str = ""
    budget: int | None = Field(default=None, ge=0)
    """What the model may cost in this story, in millionths of a US dollar (None: no limit)."""
    entries: tuple[JournalEntry, ...] = ()
    """Entries of the story's journal in the order they were made; each counts while its turn is on the line."""
    created_at: datetime


class Scene(Record):
    """A scene of a story, and the turn that play stands on."""

    id: Id
    story_id: Id
    universe_id: Id
    order: int
    title: str
    goal: str = ""
    cast: tuple[Id, ...] = ()
    place_id: Id | None = None
    """Where play stands; a commit moves it with the hero."""
    opening_place_id: Id | None = None
    """Where the scene opened (None: not recorded)."""
    tick: int = 0
    head: Id | None = None
    """The turn that play stands on (None: before the first)."""
    summary: str = ""
    canonical_outcomes: tuple[Id, ...] = ()
    passed_offer_ids: tuple[Id, ...] = ()
    """Proposals of mid-scene offers to commit that the player left to the end of the scene."""
    is_taken_back: bool = False
    """Undo took back the end of the scene before, with which this one began: no list has it until redo."""
    created_at: datetime

    @property
    def label(self) -> str:
        """The scene's number, and its title if it has one of its own: `Scene 2 “The boathouse”`."""
        number = f"Scene {self.order}"
        return number if self.title.strip() in ("", number) else f"{number} “{self.title}”"

    @property
    def inline_label(self) -> str:
        """The label as it stands inside a line: `scene 2 “The boathouse”`."""
        return f"s{self.label[1:]}"


class Turn(Record):
    """One utterance, never rewritten. Its parent is the turn before it on its line."""

    id: Id
    scene_id: Id
    parent_id: Id | None
    exchange_id: Id
    """The exchange of a player's turn and the answers to it: the identifier of its first turn."""
    speaker: Speaker
    text: str
    name: str = ""
    take: int = 1
    """Counts from 1 among siblings of the same exchange and speaker."""
    depth: int = Field(ge=0)
    """Its place on the line (first turn: 0)."""
    tick: int = 0
    """The world time at which it is spoken, in minutes."""
    seed: int = 0
    """Fixes every die that the exchange rolls."""
    hearers: tuple[Id, ...] = ()
    """Who alone heard it, besides the speaker (empty: everyone present)."""
    ref: str = ""
    """What it was called in the log that it was imported from."""
    time_text: str = Field(default="", validation_alias="said")
    """When the log that it was imported from says it was spoken, in that log's words (`8 May 2023, 13:56`)."""
    created_at: datetime


class Note(Record):
    """Words out of character. A note is no part of the story's line, so it is not undone."""

    id: Id
    story_id: Id
    scene_id: Id
    turn_id: Id | None = None
    """The turn that play stood on when it was made (None: before the first)."""
    text: str
    created_at: datetime


class MoveKind(StrEnum):
    APPEND = "append"
    UNDO = "undo"
    REDO = "redo"
    TAKE = "take"
    BRANCH = "branch"


class HeadMove(Record):
    """One move of a scene's head. The last move's `to_turn` is the head."""

    scene_id: Id
    seq: int
    kind: MoveKind
    from_turn: Id | None
    to_turn: Id | None
    at: datetime


class Degree(StrEnum):
    SUCCESS = "success"
    PARTIAL = "partial"
    FAIL = "fail"
    NONE = "none"


class Die(Record):
    """One die as it fell."""

    sides: str
    face: int
    dropped: bool = False
    """Whether the face does not count."""
    exploded: bool = False
    """Whether it was rolled because another die showed its maximum."""
    rerolled: bool = False


class Stake(Record):
    """What one degree of a check means, whether or not it was rolled."""

    degree: Degree
    says: str = ""
    """What happens, in words."""
    effects: tuple[str, ...] = ()
    """`changes` in words."""
    changes: tuple[StateChange, ...] = ()
    """Changes that are proposed if this degree is rolled."""


class Stakes(Record):
    """How the total of a check is read, and what each degree does."""

    odds: str = ""
    """The odds of a luck roll (empty: it is a check)."""
    partial_within: int = 0
    low_wins: bool = False
    by_degree: tuple[Stake, ...] = ()


class Resolution(Record):
    """A result, stored before it is narrated, with everything needed to check it again."""

    id: Id
    scene_id: Id
    turn_id: Id
    rule: str
    intent: str
    expression: str = ""
    dice: tuple[Die, ...] = ()
    total: int | None = None
    target: int | None = None
    degree: Degree = Degree.NONE
    margin: int | None = None
    text: str = ""
    effects: tuple[str, ...] = ()
    kind: str = ""
    """What was asked for, as a word (`check`)."""
    spec: str = ""
    """What was asked for, as it was typed (`might 9`)."""
    label: str = ""
    """What the dice were rolled for."""
    stakes: Stakes | None = None
    by_hand: bool = False
    """Whether the faces are of the player's own dice."""
    instead_of: Id | None = None
    """The turn whose result this one replaces, because dice were rerolled or another outcome picked."""
    altered: tuple[str, ...] = ()
    """How it differs from the result it replaces, a few words for each change."""
    seed: int = 0
    created_at: datetime
