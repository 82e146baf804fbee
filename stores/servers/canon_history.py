"""Canon's part of a universe's history on Neo4j: read whole, written, and rolled back.

Source: stores/history.py.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any

from neo4j import AsyncManagedTransaction

from stores.records.base import Record
from stores.records.canon import Appearance, CanonBatch, Evidence, Fact, Supersession, Support
from stores.records.ids import Id
from stores.records.world import Entity, SceneNode, StoryNode, Universe
from stores.servers.canon_graph import add_scenes, add_stories, put_universes, write_batch
from stores.servers.canon_reader import all_of, rows_of
from stores.servers.neo4j_graph import Graph, made_from

_LABELS = ("Universe", "Entity", "Fact", "Evidence", "Story", "Scene")
_MINE = "{universe_id: $universe}"
_BODIES: Mapping[str, tuple[type[Record], str]] = {
    "universes": (Universe, "MATCH (n:Universe {id: $universe}) WHERE n.made IS NOT NULL"),
    "entities": (Entity, f"MATCH (n:Entity {_MINE}) WHERE n.made IS NOT NULL"),
    "facts": (Fact, f"MATCH (n:Fact {_MINE}) WHERE n.made IS NOT NULL"),
    "story_nodes": (StoryNode, f"MATCH (n:Story {_MINE}) WHERE n.made IS NOT NULL"),
    "scene_nodes": (SceneNode, f"MATCH (n:Scene {_MINE}) WHERE n.made IS NOT NULL"),
}
_SUBJECTS = f"CALL () {{ MATCH (s:Fact {_MINE}) RETURN s UNION MATCH (s:Entity {_MINE}) RETURN s }}"
_PAIRS: Mapping[str, tuple[type[Record], str]] = {
    "supports": (
        Support,
        f"""{_SUBJECTS} MATCH (s)-[:SUPPORTED_BY]->(e:Evidence)
            RETURN s.id AS subject_id, e.id AS evidence_id ORDER BY subject_id, evidence_id""",
    ),
    "supersessions": (
        Supersession,
        f"""MATCH (n:Fact {_MINE})-[:SUPERSEDES]->(o:Fact)
            RETURN n.id AS newer_id, o.id AS older_id ORDER BY newer_id, older_id""",
    ),
    "appearances": (
        Appearance,
        f"""MATCH (e:Entity {_MINE})-[a:APPEARS_IN]->(s:Scene)
            RETURN e.id AS entity_id, s.id AS scene_id ORDER BY a.made""",
    ),
}
_EVIDENCE = f"""CALL () {{
      {_SUBJECTS} MATCH (s)-[:SUPPORTED_BY]->(n:Evidence) RETURN n
      UNION UNWIND $scenes AS id MATCH (n:Evidence)-[:FROM]->(:Scene {{id: id}}) RETURN n
      UNION UNWIND $turns AS id MATCH (n:Evidence {{turn_id: id}}) RETURN n
    }} WITH DISTINCT n WHERE n.made IS NOT NULL RETURN n.body ORDER BY n.made"""

_BATCHED: Mapping[str, str] = {
    **{name: name for name in ("entities", "facts", "evidence", "supports", "appearances")},
    "supersessions": "supersedes",
}
"""The field of a commit's batch that writes a collection, so that names and short cuts come along."""

_Write = Callable[[AsyncManagedTransaction, Any], Awaitable[Any]]

COLLECTIONS = frozenset({*_BODIES, *_PAIRS, "evidence"})
"""What canon keeps of a history."""


class CanonHistory:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def universes(self) -> list[Id]:
        """Return every universe, oldest first."""
        query = "MATCH (u:Universe) WHERE u.made IS NOT NULL RETURN u.id ORDER BY u.made"
        rows = await self._graph.read(lambda tx: rows_of(tx, query, {}))
        return [str(universe_id) for (universe_id,) in rows]

    async def dump(
        self, universe_id: Id, scenes: Collection[Id], turns: Collection[Id]
    ) -> dict[str, list[Record]]:
        """Return canon's records of a universe, with the evidence from these scenes and turns."""
        given = {"universe": universe_id}
        told = {**given, "scenes": list(scenes), "turns": list(turns)}

        async def read(tx: AsyncManagedTransaction) -> dict[str, list[Record]]:
            found: dict[str, list[Record]] = {}
            for name, (model, query) in _BODIES.items():
                found[name] = [*await all_of(tx, model, f"{query} RETURN n.body ORDER BY n.made", **given)]
            for name, (model, query) in _PAIRS.items():
                fields = list(model.model_fields)
                rows = await rows_of(tx, query, given)
                found[name] = [model(**dict(zip(fields, row, strict=True))) for row in rows]
            found["evidence"] = [*await all_of(tx, Evidence, _EVIDENCE, **told)]
            return found

        return await self._graph.read_at_once(read)

    async def known(self, ids: Sequence[Id]) -> set[Id]:
        """Return those of `ids` that name something here."""
        parts = " UNION ".join(
            f"UNWIND $ids AS id MATCH (n:{label} {{id: id}}) WHERE n.made IS NOT NULL RETURN n.id"
            for label in _LABELS
        )
        rows = await self._graph.read(lambda tx: rows_of(tx, parts, {"ids": list(ids)}))
        return {str(known) for (known,) in rows}

    async def write(self, collection: str, records: Sequence[Record]) -> None:
        """Write some records of one collection that are not here yet."""
        if collection in _BATCHED:
            batch = CanonBatch(id="", universe_id="").model_copy(
                update={_BATCHED[collection]: tuple(records)}
            )
            await self._graph.write_as_owner(lambda tx: write_batch(tx, batch))
            return
        await self._graph.write_as_owner(lambda tx: _ADD[collection](tx, records))

    async def mark(self) -> int:
        """Return the number that the next record will have."""
        return await self._graph.write_as_owner(lambda tx: made_from(tx, 0))

    async def drop_since(self, made: int) -> None:
        """Take back everything that was made since: a load that failed."""

        async def drop(tx: AsyncManagedTransaction) -> None:
            for label in _LABELS:
                query = f"MATCH (n:{label}) WHERE n.made >= $made DETACH DELETE n"
                await rows_of(tx, query, {"made": made})
                await rows_of(tx, f"MATCH (n:{label}) WHERE n.made IS NULL AND NOT (n)--() DELETE n", {})
            await rows_of(tx, "MATCH (n:Name) WHERE NOT (n)--() DELETE n", {})

        await self._graph.write_as_owner(drop)


async def _universes(tx: AsyncManagedTransaction, universes: Sequence[Universe]) -> None:
    await put_universes(tx, universes, await made_from(tx, len(universes)))


_ADD: Mapping[str, _Write] = {
    "universes": _universes,
    "story_nodes": add_stories,
    "scene_nodes": add_scenes,
}
