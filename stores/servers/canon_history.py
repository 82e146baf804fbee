"""Canon's part of `History` on Neo4j: reads a whole universe, writes it, and rolls back a failed load."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any

from neo4j import AsyncManagedTransaction

from stores.records.base import Record
from stores.records.canon import Appearance, CanonBatch, Evidence, Fact, Supersession, Support
from stores.records.ids import Id
from stores.records.world import Entity, SceneNode, StoryNode, Universe
from stores.servers.canon_graph import add_scenes, add_stories, put_universes, write_batch
from stores.servers.canon_reader import read_records, run_query
from stores.servers.neo4j_graph import Neo4jGraph, reserve_numbers

_LABELS = ("Universe", "Entity", "Fact", "Evidence", "Story", "Scene")
_IN_UNIVERSE = "{universe_id: $universe}"
_NODE_QUERIES: Mapping[str, tuple[type[Record], str]] = {
    "universes": (Universe, "MATCH (n:Universe {id: $universe}) WHERE n.made IS NOT NULL"),
    "entities": (Entity, f"MATCH (n:Entity {_IN_UNIVERSE}) WHERE n.made IS NOT NULL"),
    "facts": (Fact, f"MATCH (n:Fact {_IN_UNIVERSE}) WHERE n.made IS NOT NULL"),
    "story_nodes": (StoryNode, f"MATCH (n:Story {_IN_UNIVERSE}) WHERE n.made IS NOT NULL"),
    "scene_nodes": (SceneNode, f"MATCH (n:Scene {_IN_UNIVERSE}) WHERE n.made IS NOT NULL"),
}
_MATCH_SUBJECTS = (
    f"CALL () {{ MATCH (s:Fact {_IN_UNIVERSE}) RETURN s UNION MATCH (s:Entity {_IN_UNIVERSE}) RETURN s }}"
)
_EDGE_QUERIES: Mapping[str, tuple[type[Record], str]] = {
    "supports": (
        Support,
        f"""{_MATCH_SUBJECTS} MATCH (s)-[:SUPPORTED_BY]->(e:Evidence)
            RETURN s.id AS subject_id, e.id AS evidence_id ORDER BY subject_id, evidence_id""",
    ),
    "supersessions": (
        Supersession,
        f"""MATCH (n:Fact {_IN_UNIVERSE})-[:SUPERSEDES]->(o:Fact)
            RETURN n.id AS newer_id, o.id AS older_id ORDER BY newer_id, older_id""",
    ),
    "appearances": (
        Appearance,
        f"""MATCH (e:Entity {_IN_UNIVERSE})-[a:APPEARS_IN]->(s:Scene)
            RETURN e.id AS entity_id, s.id AS scene_id ORDER BY a.made""",
    ),
}
_EVIDENCE_QUERY = f"""CALL () {{
      {_MATCH_SUBJECTS} MATCH (s)-[:SUPPORTED_BY]->(n:Evidence) RETURN n
      UNION UNWIND $scenes AS id MATCH (n:Evidence)-[:FROM]->(:Scene {{id: id}}) RETURN n
      UNION UNWIND $turns AS id MATCH (n:Evidence {{turn_id: id}}) RETURN n
    }} WITH DISTINCT n WHERE n.made IS NOT NULL RETURN n.body ORDER BY n.made"""

_BATCH_FIELDS: Mapping[str, str] = {
    **{name: name for name in ("entities", "facts", "evidence", "supports", "appearances")},
    "supersessions": "supersedes",
}
"""The field of a batch for each collection, so that names and relation edges are written, too."""

_RecordAdder = Callable[[AsyncManagedTransaction, Any], Awaitable[Any]]

CANON_COLLECTIONS = frozenset({*_NODE_QUERIES, *_EDGE_QUERIES, "evidence"})
"""The collections of `History` that are in canon."""


class ServerCanonHistory:
    def __init__(self, graph: Neo4jGraph) -> None:
        self._graph = graph

    async def universe_ids(self) -> list[Id]:
        """Return every universe, oldest first."""
        query = "MATCH (u:Universe) WHERE u.made IS NOT NULL RETURN u.id ORDER BY u.made"
        rows = await self._graph.read(lambda tx: run_query(tx, query, {}))
        return [str(universe_id) for (universe_id,) in rows]

    async def dump(
        self, universe_id: Id, scenes: Collection[Id], turns: Collection[Id]
    ) -> dict[str, list[Record]]:
        """Return canon's records of a universe, with the evidence from these scenes and turns."""
        parameters = {"universe": universe_id}
        evidence_parameters = {**parameters, "scenes": list(scenes), "turns": list(turns)}

        async def read_collections(tx: AsyncManagedTransaction) -> dict[str, list[Record]]:
            records_by_collection: dict[str, list[Record]] = {}
            for name, (model, query) in _NODE_QUERIES.items():
                records_by_collection[name] = [
                    *await read_records(tx, model, f"{query} RETURN n.body ORDER BY n.made", **parameters)
                ]
            for name, (model, query) in _EDGE_QUERIES.items():
                fields = list(model.model_fields)
                rows = await run_query(tx, query, parameters)
                records_by_collection[name] = [model(**dict(zip(fields, row, strict=True))) for row in rows]
            records_by_collection["evidence"] = [
                *await read_records(tx, Evidence, _EVIDENCE_QUERY, **evidence_parameters)
            ]
            return records_by_collection

        return await self._graph.read_consistently(read_collections)

    async def existing_ids(self, ids: Sequence[Id]) -> set[Id]:
        """Return those of `ids` that are in use."""
        query = " UNION ".join(
            f"UNWIND $ids AS id MATCH (n:{label} {{id: id}}) WHERE n.made IS NOT NULL RETURN n.id"
            for label in _LABELS
        )
        rows = await self._graph.read(lambda tx: run_query(tx, query, {"ids": list(ids)}))
        return {str(existing_id) for (existing_id,) in rows}

    async def write(self, collection: str, records: Sequence[Record]) -> None:
        """Write some records of one collection that are not here yet."""
        if collection in _BATCH_FIELDS:
            batch = CanonBatch(id="", universe_id="").model_copy(
                update={_BATCH_FIELDS[collection]: tuple(records)}
            )
            await self._graph.write_as_owner(lambda tx: write_batch(tx, batch))
            return
        await self._graph.write_as_owner(lambda tx: _ADDERS[collection](tx, records))

    async def next_number(self) -> int:
        """Return the number that the next record will have."""
        return await self._graph.write_as_owner(lambda tx: reserve_numbers(tx, 0))

    async def drop_since(self, first_number: int) -> None:
        """Delete everything with this number or a higher one, after a failed load."""

        async def drop_records(tx: AsyncManagedTransaction) -> None:
            for label in _LABELS:
                query = f"MATCH (n:{label}) WHERE n.made >= $made DETACH DELETE n"
                await run_query(tx, query, {"made": first_number})
                await run_query(tx, f"MATCH (n:{label}) WHERE n.made IS NULL AND NOT (n)--() DELETE n", {})
            await run_query(tx, "MATCH (n:Name) WHERE NOT (n)--() DELETE n", {})

        await self._graph.write_as_owner(drop_records)


async def _add_universes(tx: AsyncManagedTransaction, universes: Sequence[Universe]) -> None:
    await put_universes(tx, universes, await reserve_numbers(tx, len(universes)))


_ADDERS: Mapping[str, _RecordAdder] = {
    "universes": _add_universes,
    "story_nodes": add_stories,
    "scene_nodes": add_scenes,
}
