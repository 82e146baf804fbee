"""What characters remember, and what the log is summed up to. Source: design/ontology.md."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from stores.records.base import Record
from stores.records.ids import Id


class Memory(Record):
    """A character's own memory; it may contradict canon. `source` is saw, told by X, or inferred."""

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
    created_at: datetime
    last_accessed: datetime | None = None
    access_count: int = 0


class Summary(Record):
    """A summary of a scene or of a stretch of turns; anchored to what it covers."""

    id: Id
    scene_id: Id
    kind: str
    text: str
    first_turn: Id | None = None
    last_turn: Id | None = None
    created_at: datetime
