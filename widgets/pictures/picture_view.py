"""Shows a picture as large as there is room for, in the way that the terminal can."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from rich.segment import Segment
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget
from textual.worker import Worker

from widgets.pictures.cell_size import read_cell_size
from widgets.pictures.picture_kinds import PictureKind, PictureTerminal, pixels_of_cell
from widgets.pictures.terminal_drawing import MAX_CELLS, Drawing, draw_picture
from widgets.worker import post_failed_work, start_worker

WAITING: Final = "Drawing the picture …"

ReadPicture = Callable[[int, int], Awaitable[bytes]]
"""Returns a picture as PNG that fits into so many pixels, in width and height."""


class PictureView(Widget):
    """A picture; without one it takes no room. It is read and drawn beside the keys, and anew for another room."""

    DEFAULT_CSS = """
    PictureView { display: none; height: 1fr; color: $text-muted; }
    PictureView.-shown { display: block; }
    """

    @dataclass
    class Drawn(Message):
        """A picture was read and drawn for the room that there is."""

        drawing: Drawing
        name: str
        room: Size

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._read_picture: ReadPicture | None = None
        self._picture_name = ""
        self._shown_kind = PictureKind.OFF
        """How it is shown; another way counts from the next call of `show_picture` on."""
        self._drawing: Drawing | None = None
        self._room: Size | None = None
        """The room that it was drawn for, or is being drawn for."""

    @property
    def kind(self) -> PictureKind:
        return self.app.picture_kind if isinstance(self.app, PictureTerminal) else PictureKind.BLOCKS

    def show_picture(self, name: str, read: ReadPicture | None) -> None:
        """Show what `read` returns; `name` says which picture it is: the same is not drawn twice."""
        kind = self.kind
        is_shown = read is not None and kind is not PictureKind.OFF
        if (
            is_shown
            and self._read_picture is not None
            and (name, kind) == (self._picture_name, self._shown_kind)
        ):
            return
        self._shown_kind = kind
        self._forget_drawing()
        self._picture_name, self._read_picture, self._room = name, read if is_shown else None, None
        self.set_class(is_shown, "-shown")
        self.refresh()
        self._draw_if_needed()

    def on_show(self) -> None:
        self._draw_if_needed()

    def on_resize(self, event: events.Resize) -> None:
        self._draw_if_needed()

    def on_unmount(self) -> None:
        self._forget_drawing()

    def _draw_if_needed(self) -> None:
        """Draw the picture for the room that there is, unless that was begun."""
        room = self.content_size
        if self._read_picture is not None and room.area and room != self._room:
            self._room = room
            start_worker(self, self._draw_picture, "picture", is_exclusive=True)

    def on_worker_state_changed(self, message: Worker.StateChanged) -> None:
        message.stop()
        post_failed_work(self, message)

    async def _draw_picture(self) -> None:
        name, read, room = self._picture_name, self._read_picture, self._room
        if read is None or room is None:
            return
        kind, cell = self._shown_kind, read_cell_size()
        pixels = pixels_of_cell(kind, cell)
        columns, rows = min(room.width, MAX_CELLS), min(room.height, MAX_CELLS)
        png = await read(columns * pixels.width, rows * pixels.height)
        drawing = await asyncio.to_thread(draw_picture, png, kind, cell)
        self.post_message(self.Drawn(drawing, name, room))

    def on_picture_view_drawn(self, message: Drawn) -> None:
        message.stop()
        if self._read_picture is None or (message.name, message.room) != (self._picture_name, self._room):
            return  # something else is to be shown by now
        self._forget_drawing()
        self._drawing = message.drawing
        self._send(message.drawing.sent_before)
        self.refresh()

    def _forget_drawing(self) -> None:
        if self._drawing is not None:
            self._send(self._drawing.sent_after)
        self._drawing = None

    def _send(self, sequence: str) -> None:
        """Write to the terminal, in order with what Textual draws."""
        if sequence and (driver := self.app._driver) is not None:
            driver.write(sequence)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return the lines, past Textual's cache: to lay a style under each cell would take longer than all else.

        Sixels are drawn whole, and not over a dialog.
        """
        is_whole = crop.x == 0 and crop.width == self.size.width and self.screen is self.app.screen
        if self._shown_kind is PictureKind.SIXEL and not is_whole:
            return [Strip.blank(crop.width, self.rich_style)] * crop.height
        return [self.render_line(y).crop(crop.x, crop.right) for y in range(crop.y, crop.bottom)]

    def render_line(self, y: int) -> Strip:
        width, drawing = self.size.width, self._drawing
        if drawing is None and y == 0 and self._read_picture is not None:
            return Strip([Segment(WAITING, self.rich_style)]).adjust_cell_length(width, self.rich_style)
        if drawing is None or y >= len(drawing.lines) or drawing.columns > width:
            return Strip.blank(width, self.rich_style)
        rest = Segment(" " * (width - drawing.columns), self.rich_style)
        return Strip([*drawing.lines[y], rest], width)
