"""What characters remember, what the log is summed up to, and which logs were put away."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from stores.records.base import Record
from stores.records.ids import Id


class MemoryOrigin(StrEnum):
    """How somebody came to what they remember."""

    SAW = "saw"
    TOLD = "told"
    INFERRED = "inferred"


class Memory(Record):
    """A character's own memory; it may contradict canon, and never becomes canon by being remembered.

    `turn_id` is the turn that it was lived in (it counts while that is on the line), `tick` the world time of
    it. `source` says in words how it came (saw, told by X, inferred), `how` and `told_by` the same for code.
    `about` are those whom and what it is about. `mistaken`: the character has it otherwise than it was,
    whether told so or misremembered; `corrects` names the memory of its own that it takes the place of,
    `corrected_by` the one that took its own (it counts while that one does). `recalled` is the world time
    (tick) at which it came to mind last, `strength` how many times its first stability it has by now
    (`agents/memory_manager/decay.py`).
    """

    id: Id
    entity_id: Id
    universe_id: Id
    scene_id: Id | None = None
    turn_id: Id | None = None
    text: str
    linked_fact_id: Id | None = None
    valence: float = Field(default=0.0, ge=-1.0, le=1.0)
    importance: float = Field(default=0.5, ge=0.0, le=1.0)
    source: str = "saw"
    how: MemoryOrigin = MemoryOrigin.SAW
    told_by: Id | None = None
    about: tuple[Id, ...] = ()
    tick: int = 0
    mistaken: bool = False
    corrects: Id | None = None
    corrected_by: Id | None = None
    created_at: datetime
    last_accessed: datetime | None = None
    access_count: int = 0
    recalled: int | None = None
    strength: float = Field(default=1.0, ge=1.0)


class Summary(Record):
    """A summary of a scene or of a stretch of turns; anchored to what it covers."""

    id: Id
    scene_id: Id
    kind: str
    text: str
    first_turn: Id | None = None
    last_turn: Id | None = None
    created_at: datetime


class ArchivedLog(Record):
    """A scene's log that was put away whole in the object store, and can be read from there.

    `head` is the turn that play stood on then: one that has moved since makes the archive out of date.
    """

    id: Id
    scene_id: Id
    story_id: Id
    universe_id: Id
    object_key: str
    turns: int = Field(ge=0)
    head: Id | None = None
    archived_at: datetime
