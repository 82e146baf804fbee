"""A turn that is being told: its words as they arrive, wrapped as they come.

What is wrapped stays wrapped, so that a word more costs the same at the end of a long answer as at its
beginning. It is drawn line for line as `widgets.transcript.turn_lines` will draw the finished turn; only emphasis
is drawn when the turn is whole, since its end has to be known.
"""

from __future__ import annotations

from textual.strip import Strip

from stores.records.ids import Id
from widgets.ink import Ink, Inks, Line, draw_line
from widgets.safe_text import GrowingWrap, PlainStream, pad
from widgets.transcript.turn_lines import GUTTER_CELLS, MARGIN_CELLS, text_width


class LiveTurn:
    """Words of one GM turn; an empty line sets them apart if they open an exchange."""

    def __init__(self, turn_id: Id, *, opens_exchange: bool = False) -> None:
        self.turn_id = turn_id
        self._head_lines: list[Line] = [[]] if opens_exchange else []
        self._plain_stream = PlainStream()
        self._text_parts: list[str] = []
        self._trailing_space = ""  # at the end of what was said: it shows as soon as something follows it
        self._width = 0
        self._wrapping = GrowingWrap(1)
        self._strips: list[Strip] = []
        self._final_line_count = 0  # wrapped lines that are drawn and will not change
        self._has_new_text = True

    @property
    def text(self) -> str:
        """What was said so far, made plain."""
        return "".join(self._text_parts)

    def add_text(self, text: str) -> None:
        """Add words as they came, escapes and all."""
        text = self._trailing_space + self._plain_stream.feed(text)
        shown_text = text.rstrip()
        self._trailing_space = text[len(shown_text) :] if self._text_parts or shown_text else ""
        if not self._text_parts:
            shown_text = shown_text.lstrip()
        if shown_text:
            self._text_parts.append(shown_text)
            self._wrapping.add_text(shown_text)
            self._has_new_text = True

    def discard_drawing(self) -> None:
        """The theme changed: draw all of it anew."""
        self._width = 0

    def draw_strips(self, width: int, inks: Inks) -> list[Strip]:
        """Return all its lines at this width. Only those that are new since the last call are drawn."""
        if width != self._width:
            self._restart_drawing(width, inks)
        if self._has_new_text:
            self._has_new_text = False
            del self._strips[len(self._head_lines) + self._final_line_count :]
            lines = self._wrapping.lines_from(self._final_line_count)
            for line in lines:
                self._strips.append(draw_line(self._line_with_gutter(line), inks, width))
            self._final_line_count += len(lines) - 1
        return self._strips

    def _restart_drawing(self, width: int, inks: Inks) -> None:
        self._width = width
        self._wrapping = GrowingWrap(text_width(width))
        self._wrapping.add_text(self.text)
        self._strips = [draw_line(line, inks, width) for line in self._head_lines]
        self._final_line_count = 0
        self._has_new_text = True

    def _line_with_gutter(self, text: str) -> Line:
        if len(self._strips) > len(self._head_lines):
            return [(" " * (MARGIN_CELLS + GUTTER_CELLS), Ink.PROSE), (text, Ink.PROSE)]
        speaker = (pad("gm", GUTTER_CELLS), Ink.GM)
        return [_MARGIN_PIECE, speaker, (text, Ink.PROSE)]


_MARGIN_PIECE = (" " * MARGIN_CELLS, Ink.PROSE)
