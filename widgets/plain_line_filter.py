"""Removes escapes and control characters from every drawn line, before it reaches the terminal."""

from __future__ import annotations

from typing import Final

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from widgets.safe_text import plain_text

PICTURE_MARK: Final = "monitor_picture"
"""In the meta of a segment's style: its escapes are the program's own, and reach the terminal."""


class PlainLineFilter(LineFilter):
    """Makes the text of every line plain, whatever widget drew it and from whatever it drew."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        if all(segment.text.isprintable() for segment in segments):
            return segments
        return [
            segment
            if is_picture(segment)
            else Segment(plain_text(segment.text), segment.style, segment.control)
            for segment in segments
        ]


def is_picture(segment: Segment) -> bool:
    """Return whether a segment is drawn by the program itself as a part of a picture: no text can be marked so."""
    return segment.style is not None and PICTURE_MARK in segment.style.meta
