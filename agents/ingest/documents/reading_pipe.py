"""Encodes what goes between the program and the process that reads a document.

To the child, once: a line of JSON (a request), then the bytes of the document or picture unless it names a path.
From it: frames, each four bytes of length, a tag and that many bytes less one: "p" pages, "d" done, "e" an
error (all JSON), or "i" a picture (PNG).
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from agents.ingest.documents.document import Page
from agents.ingest.documents.limits import ReadingLimits
from stores.errors import InputError

FRAME_HEADER: Final = struct.Struct("<I")
MAX_FRAME_BYTES: Final = 64_000_000

PAGES_TAG: Final = b"p"
DONE_TAG: Final = b"d"
ERROR_TAG: Final = b"e"
PICTURE_TAG: Final = b"i"


@dataclass(frozen=True, slots=True)
class ReadingRequest:
    name: str
    """The file's name, for its format and for a title."""
    path: str
    """The file to read; empty if its bytes follow."""
    limits: ReadingLimits
    sample_pages: int = 0
    """How many pages to read, spread over the document; 0 for all."""
    skipped_pages: int = 0
    """How many of them were read before, by a process that ended."""
    is_plain: bool = False
    """Whether a PDF is read without headings and tables, by the library that mends more."""
    allows_pictures: bool = False
    """Whether pages may be pictures without text, all of them, too: somebody else reads these."""
    picture_page: int = 0
    """The page of which a picture is asked for, from 1; 0 for text."""
    picture_width: int = 0
    """Pixels."""
    picture_height: int = 0
    """The most pixels that it may be high; 0 for as high as the page is then."""
    is_picture: bool = False
    """Whether the file is a picture itself, to be made smaller; no document is read then."""


@dataclass(frozen=True, slots=True)
class PageBatch:
    """Pages as they were read, in order, and how many the document has."""

    pages: tuple[Page, ...]
    page_count: int


@dataclass(frozen=True, slots=True)
class DocumentSummary:
    """What is known of a document once its pages were read."""

    title: str
    media_type: str
    page_count: int
    notes: tuple[str, ...] = ()
    picture_pages: tuple[int, ...] = ()
    """The pages, of those that were read, that are pictures without text."""


def pack_frame(tag: bytes, data: bytes) -> bytes:
    return FRAME_HEADER.pack(len(data) + 1) + tag + data


def unpack_length(raw: bytes) -> int:
    """Return the bytes of tag and data. Raises ValueError if the frame is damaged."""
    (length,) = FRAME_HEADER.unpack(raw)
    if not 1 <= length <= MAX_FRAME_BYTES:
        raise ValueError("not a frame")
    return int(length)


def encode_request(request: ReadingRequest) -> bytes:
    return json.dumps(asdict(request)).encode() + b"\n"


def decode_request(line: bytes) -> ReadingRequest:
    fields = json.loads(line)
    return ReadingRequest(**{**fields, "limits": ReadingLimits(**fields["limits"])})


def encode_pages(pages: Sequence[Page], page_count: int) -> bytes:
    rows = [(page.number, page.text, page.label) for page in pages]
    return pack_frame(
        PAGES_TAG, json.dumps([page_count, rows], ensure_ascii=False).encode("utf-8", "replace")
    )


def decode_pages(data: bytes) -> PageBatch:
    page_count, rows = json.loads(data)
    return PageBatch(tuple(Page(number, text, label) for number, text, label in rows), page_count)


def encode_summary(summary: DocumentSummary) -> bytes:
    return pack_frame(DONE_TAG, json.dumps(asdict(summary)).encode())


def decode_summary(data: bytes) -> DocumentSummary:
    fields: dict[str, Any] = json.loads(data)
    lists = {name: tuple(fields[name]) for name in ("notes", "picture_pages")}
    return DocumentSummary(**{**fields, **lists})


def encode_error(error: InputError) -> bytes:
    return pack_frame(ERROR_TAG, json.dumps([error.what, error.kept, error.todo]).encode())


def decode_error(data: bytes) -> InputError:
    what, kept, todo = json.loads(data)
    return InputError(what, kept=kept, todo=todo)
