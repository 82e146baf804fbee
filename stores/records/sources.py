"""Imported documents, and the chunks of them that evidence refers to."""

from __future__ import annotations

from datetime import datetime

from stores.records.base import Record
from stores.records.ids import Id

CARD_MEDIA_TYPE = "application/x-character-card"
"""Media type of sources that are character cards or lorebooks; their snippets are texts, and no rules of play."""


class Source(Record):
    id: Id
    universe_id: Id
    title: str
    media_type: str = ""
    object_key: str = ""
    licence: str = ""
    recorded_at: datetime


class Snippet(Record):
    """A chunk of a source, with its page and character span."""

    id: Id
    source_id: Id
    universe_id: Id
    ordinal: int
    text: str
    page: int | None = None
    span: tuple[int, int] | None = None
