"""A turn that is being told: its words as they arrive, wrapped as they come.

What is wrapped stays wrapped, so that a word more costs the same at the end of a long answer as at its
beginning. It is drawn line for line as `widgets.turn_lines` will draw the finished turn.
"""

from __future__ import annotations

from rich.cells import cell_len
from textual.strip import Strip

from stores.records.ids import Id
from widgets.ink import Ink, Inks, Line, strip
from widgets.safe_text import PlainStream, Wrapping, one_line, pad
from widgets.turn_lines import GUTTER, MARGIN, text_width


class LiveTurn:
    """Words of one turn of the GM, or of the character of that name; `apart` if it opens an exchange."""

    def __init__(self, turn_id: Id, name: str = "", *, apart: bool = False) -> None:
        self.turn_id = turn_id
        self._name = one_line(name)
        # A name too long for the gutter stands on a line of its own.
        self._named = cell_len(self._name) >= GUTTER
        self._head: list[Line] = [[]] if apart else []
        if self._named:
            self._head.append([_MARGIN, (self._name, Ink.NPC)])
        self._plain = PlainStream()
        self._said: list[str] = []
        self._space = ""  # at the end of what was said: it shows as soon as something follows it
        self._width = 0
        self._wrapped = Wrapping(1)
        self._strips: list[Strip] = []
        self._drawn = 0  # wrapped lines that are drawn and will not change
        self._changed = True

    @property
    def text(self) -> str:
        """What was said so far, made plain."""
        return "".join(self._said)

    def add(self, text: str) -> None:
        """Add words as they came, escapes and all."""
        text = self._space + self._plain.feed(text)
        words = text.rstrip()
        self._space = text[len(words) :] if self._said or words else ""
        if not self._said:
            words = words.lstrip()
        if words:
            self._said.append(words)
            self._wrapped.add(words)
            self._changed = True

    def forget_drawing(self) -> None:
        """The theme changed: draw all of it anew."""
        self._width = 0

    def strips(self, width: int, inks: Inks) -> list[Strip]:
        """Return all its lines at this width. Only those that are new since the last call are drawn."""
        if width != self._width:
            self._start_over(width, inks)
        if self._changed:
            self._changed = False
            del self._strips[len(self._head) + self._drawn :]
            lines = self._wrapped.lines_from(self._drawn)
            for line in lines:
                self._strips.append(strip(self._line(line), inks, width))
            self._drawn += len(lines) - 1
        return self._strips

    def _start_over(self, width: int, inks: Inks) -> None:
        self._width = width
        self._wrapped = Wrapping(text_width(width))
        self._wrapped.add(self.text)
        self._strips = [strip(line, inks, width) for line in self._head]
        self._drawn = 0
        self._changed = True

    def _line(self, text: str) -> Line:
        if self._named or len(self._strips) > len(self._head):
            return [(" " * (MARGIN + GUTTER), Ink.PROSE), (text, Ink.PROSE)]
        who = (pad(self._name, GUTTER), Ink.NPC) if self._name else (pad("gm", GUTTER), Ink.GM)
        return [_MARGIN, who, (text, Ink.PROSE)]


_MARGIN = (" " * MARGIN, Ink.PROSE)
