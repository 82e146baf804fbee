"""The canon graph on Neo4j: reading, story and scene nodes, and commits.

The graph has plain edges, so that it can be inspected with any Neo4j tool. The server refuses what a role may not
write (see `neo4j_graph.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from neo4j import AsyncManagedTransaction

from stores.authority import COLLECTIONS, Role, Store
from stores.errors import NotFound
from stores.records.base import Record
from stores.records.canon import CanonBatch, Evidence, Fact, FactChange, FactKind, FactStatus
from stores.records.ids import Id
from stores.records.world import Entity, EntityStatus, SceneNode, StoryNode, Universe, fold_name
from stores.servers.canon_reader import ServerCanonReader, read_records, run_query
from stores.servers.neo4j_graph import Neo4jGraph, index_key, reserve_numbers

_COMMIT_COLLECTIONS = frozenset(COLLECTIONS[Store.CANON]) - {"source_nodes"}
"""The collections that a commit writes."""


class ServerCanon(ServerCanonReader):
    """Canon as `role` may use it."""

    def __init__(self, graph: Neo4jGraph, role: Role) -> None:
        super().__init__(graph)
        self._role = role

    async def create_story_node(self, node: StoryNode) -> None:
        await self._graph.write(self._role, ["story_nodes"], lambda tx: add_stories(tx, [node]))

    async def create_scene_node(self, node: SceneNode) -> None:
        await self._graph.write(self._role, ["scene_nodes"], lambda tx: add_scenes(tx, [node]))

    async def commit(self, batch: CanonBatch) -> None:
        await self._graph.write(self._role, _COMMIT_COLLECTIONS, lambda tx: write_batch(tx, batch))


async def write_batch(tx: AsyncManagedTransaction, batch: CanonBatch) -> None:
    """Write all of the batch in this transaction."""
    next_number = await reserve_numbers(tx, _count_numbers(batch))
    if batch.universe:
        next_number = await put_universes(tx, [batch.universe], next_number)
    next_number = await put_entities(tx, batch.entities, next_number)
    next_number = await add_facts(tx, batch.facts, next_number)
    await _change_facts(tx, batch.fact_changes)
    changed_fact_ids = [
        *(fact.id for fact in batch.facts),
        *(change.fact_id for change in batch.fact_changes),
    ]
    await rebuild_relations(tx, changed_fact_ids)
    next_number = await add_evidence(tx, batch.evidence, next_number)
    await _add_edges(tx, batch, next_number)
    await _set_status(tx, "Scene", batch.scene_status)
    await _set_status(tx, "Story", batch.story_status)


def _count_numbers(batch: CanonBatch) -> int:
    """Return the most numbers that the batch needs."""
    record_lists = (batch.entities, batch.facts, batch.evidence, batch.appearances)
    return 1 + sum(map(len, record_lists))


# --- nodes ------------------------------------------------------------------------------------------


async def put_universes(tx: AsyncManagedTransaction, universes: Sequence[Universe], next_number: int) -> int:
    """Write universes, numbered from `next_number`; return the next number."""
    await _run_over_rows(
        tx,
        """UNWIND $rows AS row MERGE (n:Universe {id: row.id})
           SET n.made = coalesce(n.made, row.made), n += row.shown, n.body = row.body""",
        [_node_row(u, next_number + n, name=u.name, genre=u.genre) for n, u in enumerate(universes)],
    )
    return next_number + len(universes)


async def put_entities(tx: AsyncManagedTransaction, entities: Sequence[Entity], next_number: int) -> int:
    """Write entities, with their names and aliases."""
    await _run_over_rows(
        tx,
        """UNWIND $rows AS row MERGE (n:Entity {id: row.id})
           SET n.made = coalesce(n.made, row.made), n += row.shown, n.body = row.body
           WITH n, row OPTIONAL MATCH (n)-[old:KNOWN_AS]->() DELETE old""",
        [_node_row(e, next_number + n, **_entity_properties(e)) for n, e in enumerate(entities)],
    )
    await _run_over_rows(
        tx,
        """UNWIND $rows AS row MATCH (e:Entity {id: row.id})
           MERGE (n:Name {universe_id: row.universe_id, key: row.key}) SET n.folded = row.folded
           CREATE (e)-[:KNOWN_AS {ordinal: row.ordinal}]->(n)""",
        [
            {
                "id": e.id,
                "universe_id": e.universe_id,
                "folded": name,
                "key": index_key(name),
                "ordinal": ordinal,
            }
            for e in {e.id: e for e in entities}.values()
            if e.status is EntityStatus.CANONICAL
            for ordinal, name in enumerate(map(fold_name, (e.name, *e.aliases)))
        ],
    )
    return next_number + len(entities)


def _entity_properties(entity: Entity) -> dict[str, Any]:
    return {
        "universe_id": entity.universe_id,
        "kind": entity.kind.value,
        "status": entity.status.value,
        "name": entity.name,
        "names": [fold_name(name) for name in (entity.name, *entity.aliases)],
    }


async def add_facts(tx: AsyncManagedTransaction, facts: Sequence[Fact], next_number: int) -> int:
    """Add the facts that are not there yet, with the entities that they involve."""
    new_rows = await _run_over_rows(
        tx,
        """UNWIND $rows AS row MERGE (f:Fact {id: row.id})
           WITH f, row WHERE f.made IS NULL
           SET f.made = row.made, f += row.shown, f.body = row.body RETURN f.id""",
        [_node_row(f, next_number + n, **_fact_properties(f)) for n, f in enumerate(facts)],
    )
    added_ids = {str(row[0]) for row in new_rows}
    await _run_over_rows(
        tx,
        """UNWIND $rows AS row MATCH (f:Fact {id: row.id}) MERGE (e:Entity {id: row.entity_id})
           CREATE (f)-[:INVOLVES {role: row.role, ordinal: row.ordinal, predicate: f.predicate}]->(e)""",
        [
            {"id": fact.id, "entity_id": i.entity_id, "role": i.role, "ordinal": ordinal}
            for fact in {f.id: f for f in facts if f.id in added_ids}.values()
            for ordinal, i in enumerate(fact.involves)
        ],
    )
    return next_number + len(facts)


def _fact_properties(fact: Fact) -> dict[str, Any]:
    return {
        "universe_id": fact.universe_id,
        "kind": fact.kind.value,
        "predicate": fact.predicate,
        "status": fact.status.value,
        "statement": fact.statement,
        "said_key": index_key(fact.statement_key),
        "valid_from": fact.valid_from,
        "valid_to": fact.valid_to,
        "secret": fact.is_secret or None,
    }


async def _change_facts(tx: AsyncManagedTransaction, changes: Sequence[FactChange]) -> None:
    ids = list(dict.fromkeys(change.fact_id for change in changes))
    facts_by_id = {
        f.id: f
        for f in await read_records(
            tx,
            Fact,
            "UNWIND $ids AS id MATCH (f:Fact {id: id}) WHERE f.made IS NOT NULL RETURN f.body",
            ids=ids,
        )
    }
    for change in changes:
        if change.fact_id not in facts_by_id:
            raise NotFound(f"There is no fact {change.fact_id} to change.", kept="Nothing was written.")
        fact = facts_by_id[change.fact_id]
        closed = fact.closed if change.closed is None else change.closed
        facts_by_id[fact.id] = fact.model_copy(
            update={
                "status": change.status,
                "valid_to": change.valid_to,
                "closed": closed,
                "secrecy": change.secrecy or fact.secrecy,
            }
        )
    await _run_over_rows(
        tx,
        "UNWIND $rows AS row MATCH (f:Fact {id: row.id}) SET f += row.shown, f.body = row.body",
        [_node_row(fact, 0, **_fact_properties(fact)) for fact in facts_by_id.values()],
    )


async def add_evidence(tx: AsyncManagedTransaction, evidence: Sequence[Evidence], next_number: int) -> int:
    """Add the evidence that is not there yet, with its scene and source."""
    await _run_over_rows(
        tx,
        """UNWIND $rows AS row MERGE (e:Evidence {id: row.id})
           WITH e, row WHERE e.made IS NULL
           SET e.made = row.made, e += row.shown, e.body = row.body
           WITH e WHERE e.scene_id IS NOT NULL MERGE (s:Scene {id: e.scene_id}) MERGE (e)-[:FROM]->(s)""",
        [
            _node_row(
                e,
                next_number + n,
                kind=e.kind.value,
                quote=e.quote,
                turn_id=e.turn_id,
                scene_id=e.scene_id,
                source_id=e.source_id,
            )
            for n, e in enumerate(evidence)
        ],
    )
    return next_number + len(evidence)


async def add_stories(tx: AsyncManagedTransaction, stories: Sequence[StoryNode]) -> None:
    """Add the story nodes that are not there yet."""
    next_number = await reserve_numbers(tx, len(stories))
    await _run_over_rows(
        tx,
        """UNWIND $rows AS row MERGE (s:Story {id: row.id})
           WITH s, row WHERE s.made IS NULL
           SET s.made = row.made, s += row.shown, s.body = row.body
           MERGE (u:Universe {id: row.shown.universe_id}) MERGE (s)-[:SET_IN]->(u)""",
        [
            _node_row(s, next_number + n, universe_id=s.universe_id, title=s.title, status=s.status)
            for n, s in enumerate(stories)
        ],
    )


async def add_scenes(tx: AsyncManagedTransaction, scenes: Sequence[SceneNode]) -> None:
    """Add the scene nodes that are not there yet."""
    next_number = await reserve_numbers(tx, len(scenes))
    await _run_over_rows(
        tx,
        """UNWIND $rows AS row MERGE (s:Scene {id: row.id})
           WITH s, row WHERE s.made IS NULL
           SET s.made = row.made, s += row.shown, s.body = row.body
           MERGE (story:Story {id: row.shown.story_id}) MERGE (s)-[:PART_OF]->(story)
           WITH s, row WHERE row.follows IS NOT NULL
           MERGE (before:Scene {id: row.follows}) MERGE (before)-[:NEXT]->(s)""",
        [
            _node_row(
                s,
                next_number + n,
                universe_id=s.universe_id,
                story_id=s.story_id,
                title=s.title,
                status=s.status,
                order=s.order,
            )
            | {"follows": s.follows}
            for n, s in enumerate(scenes)
        ],
    )


async def _set_status(tx: AsyncManagedTransaction, label: str, status_of: Mapping[Id, str]) -> None:
    model: type[StoryNode] | type[SceneNode] = StoryNode if label == "Story" else SceneNode
    for node_id, status in status_of.items():
        nodes = await read_records(
            tx, model, f"MATCH (n:{label} {{id: $id}}) WHERE n.made IS NOT NULL RETURN n.body", id=node_id
        )
        if not nodes:
            raise NotFound(f"Canon has no story or scene {node_id}.", kept="Nothing was written.")
        changed_node = nodes[0].model_copy(update={"status": status})
        row = _node_row(changed_node, 0, status=status)
        await _run_over_rows(
            tx,
            f"UNWIND $rows AS row MATCH (n:{label} {{id: row.id}}) SET n += row.shown, n.body = row.body",
            [row],
        )


# --- edges ------------------------------------------------------------------------------------------


async def rebuild_relations(tx: AsyncManagedTransaction, fact_ids: Sequence[Id]) -> None:
    """Rebuild the edges of these relation facts from the facts themselves."""
    if not fact_ids:
        return
    parameters = {"ids": list(dict.fromkeys(fact_ids))}
    await run_query(tx, "UNWIND $ids AS id MATCH ()-[r:RELATED {fact_id: id}]->() DELETE r", parameters)
    await run_query(
        tx,
        f"""UNWIND $ids AS id
            MATCH (a:Entity)<-[:INVOLVES {{role: 'subject'}}]-(f:Fact {{id: id}})
            WHERE f.kind = '{FactKind.RELATION}' AND f.status = '{FactStatus.CANONICAL}'
            MATCH (f)-[:INVOLVES {{role: 'object'}}]->(b:Entity)
            WITH DISTINCT a, b, f
            CREATE (a)-[r:RELATED {{fact_id: f.id, predicate: f.predicate}}]->(b)
            SET r.valid_from = f.valid_from, r.valid_to = f.valid_to""",
        parameters,
    )


async def _add_edges(tx: AsyncManagedTransaction, batch: CanonBatch, next_number: int) -> None:
    await add_supports(tx, batch.supports)
    await _run_over_rows(
        tx,
        """UNWIND $rows AS row MERGE (newer:Fact {id: row.newer_id}) MERGE (older:Fact {id: row.older_id})
           MERGE (newer)-[:SUPERSEDES]->(older)""",
        [edge.model_dump() for edge in batch.supersedes],
    )
    await _run_over_rows(
        tx,
        """UNWIND $rows AS row MERGE (e:Entity {id: row.entity_id}) MERGE (s:Scene {id: row.scene_id})
           MERGE (e)-[a:APPEARS_IN]->(s) ON CREATE SET a.made = row.made""",
        [edge.model_dump() | {"made": next_number + n} for n, edge in enumerate(batch.appearances)],
    )


async def add_supports(tx: AsyncManagedTransaction, supports: Sequence[Record]) -> None:
    """Add edges to evidence. A subject that canon does not have (yet) is taken for a fact."""
    await _run_over_rows(
        tx,
        """UNWIND $rows AS row
           OPTIONAL MATCH (entity:Entity {id: row.subject_id})
           CALL (entity, row) {
             WITH entity, row WHERE entity IS NOT NULL RETURN entity AS subject
             UNION
             WITH entity, row WHERE entity IS NULL
             MERGE (fact:Fact {id: row.subject_id}) RETURN fact AS subject
           }
           MERGE (e:Evidence {id: row.evidence_id}) MERGE (subject)-[:SUPPORTED_BY]->(e)""",
        [edge.model_dump() for edge in supports],
    )


# --- inside -----------------------------------------------------------------------------------------


def _node_row(record: Record, number: int, **properties: Any) -> dict[str, Any]:
    """Return a node's properties: identifier, number, lookup properties and the record as JSON."""
    record_id = str(getattr(record, "id"))  # noqa: B009  every record of canon has one
    return {"id": record_id, "made": number, "shown": properties, "body": record.model_dump_json()}


async def _run_over_rows(
    tx: AsyncManagedTransaction, query: str, rows: Sequence[Mapping[str, Any]]
) -> list[list[Any]]:
    """Run a statement with these rows, if there are any."""
    return await run_query(tx, query, {"rows": [dict(row) for row in rows]}) if rows else []
