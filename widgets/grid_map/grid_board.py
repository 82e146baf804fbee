"""A grid map, drawn line by line: the arrows go from cell to cell, and the window follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from agents.diagrams.grid_map_views import ShownGridMap
from stores.records.grid_maps import Spot
from widgets.grid_map.grid_drawing import (
    ZOOMS,
    CellState,
    GridInk,
    GridPicture,
    GridWindow,
    GridZoom,
    draw_grid_line,
    fitting_zoom,
)

_FIRST_ZOOM: Final = ZOOMS[2]


class GridBoard(Widget, can_focus=True):
    """A window on a map, with a cursor on one cell. The screen changes the map; the keys here move."""

    HELP_TITLE: ClassVar[str] = "Grid map"
    HELP_TEXT: ClassVar[str] = (
        "♦ where the hero is, ● who else is there by canon, ✓ discovered, ◌ a place that waits at the gate, ✎ a note, "
        "⇄ a way to a cell further off. Between cells a gap, = or ║ is a way, □ a door, ■ locked, S secret."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "go(0,-1)", "Up", show=False, id="grid-map.up", tooltip="The cell above"),
        Binding("down", "go(0,1)", "Down", show=False, id="grid-map.down", tooltip="The cell below"),
        Binding(
            "left", "go(-1,0)", "To the left", show=False, id="grid-map.left", tooltip="The cell on the left"
        ),
        Binding(
            "right",
            "go(1,0)",
            "Next one",
            id="grid-map.right",
            tooltip="The cell on the right",
            key_display="←↑↓→",
        ),
        Binding("pageup", "page(-1)", "Page up", show=False, id="grid-map.page_up", tooltip="A window up"),
        Binding(
            "pagedown", "page(1)", "Page down", show=False, id="grid-map.page_down", tooltip="A window down"
        ),
        Binding(
            "plus,equals_sign", "zoom(1)", "Zoom in", id="grid-map.in", tooltip="Closer", key_display="+"
        ),
        Binding("minus", "zoom(-1)", "Zoom out", id="grid-map.out", tooltip="Further away", key_display="-"),
        Binding("0", "fit", "Fit", show=False, id="grid-map.fit", tooltip="The whole map in view"),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *(f"grid-map--{ink}" for ink in GridInk),
        *(f"grid-map--{state}" for state in CellState),
    }
    DEFAULT_CSS = """
    GridBoard {
        background: $background;
        & > .grid-map--wall { color: $foreground 35%; }
        & > .grid-map--way { color: $text-accent; text-style: bold; }
        & > .grid-map--label { color: $text-muted; }
        & > .grid-map--blank { color: $text-muted; }
        & > .grid-map--place { color: $foreground; text-style: bold; }
        & > .grid-map--unseen { color: $text-muted; text-style: italic; }
        & > .grid-map--proposed { color: $text-warning; text-style: italic; }
        & > .grid-map--people { color: $text-primary; text-style: bold; }
        & > .grid-map--note { color: $text-accent; }
        & > .grid-map--green { color: $text-success; }
        & > .grid-map--brown { color: $text-warning; }
        & > .grid-map--blue { color: $text-primary; }
        & > .grid-map--grey { color: $text-muted; }
        & > .grid-map--plain { background: $background; }
        & > .grid-map--hero { background: $success 30%; }
        & > .grid-map--area { background: $primary 20%; }
        & > .grid-map--focus { background: $primary 30%; }
        &:focus > .grid-map--focus { background: $primary 55%; }
    }
    """
    ALLOW_SELECT = False

    @dataclass
    class CursorMoved(Message):
        """Another cell is under the cursor."""

        spot: Spot

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.shown: ShownGridMap | None = None
        self.cursor = Spot(0, 0)
        self.corner: Spot | None = None
        """One corner of the area that the next key changes; the cursor is the other."""
        self._zoom = _FIRST_ZOOM
        self._first = Spot(0, 0)
        self._styles: dict[tuple[GridInk, CellState], Style] = {}

    # --- what is shown -----------------------------------------------------------------------------

    def show_map(self, shown: ShownGridMap | None) -> None:
        """Show a map, or another state of it; the cursor stays where it is, within the map."""
        self.shown = shown
        if shown is not None:
            (column, row), outline = self.cursor, shown.outline
            self.cursor = Spot(min(column, outline.columns - 1), min(row, outline.rows - 1))
        self.refresh()

    @property
    def area(self) -> tuple[Spot, Spot]:
        """Two corners of what the next key changes."""
        return self.corner or self.cursor, self.cursor

    def set_corner(self, corner: Spot | None) -> None:
        self.corner = corner
        self.refresh()

    def go_to(self, spot: Spot) -> None:
        """Put the cursor on a cell."""
        self.cursor = spot
        self.refresh()
        self.post_message(self.CursorMoved(spot))

    @property
    def window(self) -> GridWindow:
        """The part of the map that is in view; it has the cursor in it."""
        window = GridWindow(*self.size, self._zoom, self._first)
        if self.shown is not None:
            window = window.following(self.cursor, self.shown.outline)
            self._first = window.first
        return window

    def render_line(self, y: int) -> Strip:
        if self.shown is None:
            return Strip.blank(self.size.width, self.rich_style)
        picture = GridPicture(self.shown, self.cursor, self.area if self.corner else None)
        runs = draw_grid_line(picture, self.window, y)
        segments = [Segment(run.text, self._style_of(run.ink, run.state)) for run in runs]
        return Strip(segments).adjust_cell_length(self.size.width, self.rich_style)

    def _style_of(self, ink: GridInk, state: CellState) -> Style:
        if (ink, state) not in self._styles:
            background = Style(bgcolor=self.get_component_rich_style(f"grid-map--{state}").bgcolor)
            self._styles[ink, state] = self.get_component_rich_style(f"grid-map--{ink}") + background
        return self._styles[ink, state]

    def notify_style_update(self) -> None:
        self._styles.clear()
        super().notify_style_update()

    def on_focus(self) -> None:
        self._styles.clear()

    def on_blur(self) -> None:
        self._styles.clear()

    # --- keys --------------------------------------------------------------------------------------

    def action_go(self, across: int, down: int) -> None:
        """Go to the next cell on that side, if there is one."""
        there = Spot(self.cursor.column + across, self.cursor.row + down)
        if self.shown is not None and self.shown.grid_map.has(there):
            self.go_to(there)

    def action_page(self, step: int) -> None:
        if self.shown is not None:
            row = self.cursor.row + step * self.window.rows
            self.go_to(Spot(self.cursor.column, max(0, min(row, self.shown.outline.rows - 1))))

    def action_zoom(self, step: int) -> None:
        self._set_zoom(ZOOMS[max(0, min(ZOOMS.index(self._zoom) + step, len(ZOOMS) - 1))])

    def action_fit(self) -> None:
        if self.shown is not None:
            self._first = Spot(0, 0)
            self._set_zoom(fitting_zoom(self.shown.outline, *self.size))

    def _set_zoom(self, zoom: GridZoom) -> None:
        """Zoom about the cursor, which stays near the middle of the window."""
        self._zoom = zoom
        window = GridWindow(*self.size, zoom)
        self._first = Spot(
            max(0, self.cursor.column - window.columns // 2), max(0, self.cursor.row - window.rows // 2)
        )
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is not None and self.shown is not None:
            spot = self.window.spot_at(offset.x, offset.y, self.shown.outline)
            if spot is not None:
                self.go_to(spot)
