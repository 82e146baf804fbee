"""Writes a graph of relations as SVG, to be looked at and printed, and as GraphML, for other programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agents.diagrams.graph_labels import group_by_ends, join_edge_words, node_label, text_columns
from agents.diagrams.graph_layout import lay_out_graph
from agents.diagrams.graphml import GraphMlEdge, GraphMlKey, GraphMlNode, write_graphml, xml_text
from agents.diagrams.relation_graph import GraphEdge, GraphNode, Point, RelationGraph
from stores.records.ids import Id
from stores.records.world import EntityKind

_COLOURS: Final = {
    EntityKind.CHARACTER: "#1d6fa5",
    EntityKind.PLACE: "#2e7d32",
    EntityKind.FACTION: "#8e3b8a",
    EntityKind.OBJECT: "#a06000",
    EntityKind.CONCEPT: "#5f6368",
    EntityKind.CREATURE: "#b3261e",
}
_CELL_WIDTH: Final = 9
_CELL_HEIGHT: Final = 22
_MARGIN: Final = 40
_GRAPHML_KEYS: Final = (
    GraphMlKey("name", "node", "string"),
    GraphMlKey("kind", "node", "string"),
    GraphMlKey("player_character", "node", "boolean"),
    GraphMlKey("proposed", "all", "boolean"),
    GraphMlKey("relation", "edge", "string"),
    GraphMlKey("standing", "edge", "string"),
)


# --- SVG --------------------------------------------------------------------------------------------


def render_svg(graph: RelationGraph, title: str) -> str:
    """Return the map as an SVG document that stands alone."""
    widths = {i: text_columns(node_label(node)) + 2 for i, node in graph.nodes.items()}
    points = lay_out_graph(widths, [(e.source_id, e.target_id) for e in graph.edges])
    pixels = {i: _to_pixels(point) for i, point in points.items()}
    left = min((pixels[i].x - widths[i] * _CELL_WIDTH / 2 for i in pixels), default=0.0) - _MARGIN
    right = max((pixels[i].x + widths[i] * _CELL_WIDTH / 2 for i in pixels), default=400.0) + _MARGIN
    top = min((p.y for p in pixels.values()), default=0.0) - 2 * _MARGIN
    bottom = max((p.y for p in pixels.values()), default=200.0) + _MARGIN
    return "\n".join(
        (
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:.0f} {top:.0f} {right - left:.0f}'
            f' {bottom - top:.0f}" font-family="ui-sans-serif, system-ui, sans-serif" font-size="14">',
            f"<title>{xml_text(title)}</title>",
            f'<rect x="{left:.0f}" y="{top:.0f}" width="100%" height="100%" fill="#fffdf8"/>',
            f'<text x="{left + _MARGIN:.0f}" y="{top + _MARGIN:.0f}" font-size="18" font-weight="600"'
            f' fill="#333">{xml_text(title)}</text>',
            *(
                line
                for source, target, edges in group_by_ends(graph)
                for line in _svg_edge(pixels, source, target, edges)
            ),
            *(_svg_node(node, pixels[i], widths[i]) for i, node in graph.nodes.items()),
            "</svg>",
            "",
        )
    )


def _to_pixels(point: Point) -> Point:
    return Point(point.x * _CELL_WIDTH, point.y * _CELL_HEIGHT)


def _svg_edge(pixels: dict[Id, Point], source: Id, target: Id, edges: list[GraphEdge]) -> Iterator[str]:
    start, end = pixels[source], pixels[target]
    dash = ' stroke-dasharray="6 5"' if all(e.is_proposed for e in edges) else ""
    yield (
        f'<line x1="{start.x:.1f}" y1="{start.y:.1f}" x2="{end.x:.1f}" y2="{end.y:.1f}" stroke="#b9b2a5"'
        f' stroke-width="1.4"{dash}/>'
    )
    words = join_edge_words(edges, source if start.x <= end.x else target)
    yield (
        f'<text x="{(start.x + end.x) / 2:.1f}" y="{(start.y + end.y) / 2 + 4:.1f}" text-anchor="middle"'
        ' font-size="11" fill="#6b6558" stroke="#fffdf8" stroke-width="4" paint-order="stroke">'
        f"{xml_text(words)}</text>"
    )


def _svg_node(node: GraphNode, point: Point, columns: int) -> str:
    width, colour = columns * _CELL_WIDTH, _COLOURS[node.kind]
    dash = ' stroke-dasharray="5 4"' if node.is_proposed else ""
    return (
        f'<g><rect x="{point.x - width / 2:.1f}" y="{point.y - 13:.1f}" width="{width}" height="26" rx="13"'
        f' fill="#ffffff" stroke="{colour}" stroke-width="{2.5 if node.is_pc else 1.5}"{dash}/>'
        f'<text x="{point.x:.1f}" y="{point.y + 5:.1f}" text-anchor="middle" fill="{colour}"'
        f' font-weight="{700 if node.is_pc else 500}">{xml_text(node_label(node))}</text></g>'
    )


# --- GraphML ----------------------------------------------------------------------------------------


def render_graphml(graph: RelationGraph) -> str:
    """Return the graph as GraphML; a symmetric relation is an undirected edge."""
    nodes = (
        GraphMlNode(
            node.id,
            {
                "name": node.name,
                "kind": node.kind.value,
                "player_character": str(node.is_pc).lower(),
                "proposed": str(node.is_proposed).lower(),
            },
        )
        for node in graph.nodes.values()
    )
    edges = (
        GraphMlEdge(
            edge.source_id,
            edge.target_id,
            {
                "relation": edge.label,
                "standing": edge.standing.value,
                "proposed": str(edge.is_proposed).lower(),
            },
            edge.fact_id,
            is_directed=not edge.is_symmetric,
        )
        for edge in graph.edges
    )
    return write_graphml("relations", _GRAPHML_KEYS, nodes, edges)
