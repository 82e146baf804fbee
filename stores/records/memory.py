"""Memories of characters, summaries of scenes, and archived logs."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from stores.records.base import Record
from stores.records.ids import Id


class MemoryOrigin(StrEnum):
    """How a character came to a memory."""

    SAW = "saw"
    TOLD = "told"
    INFERRED = "inferred"


class Memory(Record):
    """A character's own memory; it may contradict canon, and never becomes canon by being remembered."""

    id: Id
    entity_id: Id
    universe_id: Id
    scene_id: Id | None = None
    turn_id: Id | None = None
    """The turn that it was lived in; it counts while that is on the line."""
    text: str
    linked_fact_id: Id | None = None
    valence: float = Field(default=0.0, ge=-1.0, le=1.0)
    importance: float = Field(default=0.5, ge=0.0, le=1.0)
    source: str = "saw"
    """In words, how the character came to it (saw, told by X, inferred)."""
    how: MemoryOrigin = MemoryOrigin.SAW
    """The same as `source`, for code."""
    told_by: Id | None = None
    """Who told it, if somebody did."""
    about: tuple[Id, ...] = ()
    """Whom and what it is about."""
    tick: int = 0
    """The world time of what is remembered."""
    mistaken: bool = False
    """Whether the character remembers it otherwise than it was."""
    corrects: Id | None = None
    """The memory of the same character that it replaces."""
    corrected_by: Id | None = None
    """The memory that replaced it; this one counts only while that one does not."""
    created_at: datetime
    last_accessed: datetime | None = None
    access_count: int = 0
    recalled: int | None = None
    """The world time (tick) at which it was recalled last."""
    strength: float = Field(default=1.0, ge=1.0)
    """How many times its first stability it has by now (`agents/memory_manager/memory_decay.py`)."""


class Summary(Record):
    """A summary of a scene or of some of its turns, with what it covers."""

    id: Id
    scene_id: Id
    kind: str
    text: str
    first_turn: Id | None = None
    last_turn: Id | None = None
    created_at: datetime


class ArchivedLog(Record):
    """A scene's log that is stored whole in the object store, and can be read from there.

    `head` is the turn that play stood on then; if the head has moved since, the archive is out of date.
    """

    id: Id
    scene_id: Id
    story_id: Id
    universe_id: Id
    object_key: str
    turns: int = Field(ge=0)
    head: Id | None = None
    archived_at: datetime
