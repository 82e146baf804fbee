"""Draws the part of a grid map that is in view into terminal cells. Pure: the time it takes grows with the window.

A hex map is drawn as bricks: each second row stands half a cell to the right, so that every cell touches six.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby
from typing import Final, NamedTuple

from rich.cells import cell_len

from agents.diagrams.grid_map import column_letters
from agents.diagrams.grid_map_views import ShownCell, ShownGridMap
from agents.diagrams.relation_graph import PRESENT_SIGN, VISITED_SIGN
from stores.records.grid_maps import GridOutline, GridShape, Spot, Terrain, WayKind
from widgets.safe_text import ellipsise, one_line

HERO_SIGN: Final = "♦"
NOTE_SIGN: Final = "✎"
FAR_WAY_SIGN: Final = "⇄"
PROPOSED_SIGN: Final = "◌"
PLACE_SIGN: Final = "⌂"
TERRAIN_SIGNS: Final = {
    Terrain.PLAIN: "·",
    Terrain.WOOD: "♣",
    Terrain.HILLS: "∩",
    Terrain.MOUNTAINS: "▲",
    Terrain.WATER: "≈",
    Terrain.MARSH: "„",
    Terrain.WASTE: "░",
    Terrain.ROAD: "=",
    Terrain.BUILT: "#",
}
WAY_SIGNS: Final = {WayKind.WAY: " ", WayKind.DOOR: "□", WayKind.LOCKED: "■", WayKind.SECRET: "S"}
ROW_LABEL_WIDTH: Final = 4


class GridInk(StrEnum):
    """What a character of the map stands for; the widget says how it looks."""

    WALL = "wall"
    WAY = "way"
    LABEL = "label"
    BLANK = "blank"
    PLACE = "place"
    UNSEEN = "unseen"
    PROPOSED = "proposed"
    PEOPLE = "people"
    NOTE = "note"
    GREEN = "green"
    BROWN = "brown"
    BLUE = "blue"
    GREY = "grey"


class CellState(StrEnum):
    """How the background of a cell looks."""

    PLAIN = "plain"
    HERO = "hero"
    AREA = "area"
    FOCUS = "focus"


TERRAIN_INKS: Final = {
    Terrain.PLAIN: GridInk.GREY,
    Terrain.WOOD: GridInk.GREEN,
    Terrain.HILLS: GridInk.BROWN,
    Terrain.MOUNTAINS: GridInk.GREY,
    Terrain.WATER: GridInk.BLUE,
    Terrain.MARSH: GridInk.GREEN,
    Terrain.WASTE: GridInk.BROWN,
    Terrain.ROAD: GridInk.BROWN,
    Terrain.BUILT: GridInk.GREY,
}


class GridZoom(NamedTuple):
    """Columns and lines from one cell to the next; a cell with one line has no walls."""

    width: int
    height: int

    @property
    def wall(self) -> int:
        return 1 if self.height > 1 else 0


ZOOMS: Final = (GridZoom(2, 1), GridZoom(8, 2), GridZoom(12, 4), GridZoom(18, 5))


class GridRun(NamedTuple):
    """Some characters of a line that look alike."""

    text: str
    ink: GridInk
    state: CellState = CellState.PLAIN


@dataclass(frozen=True, slots=True)
class GridWindow:
    """The part of a map that is in view: the cell at its upper left corner."""

    width: int
    height: int
    zoom: GridZoom
    first: Spot = field(default=Spot(0, 0))

    @property
    def columns(self) -> int:
        """Cells that are whole in view, from left to right, on any row of a map."""
        return max(
            1, (self.width - ROW_LABEL_WIDTH - self.zoom.wall - self.zoom.width // 2) // self.zoom.width
        )

    @property
    def rows(self) -> int:
        return max(1, (self.height - 1 - self.zoom.wall) // self.zoom.height)

    def following(self, spot: Spot, outline: GridOutline) -> GridWindow:
        """Return the window moved so that a cell is in view."""
        column = _follow(self.first.column, spot.column, self.columns, outline.columns)
        row = _follow(self.first.row, spot.row, self.rows, outline.rows)
        return GridWindow(self.width, self.height, self.zoom, Spot(column, row))

    def spot_at(self, x: int, y: int, outline: GridOutline) -> Spot | None:
        """Return the cell at a column and line of the window; None for what is none."""
        if y < 1 or x < ROW_LABEL_WIDTH:
            return None
        row = self.first.row + (y - 1) // self.zoom.height
        column = (
            x - ROW_LABEL_WIDTH - _shift(outline, row, self.zoom)
        ) // self.zoom.width + self.first.column
        inside = 0 <= column < outline.columns and row < outline.rows
        return Spot(column, row) if inside else None


def _follow(first: int, wanted: int, in_view: int, total: int) -> int:
    """Return the first cell in view so that the wanted one is, with a neighbour beside it where there is room."""
    margin = 1 if in_view > 2 else 0
    first = min(first, max(0, wanted - margin))
    first = max(first, wanted + margin - in_view + 1)
    return max(0, min(first, total - in_view))


def fitting_zoom(outline: GridOutline, width: int, height: int) -> GridZoom:
    """Return the largest zoom at which the whole map is in view; the smallest where none is."""
    fitting = [
        zoom
        for zoom in ZOOMS
        if GridWindow(width, height, zoom).columns >= outline.columns
        and GridWindow(width, height, zoom).rows >= outline.rows
    ]
    return fitting[-1] if fitting else ZOOMS[0]


@dataclass(frozen=True, slots=True)
class GridPicture:
    """A map with its cursor and the area that is marked."""

    shown: ShownGridMap
    cursor: Spot
    area: tuple[Spot, Spot] | None = None
    """Two corners of what the next key changes; None: the cell under the cursor alone."""

    def state_of(self, spot: Spot, cell: ShownCell) -> CellState:
        if spot == self.cursor:
            return CellState.FOCUS
        if self.area is not None:
            (a, b), (c, d) = self.area
            if min(a, c) <= spot.column <= max(a, c) and min(b, d) <= spot.row <= max(b, d):
                return CellState.AREA
        return CellState.HERO if cell.is_hero_here else CellState.PLAIN


def draw_grid_line(picture: GridPicture, window: GridWindow, y: int) -> list[GridRun]:
    """Return one line of the window: above all the letters of columns, on the left the numbers of rows."""
    if y == 0:
        return _join(_draw_column_labels(picture.shown.outline, window))
    line, row = (y - 1) % window.zoom.height, window.first.row + (y - 1) // window.zoom.height
    outline = picture.shown.outline
    if row > outline.rows or (row == outline.rows and (line or not window.zoom.wall)):
        return []
    if window.zoom.wall and line == 0:
        return _join([GridRun(" " * ROW_LABEL_WIDTH, GridInk.LABEL), *_draw_wall_line(picture, window, row)])
    label = f"{row + 1:>{ROW_LABEL_WIDTH - 1}} " if line == window.zoom.wall else " " * ROW_LABEL_WIDTH
    return _join([GridRun(label, GridInk.LABEL), *_draw_cell_line(picture, window, row, line)])


def _shift(outline: GridOutline, row: int, zoom: GridZoom) -> int:
    is_shifted = outline.shape is GridShape.HEXES and row % 2 == 1
    return zoom.width // 2 if is_shifted else 0


def _visible_columns(outline: GridOutline, window: GridWindow) -> range:
    in_view = (window.width - ROW_LABEL_WIDTH) // window.zoom.width + 1
    return range(window.first.column, min(outline.columns, window.first.column + in_view))


def _draw_column_labels(outline: GridOutline, window: GridWindow) -> Iterator[GridRun]:
    yield GridRun(" " * (ROW_LABEL_WIDTH + window.zoom.wall), GridInk.LABEL)
    for column in _visible_columns(outline, window):
        letters = column_letters(column)
        room = window.zoom.width
        # Two letters fill a narrow column: every second one is enough.
        words = letters if len(letters) < room or column % 2 == 0 else ""
        yield GridRun(words.center(room - window.zoom.wall)[:room].ljust(room), GridInk.LABEL)


# --- cells ------------------------------------------------------------------------------------------


def _draw_cell_line(picture: GridPicture, window: GridWindow, row: int, line: int) -> Iterator[GridRun]:
    shown, zoom = picture.shown, window.zoom
    yield GridRun(" " * _shift(shown.outline, row, zoom), GridInk.BLANK)
    columns = _visible_columns(shown.outline, window)
    for column in columns:
        spot = Spot(column, row)
        cell = shown.cell(spot)
        if zoom.wall:
            yield _draw_side(picture, spot, is_middle=line == (zoom.height + 1) // 2)
        state = picture.state_of(spot, cell)
        yield from _fill(_draw_inside(shown, spot, cell, zoom, line - zoom.wall), zoom, state)
    if zoom.wall and columns:
        yield _draw_side(picture, Spot(columns[-1] + 1, row), is_middle=False)


def _draw_side(picture: GridPicture, spot: Spot, *, is_middle: bool) -> GridRun:
    """Return the wall on the left of a cell, or what leads through it."""
    shown, left = picture.shown, Spot(spot.column - 1, spot.row)
    kind = shown.grid_map.way_between(left, spot) if spot.column else None
    if kind is not None and is_middle:
        return GridRun(_way_sign(shown.outline, kind, "="), GridInk.WAY)
    return GridRun("│" if _has_wall(shown, left, spot) else " ", GridInk.WALL)


def _has_wall(shown: ShownGridMap, one: Spot, other: Spot) -> bool:
    """Return whether a line stands between two cells: everywhere, but between two unknown rooms."""
    if shown.outline.shape is not GridShape.ROOMS:
        return True
    return not (shown.cell(one).is_blank and shown.cell(other).is_blank)


def _way_sign(outline: GridOutline, kind: WayKind, open_ground: str) -> str:
    """Return the sign of a way: a gap in the walls of rooms, a bridge of two strokes in the lines of open ground."""
    is_open = kind is WayKind.WAY and outline.shape is not GridShape.ROOMS
    return open_ground if is_open else WAY_SIGNS[kind]


def _draw_inside(
    shown: ShownGridMap, spot: Spot, cell: ShownCell, zoom: GridZoom, line: int
) -> list[tuple[str, GridInk]]:
    width = zoom.width - zoom.wall
    if not zoom.wall:
        return [_small_sign(cell)]
    if line == 0:
        marks = "".join(
            sign
            for sign, is_there in (
                (HERO_SIGN, cell.is_hero_here),
                (PROPOSED_SIGN, bool(cell.place and cell.place.is_proposed)),
                (VISITED_SIGN, cell.is_discovered and width > 8),
                (NOTE_SIGN, bool(cell.text) and zoom.height == zoom.wall + 1),
            )
            if is_there
        )
        if cell.place:
            ink = (
                GridInk.PROPOSED
                if cell.place.is_proposed
                else GridInk.PLACE
                if cell.is_discovered
                else GridInk.UNSEEN
            )
            return [(marks, GridInk.PEOPLE), (ellipsise(one_line(cell.place.name), width - len(marks)), ink)]
        return [(marks, GridInk.PEOPLE), *_fill_terrain(cell, width - len(marks))]
    if line == 1 and cell.place and cell.place.people:
        names = ellipsise(f"{PRESENT_SIGN} {one_line(', '.join(cell.place.people))}", width)
        return [(names, GridInk.PEOPLE)]
    if line == zoom.height - zoom.wall - 1:
        has_far_way = any(not is_beside(shown, spot, there) for there in shown.leads_from(spot))
        signs = f"{NOTE_SIGN if cell.text else ''}{FAR_WAY_SIGN if has_far_way else ''}"
        return [(signs, GridInk.NOTE), *_fill_terrain(cell, width - len(signs))]
    return list(_fill_terrain(cell, width))


def is_beside(shown: ShownGridMap, one: Spot, other: Spot) -> bool:
    """Return whether two cells touch, so that what leads from one to the other is drawn between them."""
    across, down = other.column - one.column, other.row - one.row
    if shown.outline.shape is GridShape.HEXES and down:
        offset = 1 if one.row % 2 else 0
        return abs(down) == 1 and across in (offset - 1, offset)
    return abs(across) + abs(down) == 1


def _small_sign(cell: ShownCell) -> tuple[str, GridInk]:
    if cell.is_hero_here:
        return HERO_SIGN, GridInk.PEOPLE
    if cell.place:
        is_proposed = cell.place.is_proposed
        sign = PROPOSED_SIGN if is_proposed else PRESENT_SIGN if cell.place.people else PLACE_SIGN
        return sign, GridInk.PROPOSED if is_proposed else GridInk.PLACE
    if cell.terrain:
        return TERRAIN_SIGNS[cell.terrain], TERRAIN_INKS[cell.terrain]
    if cell.text:
        return NOTE_SIGN, GridInk.NOTE
    return (VISITED_SIGN, GridInk.LABEL) if cell.is_discovered else (" ", GridInk.BLANK)


def _fill_terrain(cell: ShownCell, width: int) -> list[tuple[str, GridInk]]:
    if cell.terrain is None or width <= 0:
        return []
    return [((f"{TERRAIN_SIGNS[cell.terrain]} " * width)[:width], TERRAIN_INKS[cell.terrain])]


def _fill(pieces: Sequence[tuple[str, GridInk]], zoom: GridZoom, state: CellState) -> Iterator[GridRun]:
    """Yield the pieces, which fit into a cell, and blanks up to its end."""
    room = zoom.width - zoom.wall
    for text, ink in pieces:
        room -= cell_len(text)
        yield GridRun(text, ink, state)
    yield GridRun(" " * room, GridInk.BLANK, state)


# --- walls ------------------------------------------------------------------------------------------


def _draw_wall_line(picture: GridPicture, window: GridWindow, row: int) -> list[GridRun]:
    """Return the line between a row and the one above it."""
    shown, zoom = picture.shown, window.zoom
    outline = shown.outline
    cells = [GridRun(" ", GridInk.BLANK)] * (window.width - ROW_LABEL_WIDTH)
    for wall_row in (row - 1, row):
        if not 0 <= wall_row < outline.rows:
            continue
        for column in _visible_columns(outline, window):
            start = (column - window.first.column) * zoom.width + _shift(outline, wall_row, zoom)
            if _has_wall(shown, Spot(column, row - 1), Spot(column, row)):
                for x in range(start, start + zoom.width + 1):
                    is_corner = x in (start, start + zoom.width)
                    _put(cells, x, GridRun("┼" if is_corner else "─", GridInk.WALL))
    if 0 < row < outline.rows:
        for column in _visible_columns(outline, window):
            for above, x in _ways_up(outline, window, Spot(column, row)):
                kind = shown.grid_map.way_between(above, Spot(column, row))
                if kind is not None:
                    _put(cells, x, GridRun(_way_sign(outline, kind, "║"), GridInk.WAY), is_over=True)
    return cells


def _ways_up(outline: GridOutline, window: GridWindow, spot: Spot) -> Iterator[tuple[Spot, int]]:
    """Yield the cells above one, each with the column of the window where a way to it is drawn."""
    zoom = window.zoom
    start = (spot.column - window.first.column) * zoom.width + _shift(outline, spot.row, zoom)
    if outline.shape is not GridShape.HEXES:
        yield Spot(spot.column, spot.row - 1), start + zoom.width // 2
        return
    left = spot.column if spot.row % 2 else spot.column - 1
    yield Spot(left, spot.row - 1), start + zoom.width // 4
    yield Spot(left + 1, spot.row - 1), start + zoom.width * 3 // 4


def _put(cells: list[GridRun], x: int, run: GridRun, *, is_over: bool = False) -> None:
    if 0 <= x < len(cells) and (is_over or cells[x].text != "┼"):
        cells[x] = run


def _join(runs: Iterator[GridRun] | Sequence[GridRun]) -> list[GridRun]:
    """Return a line with the characters that look alike in one piece."""
    return [
        GridRun("".join(run.text for run in alike), ink, state)
        for (ink, state), alike in groupby(runs, key=lambda run: (run.ink, run.state))
    ]
