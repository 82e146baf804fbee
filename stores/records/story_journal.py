"""The story's journal: open threads, decisions, weights of characters, who is present, the tension, other words.

An entry is never changed; the present state is computed from the entries whose turns are on the line.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from stores.records.base import Record
from stores.records.ids import Id

Weight = Annotated[int, Field(ge=1, le=3)]
"""How often a random event picks it, relative to the others."""


class Thread(Record):
    """An open question of the story, in its present state.

    `since` and `closed_at` are world times (ticks; `since` None: unknown). `fact_id` is the commitment that it
    shows, if canon has it or a proposal would add it. `outcome` is how it ended, in the words of who closed it.
    """

    id: Id
    story_id: Id
    name: str = Field(min_length=1)
    weight: Weight = 1
    since: int | None = 0
    closed_at: int | None = None
    outcome: str = ""
    fact_id: Id | None = None
    setup_question: str = ""
    """The question of session zero that it answers, by its key; empty if it was opened otherwise."""

    @property
    def is_open(self) -> bool:
        return self.closed_at is None


class _JournalEntryBase(Record):
    """An entry that counts while `turn_id` is on its scene's line (None: it belongs to the scene itself).

    `tick` is the world time when it was made, `command_id` the command that made it: all that one command did is
    undone together.
    """

    id: Id
    scene_id: Id
    turn_id: Id | None = None
    tick: int = 0
    at: datetime
    command_id: Id | None = None


class ThreadAction(StrEnum):
    OPEN = "open"
    CLOSE = "close"
    REOPEN = "reopen"
    WEIGH = "weigh"
    RENAME = "rename"


class ThreadEntry(_JournalEntryBase):
    """A change of a thread. `name` is set for OPEN and RENAME, for CLOSE it is the outcome; `by` is set for WEIGH.

    `setup_question` is the key of the question of session zero that an OPEN answers.
    """

    kind: Literal["thread"] = "thread"
    thread_id: Id
    act: ThreadAction
    name: str = ""
    by: int = 0
    setup_question: str = ""


class CharacterWeightEntry(_JournalEntryBase):
    """The weight of a character in the story: 0 keeps them off its list and out of random events."""

    kind: Literal["person"] = "person"
    entity_id: Id
    weight: int = Field(ge=0, le=3)


class Awareness(StrEnum):
    """Whether somebody in a scene hears and sees what happens in it."""

    AWARE = "aware"
    ASLEEP = "asleep"
    OUT_OF_EARSHOT = "out of earshot"
    DEAD = "dead"


class PresenceEntry(_JournalEntryBase):
    """A character entered the scene or left it, fell asleep in it or woke.

    An entry that was typed as a command holds from the turn after its own; one that the words of its turn say holds
    in that turn for whoever comes.
    """

    kind: Literal["presence"] = "presence"
    entity_id: Id
    here: bool
    awareness: Awareness = Awareness.AWARE
    """Whether they hear and see, if they are here."""
    is_narrated: bool = False
    """Whether the words of the turn say it, and not a command."""
    is_left_behind: bool = False
    """Whether the hero went on without them, so that they are where they were."""
    place_id: Id | None = None
    """Where somebody stays whom the hero left behind, if it is known."""
    is_companion: bool = False
    """Whether they came along with the hero, and go on doing so until they leave or stay behind."""


class PlaceEntry(_JournalEntryBase):
    """The scene goes on in another place, because the hero went there."""

    kind: Literal["place"] = "place"
    place_id: Id
    is_narrated: bool = False
    """Whether the words of the turn say it, and not a fact."""


class TimeEntry(_JournalEntryBase):
    """World time passes after a turn, up to `until_tick`, because the words of the turn say so."""

    kind: Literal["time"] = "time"
    until_tick: int


class TensionEntry(_JournalEntryBase):
    """A change of the tension, and why. Undoing the turn does not change the tension back."""

    kind: Literal["tension"] = "tension"
    before: int
    after: int
    why: str = ""


class DecisionEntry(_JournalEntryBase):
    """Something that was decided and holds until it is lifted, or that a decision is lifted.

    `decision_id` is the entry that decided it (its own identifier, unless it lifts one) or a `DecisionMark`.
    """

    kind: Literal["decision"] = "decision"
    decision_id: Id
    text: str = ""
    is_lifted: bool = False


class RewordingEntry(_JournalEntryBase):
    """The turn `turn_id` reads in other words than it was told in; the last such entry that stands counts."""

    kind: Literal["rewording"] = "rewording"
    text: str = Field(min_length=1)


class UndoEntry(_JournalEntryBase):
    """An earlier entry was undone, and does not count, or redone."""

    kind: Literal["undo"] = "undo"
    entry_id: Id
    is_undone: bool


JournalEntry = Annotated[
    ThreadEntry
    | CharacterWeightEntry
    | PresenceEntry
    | PlaceEntry
    | TimeEntry
    | TensionEntry
    | DecisionEntry
    | RewordingEntry
    | UndoEntry,
    Field(discriminator="kind"),
]


def find_undone_entry_ids(entries: Iterable[JournalEntry]) -> frozenset[Id]:
    """Return the entries that were undone by themselves, and not redone since."""
    is_undone_by_id = {e.entry_id: e.is_undone for e in entries if isinstance(e, UndoEntry)}
    return frozenset(entry_id for entry_id, is_undone in is_undone_by_id.items() if is_undone)


def find_tension_changes(entries: Iterable[JournalEntry]) -> tuple[TensionEntry, ...]:
    """Return the changes of the tension that stand, in the order of the journal: whatever became of their turns."""
    entries = tuple(entries)
    undone_ids = find_undone_entry_ids(entries)
    return tuple(e for e in entries if isinstance(e, TensionEntry) and e.id not in undone_ids)


def find_arrived_ids(entries: Iterable[JournalEntry], scene_id: Id) -> tuple[Id, ...]:
    """Return who came into a scene, by the entries that count."""
    return tuple(
        dict.fromkeys(
            e.entity_id for e in entries if isinstance(e, PresenceEntry) and e.scene_id == scene_id and e.here
        )
    )
