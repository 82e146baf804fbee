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
"""Speakers whose turns narrate: the GM, and the GM for somebody else."""


class StoryMode(StrEnum):
    COPILOT = "copilot"
    AUTOPILOT = "autopilot"


class CriticalCommitMode(StrEnum):
    """What a mid-scene trigger does: ask in one line, or commit what policy accepts at once."""

    ASK = "ask"
    AUTO = "auto"


class DiceRoller(StrEnum):
    """Who throws the dice of a story: the program, or the player, who types the faces."""

    PROGRAM = "program"
    PHYSICAL = "physical"


class TensionMode(StrEnum):
    """What tension does to the oracle: bend the odds of a yes, or only move the edges (how often *and*
    comes instead of *but*)."""

    BEND = "bend"
    EDGE = "edge"


class Story(Record):
    """`system` is the rule pack that it is played by (empty: none). `entries` are the story's books in the
    order they were kept; each counts while its turn is on the line."""

    id: Id
    universe_id: Id
    title: str
    pc_id: Id | None = None
    theme: str = ""
    tone: str = ""
    constraints: str = ""
    lines_and_veils: str = ""
    mode: StoryMode = StoryMode.COPILOT
    critical: CriticalCommitMode = CriticalCommitMode.ASK
    system: str = ""
    tension: int = Field(default=5, ge=1, le=9)
    tension_mode: TensionMode = TensionMode.BEND
    dice: DiceRoller = DiceRoller.PROGRAM
    recap: str = ""
    budget: int | None = Field(default=None, ge=0)
    """What the model may cost in this story, in millionths of a US dollar (None: no limit)."""
    entries: tuple[JournalEntry, ...] = ()
    created_at: datetime


class Scene(Record):
    """`head` names the turn that play stands on (None: before the first)."""

    id: Id
    story_id: Id
    universe_id: Id
    order: int
    title: str
    goal: str = ""
    cast: tuple[Id, ...] = ()
    place_id: Id | None = None
    tick: int = 0
    head: Id | None = None
    summary: str = ""
    canonical_outcomes: tuple[Id, ...] = ()
    created_at: datetime


class Turn(Record):
    """One utterance, never rewritten. Its parent is the turn before it on its line.

    `exchange_id` groups a player's turn with the answers to it (it is the first turn's id). `take`
    counts from 1 among siblings of the same exchange and speaker. `depth` is its place on the line
    (first turn: 0). `tick` is the world time at which it is said, in minutes. `seed` fixes every die
    that the exchange rolls. `hearers` are those who alone heard it, besides who speaks (empty: everyone
    present). `ref` is what it was called in the log that it was imported from.
    """

    id: Id
    scene_id: Id
    parent_id: Id | None
    exchange_id: Id
    speaker: Speaker
    text: str
    name: str = ""
    take: int = 1
    depth: int = Field(ge=0)
    tick: int = 0
    seed: int = 0
    hearers: tuple[Id, ...] = ()
    ref: str = ""
    time_text: str = Field(default="", validation_alias="said")
    """When the log that it was imported from says it was spoken, in that log's words (`8 May 2023, 13:56`)."""
    created_at: datetime


class Note(Record):
    """Words out of character: no part of the story's line, and so neither told nor taken back.

    `turn_id` is the turn that play stood on when it was made (None: before the first).
    """

    id: Id
    story_id: Id
    scene_id: Id
    turn_id: Id | None = None
    text: str
    created_at: datetime


class MoveKind(StrEnum):
    APPEND = "append"
    UNDO = "undo"
    REDO = "redo"
    TAKE = "take"
    BRANCH = "branch"


class HeadMove(Record):
    """The head went from one turn to another. The last move's `to_turn` is the head."""

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
    """One die as it fell. `dropped` faces do not count; `exploded` were rolled for a maximum."""

    sides: str
    face: int
    dropped: bool = False
    exploded: bool = False
    rerolled: bool = False


class Stake(Record):
    """What one degree of a check means, whether or not it came: words, and changes as they would be
    proposed. `effects` are the same changes in words."""

    degree: Degree
    says: str = ""
    effects: tuple[str, ...] = ()
    changes: tuple[StateChange, ...] = ()


class Stakes(Record):
    """How the total of a check is read, and what each degree does. With `odds` it is luck by them."""

    odds: str = ""
    partial_within: int = 0
    low_wins: bool = False
    by_degree: tuple[Stake, ...] = ()


class Resolution(Record):
    """A result, sealed before prose. Everything needed to check it again is in it.

    `kind` and `spec` are what was asked for (`check`, `might 9`), `label` what the dice were said to be
    for, `stakes` what a check was about.
    `by_hand` tells that the faces are of the player's own dice. `instead_of` is the turn whose result
    this one stands for, because dice of it were rerolled or another outcome picked; `altered` says how,
    each time in a few words.
    """

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
    spec: str = ""
    label: str = ""
    stakes: Stakes | None = None
    by_hand: bool = False
    instead_of: Id | None = None
    altered: tuple[str, ...] = ()
    seed: int = 0
    created_at: datetime
