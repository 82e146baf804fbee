"""The graph of relations from records, what a map shows of it, where it stands, and its exports."""

from __future__ import annotations

from xml.etree import ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st

from agents.canon_keeper.predicates import load_catalogue
from agents.diagrams.graph_export import render_graphml, render_svg
from agents.diagrams.graph_labels import group_by_ends, join_edge_words
from agents.diagrams.graph_layout import GAP_COLUMNS, lay_out_graph
from agents.diagrams.relation_graph import (
    GraphEdge,
    GraphNode,
    MapSelection,
    RelationGraph,
    build_relation_graph,
    count_unshown_neighbours,
    describe_places,
    first_selection,
    select_subgraph,
)
from stores.records.canon import CreateEntity, Standing
from stores.records.world import EntityKind
from tests.agents.diagrams.world_records import entity, proposed, proposed_relation, relation

PEOPLE = ("Mara", "Wenna", "Stint", "Tam", "Inn", "Company")
SVG = "{http://www.w3.org/2000/svg}"
GRAPHML = "{http://graphml.graphdrawing.org/xmlns}"


def build_world() -> RelationGraph:
    """Mara knows Wenna, who owns the Inn; Stint serves the Company, and is said to fear Mara; Tam is proposed."""
    entities = [
        entity("Mara", is_pc=True),
        entity("Wenna"),
        entity("Stint"),
        entity("Inn", EntityKind.PLACE),
        entity("Company", EntityKind.FACTION),
        entity("Hermit"),
    ]
    facts = [
        relation("Mara", "knows", "Wenna"),
        relation("Wenna", "owns", "Inn"),
        relation("Wenna", "located_in", "Inn"),
        relation("Stint", "serves", "Company"),
        relation("Stint", "fears", "Mara", standing=Standing.RUMOUR),
        relation("Company", "enemy_of", "Nobody in canon"),
    ]
    proposals = [
        proposed(CreateEntity(entity_id="Tam", entity_kind=EntityKind.CHARACTER, name="Old Tam")),
        proposed_relation("Tam", "ally_of", "Wenna"),
    ]
    return build_relation_graph(entities, facts, proposals, load_catalogue())


@st.composite
def graphs(draw: st.DrawFn) -> RelationGraph:
    count = draw(st.integers(1, 24))
    names = draw(st.lists(st.text(max_size=30), min_size=count, max_size=count))
    kinds = st.sampled_from(list(EntityKind))
    nodes = {
        str(n): GraphNode(str(n), name, draw(kinds), is_proposed=draw(st.booleans()))
        for n, name in enumerate(names)
    }
    ends = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)).filter(
        lambda pair: pair[0] != pair[1]
    )
    pairs = draw(st.lists(ends, max_size=40)) if count > 1 else []
    edges = tuple(
        GraphEdge(
            f"fact {n}",
            str(a),
            str(b),
            draw(st.text(max_size=8)),
            is_symmetric=draw(st.booleans()),
            is_proposed=draw(st.booleans()),
        )
        for n, (a, b) in enumerate(pairs)
    )
    return RelationGraph(nodes, edges)


def test_map_shows_canon_alone_until_what_waits_is_asked_for() -> None:
    graph = build_world()
    canon = select_subgraph(graph, MapSelection("Mara", is_whole=True))
    assert set(canon.nodes) == {"Mara", "Wenna", "Stint", "Inn", "Company"}  # nobody without a relation
    assert not any(e.is_proposed for e in canon.edges)
    everything = select_subgraph(graph, MapSelection("Mara", is_whole=True, shows_proposed=True))
    assert set(everything.nodes) - set(canon.nodes) == {"Tam"}
    assert [e.label for e in everything.edges if e.is_proposed] == ["is an ally of"]


def test_map_grows_by_what_is_expanded_and_says_how_many_are_left() -> None:
    graph = build_world()
    near = select_subgraph(graph, MapSelection("Mara"))
    assert set(near.nodes) == {"Mara", "Wenna", "Stint"}
    assert count_unshown_neighbours(graph, near, MapSelection("Mara")) == {"Wenna": 1, "Stint": 1}
    wider = MapSelection("Mara", expanded_ids=frozenset({"Wenna"}))
    assert set(select_subgraph(graph, wider).nodes) == {"Mara", "Wenna", "Stint", "Inn"}
    places_hidden = MapSelection("Mara", is_whole=True, hidden_kinds=frozenset({EntityKind.PLACE}))
    assert "Inn" not in select_subgraph(graph, places_hidden).nodes
    assert first_selection(graph, MapSelection("Mara")).is_whole


def test_map_of_places_has_all_of_them_with_who_is_where_and_what_was_visited() -> None:
    people = [entity("Mara"), entity("Wenna"), entity("Ghost")]
    places = [entity(name, EntityKind.PLACE) for name in ("Inn", "Pier", "Moor")]
    facts = [
        relation("Inn", "connected_to", "Pier"),
        relation("Mara", "located_in", "Inn"),
        relation("Inn", "contains", "Wenna"),
        relation("Ghost", "located_in", "Pier", standing=Standing.RUMOUR),
    ]
    graph = build_relation_graph(
        [*people, *places], facts, [proposed_relation("Mara", "located_in", "Moor")], load_catalogue()
    )
    shown = select_subgraph(graph, MapSelection(is_of_places=True))
    assert set(shown.nodes) == {"Inn", "Pier", "Moor"}
    assert [e.predicate for e in shown.edges] == ["connected_to"]
    notes = describe_places(graph, shown, {"Inn", "Pier"}, shows_proposed=False)
    assert notes == {"Inn": "✓ ● Mara, Wenna", "Pier": "✓"}  # nobody is where only a rumour has them
    assert describe_places(graph, shown, (), shows_proposed=True)["Moor"] == "● Mara"


def test_relations_of_two_are_told_from_either_end() -> None:
    graph = build_world()
    edges_by_ends = {frozenset((a, b)): edges for a, b, edges in group_by_ends(graph)}
    inn = edges_by_ends[frozenset(("Wenna", "Inn"))]
    assert join_edge_words(inn, "Wenna") == "owns, is in"
    assert join_edge_words(inn, "Inn") == "← owns, ← is in"
    fear = edges_by_ends[frozenset(("Stint", "Mara"))]
    assert join_edge_words(fear, "Stint").startswith("~ ")  # a rumour is not shown as true


@given(graphs(), st.sets(st.sampled_from(list(EntityKind))), st.booleans())
@settings(max_examples=15, deadline=None)
def test_selection_is_part_of_the_graph_and_hides_what_it_hides(
    graph: RelationGraph, hidden_kinds: set[EntityKind], shows_proposed: bool
) -> None:
    selection = MapSelection(
        "0", is_whole=True, hidden_kinds=frozenset(hidden_kinds), shows_proposed=shows_proposed
    )
    shown = select_subgraph(graph, selection)
    assert "0" in shown.nodes
    others = [node for i, node in shown.nodes.items() if i != "0"]
    assert not any(node.kind in hidden_kinds or (node.is_proposed and not shows_proposed) for node in others)
    assert all(e.ends <= set(shown.nodes) and (shows_proposed or not e.is_proposed) for e in shown.edges)
    assert set(shown.edges) <= set(graph.edges)


@given(graphs(), st.lists(st.integers(3, 30), min_size=24, max_size=24))
@settings(max_examples=12, deadline=None)
def test_layout_overlaps_no_labels_and_is_the_same_each_time(
    graph: RelationGraph, columns: list[int]
) -> None:
    widths = {str(n): columns[n] for n in range(len(graph.nodes))}
    pairs = [(e.source_id, e.target_id) for e in graph.edges]
    points = lay_out_graph(widths, pairs)
    assert points == lay_out_graph(widths, pairs)
    for later in (points, lay_out_graph(widths, pairs, {i: p for i, p in points.items() if i < "2"})):
        assert later.keys() == widths.keys()
        ids = sorted(later)
        for n, a in enumerate(ids):
            for b in ids[:n]:
                is_apart_across = (
                    abs(later[a].x - later[b].x) >= (widths[a] + widths[b]) / 2 + GAP_COLUMNS - 0.01
                )
                assert is_apart_across or abs(later[a].y - later[b].y) >= 1.5


@given(graphs())
@settings(max_examples=12, deadline=None)
def test_exports_are_well_formed_for_any_name_and_hold_all_that_is_shown(graph: RelationGraph) -> None:
    svg = ElementTree.fromstring(render_svg(graph, "A <world> & its \x00 names"))
    assert len(svg.findall(f"{SVG}g")) == len(graph.nodes)
    assert len(svg.findall(f"{SVG}line")) == len({e.ends for e in graph.edges})
    data = ElementTree.fromstring(render_graphml(graph)).find(f"{GRAPHML}graph")
    assert data is not None
    assert {n.get("id") for n in data.findall(f"{GRAPHML}node")} == set(graph.nodes)
    edges = data.findall(f"{GRAPHML}edge")
    assert [(e.get("source"), e.get("target")) for e in edges] == [
        (e.source_id, e.target_id) for e in graph.edges
    ]
