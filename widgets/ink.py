"""The inks of line-drawn widgets, and the view they are drawn on.

A line is a list of (text, ink); an ink is a role such as `muted` or `good`. Component classes of the theme say
what a role looks like, so that a change of theme recolours every list and transcript.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar
from textual.strip import Strip

from widgets.bare_lines import BareLinesCache, BareScrollBar


class Ink(StrEnum):
    PROSE = "prose"
    STRONG = "strong"
    EMPHASIS = "emphasis"
    MUTED = "muted"
    QUOTE = "quote"
    STRUCK = "struck"
    HEADING = "heading"
    YOU = "you"
    GM = "gm"
    NPC = "npc"
    GOOD = "good"
    WARN = "warn"
    BAD = "bad"


Piece = tuple[str, Ink]
Line = Sequence[Piece]
Inks = Mapping[Ink, Style]

UNSTYLED_INKS: Inks = {ink: Style() for ink in Ink}
"""Inks without colour, for tests and measuring."""


def draw_line(line: Line, inks: Inks, width: int) -> Strip:
    """Draw one line at exactly `width` cells."""
    segments = [Segment(text, inks[ink]) for text, ink in line if text]
    return Strip(segments).adjust_cell_length(width, inks[Ink.PROSE])


class InkView(ScrollView, inherit_bindings=False):
    """A scrolled view drawn line by line, up and down only.

    Left and Right, which scroll other containers, are left to the screen.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {*(f"ink--{ink}" for ink in Ink), "ink--cursor"}
    ALLOW_SELECT = False

    DEFAULT_CSS = """
    InkView {
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-size-vertical: 1;
        scrollbar-gutter: stable;
        background: $background;
        color: $foreground;
        & > .ink--prose { color: $foreground; }
        & > .ink--strong { color: $foreground; text-style: bold; }
        & > .ink--emphasis { color: $foreground; text-style: italic; }
        & > .ink--muted { color: $text-muted; }
        & > .ink--quote { color: $text-muted; text-style: italic; }
        & > .ink--struck { color: $text-muted; text-style: strike; }
        & > .ink--heading { color: $text-accent; text-style: bold; }
        & > .ink--you { color: $text-primary; text-style: bold; }
        & > .ink--gm { color: $text-secondary; }
        & > .ink--npc { color: $text-accent; }
        & > .ink--good { color: $text-success; }
        & > .ink--warn { color: $text-warning; }
        & > .ink--bad { color: $text-error; }
        & > .ink--cursor { background: $primary 12%; }
        &:focus > .ink--cursor { background: $primary 24%; }
    }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._styles_cache = BareLinesCache()
        self._inks: dict[bool, Inks] = {}

    @property
    def vertical_scrollbar(self) -> ScrollBar:
        """The scrollbar, made when it is first asked for, as Textual makes its own."""
        if self._vertical_scrollbar is None:
            self._vertical_scrollbar = bar = BareScrollBar(thickness=self.scrollbar_size_vertical)
            bar.display = False
            self.app._start_widget(self, bar)
        return self._vertical_scrollbar

    def inks(self, *, under_cursor: bool = False) -> Inks:
        """Return the inks by the present theme, on the cursor's background or the view's own."""
        if under_cursor not in self._inks:
            cursor_background = (
                Style(bgcolor=self.get_component_rich_style("ink--cursor").bgcolor) if under_cursor else None
            )
            self._inks[under_cursor] = {
                ink: self.get_component_rich_style(f"ink--{ink}") + cursor_background for ink in Ink
            }
        return self._inks[under_cursor]

    def notify_style_update(self) -> None:
        self._inks.clear()
        super().notify_style_update()

    def set_line_count(self, count: int, width: int) -> None:
        """Say how many lines there are to scroll through, and how wide they are in cells.

        Textual lays out the whole screen when a virtual size changes. Here that is needed only where the view is as
        high as its lines, or where its scrollbar comes or goes. What is drawn anew is for the caller to say.
        """
        size = Size(width, count)
        needs_bar = count > self.container_size.height
        changes_bar = self.styles.overflow_y == "auto" and needs_bar is not self.show_vertical_scrollbar
        if self.styles.is_auto_height or changes_bar:
            self.virtual_size = size
        elif size != self.virtual_size:
            self.set_reactive(InkView.virtual_size, size)
            if self.show_vertical_scrollbar:
                self.vertical_scrollbar.window_virtual_size = count
            self.scroll_y = self.validate_scroll_y(self.scroll_y)

    def scroll_to_line(self, y: int) -> None:
        """Show line `y` at the top, at once and without animation."""
        self.app.animator.force_stop_animation(self, "scroll_y")
        self.scroll_target_y = y
        self.scroll_y = y
