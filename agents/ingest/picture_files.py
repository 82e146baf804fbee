"""Tells pictures that can be attached by their first bytes, whatever their names end in. Pure."""

from __future__ import annotations

from typing import Final

from agents.ingest.documents.errors import unusable_picture_error
from agents.ingest.documents.limits import MAX_PICTURE_BYTES, MEGABYTE

PNG: Final = "image/png"
JPEG: Final = "image/jpeg"
PICTURE_ENDINGS: Final = {PNG: ".png", JPEG: ".jpg"}

_SAVE_AS: Final = "Save it as PNG or JPEG"
_STARTS: Final = ((b"\x89PNG\r\n\x1a\n", PNG), (b"\xff\xd8\xff", JPEG))
_OTHER_STARTS: Final = (
    (b"GIF8", "a GIF"),
    (b"RIFF", "a WebP or another RIFF file"),
    (b"BM", "a bitmap (BMP)"),
    (b"II*\0", "a TIFF"),
    (b"MM\0*", "a TIFF"),
    (b"<svg", "an SVG drawing"),
    (b"<?xml", "an SVG drawing or another XML file"),
    (b"%PDF-", "a PDF"),
    (b"\0\0\1\0", "an icon"),
)


def detect_picture_type(data: bytes) -> str:
    """Return the media type of a picture. Raises InputError for what is none, or too large."""
    if not data:
        raise unusable_picture_error("it is empty", "Choose a PNG or JPEG")
    if len(data) > MAX_PICTURE_BYTES:
        raise unusable_picture_error(
            f"it has more than {MAX_PICTURE_BYTES / MEGABYTE:,.0f} MB", "Save it smaller, or as JPEG"
        )
    for start, media_type in _STARTS:
        if data.startswith(start):
            return media_type
    for start, name in _OTHER_STARTS:
        if data.startswith(start):
            raise unusable_picture_error(f"it is {name}", _SAVE_AS)
    raise unusable_picture_error("it is neither PNG nor JPEG", _SAVE_AS)
