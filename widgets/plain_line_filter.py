"""Removes escapes and control characters from every drawn line, before it reaches the terminal."""

from __future__ import annotations

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from widgets.safe_text import plain_text


class PlainLineFilter(LineFilter):
    """Makes the text of every line plain, whatever widget drew it and from whatever it drew."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        if all(segment.text.isprintable() for segment in segments):
            return segments
        return [Segment(plain_text(text), style, control) for text, style, control in segments]
