"""Universes and their calendars, entities, and the story and scene nodes of canon."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from pydantic import Field

from stores.records.base import Record
from stores.records.ids import Id

Number = int | float


class EntityKind(StrEnum):
    CHARACTER = "character"
    PLACE = "place"
    FACTION = "faction"
    OBJECT = "object"
    CONCEPT = "concept"
    CREATURE = "creature"


ACTORS = (EntityKind.CHARACTER, EntityKind.CREATURE)
"""The kinds of entity that can act and speak."""


class EntityStatus(StrEnum):
    CANONICAL = "canonical"
    MERGED = "merged"
    RETCONNED = "retconned"


class DayPart(Record):
    """A named stretch of the day that begins at `from_minute` after midnight."""

    from_minute: int = Field(ge=0)
    name: str


class Month(Record):
    """A named part of the year, of so many days."""

    name: str = Field(min_length=1)
    days: int = Field(ge=1, le=10_000)


class Moon(Record):
    """A moon that is full every `cycle_days` days, first on the day `full_on` of the calendar's first year."""

    name: str = Field(min_length=1)
    cycle_days: int = Field(ge=2, le=100_000)
    full_on: int = Field(default=1, ge=1)


class NamedDay(Record):
    """A day that has a name and comes again: the thaw, a feast, a spring tide.

    `day` counts from 1 in the first year; it comes again every `every_days` days (None: once a year).
    """

    name: str = Field(min_length=1)
    day: int = Field(ge=1)
    every_days: int | None = Field(default=None, ge=1)


class Calendar(Record):
    """How ticks (minutes since the epoch) read in this universe."""

    minutes_per_hour: int = Field(default=60, ge=1)
    hours_per_day: int = Field(default=24, ge=1)
    day_word: str = "Day"
    first_day: int = 1
    parts: tuple[DayPart, ...] = (
        DayPart(from_minute=0, name="night"),
        DayPart(from_minute=300, name="dawn"),
        DayPart(from_minute=480, name="morning"),
        DayPart(from_minute=720, name="noon"),
        DayPart(from_minute=840, name="afternoon"),
        DayPart(from_minute=1080, name="dusk"),
        DayPart(from_minute=1260, name="night"),
    )
    months: tuple[Month, ...] = ()
    """The months of a year in their order; a world without any has days alone."""
    moons: tuple[Moon, ...] = ()
    named_days: tuple[NamedDay, ...] = ()


class BranchOrigin(Record):
    """Where a branch left the universe that it is a copy of.

    Identifiers stand without hyphens (`key_of`): the records are another universe's, so that neither an archive
    nor a copy of the branch takes them for its own.
    """

    name: str
    """What the player calls the branch."""
    parent_key: str
    scene_key: str
    scene_label: str
    """What the scene was called: `Scene 2 “The boathouse”`."""
    turn_number: int = Field(ge=0)
    """The turn that play stood on, counted from 1 (0: before the scene's first)."""
    copy_key: str
    """What the branch's identifiers are derived from, besides those that they are copies of."""
    at: datetime

    @property
    def place_in_words(self) -> str:
        """Return where the branch left: `Scene 2 “The boathouse”, turn 7`."""
        if not self.turn_number:
            return f"the beginning of {self.scene_label}"
        return f"{self.scene_label}, turn {self.turn_number}"


class Universe(Record):
    id: Id
    name: str
    genre: str = ""
    tone: str = ""
    description: str = ""
    calendar: Calendar = Calendar()
    locked: bool = False
    branch: BranchOrigin | None = None
    """Where it left another universe, if it is a branch."""
    recorded_at: datetime


class Entity(Record):
    """A person, place or thing of the world. `tags` and `numbers` are its canonical state."""

    id: Id
    universe_id: Id
    kind: EntityKind
    name: str
    aliases: tuple[str, ...] = ()
    description: str = ""
    is_pc: bool = False
    tags: tuple[str, ...] = ()
    numbers: dict[str, Number] = Field(default_factory=dict)
    locked: bool = False
    status: EntityStatus = EntityStatus.CANONICAL
    merged_into: Id | None = None
    recorded_at: datetime


class EntityNames(NamedTuple):
    """What an entity is called, and what kind of thing it is."""

    id: Id
    kind: EntityKind
    name: str
    aliases: tuple[str, ...] = ()


class StoryNode(Record):
    """A story's container in the canon graph: `(Story)-[:SET_IN]->(Universe)`."""

    id: Id
    universe_id: Id
    title: str
    status: str = "active"


class SceneStatus(StrEnum):
    """How far a scene is, as canon has it. `TAKEN_BACK`: it began with an end that was undone."""

    ACTIVE = "active"
    COMPLETED = "completed"
    TAKEN_BACK = "taken back"


class SceneNode(Record):
    """A scene's container: `(Scene)-[:PART_OF]->(Story)` and `(Scene)-[:NEXT]->(Scene)` by `follows`."""

    id: Id
    story_id: Id
    universe_id: Id
    order: int
    title: str
    status: str = SceneStatus.ACTIVE
    follows: Id | None = None


def fold_name(name: str) -> str:
    """Return the name as it is compared: without case, and one spelling for one accented letter.

    Lone surrogates, which no store can be asked for, become question marks.
    """
    return unicodedata.normalize("NFC", name.casefold()).encode(errors="replace").decode()


def has_any_word(folded_name: str, folded_words: Iterable[str]) -> bool:
    """Say whether a name has one of these words, and not only within another one; both as `fold_name` returns them."""
    return any(
        not (_is_of_word(folded_name, start - 1) or _is_of_word(folded_name, start + len(word)))
        for word in folded_words
        for start in _find_starts(folded_name, word)
    )


def _find_starts(text: str, part: str) -> Iterator[int]:
    start = text.find(part)
    while start >= 0:
        yield start
        start = text.find(part, start + 1)


def _is_of_word(text: str, place: int) -> bool:
    return 0 <= place < len(text) and text[place].isalnum()


def key_of(id: Id) -> str:
    """Return an identifier as a `BranchOrigin` names it."""
    return id.replace("-", "")
