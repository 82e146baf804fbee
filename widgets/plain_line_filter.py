"""Removes escapes and control characters from every drawn line, before it reaches the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from widgets.safe_text import plain_text

PICTURE_MARK: Final = "monitor_picture"
"""In the meta of a segment's style: its escapes are the program's own, and reach the terminal."""


class PlainLineFilter(LineFilter):
    """Makes the text of every line plain, whatever widget drew it and from whatever it drew.

    It applies the `earlier` filters itself: Textual looks up the result of each filter for each line of each widget in
    every frame, and makes a line with seven caches of it.
    """

    def __init__(self, earlier: Sequence[LineFilter] = ()) -> None:
        super().__init__()
        self.earlier = tuple(earlier)

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        for line_filter in self.earlier:
            segments = line_filter.apply(segments, background)
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
