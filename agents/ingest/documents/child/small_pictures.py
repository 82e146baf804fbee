"""Makes a picture (PNG or JPEG) small enough for a place on the screen. Hostile files end in an InputError."""

from __future__ import annotations

import io
from typing import Final

from PIL import Image, ImageOps, PngImagePlugin, UnidentifiedImageError

from agents.ingest.documents.errors import damaged_picture_error, unusable_picture_error
from agents.ingest.documents.limits import MAX_PICTURE_PIXELS, MAX_PICTURE_SIDE

_FORMATS: Final = ("PNG", "JPEG")
"""What Pillow may take it for: none of its other readers is tried."""
_GROUND: Final = "white"
"""What is seen where a picture is transparent: maps are drawn in black."""


def shrink_picture(data: bytes, max_width: int, max_height: int) -> bytes:
    """Return the whole picture as PNG (RGB) that fits into so many pixels, never larger than it is.

    Every pixel is read, so that a file that is cut off is refused. Raises InputError.
    """
    Image.MAX_IMAGE_PIXELS = None  # the size is looked at below, before a pixel is read
    try:
        picture = Image.open(io.BytesIO(data), formats=_FORMATS)
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError):
        raise damaged_picture_error() from None
    width, height = picture.size
    if max(width, height) > MAX_PICTURE_SIDE or width * height > MAX_PICTURE_PIXELS:
        raise unusable_picture_error(
            f"it has {width:,} x {height:,} pixels, and {MAX_PICTURE_PIXELS // 1_000_000} million are the most",
            "Save it smaller",
        )
    if isinstance(picture, PngImagePlugin.PngImageFile) and picture.is_animated:
        raise unusable_picture_error("it moves", "Save one of its pictures as PNG or JPEG")
    try:
        picture.load()
    except (OSError, ValueError, SyntaxError):
        raise damaged_picture_error() from None
    is_transparent = picture.has_transparency_data
    shown = ImageOps.exif_transpose(picture).convert("RGBA" if is_transparent else "RGB")
    shown.thumbnail((max_width, max_height), Image.Resampling.LANCZOS)
    if is_transparent:
        ground = Image.new("RGB", shown.size, _GROUND)
        ground.paste(shown, mask=shown.getchannel("A"))
        shown = ground
    out = io.BytesIO()
    shown.save(out, format="PNG", compress_level=1)
    return out.getvalue()
