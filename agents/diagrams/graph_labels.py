"""What stands on a map of relations: the sign and name of an entity, and what two are to each other in words."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from agents.diagrams.relation_graph import GraphEdge, GraphNode, RelationGraph
from stores.records.canon import Standing
from stores.records.ids import Id
from stores.records.world import EntityKind

KIND_SIGNS: Final = {
    EntityKind.CHARACTER: "●",
    EntityKind.PLACE: "⌂",
    EntityKind.FACTION: "⚑",
    EntityKind.OBJECT: "■",
    EntityKind.CONCEPT: "○",
    EntityKind.CREATURE: "▲",
}
"""The sign of each kind of entity, on the map and in its legend."""
PC_SIGN: Final = "♦"
STANDING_SIGNS: Final = {
    Standing.RUMOUR: "~ ",
    Standing.LIE: "≠ ",
    Standing.DISPUTED: "? ",
    Standing.TRUE: "",
}


def node_sign(node: GraphNode) -> str:
    return PC_SIGN if node.is_pc else KIND_SIGNS[node.kind]


def node_label(node: GraphNode) -> str:
    """Return the label of an entity on a map: its sign and its name on one line."""
    return f"{node_sign(node)} {' '.join(node.name.split())}"


def text_columns(text: str) -> int:
    """Return about how many columns a text takes: two for each wide character."""
    return sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in text if not unicodedata.combining(c))


def join_edge_words(edges: Sequence[GraphEdge], source_id: Id) -> str:
    """Return what two entities are to each other, as read from one of them: `serves`, `← owns`, `~ fears`."""
    words = []
    for edge in edges:
        arrow = "← " if edge.source_id != source_id and not edge.is_symmetric else ""
        ending = " (ending)" if edge.is_ending else ""
        words.append(f"{STANDING_SIGNS[edge.standing]}{arrow}{edge.label}{ending}")
    return ", ".join(dict.fromkeys(words))


def group_by_ends(graph: RelationGraph) -> Iterator[tuple[Id, Id, list[GraphEdge]]]:
    """Yield each two related entities with all their relations, in the direction of the first."""
    ordered = sorted(graph.edges, key=lambda e: (min(e.ends), max(e.ends)))
    for _, edges in groupby(ordered, key=lambda e: e.ends):
        group = list(edges)
        yield group[0].source_id, group[0].target_id, group
