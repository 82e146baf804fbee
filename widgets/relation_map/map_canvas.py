"""Draws a graph into terminal cells: relations as lines of Braille dots, entities and words upon them.

Pure: what is to be drawn and the part of the map that is in view go in, rows of cells come out. A cell has 2 x 4 dots.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from itertools import groupby
from typing import Final, NamedTuple

from rich.cells import cell_len, get_character_cell_size

from agents.diagrams.relation_graph import Point
from stores.records.ids import Id

_BRAILLE: Final = 0x2800
_CELLS_PER_FIRST_NAME: Final = 50
"""Cells for each of the names that come before signs where not all have room."""
MIN_ZOOM, MAX_ZOOM = 0.06, 4.0
_EDGE_WORD_PLACES: Final = (0.5, 0.4, 0.6, 0.32, 0.68, 0.25, 0.75)
"""Where on a line its words may stand, the best first."""


class MapInk(StrEnum):
    """What a cell of the map stands for; the widget says how it looks."""

    LINE = "line"
    NEAR_LINE = "near-line"
    PROPOSED_LINE = "proposed-line"
    WORDS = "words"
    NEAR_WORDS = "near-words"
    PERSON = "person"
    PLACE = "place"
    FACTION = "faction"
    THING = "thing"
    IDEA = "idea"
    PROPOSED = "proposed"
    FOCUS = "focus"
    NOTE = "note"


class LineLayer(IntEnum):
    """Which line a cell shows where several cross, the highest first."""

    CANON = 1
    PROPOSED = 2
    NEAR = 3


_LINE_INKS: Final = {
    LineLayer.CANON: MapInk.LINE,
    LineLayer.PROPOSED: MapInk.PROPOSED_LINE,
    LineLayer.NEAR: MapInk.NEAR_LINE,
}


@dataclass(frozen=True, slots=True)
class DrawnNode:
    """An entity on the map: `label` begins with its sign."""

    id: Id
    label: str
    ink: MapInk
    point: Point
    note: str = ""
    """What follows the label, muted: how many related ones are not shown."""
    rank: int = 0
    """What is drawn first where there is no room for all: the higher."""


@dataclass(frozen=True, slots=True)
class DrawnEdge:
    """A line between two entities, with the words of their relations."""

    source: Point
    target: Point
    words: str
    layer: LineLayer
    is_dashed: bool = False
    shows_words: bool = True
    """Whether its words are drawn where there is room."""


@dataclass(frozen=True, slots=True)
class MapPicture:
    """All that is to be drawn. Of nodes and words the first have the room."""

    nodes: tuple[DrawnNode, ...] = ()
    edges: tuple[DrawnEdge, ...] = ()


class Zoom(NamedTuple):
    """Columns and lines for each cell of a map."""

    x: float
    y: float

    def times(self, factor: float) -> Zoom:
        """Return it multiplied, within the bounds of what can be read."""
        within = [factor * z for z in self]
        shrink = min(1.0, *(MAX_ZOOM / z for z in within))
        grow = max(1.0, *(MIN_ZOOM / z for z in within))
        return Zoom(within[0] * shrink * grow, within[1] * shrink * grow)


MAX_FITTED_ZOOM: Final = Zoom(1.5, 2.0)
"""How far a small map is stretched to fill its window."""


@dataclass(frozen=True, slots=True)
class MapWindow:
    """The part of a map that is in view, and what stands in its middle."""

    width: int
    height: int
    centre: Point
    zoom: Zoom

    def to_cells(self, point: Point) -> tuple[float, float]:
        """Return the column and line at which a point of the map is in the window."""
        return (
            (point.x - self.centre.x) * self.zoom.x + self.width / 2,
            (point.y - self.centre.y) * self.zoom.y + self.height / 2,
        )

    def to_map(self, column: float, line: float) -> Point:
        """Return the point of the map at a cell of the window."""
        return Point(
            (column - self.width / 2) / self.zoom.x + self.centre.x,
            (line - self.height / 2) / self.zoom.y + self.centre.y,
        )


class MapRun(NamedTuple):
    """Some cells of a row that look alike; ink None: nothing is there."""

    text: str
    ink: MapInk | None


class DrawnMap(NamedTuple):
    """The rows of a window, and what stands where in it."""

    rows: list[list[MapRun]]
    spans: dict[Id, tuple[int, int, int]]
    """By entity in view its line, first column, and the column after its last."""


def draw_map(picture: MapPicture, window: MapWindow, focus_id: Id | None = None) -> DrawnMap:
    """Draw what is in the window."""
    blank = [[0] * window.width for _ in range(window.height)]
    bits = layers = blank
    if picture.edges:
        from widgets.relation_map.line_raster import draw_lines  # NumPy, imported where the map was laid out

        bits, layers = draw_lines(picture.edges, window)
    texts = [[chr(_BRAILLE + bit) if bit else " " for bit in row] for row in bits]
    inks: list[list[MapInk | None]] = [
        [_LINE_INKS[LineLayer(layer)] if layer else None for layer in row] for row in layers
    ]
    cells = _Cells(texts, inks, [bytearray(window.width) for _ in range(window.height)])
    spans = _draw_nodes(picture.nodes, window, focus_id, cells)
    for edge in sorted(picture.edges, key=lambda e: -e.layer):
        if edge.words and edge.shows_words:
            _draw_edge_words(edge, window, cells)
    return DrawnMap([_join_runs(*row) for row in zip(texts, inks, strict=True)], spans)


# --- names and words --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Cells:
    """The cells of a window while it is drawn, and which of them are taken by names and words."""

    texts: list[list[str]]
    inks: list[list[MapInk | None]]
    taken: list[bytearray]

    def is_free(self, line: int, start: int, end: int) -> bool:
        height, width = len(self.taken), len(self.taken[0]) if self.taken else 0
        return 0 <= line < height and start >= 0 and end <= width and not any(self.taken[line][start:end])

    def write(self, line: int, column: int, pieces: Sequence[tuple[str, MapInk]]) -> tuple[int, int, int]:
        """Write over what is there, as far as it is in the window; return line, first column and the one after."""
        width, first = len(self.taken[0]), max(0, column)
        for text, ink in pieces:
            for character in text:
                cells = get_character_cell_size(character)
                if cells and column >= 0 and column + cells <= width:
                    self.texts[line][column], self.inks[line][column] = character, ink
                    if cells == 2:
                        self.texts[line][column + 1], self.inks[line][column + 1] = "", ink
                column += cells
        end = max(first, min(column, width))
        self.taken[line][first:end] = b"\x01" * (end - first)
        return line, first, end


def _draw_nodes(
    nodes: Sequence[DrawnNode], window: MapWindow, focus_id: Id | None, cells: _Cells
) -> dict[Id, tuple[int, int, int]]:
    """Draw names, or signs where there is no room for all names, and return where each is."""
    ranked = sorted(nodes, key=lambda n: (n.id != focus_id, -n.rank))
    places = {n.id: window.to_cells(n.point) for n in ranked}
    ranked = [n for n in ranked if 0 <= places[n.id][1] < window.height]
    spans = {}
    if min(window.zoom) >= 1:
        for node in reversed(ranked):
            pieces = _node_pieces(node, node.id == focus_id)
            column, line = places[node.id]
            x = round(column - _pieces_width(pieces) / 2)
            if x < window.width and x + _pieces_width(pieces) > 0:
                spans[node.id] = cells.write(int(line), x, pieces)
        return spans
    first_count = window.width * window.height // _CELLS_PER_FIRST_NAME
    for node in ranked[:first_count]:
        pieces = _node_pieces(node, node.id == focus_id)
        width, (column, line) = _pieces_width(pieces), places[node.id]
        start = max(0, min(round(column - width / 2), window.width - width))
        if start <= column <= start + width and cells.is_free(int(line), start, start + width):
            spans[node.id] = cells.write(int(line), start, pieces)
    signs = [n for n in ranked if n.id not in spans]
    for node in signs:
        column, line = int(places[node.id][0]), int(places[node.id][1])
        if cells.is_free(line, column, column + 1):
            spans[node.id] = cells.write(line, column, [(node.label[:1], node.ink)])
    for node in signs:
        column, line = int(places[node.id][0]), int(places[node.id][1])
        if node.id in spans and cells.is_free(line, column + 1, column + cell_len(node.label) + 1):
            spans[node.id] = cells.write(line, column, [(f"{node.label} ", node.ink)])
    return spans


def _node_pieces(node: DrawnNode, is_focus: bool) -> list[tuple[str, MapInk]]:
    pieces = [(f" {node.label} ", MapInk.FOCUS if is_focus else node.ink)]
    return [*pieces, (f"{node.note} ", MapInk.NOTE)] if node.note else pieces


def _pieces_width(pieces: Sequence[tuple[str, MapInk]]) -> int:
    return sum(cell_len(text) for text, _ in pieces)


def _draw_edge_words(edge: DrawnEdge, window: MapWindow, cells: _Cells) -> None:
    """Write what a relation is upon its line, where there is room for it."""
    (x0, y0), (x1, y1) = window.to_cells(edge.source), window.to_cells(edge.target)
    width = cell_len(edge.words)
    if abs(x1 - x0) < width * 0.6 and abs(y1 - y0) < 3:
        return
    for share in _EDGE_WORD_PLACES:
        line, column = math.floor(y0 + (y1 - y0) * share), round(x0 + (x1 - x0) * share - width / 2)
        if cells.is_free(line, column - 2, column + width + 2):
            is_near = edge.layer is LineLayer.NEAR
            cells.write(line, column, [(edge.words, MapInk.NEAR_WORDS if is_near else MapInk.WORDS)])
            return


def _join_runs(texts: Sequence[str], inks: Sequence[MapInk | None]) -> list[MapRun]:
    """Return a row with the cells that look alike in one piece."""
    return [
        MapRun("".join(text for text, _ in cells), ink)
        for ink, cells in groupby(zip(texts, inks, strict=True), key=lambda cell: cell[1])
    ]


# --- where to go ------------------------------------------------------------------------------------


def fitting_window(
    points: Mapping[Id, Point], widths: Mapping[Id, int], width: int, height: int
) -> MapWindow:
    """Return the window that has the whole map in view, at full size at most."""
    if not points:
        return MapWindow(width, height, Point(0, 0), Zoom(1, 1))
    top, bottom = min(p.y for p in points.values()), max(p.y for p in points.values())

    def edges_at(zoom_x: float) -> tuple[float, float]:
        """Return the first and last column of all names: they keep their size when the map is stretched."""
        return (
            min(p.x * zoom_x - widths[i] / 2 for i, p in points.items()),
            max(p.x * zoom_x + widths[i] / 2 for i, p in points.items()),
        )

    low, high = MIN_ZOOM, MAX_FITTED_ZOOM.x
    for _ in range(12):
        middle = (low + high) / 2
        left, right = edges_at(middle)
        low, high = (middle, high) if right - left <= width - 2 else (low, middle)
    left, right = edges_at(low)
    zoom = Zoom(low, max(MIN_ZOOM, min(MAX_FITTED_ZOOM.y, (height - 2) / max(1.0, bottom - top))))
    return MapWindow(width, height, Point((left + right) / 2 / zoom.x, (top + bottom) / 2), zoom)


def nearest_in_direction(points: Mapping[Id, Point], origin: Point, dx: int, dy: int) -> Id | None:
    """Return the entity that an arrow key leads to: the nearest one on that side, straight ahead before aside."""

    def distance(point: Point) -> float | None:
        # A line is as high as two columns are wide.
        across, down = point.x - origin.x, (point.y - origin.y) * 2
        ahead, aside = (across * dx, abs(down)) if dx else (down * dy, abs(across))
        return ahead + 2 * aside if ahead > 0.5 and aside <= 3 * ahead else None

    distances = {i: d for i, point in points.items() if (d := distance(point)) is not None}
    return min(distances, key=lambda i: (distances[i], i), default=None)
