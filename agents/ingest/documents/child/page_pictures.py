"""Draws a page of a PDF as a picture (PNG)."""

from __future__ import annotations

import struct
import zlib
from typing import Final

from agents.ingest.documents.child.pdf_pages import open_with_pdfium
from agents.ingest.documents.errors import unreadable_document_error

MAX_SIDE: Final = 4_000
"""Pixels."""


def render_page(data: bytes, number: int, width: int, height: int = 0) -> bytes:
    """Return page `number` (from 1) as PNG, `width` pixels wide unless it would get too high. Raises InputError.

    `height` is the most pixels that it may be high; 0 for `MAX_SIDE`.
    """
    document = open_with_pdfium(data)
    if not 1 <= number <= len(document):
        raise unreadable_document_error(f"it has no page {number:,}", f"It has {len(document):,} pages")
    page = document[number - 1]
    scale = min(
        min(width, MAX_SIDE) / max(page.get_width(), 1),
        MAX_SIDE / max(page.get_width(), page.get_height(), 1),
        (height or MAX_SIDE) / max(page.get_height(), 1),
    )
    bitmap = page.render(scale=scale, rev_byteorder=True, prefer_bgrx=False, may_draw_forms=False)
    return encode_png(bitmap.width, bitmap.height, bitmap.n_channels, bitmap.stride, bytes(bitmap.buffer))


def encode_png(width: int, height: int, channels: int, stride: int, pixels: bytes) -> bytes:
    """Encode rows of 8-bit samples (PNG, W3C Recommendation): 1 channel is grey, 3 are RGB, 4 RGBA."""
    color_type = {1: 0, 3: 2, 4: 6}[channels]
    rows = b"".join(b"\x00" + pixels[row * stride : row * stride + width * channels] for row in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, color_type, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    )
