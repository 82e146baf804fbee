"""Tells the format of a document by its first bytes and by the end of its name."""

from __future__ import annotations

from enum import StrEnum
from pathlib import PurePath
from typing import Final

from agents.ingest.documents.errors import READABLE_FORMATS, damaged_document_error, unreadable_document_error


class MediaType(StrEnum):
    PDF = "application/pdf"
    EPUB = "application/epub+zip"
    DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    HTML = "text/html"
    MARKDOWN = "text/markdown"
    TEXT = "text/plain"


_SUFFIXES: Final = {
    ".pdf": MediaType.PDF,
    ".epub": MediaType.EPUB,
    ".docx": MediaType.DOCX,
    ".html": MediaType.HTML,
    ".htm": MediaType.HTML,
    ".xhtml": MediaType.HTML,
    ".md": MediaType.MARKDOWN,
    ".markdown": MediaType.MARKDOWN,
    ".txt": MediaType.TEXT,
    ".text": MediaType.TEXT,
}
_OLD_OFFICE: Final = b"\xd0\xcf\x11\xe0"
_PICTURE_STARTS: Final = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF87a", b"GIF89a", b"II*\0", b"MM\0*")
"""How a JPEG, PNG, GIF and TIFF begins."""
_PDF_START: Final = 1_024
"""Bytes in which a PDF's header may stand, as readers accept it (ISO 32000-1, annex H)."""


def media_type_of_name(name: str) -> MediaType | None:
    """Return the format that the end of a file's name stands for; None if it is none that is read."""
    return _SUFFIXES.get(PurePath(name).suffix.lower())


def detect_media_type(data: bytes, name: str) -> MediaType:
    """Return a document's format. Its bytes count more than its name. Raises InputError."""
    by_name = media_type_of_name(name)
    if b"%PDF-" in data[:_PDF_START]:
        return MediaType.PDF
    if data.startswith(b"PK\x03\x04"):
        if by_name in (MediaType.EPUB, MediaType.DOCX):
            return by_name
        if b"application/epub+zip" in data[:200]:
            return MediaType.EPUB
        if b"word/" in data[:10_000]:
            return MediaType.DOCX
        raise unreadable_document_error("it is a zip archive", f"Unpack it; MONITOR reads {READABLE_FORMATS}")
    if data.startswith(_OLD_OFFICE):
        raise unreadable_document_error(
            "it is protected by a password, or an old office document",
            "Save it as DOCX without a password",
        )
    if _is_picture(data):
        raise unreadable_document_error(
            "it is a picture, whatever its name ends with",
            "Make its text readable with a program for text recognition (OCR), and save that as PDF",
        )
    if by_name is None:
        raise unreadable_document_error("its format is not known", f"MONITOR reads {READABLE_FORMATS}")
    if by_name in (MediaType.PDF, MediaType.EPUB, MediaType.DOCX):
        raise damaged_document_error(by_name.name)
    return by_name


def _is_picture(data: bytes) -> bool:
    is_webp = data[:4] == b"RIFF" and data[8:12] == b"WEBP"
    return is_webp or data.startswith(_PICTURE_STARTS)
