"""Writes a grid map as SVG, to be looked at and printed, and as GraphML, for other programs. Pure.

Both are well-formed for any name.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from agents.diagrams.graphml import GraphMlEdge, GraphMlKey, GraphMlNode, write_graphml, xml_text
from agents.diagrams.grid_map import column_letters, row_order, spot_label
from agents.diagrams.grid_map_views import ShownGridMap
from agents.diagrams.relation_graph import PRESENT_SIGN, Point
from stores.records.grid_maps import GridShape, Spot, Terrain, WayKind

_COLOURS: Final = {
    Terrain.PLAIN: "#e9e3b8",
    Terrain.WOOD: "#a9cf9a",
    Terrain.HILLS: "#d9c08f",
    Terrain.MOUNTAINS: "#b7aca3",
    Terrain.WATER: "#a9cfe6",
    Terrain.MARSH: "#b9cbb4",
    Terrain.WASTE: "#efdcae",
    Terrain.ROAD: "#d8d2c4",
    Terrain.BUILT: "#e3cfc4",
}
_BLANK_COLOUR: Final = "#fffdf8"
_LINE: Final = "#8d8674"
_WAY_COLOURS: Final = {
    WayKind.WAY: "#6b6558",
    WayKind.DOOR: "#a06000",
    WayKind.LOCKED: "#b3261e",
    WayKind.SECRET: "#8e3b8a",
}
_SIDE: Final = 64
"""Pixels across a cell."""
_MARGIN: Final = 28
_TITLE_HEIGHT: Final = 34
_MAX_LINE: Final = 12
"""Characters of one line of words in a cell."""


def render_grid_svg(shown: ShownGridMap) -> str:
    """Return the map as an SVG document that stands alone. Of hexes each second row is half a cell to the right."""
    is_hex = shown.outline.shape is GridShape.HEXES
    width = (shown.outline.columns + (0.5 if is_hex else 0)) * _SIDE + 2 * _MARGIN
    height = _centre(shown, Spot(0, shown.outline.rows - 1)).y + _SIDE / 2 + 2 * _MARGIN + _TITLE_HEIGHT
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}"'
        ' font-family="ui-sans-serif, system-ui, sans-serif" font-size="11">',
        f"<title>{xml_text(shown.outline.name)}</title>",
        f'<rect width="100%" height="100%" fill="{_BLANK_COLOUR}"/>',
        f'<text x="{_MARGIN}" y="26" font-size="18" font-weight="600" fill="#333">',
        f"{xml_text(shown.outline.name)}</text>",
    ]
    for spot in shown.drawn_spots():
        lines += _draw_cell(shown, spot)
    for one, other, kind in shown.drawn_ways():
        lines.append(_draw_way(shown, one, other, kind))
    for spot in shown.drawn_spots():
        lines += _draw_words(shown, spot)
    lines += _draw_edges(shown)
    return "\n".join((*lines, "</svg>", ""))


def _centre(shown: ShownGridMap, spot: Spot) -> Point:
    x, y = spot.column + 0.5, spot.row + 0.5
    if shown.outline.shape is GridShape.HEXES:
        x += 0.5 * (spot.row % 2)
        y = spot.row * math.sqrt(3) / 2 + 0.58
    return Point(_MARGIN + x * _SIDE, _MARGIN + _TITLE_HEIGHT + y * _SIDE)


def _draw_cell(shown: ShownGridMap, spot: Spot) -> Iterator[str]:
    cell, (x, y) = shown.cell(spot), _centre(shown, spot)
    colour = _COLOURS[cell.terrain] if cell.terrain else "#ffffff"
    stroke = ("#1d6fa5", 3) if cell.is_hero_here else (_LINE, 1)
    shape = f'fill="{colour}" stroke="{stroke[0]}" stroke-width="{stroke[1]}"'
    if shown.outline.shape is GridShape.HEXES:
        radius = _SIDE / math.sqrt(3)
        corners = " ".join(
            f"{x + radius * math.sin(math.radians(60 * n)):.1f},{y - radius * math.cos(math.radians(60 * n)):.1f}"
            for n in range(6)
        )
        yield f'<polygon points="{corners}" {shape}/>'
    else:
        yield f'<rect x="{x - _SIDE / 2:.1f}" y="{y - _SIDE / 2:.1f}" width="{_SIDE}" height="{_SIDE}" {shape}/>'


def _draw_way(shown: ShownGridMap, one: Spot, other: Spot, kind: WayKind) -> str:
    start, end = _centre(shown, one), _centre(shown, other)
    dash = "" if kind is WayKind.WAY else ' stroke-dasharray="5 4"'
    return (
        f'<line x1="{start.x:.1f}" y1="{start.y:.1f}" x2="{end.x:.1f}" y2="{end.y:.1f}"'
        f' stroke="{_WAY_COLOURS[kind]}" stroke-width="4"{dash} opacity="0.7"><title>{kind}</title></line>'
    )


def _draw_words(shown: ShownGridMap, spot: Spot) -> Iterator[str]:
    cell, (x, y) = shown.cell(spot), _centre(shown, spot)
    rows: list[tuple[str, int]] = []
    if cell.place:
        rows += ((words, 600) for words in _wrap(cell.place.name))
        if cell.place.people:
            rows.append((_shorten(f"{PRESENT_SIGN} {', '.join(cell.place.people)}"), 400))
    elif cell.text:
        rows.append(("✎", 400))
    for number, (words, weight) in enumerate(rows):
        yield (
            f'<text x="{x:.1f}" y="{y + (number - (len(rows) - 1) / 2) * 13 + 4:.1f}" text-anchor="middle"'
            f' font-weight="{weight}" fill="#222" stroke="#ffffff" stroke-width="3" paint-order="stroke">'
            f"{xml_text(words)}</text>"
        )


def _wrap(name: str) -> list[str]:
    lines: list[str] = []
    for word in name.split():
        if lines and len(lines[-1]) + len(word) < 10:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return [_shorten(line) for line in lines[:3]]


def _shorten(words: str) -> str:
    return words if len(words) <= _MAX_LINE else f"{words[: _MAX_LINE - 1]}…"


def _draw_edges(shown: ShownGridMap) -> Iterator[str]:
    """Yield the letters of columns above and the numbers of rows on the left."""
    for column in range(shown.outline.columns):
        x = _centre(shown, Spot(column, 0)).x
        letters = column_letters(column)
        yield (
            f'<text x="{x:.1f}" y="{_MARGIN + _TITLE_HEIGHT - 6}" text-anchor="middle" fill="#8d8674">{letters}</text>'
        )
    for row in range(shown.outline.rows):
        y = _centre(shown, Spot(0, row)).y
        yield f'<text x="{_MARGIN - 6}" y="{y + 4:.1f}" text-anchor="end" fill="#8d8674">{row + 1}</text>'


# --- GraphML ----------------------------------------------------------------------------------------

_GRAPHML_KEYS: Final = (
    GraphMlKey("name", "node", "string"),
    GraphMlKey("cell", "node", "string"),
    GraphMlKey("terrain", "node", "string"),
    GraphMlKey("note", "node", "string"),
    GraphMlKey("people", "node", "string"),
    GraphMlKey("discovered", "node", "boolean"),
    GraphMlKey("proposed", "node", "boolean"),
    GraphMlKey("way", "edge", "string"),
)


def render_grid_graphml(shown: ShownGridMap) -> str:
    """Return the cells that hold something, and the ways between cells, as GraphML."""
    ways = shown.drawn_ways()
    ends = {spot for one, other, _ in ways for spot in (one, other)}
    spots = sorted({*shown.drawn_spots(), *ends}, key=row_order)
    nodes = []
    for spot in spots:
        cell = shown.cell(spot)
        values = {
            "name": cell.place.name if cell.place else "",
            "cell": spot_label(spot),
            "terrain": cell.terrain or "",
            "note": cell.text,
            "people": ", ".join(cell.place.people) if cell.place else "",
            "discovered": str(cell.is_discovered).lower(),
            "proposed": str(bool(cell.place and cell.place.is_proposed)).lower(),
        }
        nodes.append(GraphMlNode(spot_label(spot), {k: value for k, value in values.items() if value}))
    edges = [
        GraphMlEdge(spot_label(one), spot_label(other), {"way": str(kind)}, is_directed=False)
        for one, other, kind in ways
    ]
    return write_graphml("map", _GRAPHML_KEYS, nodes, edges)
