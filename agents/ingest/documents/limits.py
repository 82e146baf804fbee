"""The bounds within which one document, or one picture, is read."""

from __future__ import annotations

from dataclasses import dataclass

MEGABYTE = 1_000_000

MAX_PICTURE_BYTES = 20 * MEGABYTE
MAX_PICTURE_PIXELS = 60_000_000
"""A map of 8,000 x 7,000 pixels; it takes 240 MB of memory while it is made smaller."""
MAX_PICTURE_SIDE = 20_000
"""Pixels."""


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """A rulebook of 400 pages has about 50 MB with its pictures and 1.5 million characters."""

    file_bytes: int = 300 * MEGABYTE
    pages: int = 5_000
    characters: int = 30_000_000
    """Characters of the text of all pages."""
    page_characters: int = 2_000_000
    """Characters of one page or chapter."""
    unpacked_bytes: int = 600 * MEGABYTE
    """Bytes of what an EPUB or DOCX holds, unpacked."""
    unpacked_ratio: int = 200
    """How many times larger an unpacked part may be than packed, above a megabyte. Text has about 4, blank
    bitmaps have up to 100."""
    packed_files: int = 20_000
    nesting: int = 1_000
    """Elements of HTML inside each other."""
    memory_bytes: int = 3_000 * MEGABYTE
    """Address space of the reading process; a book takes up to 500 MB of it."""
    silent_seconds: float = 90.0
    """Time without a new page before the reading process is ended."""
    processor_seconds: int = 1_800
    """Time on the processor for a whole document."""


DEFAULT_LIMITS = ReadingLimits()
