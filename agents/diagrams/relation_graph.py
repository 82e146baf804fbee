"""The graph of relations: who and what is related to whom, from records, and the part of it that a map shows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, NamedTuple

from agents.canon_keeper.fact_ids import fact_id_of
from agents.canon_keeper.fact_readings import LOCATED_IN, OBJECT, SUBJECT
from agents.canon_keeper.predicates import Catalogue
from stores.records.canon import AssertFact, CreateEntity, EndFact, Fact, FactKind, Involvement, Standing
from stores.records.ids import Id
from stores.records.workflow import ProposedChange
from stores.records.world import ACTORS, Entity, EntityKind, EntityStatus

VISITED_SIGN: Final = "✓"
PRESENT_SIGN: Final = "●"
CONTAINS: Final = "contains"
"""What `located_in` is called from the other end."""
MAX_DRAWN: Final = 800
"""Entities of one map: those with the most relations."""


class Point(NamedTuple):
    """A place on a map, in its cells: x to the right, y down."""

    x: float
    y: float


@dataclass(frozen=True, slots=True)
class GraphNode:
    """An entity of the graph."""

    id: Id
    name: str
    kind: EntityKind
    is_pc: bool = False
    is_proposed: bool = False
    """Whether it waits at the gate."""


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """A relation between two entities, read from `source_id` to `target_id`."""

    fact_id: Id
    source_id: Id
    target_id: Id
    label: str
    predicate: str = ""
    is_symmetric: bool = False
    is_proposed: bool = False
    """Whether it waits at the gate."""
    is_ending: bool = False
    """Whether its end waits at the gate."""
    standing: Standing = Standing.TRUE

    @property
    def ends(self) -> frozenset[Id]:
        return frozenset((self.source_id, self.target_id))


@dataclass(frozen=True)
class RelationGraph:
    """Entities and the relations between them; every end of an edge is a node."""

    nodes: Mapping[Id, GraphNode] = field(default_factory=dict)
    edges: tuple[GraphEdge, ...] = ()

    @cached_property
    def neighbours(self) -> Mapping[Id, tuple[Id, ...]]:
        """By entity those related to it, each once, in the order of the edges."""
        neighbours: dict[Id, dict[Id, None]] = {node_id: {} for node_id in self.nodes}
        for edge in self.edges:
            neighbours[edge.source_id][edge.target_id] = None
            neighbours[edge.target_id][edge.source_id] = None
        return {node_id: tuple(others) for node_id, others in neighbours.items()}

    def restricted_to(self, node_ids: Collection[Id]) -> RelationGraph:
        """Return these entities and the relations between them."""
        nodes = {i: node for i, node in self.nodes.items() if i in node_ids}
        edges = tuple(e for e in self.edges if e.source_id in nodes and e.target_id in nodes)
        return RelationGraph(nodes, edges)


def build_relation_graph(
    entities: Iterable[Entity],
    facts: Iterable[Fact],
    proposals: Sequence[ProposedChange],
    catalogue: Catalogue,
) -> RelationGraph:
    """Return the graph of canon, and of what open proposals would add to it or end in it, marked as such."""
    nodes = {
        e.id: GraphNode(e.id, e.name, e.kind, e.is_pc) for e in entities if e.status is EntityStatus.CANONICAL
    }
    changes = [(proposal, proposal.change) for proposal in proposals]
    for _, change in changes:
        if isinstance(change, CreateEntity):
            node = GraphNode(
                change.entity_id, change.name, change.entity_kind, change.is_pc, is_proposed=True
            )
            nodes.setdefault(node.id, node)
    ending_ids = {change.fact_id for _, change in changes if isinstance(change, EndFact)}
    relations: list[tuple[Id, Fact | AssertFact, bool]] = [(fact.id, fact, False) for fact in facts]
    relations += [
        (fact_id_of(proposal), change, True)
        for proposal, change in changes
        if isinstance(change, AssertFact) and change.fact_kind is FactKind.RELATION
    ]
    edges: dict[Id, GraphEdge] = {}
    for fact_id, relation, is_proposed in relations:
        ends = _relation_ends(relation.involves)
        if ends is None or not nodes.keys() >= set(ends) or fact_id in edges:
            continue
        edges[fact_id] = GraphEdge(
            fact_id,
            *ends,
            label=catalogue.label(relation.predicate),
            predicate=relation.predicate,
            is_symmetric=catalogue[relation.predicate].symmetric,
            is_proposed=is_proposed,
            is_ending=fact_id in ending_ids,
            standing=relation.standing,
        )
    return RelationGraph(nodes, tuple(edges.values()))


def _relation_ends(involves: Sequence[Involvement]) -> tuple[Id, Id] | None:
    """Return subject and object of a relation; None for what is not about two."""
    by_role = {i.role: i.entity_id for i in reversed(involves)}
    if SUBJECT in by_role and OBJECT in by_role:
        ends = (by_role[SUBJECT], by_role[OBJECT])
    elif len(involves) == 2:
        ends = (involves[0].entity_id, involves[1].entity_id)
    else:
        return None
    return ends if ends[0] != ends[1] else None


# --- what a map shows -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MapSelection:
    """Which part of a graph a map shows."""

    root_id: Id | None = None
    """The entity that the map began at."""
    expanded_ids: frozenset[Id] = frozenset()
    """Entities whose relations are shown."""
    is_whole: bool = False
    """Whether every entity with a relation is shown."""
    hidden_kinds: frozenset[EntityKind] = frozenset()
    shows_proposed: bool = False
    """Whether what waits at the gate is shown beside canon."""
    is_of_places: bool = False
    """Whether it is a map of places alone, all of them, with who is in each."""


def select_subgraph(graph: RelationGraph, selection: MapSelection) -> RelationGraph:
    """Return what the map shows. The root is always there, as long as it is in the graph."""
    edges = [e for e in graph.edges if selection.shows_proposed or not e.is_proposed]
    if selection.is_of_places:
        place_ids = {
            i
            for i, node in graph.nodes.items()
            if node.kind is EntityKind.PLACE and (selection.shows_proposed or not node.is_proposed)
        }
        return _most_related(
            RelationGraph(graph.nodes, tuple(edges)).restricted_to(place_ids), selection.root_id
        )
    visible_ids = {
        i
        for i, node in graph.nodes.items()
        if i == selection.root_id
        or (node.kind not in selection.hidden_kinds and (selection.shows_proposed or not node.is_proposed))
    }
    edges = [e for e in edges if e.ends <= visible_ids]
    opened_ids = selection.expanded_ids | {selection.root_id}
    shown_ids = {i for e in edges if selection.is_whole or not opened_ids.isdisjoint(e.ends) for i in e.ends}
    if selection.root_id is not None and selection.root_id in graph.nodes:
        shown_ids.add(selection.root_id)
    return _most_related(RelationGraph(graph.nodes, tuple(edges)).restricted_to(shown_ids), selection.root_id)


def _most_related(shown: RelationGraph, root_id: Id | None) -> RelationGraph:
    """Return the graph, or of too many entities those with the most relations."""
    if len(shown.nodes) <= MAX_DRAWN:
        return shown
    by_degree = sorted(
        shown.nodes, key=lambda i: (i != root_id, -len(shown.neighbours[i]), shown.nodes[i].name, i)
    )
    return shown.restricted_to(set(by_degree[:MAX_DRAWN]))


MAX_FIRST_SHOWN: Final = 30
"""Entities that a map begins with, at most: what can be taken in at once."""


def first_selection(graph: RelationGraph, selection: MapSelection) -> MapSelection:
    """Return what a map begins with: all, if that is little; else two steps around the root; else one."""
    whole = replace(selection, is_whole=True)
    if len(select_subgraph(graph, whole).nodes) <= MAX_FIRST_SHOWN:
        return whole
    near_ids = frozenset(select_subgraph(graph, selection).nodes)
    two_steps = replace(selection, expanded_ids=near_ids)
    return two_steps if len(select_subgraph(graph, two_steps).nodes) <= MAX_FIRST_SHOWN else selection


def count_unshown_neighbours(
    graph: RelationGraph, shown: RelationGraph, selection: MapSelection
) -> dict[Id, int]:
    """Return by shown entity how many related ones the map would add if it were expanded."""
    whole = select_subgraph(
        graph,
        MapSelection(
            is_whole=True, hidden_kinds=selection.hidden_kinds, shows_proposed=selection.shows_proposed
        ),
    )
    counts = {i: sum(other not in shown.nodes for other in whole.neighbours.get(i, ())) for i in shown.nodes}
    return {i: count for i, count in counts.items() if count}


def count_kinds(graph: RelationGraph, selection: MapSelection) -> dict[EntityKind, int]:
    """Return by kind how many entities have a relation, hidden ones included."""
    related_ids = {i for e in graph.edges if selection.shows_proposed or not e.is_proposed for i in e.ends}
    counts = dict.fromkeys(EntityKind, 0)
    for node_id in related_ids:
        counts[graph.nodes[node_id].kind] += 1
    return counts


def find_present(graph: RelationGraph, *, shows_proposed: bool = False) -> dict[Id, tuple[str, ...]]:
    """Return by place the names of the people and beasts in it."""
    present: dict[Id, dict[str, None]] = {}
    for edge in graph.edges:
        ends = (edge.source_id, edge.target_id)
        if edge.predicate == CONTAINS:
            ends = ends[::-1]
        who, where = graph.nodes[ends[0]], ends[1]
        is_here = edge.predicate in (LOCATED_IN, CONTAINS) and who.kind in ACTORS
        if is_here and edge.standing is Standing.TRUE and (shows_proposed or not edge.is_proposed):
            present.setdefault(where, {})[who.name] = None
    return {place_id: tuple(names) for place_id, names in present.items()}


def describe_places(
    graph: RelationGraph, shown: RelationGraph, visited_ids: Collection[Id], *, shows_proposed: bool
) -> dict[Id, str]:
    """Return by place whether play was there (`✓`), and who is in it: `✓ ● Mara Venn, Stint`."""
    present = find_present(graph, shows_proposed=shows_proposed)
    notes = {}
    for i in shown.nodes:
        names = f"{PRESENT_SIGN} {', '.join(present[i])}" if i in present else ""
        notes[i] = " ".join(filter(None, (VISITED_SIGN if i in visited_ids else "", names)))
    return {i: note for i, note in notes.items() if note}
