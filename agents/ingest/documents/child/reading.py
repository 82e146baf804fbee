"""Opens a document of any format and reads its pages one after another, within its limits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import Final, assert_never

from agents.ingest.documents.child.docx_pages import open_docx
from agents.ingest.documents.child.epub_pages import EpubDocument
from agents.ingest.documents.child.html_pages import open_html
from agents.ingest.documents.child.markdown_pages import open_markdown, open_text
from agents.ingest.documents.child.open_document import OpenDocument, note_unread_pictures
from agents.ingest.documents.child.page_sample import choose_sample
from agents.ingest.documents.child.pdf_pages import PdfDocument
from agents.ingest.documents.child.text_pages import first_heading
from agents.ingest.documents.document import Document, Page
from agents.ingest.documents.errors import unreadable_document_error
from agents.ingest.documents.formats import MediaType, detect_media_type
from agents.ingest.documents.limits import DEFAULT_LIMITS, MEGABYTE, ReadingLimits
from agents.ingest.documents.reading_pipe import DocumentSummary
from agents.sanitize import MAX_TITLE_LENGTH, clean

_PROGRAM_TITLE: Final = re.compile(
    r"Microsoft (?:Word|PowerPoint) - .*|untitled|.*\.(?:docx?|indd|qxp|rtf|odt|pages|tex)", re.IGNORECASE
)
"""What programs write as title by themselves: a file's name, or that it has none."""


class DocumentPages:
    """The pages of a document, to be read once; afterwards `summarize` says what it was."""

    def __init__(
        self, data: bytes, name: str, limits: ReadingLimits = DEFAULT_LIMITS, *, is_plain: bool = False
    ) -> None:
        """Open it; `is_plain` reads a PDF without headings and tables. Raises InputError."""
        self._name = name
        self._limits = limits
        self._document = _open(data, name, limits, is_plain=is_plain)
        self._heading: str | None = None
        """The first heading of the first page, once that was read."""
        self._has_text = False
        if self.page_count > limits.pages:
            raise unreadable_document_error(
                f"it has {self.page_count:,} pages, and {limits.pages:,} are the most",
                "Cut it into several documents",
            )

    @property
    def page_count(self) -> int:
        return self._document.page_count

    def read(self, sample_pages: int = 0, skipped_pages: int = 0) -> Iterator[Page]:
        """Yield all pages, or as many as a sample has, spread over the document. Raises InputError.

        `skipped_pages` of them were read before, so that the document has text.
        """
        characters = 0
        self._has_text = skipped_pages > 0
        for index in choose_sample(self.page_count, sample_pages)[skipped_pages:]:
            page = self._document.read_page(index)
            characters += len(page.text)
            if characters > self._limits.characters or len(page.text) > self._limits.page_characters:
                raise unreadable_document_error(
                    f"its text has more than {self._limits.characters:,} characters, "
                    f"or page {page.number:,} alone more than {self._limits.page_characters:,}",
                    "Cut it into several documents",
                )
            self._has_text = self._has_text or bool(page.text)
            if index == 0:
                self._heading = first_heading(page.text)
            yield page

    def summarize(self, *, allows_pictures: bool = False) -> DocumentSummary:
        """Return title and notes, once the pages were read.

        Raises InputError if there was no text; with `allows_pictures`, if there were no pictures of pages either.
        """
        picture_pages = tuple(self._document.picture_pages)
        if not self._has_text and not (allows_pictures and picture_pages):
            raise self._document.no_text_error()
        notes = tuple(self._document.describe_omissions())
        if picture_pages and not allows_pictures:
            notes += (note_unread_pictures(picture_pages),)
        stem = PurePath(self._name).stem
        titles = (" ".join(clean(one).split()) for one in self._find_titles())
        title = next((one for one in titles if one and not _PROGRAM_TITLE.fullmatch(one)), stem)
        return DocumentSummary(
            title[:MAX_TITLE_LENGTH], self._document.media_type.value, self.page_count, notes, picture_pages
        )

    def _find_titles(self) -> Iterator[str]:
        """Yield what the document may be called; the same whether all of it was read or a sample."""
        yield self._document.title
        # A sample, and a reading that goes on, leave the first page out.
        yield first_heading(self._document.read_page(0).text) if self._heading is None else self._heading


def read_document(data: bytes, name: str, limits: ReadingLimits = DEFAULT_LIMITS) -> Document:
    """Read a whole document in this process. Raises InputError."""
    opened = DocumentPages(data, name, limits)
    pages = tuple(opened.read())
    summary = opened.summarize()
    return Document(summary.title, summary.media_type, pages, summary.notes)


def _open(data: bytes, name: str, limits: ReadingLimits, *, is_plain: bool) -> OpenDocument:
    if len(data) > limits.file_bytes:
        raise unreadable_document_error(
            f"it has more than {limits.file_bytes / MEGABYTE:,.0f} MB", "Cut it into several documents"
        )
    if not data.strip():
        raise unreadable_document_error("it is empty", "Choose a document with text in it")
    media_type = detect_media_type(data, name)
    match media_type:
        case MediaType.PDF:
            return PdfDocument(data, is_plain=is_plain)
        case MediaType.EPUB:
            return EpubDocument(data, limits)
        case MediaType.DOCX:
            return open_docx(data, limits)
        case MediaType.HTML:
            return open_html(data, limits.nesting)
        case MediaType.MARKDOWN:
            return open_markdown(data)
        case MediaType.TEXT:
            return open_text(data)
        case _:
            assert_never(media_type)
