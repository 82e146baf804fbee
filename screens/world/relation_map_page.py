"""A map of relations as its screen shows it: laid out, with the counts of its legend."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from textual.content import Content

from agents.diagrams.graph_labels import KIND_SIGNS
from agents.diagrams.relation_graph import (
    VISITED_SIGN,
    MapSelection,
    RelationGraph,
    count_kinds,
    count_unshown_neighbours,
    describe_places,
    select_subgraph,
)
from stores.records.ids import Id
from stores.records.world import EntityKind
from widgets.relation_map.relation_map import PROPOSED_SIGN, LaidOutMap, label_columns
from widgets.safe_text import ellipsise, one_line

if TYPE_CHECKING:
    from agents.diagrams.diagram_views import RelationGraphView
    from agents.diagrams.relation_graph import Point

KIND_KEYS: Final = (
    ("1", EntityKind.CHARACTER, "People"),
    ("2", EntityKind.PLACE, "Places"),
    ("3", EntityKind.FACTION, "Factions"),
    ("4", EntityKind.OBJECT, "Things"),
    ("5", EntityKind.CONCEPT, "Ideas"),
    ("6", EntityKind.CREATURE, "Beasts"),
)
KIND_COLOURS: Final = {
    EntityKind.CHARACTER: "$text-primary",
    EntityKind.PLACE: "$text-success",
    EntityKind.FACTION: "$text-secondary",
    EntityKind.OBJECT: "$text-warning",
    EntityKind.CONCEPT: "$text-muted",
    EntityKind.CREATURE: "$text-primary",
}
"""The colours that the map has them in."""
MAX_NOTE_CELLS: Final = 28
"""Cells of who is in a place."""


@dataclass(frozen=True, slots=True)
class MapPage:
    """A map with where everything stands, and how many there are of each kind."""

    laid_out: LaidOutMap
    kind_counts: Mapping[EntityKind, int]
    showable_count: int
    """Of those who have a relation, hidden ones included, and those shown without one."""


def lay_out_page(
    view: RelationGraphView, selection: MapSelection, earlier: Mapping[Id, Point] | None
) -> MapPage:
    """Lay out what a selection shows. Takes a second for 500 entities: not on the event loop."""
    import widgets.relation_map.line_raster  # noqa: F401  NumPy is imported here, and not when the map is drawn
    from agents.diagrams.graph_layout import lay_out_graph

    graph = view.graph
    shown = select_subgraph(graph, selection)
    if selection.is_of_places:
        notes = describe_places(graph, shown, view.visited_ids, shows_proposed=selection.shows_proposed)
        notes = {i: ellipsise(one_line(note), MAX_NOTE_CELLS) for i, note in notes.items()}
    else:
        notes = {i: f"+{n}" for i, n in count_unshown_neighbours(graph, shown, selection).items()}
    widths = {i: label_columns(node, notes.get(i, "")) for i, node in shown.nodes.items()}
    points = lay_out_graph(widths, [(e.source_id, e.target_id) for e in shown.edges], earlier)
    counts = count_kinds(graph, selection)
    # The one that the map begins at is shown without relations, too.
    related_ids = {i for e in graph.edges if selection.shows_proposed or not e.is_proposed for i in e.ends}
    showable_count = len(related_ids.union(shown.nodes))
    return MapPage(LaidOutMap(shown, points, notes), counts, showable_count)


def find_first_root(graph: RelationGraph) -> Id | None:
    """Return where a map begins that was opened at nobody: the player character, or who has the most relations."""
    canon_ids = [i for i, node in graph.nodes.items() if not node.is_proposed]
    return max(
        canon_ids,
        key=lambda i: (graph.nodes[i].is_pc, len(graph.neighbours[i]), graph.nodes[i].name),
        default=None,
    )


def find_by_name(graph: RelationGraph, wanted: str) -> Id | None:
    """Return whose name begins with the words, or else has them in it."""
    names = {i: node.name.casefold() for i, node in graph.nodes.items()}
    matching_ids = [i for i, name in names.items() if wanted in name]
    return min(matching_ids, key=lambda i: (not names[i].startswith(wanted), names[i]), default=None)


def draw_legend(page: MapPage, selection: MapSelection, view: RelationGraphView, width: int) -> Content:
    """Return the kinds with their keys, signs and counts, and names if they fit; what is hidden is struck through."""
    proposed_count = sum(e.is_proposed for e in view.graph.edges) + sum(
        n.is_proposed for n in view.graph.nodes.values()
    )
    rows = [
        (
            key,
            KIND_SIGNS[kind],
            KIND_COLOURS[kind],
            label,
            page.kind_counts[kind],
            kind not in selection.hidden_kinds,
        )
        for key, kind, label in KIND_KEYS
    ]
    rows.append(
        ("8", VISITED_SIGN, "$text-success", "Places alone", len(view.visited_ids), selection.is_of_places)
    )
    rows.insert(
        -1, ("7", PROPOSED_SIGN, "$text-warning", "Waiting", proposed_count, selection.shows_proposed)
    )
    full, short = (
        Content("  ").join(
            Content.assemble(
                (key, "bold $footer-key-foreground"),
                " ",
                (sign, colour if is_shown else "dim"),
                " ",
                (f"{label.lower()} {count}" if has_words else f"{count}", "" if is_shown else "dim strike"),
            )
            for key, sign, colour, label, count, is_shown in rows
            if count
        )
        for has_words in (True, False)
    )
    return full if full.cell_length <= width else short
