"""Draws pictures with textual-image, which is told what the terminal can instead of asking it.

On a terminal, textual-image (0.12) asks when it is imported which pictures that shows, and reads the answer from
standard input: where Textual reads, too, and where a key that is pressed meanwhile is lost. The library asks nothing if
standard output is no terminal. So while it is imported and while it draws, a text in memory stands in the place of
`sys.__stdout__`, which Textual has no more use for by then; what the library sends there, for Kitty, is returned to
be written by Textual's driver, in order with everything else.
"""

from __future__ import annotations

import io
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, assert_never

from rich.console import Console
from rich.segment import ControlType, Segment
from rich.style import Style

from widgets.pictures.picture_kinds import CellSize, PictureKind, pixels_of_cell
from widgets.plain_line_filter import PICTURE_MARK

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_CELLS: Final = 200
"""Columns or rows of a picture. Kitty numbers no more than 297."""

_MARKED: Final = Style(meta={PICTURE_MARK: True})
_COLOUR_DEFINITION: Final = re.compile(r"#(?P<number>\d+);2;\d+;\d+;\d+")
_lock: Final = threading.Lock()


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture as lines of cells, and what the terminal has to be sent before they are drawn."""

    columns: int
    lines: tuple[tuple[Segment, ...], ...]
    sent_before: str = ""
    kitty_number: int = 0
    """The number by which Kitty keeps it; 0 of others."""

    @property
    def sent_after(self) -> str:
        """Return what has a terminal forget the picture."""
        return f"\x1b_Ga=d,d=I,i={self.kitty_number},q=2\x1b\\" if self.kitty_number else ""


def draw_picture(png: bytes, kind: PictureKind, cell: CellSize) -> Drawing:
    """Draw a picture, made as small as it is shown. It may wait for an import: call it in a thread."""
    with _without_terminal() as sent:
        from PIL import Image
        from textual_image import _terminal

        # Where the library keeps the answer that it has had; it looks here before it asks.
        vars(_terminal.get_cell_size)["_result"] = _terminal.CellSize(*cell)
        picture = Image.open(io.BytesIO(png))
        pixels = pixels_of_cell(kind, cell)
        columns = max(1, min(MAX_CELLS, round(picture.width / pixels.width)))
        rows = max(1, min(MAX_CELLS, round(picture.height / pixels.height)))
        return _draw(picture, kind, columns, rows, cell, sent)


def _draw(
    picture: Image, kind: PictureKind, columns: int, rows: int, cell: CellSize, sent: io.StringIO
) -> Drawing:
    from textual_image.renderable import HalfcellImage, SixelImage, TGPImage

    console = Console(file=io.StringIO(), width=columns, height=rows, color_system="truecolor")

    def render(drawn: HalfcellImage | SixelImage | TGPImage) -> list[Segment]:
        return [
            part for part in drawn.__rich_console__(console, console.options) if isinstance(part, Segment)
        ]

    match kind:
        case PictureKind.KITTY:
            kitty_picture = TGPImage(picture, columns, rows)
            lines = Segment.split_lines(render(kitty_picture))
            marked = tuple(tuple(_mark(segment) for segment in line) for line in lines)
            return Drawing(columns, marked, sent.getvalue(), kitty_picture.terminal_image_id or 0)
        case PictureKind.SIXEL:
            whole = picture.resize((columns * cell.width, rows * cell.height))
            slices = (
                whole.crop((0, row * cell.height, whole.width, (row + 1) * cell.height))
                for row in range(rows)
            )
            return Drawing(
                columns, tuple(_lay_sixels(render(SixelImage(part, columns, 1)), columns) for part in slices)
            )
        case PictureKind.BLOCKS:
            return Drawing(
                columns, tuple(map(tuple, Segment.split_lines(render(HalfcellImage(picture, columns, rows)))))
            )
        case PictureKind.OFF:
            return Drawing(0, ())
        case _:
            assert_never(kind)


def _mark(segment: Segment) -> Segment:
    return Segment(segment.text, (segment.style or Style.null()) + _MARKED)


def _lay_sixels(segments: list[Segment], columns: int) -> tuple[Segment, ...]:
    """Return a line of spaces with sixels over it. Each line has its own, so that each can be drawn alone."""
    drawn = next(segment.text for segment in segments if segment.text.startswith("\x1bP"))
    # The library takes a colour that it defines to be chosen by that; xterm waits to be told so.
    sixels = _COLOUR_DEFINITION.sub(r"\g<0>#\g<number>", drawn)
    over = f"\x1b7\x1b[{columns}D{sixels}\x1b8"
    # A control of no width, so that the line is as wide as its spaces.
    return (Segment(" " * columns), Segment(over, _MARKED, [(ControlType.CURSOR_FORWARD, 0)]))


@contextmanager
def _without_terminal() -> Iterator[io.StringIO]:
    """Have standard output be a text in memory."""
    text = io.StringIO()
    with _lock:
        before, sys.__stdout__ = sys.__stdout__, text  # type: ignore[misc, assignment]
        try:
            yield text
        finally:
            sys.__stdout__ = before  # type: ignore[misc]
