"""Outside text is never markup and never steers the terminal.

What a player, a model, a book or an import wrote is data: every widget draws it through this file.
Widths are terminal cells, so wide characters and emoji count as the terminal counts them.
"""

from __future__ import annotations

import re

from rich.cells import cell_len, chop_cells
from textual.content import Content

ELLIPSIS = "…"

_ESCAPE_SEQUENCES = re.compile(
    r"\x1b\][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # OSC: titles, links, clipboard
    r"|[\x1b][PX^_][^\x1b\x9c]*(?:\x1b\\|\x9c)?"  # DCS, SOS, PM and APC strings
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # CSI: colours, cursor, screen
    r"|\x1b[ -/]*[0-~]?"  # every other escape
)
_INVISIBLE_CHARACTERS = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f]"  # C0 and C1 but tab and newline
    r"|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"  # direction marks and overrides
    r"|[\ufeff\u2060-\u2064\u206a-\u206f\ufff9-\ufffb\U000e0000-\U000e007f]"  # invisible marks
    r"|[\ud800-\udfff]"  # lone surrogates cannot be written to a terminal
)
_LINE_BREAKS = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_SPACES = re.compile(r"\s+")
_ESCAPE_START = re.compile(
    r"(?:\r?(?:\x1b\][^\x07\x1b\x9c]*\x1b?"  # the beginnings of the escapes above, at the end of a text
    r"|\x1b[PX^_][^\x1b\x9c]*\x1b?"
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*"
    r"|\x1b[ -/]*"
    r")|\r)\Z"
)
_MAX_ESCAPE_START = 64


def plain_text(text: str) -> str:
    """Return `text` without escapes, control characters and direction overrides; newlines stay."""
    if text.isprintable():
        return text
    text = _LINE_BREAKS.sub("\n", _ESCAPE_SEQUENCES.sub("", text)).replace("\t", "    ")
    return _INVISIBLE_CHARACTERS.sub("", text)


class PlainStream:
    """Text made plain as it arrives: an escape that is cut in two by the arrival is an escape still.

    What may be the beginning of one is held back until the rest has come. Nothing of an escape's inside is
    kept, so one that never ends costs no memory.
    """

    def __init__(self) -> None:
        self._pending_escape = ""

    def feed(self, text: str) -> str:
        """Return what can be shown of the text that came until now and was not shown yet."""
        if not self._pending_escape and text.isprintable():
            return text
        text = self._pending_escape + text
        escape_start = _ESCAPE_START.search(text)
        end = escape_start.start() if escape_start else len(text)
        self._pending_escape = text[end:]
        if len(self._pending_escape) > _MAX_ESCAPE_START:
            # Its kind stands at its beginning, and what may come next depends on the last of it alone.
            self._pending_escape = self._pending_escape[:3] + self._pending_escape[-1]
        return plain_text(text[:end])


def one_line(text: str) -> str:
    """Return `text` made plain, with every run of whitespace as one space."""
    return _SPACES.sub(" ", plain_text(text)).strip()


def content(text: str, style: str = "") -> Content:
    """Return `text` as Textual content in one style; nothing in it is read as markup."""
    return Content.styled(plain_text(text), style)


def ellipsise(text: str, width: int) -> str:
    """Return `text` as one line of at most `width` cells, with an ellipsis where it was cut."""
    line = one_line(text)
    if cell_len(line) <= width:
        return line
    if width <= 0:
        return ""
    return (chop_cells(line, width - 1)[0] if width > 1 else "").rstrip() + ELLIPSIS


def pad(text: str, width: int) -> str:
    """Return `text` ellipsised or filled with spaces to exactly `width` cells."""
    line = ellipsise(text, width)
    return line + " " * (width - cell_len(line))


def pad_left(text: str, width: int) -> str:
    """Return `text` ellipsised or, with spaces before it, as exactly `width` cells."""
    line = ellipsise(text, width)
    return " " * (width - cell_len(line)) + line


def wrap(text: str, width: int) -> list[str]:
    """Break plain text into lines of at most `width` cells, at spaces where there are any.

    Line breaks in the text stay; a word wider than a line is cut.
    """
    width = max(2, width)
    lines: list[str] = []
    for paragraph in plain_text(text).split("\n"):
        if cell_len(paragraph) <= width:
            lines.append(paragraph.rstrip())
        else:
            lines.extend(_wrap_paragraph(paragraph, width))
    return lines


class GrowingWrap:
    """Plain text wrapped as it grows, to the lines that `wrap` would give for the whole of it."""

    def __init__(self, width: int) -> None:
        self._width = max(2, width)
        self._closed_lines: list[str] = []
        self._open_line = ""

    def add_text(self, text: str) -> None:
        """Add text at the end; only the line that it begins in is wrapped again."""
        first, *more = text.split("\n")
        self._grow_open_line(first)
        for paragraph in more:
            self._closed_lines.append(self._open_line.rstrip())
            self._open_line = ""
            self._grow_open_line(paragraph)

    def _grow_open_line(self, text: str) -> None:
        self._open_line += text
        if cell_len(self._open_line) > self._width:
            *closed, self._open_line = _wrap_paragraph(self._open_line, self._width)
            self._closed_lines += closed

    def lines_from(self, first: int) -> list[str]:
        """Return the lines from number `first` on. The last of all lines may still change."""
        return [*self._closed_lines[first:], self._open_line]


def _wrap_paragraph(paragraph: str, width: int) -> list[str]:
    lines: list[str] = []
    line, used_cells = "", 0
    for word in paragraph.split(" "):
        size = cell_len(word)
        if line and used_cells + 1 + size <= width:
            line, used_cells = f"{line} {word}", used_cells + 1 + size
            continue
        if line:
            lines.append(line)
        if size > width:
            *full_lines, word = chop_cells(word, width)
            lines.extend(full_lines)
            size = cell_len(word)
        line, used_cells = word, size
    lines.append(line)
    return lines
