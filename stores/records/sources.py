"""Imported documents, their pages, and the chunks of them that evidence refers to."""

from __future__ import annotations

import hashlib
from datetime import datetime
from enum import StrEnum
from typing import Final

from pydantic import Field

from stores.records.base import Record
from stores.records.ids import Id, derive_id

CARD_MEDIA_TYPE = "application/x-character-card"
"""Media type of sources that are character cards or lorebooks; their snippets are texts, and no rules of play."""


class SourceState(StrEnum):
    """How far a document is. What is not `DONE` may have pages and snippets already."""

    WAITING = "waiting"
    READING = "reading"
    PAUSED = "paused"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    WITHDRAWN = "withdrawn"


READING_STATES: Final = (SourceState.WAITING, SourceState.READING)
"""States in which there is work to do."""

TAKEN_BACK_STATES: Final = (SourceState.CANCELLED, SourceState.WITHDRAWN)
"""States in which nothing of a document is searched or proposed any more."""


class LadderStage(StrEnum):
    """What served a chunk: the first stage that proposed anything or kept an observation."""

    PRIMARY = "primary"
    SUGGESTED = "suggested"
    GENERATED = "generated"
    FORCED = "forced"


class Source(Record):
    """A document, or the picture of an entity. Its original is the object `object_key`, the SHA-256 of its bytes."""

    id: Id
    universe_id: Id
    title: str
    media_type: str = ""
    object_key: str = ""
    licence: str = ""
    recorded_at: datetime
    file_name: str = ""
    url: str = ""
    state: SourceState = SourceState.DONE
    error: str = ""
    """Why reading failed, or waits for a model, in words for the reader."""
    notes: tuple[str, ...] = ()
    """What reading left out and why, in sentences."""
    edition: int = Field(default=1, ge=1)
    """Rises each time that another edition of the document takes the place of the one before."""
    earlier_object_keys: tuple[str, ...] = ()
    """The originals of the editions before, oldest first."""
    page_count: int | None = Field(default=None, ge=0)
    """How many pages the edition has; None until that is known."""
    pages_read: int = Field(default=0, ge=0)
    """How many of its pages are stored."""
    chunk_count: int | None = Field(default=None, ge=0)
    """How many snippets the edition has; None until all of them are stored."""
    uses_model: bool = False
    """Whether a model is asked about each of its chunks."""
    reads_pictures: bool = False
    """Whether a model reads the pages that are pictures without text."""
    picture_pages: tuple[int, ...] = ()
    """The pages of the edition that a model has yet to read from their pictures."""
    pictured_id: Id | None = None
    """The entity that it is the picture of; None of documents. A picture that was removed has no `object_key`."""

    @property
    def is_document(self) -> bool:
        """Whether it is read and reviewed: a card is taken in whole, and a picture is only looked at."""
        return self.media_type != CARD_MEDIA_TYPE and self.pictured_id is None


def picture_source_id(entity_id: Id) -> Id:
    """Return the identifier of the picture of an entity: it has one, whatever file that is."""
    return derive_id("picture", entity_id)


class SourcePage(Record):
    """The text of one page of one edition, as Markdown."""

    id: Id
    source_id: Id
    universe_id: Id
    edition: int = Field(default=1, ge=1)
    number: int = Field(ge=1)
    label: str = ""
    """What the document itself calls it (`xii`, `Chapter 3`); empty for its number."""
    text: str
    transcribed_by: str = ""
    """The model that read it from its picture; empty: its text is the document's own."""


class Snippet(Record):
    """A chunk of a source, with its page and character span."""

    id: Id
    source_id: Id
    universe_id: Id
    ordinal: int
    text: str
    page: int | None = None
    span: tuple[int, int] | None = None
    edition: int = Field(default=1, ge=1)
    """The last edition that has this text; page, span and ordinal are that edition's."""
    stage: LadderStage | None = None
    """What served it; None until it was processed."""
    anchors: tuple[str, ...] = ()
    """The names that were found in it and the observations that were kept with it."""
    asked_model: bool = False
    """Whether a model was asked about it when it was processed last."""


def derive_page_id(source_id: Id, edition: int, number: int) -> Id:
    """Return the identifier of a page of an edition."""
    return derive_id("page", source_id, edition, number)


def derive_snippet_id(source_id: Id, text: str, text_number: int = 0) -> Id:
    """Return the identifier of a chunk of a document: the same in every edition that has its text.

    `text_number` is how many chunks before it have the same text.
    """
    return derive_id(
        "chunk", source_id, hashlib.sha256(text.encode("utf-8", "replace")).hexdigest(), text_number
    )
