"""The text of a page, with the words that led there marked. Headings and bold words show as such; the rest is text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import ClassVar, Final

from textual.binding import Binding, BindingType
from textual.strip import Strip

from widgets.ink import Ink, InkView, Line, Piece, draw_line
from widgets.safe_text import plain_text, wrap

QUOTE_SIGN: Final = "▌"
"""Stands before each marked line, so that colour is not the only mark."""
MARGIN_CELLS: Final = 2
MAX_TEXT_CELLS: Final = 100

_HEADING: Final = re.compile(r"#{1,6} +")
_BOLD: Final = re.compile(r"\*\*([^*]+)\*\*")
_WORD: Final = re.compile(r"[^*_#>|—\s]+")
"""What stands between marks and blanks; a dash stands for the line's end behind a heading."""


class PageText(InkView, can_focus=True):
    """One page, drawn line by line; the keys scroll it."""

    HELP_TITLE: ClassVar[str] = "The page"
    HELP_TEXT: ClassVar[str] = (
        "The text as the document has it. ▌ marks the words that led here. Beside it stands what in canon rests on the "
        "page, and what is proposed."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll(-1)", "Up", show=False, id="page_text.up", tooltip="A line up"),
        Binding("down,j", "scroll(1)", "Down", show=False, id="page_text.down", tooltip="A line down"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="page_text.page_up", tooltip="A screen up"),
        Binding(
            "pagedown,space",
            "page(1)",
            "Page down",
            show=False,
            id="page_text.page_down",
            tooltip="A screen down",
        ),
        Binding("home", "edge(-1)", "Top", show=False, id="page_text.top", tooltip="The top of the page"),
        Binding("end", "edge(1)", "End", show=False, id="page_text.end", tooltip="The end of the page"),
    ]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._text = self._quote = ""
        self._lines: list[Line] = []

    def show_text(self, text: str, quote: str = "") -> None:
        """Show a page, from the words that are marked on it, else from its top."""
        if (text, quote) == (self._text, self._quote):
            return
        self._text, self._quote = text, quote
        self._rebuild_lines()
        marked = (i for i, line in enumerate(self._lines) if line and line[0][0].startswith(QUOTE_SIGN))
        self.scroll_to_line(max(0, next(marked, 0) - 2))

    def on_resize(self) -> None:
        self._rebuild_lines()

    def _rebuild_lines(self) -> None:
        width = max(8, self.scrollable_content_region.width)
        self._lines = list(page_lines(self._text, self._quote, min(width, MAX_TEXT_CELLS)))
        self.set_line_count(len(self._lines), width)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        index = y + self.scroll_offset.y
        line = self._lines[index] if index < len(self._lines) else []
        return draw_line(line, self.inks(), self.scrollable_content_region.width)

    def action_scroll(self, step: int) -> None:
        self.scroll_relative(y=step, animate=False)

    def action_page(self, step: int) -> None:
        self.scroll_relative(y=step * max(1, self.size.height - 1), animate=False)

    def action_edge(self, step: int) -> None:
        self.scroll_to_line(0 if step < 0 else max(0, len(self._lines) - self.size.height))


def page_lines(text: str, quote: str, width: int) -> Iterator[Line]:
    """Yield the lines of a page, wrapped to `width` cells; those that have words of the quote are marked."""
    text = plain_text(text)
    quote_start, quote_end = find_quote(text, plain_text(quote))
    line_start = 0
    for source_line in text.split("\n"):
        heading = _HEADING.match(source_line)
        ink = Ink.HEADING if heading else Ink.PROSE
        part_start = heading.end() if heading else 0
        for part in wrap(source_line[part_start:], width - MARGIN_CELLS) or [""]:
            part_start = max(source_line.find(part, part_start), part_start)
            start, end = line_start + part_start, line_start + part_start + len(part)
            part_start += len(part)
            is_marked = bool(part) and start < quote_end and quote_start < end
            sign: Piece = (QUOTE_SIGN if is_marked else " ", Ink.YOU)
            yield [sign, (" ", Ink.PROSE), *_pieces(part, Ink.YOU if is_marked else ink)]
        line_start += len(source_line) + 1


def find_quote(text: str, quote: str) -> tuple[int, int]:
    """Return where a quote begins and ends in a text, whatever marks and line breaks stand between its words.

    (0, 0) if it is not there.
    """
    wanted = " ".join(_WORD.findall(quote))
    words = list(_WORD.finditer(text)) if wanted else []
    found_at = " ".join(word[0] for word in words).find(wanted) if words else -1
    if found_at < 0:
        return 0, 0
    word_ends = list(accumulate(len(word[0]) + 1 for word in words))  # each with the blank after it

    def offset(position: int) -> int:
        index = bisect_right(word_ends, position)
        return words[index].start() + position - (word_ends[index] - len(words[index][0]) - 1)

    return offset(found_at), offset(found_at + len(wanted) - 1) + 1


def _pieces(part: str, ink: Ink) -> Iterator[Piece]:
    """Yield the pieces of a wrapped line; what stands between double asterisks is bold."""
    for number, piece in enumerate(_BOLD.split(part)):
        if piece:
            yield piece, Ink.STRONG if number % 2 and ink is Ink.PROSE else ink
