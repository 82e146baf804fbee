"""What a reader of one format gives: a document whose pages are read one after another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from agents.ingest.documents.document import Page, describe_pages
from agents.ingest.documents.errors import unreadable_document_error
from agents.ingest.documents.formats import MediaType
from stores.errors import InputError


class OpenDocument(Protocol):
    """A document of which single pages are read."""

    @property
    def title(self) -> str:
        """The title by the document's metadata; empty if it has none."""
        ...

    @property
    def media_type(self) -> MediaType: ...

    @property
    def page_count(self) -> int: ...

    def read_page(self, index: int) -> Page:
        """Read a page; `index` is from 0. Raises InputError."""
        ...

    def describe_omissions(self) -> Sequence[str]:
        """Return what was left out of the pages that were read, in sentences."""
        ...

    @property
    def picture_pages(self) -> Sequence[int]:
        """The pages, of those that were read, that are pictures without text."""
        ...

    def no_text_error(self) -> InputError:
        """Return the error for a document none of whose pages has text."""
        ...


@dataclass(frozen=True, slots=True)
class ReadPages:
    """A document that is read at once, since it has no pages to be read singly."""

    title: str
    media_type: MediaType
    pages: Sequence[Page]
    notes: Sequence[str] = field(default=())
    picture_pages: Sequence[int] = ()

    @property
    def page_count(self) -> int:
        return len(self.pages)

    def read_page(self, index: int) -> Page:
        return self.pages[index]

    def describe_omissions(self) -> Sequence[str]:
        return self.notes

    def no_text_error(self) -> InputError:
        return no_text_error()


def no_text_error() -> InputError:
    return unreadable_document_error("there is no text in it", "Choose a document with text in it")


def note_unread_pictures(numbers: Sequence[int]) -> str:
    """Return the note on pages that are pictures without text, and that nobody reads."""
    verb, noun = ("is", "a picture") if len(numbers) == 1 else ("are", "pictures")
    return f"{describe_pages(numbers)} {verb} {noun} without text, and left out."


def describe_pictures(count: int) -> list[str]:
    """Return a note on pictures that were left out, if there were any."""
    if not count:
        return []
    return [f"{count:,} picture{'s were' if count != 1 else ' was'} left out."]
