"""Reads PDF: pdf-oxide for the words, their places and tables; PDFium says what is wrong, checks and steps in.

pdf-oxide gives no text at all for protected and damaged files, without an error, so PDFium opens the file
first, and its text replaces a page's that lost much of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, Final

import pdf_oxide
import pypdfium2  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium  # type: ignore[import-untyped]

from agents.ingest.documents.child.open_document import describe_pictures
from agents.ingest.documents.child.page_sample import choose_sample
from agents.ingest.documents.child.pdf_layout import (
    BookStyle,
    detect_style,
    lay_out_page,
)
from agents.ingest.documents.child.pdf_runs import TextRun
from agents.ingest.documents.child.pdf_tables import RuledTable
from agents.ingest.documents.document import Page, describe_pages
from agents.ingest.documents.errors import (
    blank_document_error,
    damaged_document_error,
    scanned_document_error,
    unreadable_document_error,
)
from agents.ingest.documents.formats import MediaType
from agents.sanitize import clean
from stores.errors import InputError

STYLE_PAGES: Final = 24
"""Pages by which the style of a book is known."""

_SEEN_OBJECTS: Final = (pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_PATH)

MIN_TEXT_RATIO: Final = 0.7
"""The part of the words that PDFium finds on a page which pdf-oxide must find there too: of a damaged file it may
give another page's."""


class PdfDocument:
    media_type = MediaType.PDF

    def __init__(self, data: bytes, *, is_plain: bool = False) -> None:
        """`is_plain` leaves pdf-oxide out, which may have crashed on it before."""
        pdf_oxide.disable_logging()
        self._checker = open_with_pdfium(data)
        self._reader: pdf_oxide.PdfDocument | None = None
        if not is_plain:
            with _giving_up_quietly():  # PDFium mends more damage than pdf-oxide does
                reader = pdf_oxide.PdfDocument.from_bytes(data)
                self._reader = reader if reader.page_count() == len(self._checker) else None
        self._style: BookStyle | None = None
        self._picture_count = 0
        self._scanned: list[int] = []
        self._damaged: list[int] = []
        self._plain: list[int] = []

    @property
    def title(self) -> str:
        return str(self._checker.get_metadata_dict().get("Title") or "")

    @property
    def page_count(self) -> int:
        return len(self._checker)

    def read_page(self, index: int) -> Page:
        number = index + 1
        label = clean(self._checker.get_page_label(index) or "")
        try:
            plain_text, kinds = self._check_page(index)
        except pypdfium2.PdfiumError:
            self._damaged.append(number)
            return Page(number, "")
        pictures = kinds[pdfium.FPDF_PAGEOBJ_IMAGE]
        text = self._read_markdown(index, has_lines=kinds[pdfium.FPDF_PAGEOBJ_PATH] > 0)
        if not _has_same_words(text, plain_text):
            text = plain_text
            self._plain.append(number)
        if text:
            self._picture_count += pictures
        elif pictures:
            self._scanned.append(number)
        return Page(number, text, "" if label == str(number) else label[:120])

    def _check_page(self, index: int) -> tuple[str, Counter[int]]:
        """Return a page's text as PDFium has it, and how many pictures and lines it has. Raises PdfiumError."""
        page = self._checker[index]
        try:
            kinds = Counter(one.type for one in page.get_objects(_SEEN_OBJECTS, max_depth=3))
            return clean(page.get_textpage().get_text_bounded()), kinds
        finally:
            page.close()

    def no_text_error(self) -> InputError:
        return scanned_document_error() if self._scanned else blank_document_error()

    @property
    def picture_pages(self) -> Sequence[int]:
        return self._scanned

    def describe_omissions(self) -> Sequence[str]:
        notes = describe_pictures(self._picture_count)
        for numbers, one, several in (
            (self._damaged, "is damaged, and left out", "are damaged, and left out"),
            (self._plain, "was read without headings and tables", "were read without headings and tables"),
        ):
            if numbers:
                notes.append(f"{describe_pages(numbers)} {one if len(numbers) == 1 else several}.")
        return notes

    def _read_markdown(self, index: int, *, has_lines: bool) -> str:
        """Return a page's Markdown; nothing if pdf-oxide cannot read it, so that PDFium's text is taken."""
        if self._reader is None:
            return ""
        if self._style is None:
            sample = (self._read_runs(page) for page in choose_sample(self.page_count, STYLE_PAGES))
            self._style = detect_style(sample)
        runs, edges = self._read_runs(index)
        if not runs:
            return ""
        # Looking for tables takes two thirds of the time, and none has rules without lines.
        tables = self._read_tables(index) if has_lines else []
        return clean(lay_out_page(runs, tables, self._style, edges))

    def _read_runs(self, index: int) -> tuple[list[TextRun], tuple[float, float]]:
        """Return a page's words, and where it begins and ends in height."""
        assert self._reader is not None
        with _giving_up_quietly():
            spans = self._reader.extract_spans(index)
            _, bottom, _, top = self._reader.page_media_box(index)
            return [
                TextRun(span.text, span.bbox[0], span.bbox[1], span.bbox[2], span.font_size, span.is_bold)
                for span in spans
            ], (bottom, top)
        return [], (0.0, 0.0)

    def _read_tables(self, index: int) -> list[RuledTable]:
        assert self._reader is not None
        with _giving_up_quietly():
            return [one for table in self._reader.extract_tables(index) for one in split_table(table["rows"])]
        return []


def split_table(rows: Sequence[Mapping[str, Any]]) -> Iterator[RuledTable]:
    """Yield the table, or the tables that it was taken for where their rows stand beside each other.

    Between them is a column without a word, not even in its head.
    """
    width = max((len(row["cells"]) for row in rows), default=0)
    cells = [row["cells"] for row in rows if len(row["cells"]) == width]
    if len(cells) < len(rows):
        return
    empty = [column for column in range(width) if not any(row[column]["text"].strip() for row in cells)]
    for before, after in pairwise([-1, *empty, width]):
        part = [row[before + 1 : after] for row in cells]
        if after - before < 2:
            continue
        boxes = [cell["bbox"] for row in part for cell in row]
        yield RuledTable(
            (
                min(left for left, *_ in boxes),
                min(bottom for _, bottom, *_ in boxes),
                max(left + cell_width for left, _, cell_width, _ in boxes),
                max(bottom + height for _, bottom, _, height in boxes),
            ),
            [[" ".join(cell["text"].split()) for cell in row] for row in part],
        )


@contextmanager
def _giving_up_quietly() -> Iterator[None]:
    """Leave the block when pdf-oxide cannot read something; PDFium's text is compared afterwards."""
    try:
        yield
    except (OSError, ValueError, RuntimeError):
        return
    except BaseException as error:
        # A panic of Rust is no Exception, and its class has no name that can be imported.
        if type(error).__name__ != "PanicException":
            raise


def open_with_pdfium(data: bytes) -> pypdfium2.PdfDocument:
    """Open a PDF. Raises InputError if it is protected, damaged or empty."""
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY):
            raise unreadable_document_error(
                "it is protected by a password", "Save it without one, then choose it again"
            ) from error
        raise damaged_document_error("PDF") from error
    if not len(document):
        raise damaged_document_error("PDF")
    return document


def _has_same_words(text: str, plain_text: str) -> bool:
    """Compare by groups of four letters, which spaces, hyphens and order do not change much."""
    groups = _letter_groups(plain_text)
    return len(groups & _letter_groups(text)) >= MIN_TEXT_RATIO * len(groups)


def _letter_groups(text: str) -> set[str]:
    letters = "".join(filter(str.isalnum, text.casefold()))
    return {letters[place : place + 4] for place in range(max(1, len(letters) - 3))} if letters else set()
