"""Pictures for tests: whole ones, and what is none, too large or damaged."""

from __future__ import annotations

import io
import struct
import zlib

from PIL import Image


def png_of(width: int = 60, height: int = 40, color: str = "orange") -> bytes:
    """Return a PNG: one colour, and a corner of another."""
    picture = Image.new("RGB", (width, height), color)
    picture.paste("navy", (0, 0, width // 2, height // 2))
    return _save(picture, "PNG")


def jpeg_of(width: int = 60, height: int = 40, color: str = "teal", orientation: int = 1) -> bytes:
    """Return a JPEG; `orientation` is that of its Exif data, as cameras turn pictures."""
    exif = Image.Exif()
    exif[0x0112] = orientation
    return _save(Image.new("RGB", (width, height), color), "JPEG", exif=exif)


def moving_png() -> bytes:
    frames = [Image.new("RGB", (8, 8), color) for color in ("red", "blue")]
    return _save(frames[0], "PNG", save_all=True, append_images=frames[1:])


def huge_png(width: int, height: int) -> bytes:
    """Return a PNG that says that it is so large, in a few bytes."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(b"\0" * 100)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )


def size_of(png: bytes) -> tuple[int, int]:
    return Image.open(io.BytesIO(png)).size


def corner_of(png: bytes) -> tuple[int, ...]:
    """Return the colour of the last pixel."""
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    color = picture.getpixel((picture.width - 1, picture.height - 1))
    assert isinstance(color, tuple)
    return color


def _save(picture: Image.Image, format: str, **options: object) -> bytes:
    out = io.BytesIO()
    picture.save(out, format=format, **options)
    return out.getvalue()
