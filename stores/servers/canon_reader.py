"""Reads the canon graph from Neo4j; see `CanonReader`.

A node has its record as JSON (`body`) and lookup properties; `made` is the order of insertion. A node without `made`
is something that canon only refers to.
"""

from __future__ import annotations

from asyncio import gather
from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeVar

from neo4j import AsyncManagedTransaction
from pydantic import ValidationError

from stores.errors import LibraryUnreadable, NotFound
from stores.ports import Neighbourhood
from stores.queries import FactQuery, FactsAboutQuery, FactsQuery
from stores.readable_records import ReadableRecords, parse_readable
from stores.records.base import Record
from stores.records.canon import Evidence, Fact, FactKind
from stores.records.ids import Id
from stores.records.world import (
    Entity,
    EntityKind,
    EntityNames,
    SceneNode,
    StoryNode,
    Universe,
    fold_name,
    has_any_word,
)
from stores.servers.neo4j_graph import Neo4jGraph, index_key

R = TypeVar("R", bound=Record)

_CURRENT_CONDITION = "f.status = 'canonical' AND (f.valid_to IS NULL OR f.kind = 'event')"
_MATCH_UNIVERSES = "MATCH (u:Universe) WHERE u.made IS NOT NULL RETURN u.body ORDER BY u.made"
_FACTS_PER_ENTITY = 4
"""The most facts of a neighbourhood, for each entity that it may have."""


class ServerCanonReader:
    def __init__(self, graph: Neo4jGraph) -> None:
        self._graph = graph

    async def universes(self) -> list[Universe]:
        return await self._read_all(Universe, _MATCH_UNIVERSES)

    async def readable_universes(self) -> ReadableRecords[Universe]:
        return parse_readable(
            await self._read_rows(_MATCH_UNIVERSES), lambda row: _parse_record(Universe, row[0])
        )

    async def universe(self, universe_id: Id) -> Universe:
        return await self._read_one(Universe, universe_id)

    # --- entities -----------------------------------------------------------------------------------

    async def entity(self, entity_id: Id) -> Entity:
        return await self._read_one(Entity, entity_id)

    async def entities(
        self, universe_id: Id, *, kind: EntityKind | None = None, search: str = "", limit: int = 10_000
    ) -> list[Entity]:
        return await self._read_all(
            Entity,
            f"""MATCH (e:Entity {{universe_id: $universe, status: 'canonical'}})
                WHERE ($search = '' OR any(name IN e.names WHERE name CONTAINS $search))
                {"AND e.kind = $kind" if kind else ""}
                RETURN e.body ORDER BY e.names[0], e.id LIMIT $limit""",
            universe=universe_id,
            kind=kind,
            search=fold_name(search),
            limit=limit,
        )

    async def entities_by_id(self, ids: Collection[Id]) -> dict[Id, Entity]:
        entities = await self._read_all(
            Entity,
            "UNWIND $ids AS id MATCH (e:Entity {id: id}) WHERE e.made IS NOT NULL RETURN e.body",
            ids=list(dict.fromkeys(ids)),
        )
        return {entity.id: entity for entity in entities}

    async def entity_names(self, universe_id: Id) -> list[str]:
        rows = await self._read_rows(
            """MATCH (e:Entity {universe_id: $universe, status: 'canonical'})
               RETURN e.name ORDER BY e.made""",
            universe=universe_id,
        )
        return [str(name) for (name,) in rows]

    async def named_entities(self, universe_id: Id) -> list[EntityNames]:
        entities = await self._read_all(
            Entity,
            """MATCH (e:Entity {universe_id: $universe, status: 'canonical'})
               RETURN e.body ORDER BY e.made""",
            universe=universe_id,
        )
        return [EntityNames(e.id, e.kind, e.name, e.aliases) for e in entities]

    async def folded_names(self, universe_id: Id) -> list[tuple[str, Id]]:
        rows = await self._read_rows(
            """MATCH (n:Name {universe_id: $universe})<-[k:KNOWN_AS]-(e:Entity)
               RETURN n.folded, e.id ORDER BY n.folded, k.ordinal""",
            universe=universe_id,
        )
        return [(str(name), str(entity_id)) for name, entity_id in rows]

    async def names_with_words(self, universe_id: Id, words: Collection[str]) -> list[tuple[str, Id]]:
        folded_words = sorted({fold_name(word) for word in words})
        rows = await self._read_rows(
            """MATCH (n:Name {universe_id: $universe})<-[k:KNOWN_AS]-(e:Entity)
               WHERE any(word IN $words WHERE n.folded CONTAINS word)
               RETURN n.folded, e.id ORDER BY n.folded, k.ordinal""",
            universe=universe_id,
            words=folded_words,
        )
        return [
            (str(name), str(entity_id)) for name, entity_id in rows if has_any_word(str(name), folded_words)
        ]

    async def merged_entities(self, universe_id: Id) -> list[Entity]:
        return await self._read_all(
            Entity,
            """MATCH (e:Entity {universe_id: $universe, status: 'merged'}) WHERE e.made IS NOT NULL
               RETURN e.body ORDER BY e.made""",
            universe=universe_id,
        )

    async def find_entity(self, universe_id: Id, name: str) -> list[Entity]:
        return await self.entities_named(universe_id, [name])

    async def entities_named(self, universe_id: Id, names: Collection[str]) -> list[Entity]:
        return await self._read_all(
            Entity,
            """UNWIND $names AS name
               MATCH (:Name {universe_id: $universe, key: name})<-[:KNOWN_AS]-(e:Entity)
               WITH DISTINCT e RETURN e.body ORDER BY e.made""",
            universe=universe_id,
            names=list({index_key(fold_name(name)) for name in names}),
        )

    # --- facts --------------------------------------------------------------------------------------

    async def fact(self, fact_id: Id) -> Fact:
        return await self._read_one(Fact, fact_id)

    async def facts_by_id(self, ids: Collection[Id]) -> dict[Id, Fact]:
        facts = await self._read_all(
            Fact,
            "UNWIND $ids AS id MATCH (f:Fact {id: id}) WHERE f.made IS NOT NULL RETURN f.body",
            ids=list(dict.fromkeys(ids)),
        )
        return {fact.id: fact for fact in facts}

    async def facts_about(self, entity_id: Id, query: FactsAboutQuery = FactsAboutQuery()) -> list[Fact]:
        first_tick, last_tick = query.begins_within or (None, None)
        conditions = ["f.made IS NOT NULL"]
        conditions += ["i.predicate = $predicate"] if query.predicate else []
        conditions += [] if query.history else [_CURRENT_CONDITION]
        conditions += ["$first <= f.valid_from <= $last"] if query.begins_within else []
        return await self._read_all(
            Fact,
            f"""MATCH (:Entity {{id: $entity}})<-[i:INVOLVES]-(f:Fact) WHERE {" AND ".join(conditions)}
                WITH DISTINCT f ORDER BY f.made {"DESC" if query.newest is not None else ""} LIMIT $limit
                RETURN f.body ORDER BY f.made""",
            entity=entity_id,
            predicate=query.predicate,
            first=first_tick,
            last=last_tick,
            limit=query.limit if query.newest is None else query.newest,
        )

    async def facts_at(
        self, universe_id: Id, tick: int, *, kind: FactKind | None = None, limit: int = 10_000
    ) -> list[Fact]:
        # One branch per status: each walks its index in order and stops at the limit.
        branches = " UNION ALL ".join(
            f"""MATCH (f:Fact {{universe_id: $universe, status: '{status}'}})
                WHERE f.made IS NOT NULL {"AND f.kind = $kind" if kind else ""}
                  AND (f.valid_from IS NULL OR f.valid_from <= $tick) AND ({end_condition} $tick < f.valid_to)
                WITH f ORDER BY f.made LIMIT $limit RETURN f.body AS body, f.made AS made"""
            for status, end_condition in (("canonical", "f.valid_to IS NULL OR"), ("superseded", ""))
        )
        return await self._read_all(
            Fact,
            f"CALL () {{ {branches} }} RETURN body ORDER BY made LIMIT $limit",
            universe=universe_id,
            tick=tick,
            kind=kind,
            limit=limit,
        )

    async def count(self, universe_id: Id | None = None) -> tuple[int, int]:
        universe_condition = "" if universe_id is None else "AND n.universe_id = $universe"

        async def count_nodes(tx: AsyncManagedTransaction) -> tuple[int, int]:
            entities, facts = [
                (
                    await (
                        await tx.run(
                            f"""MATCH (n:{label}) WHERE n.status = 'canonical' AND n.made IS NOT NULL
                                {universe_condition} RETURN count(n) AS count""",
                            {"universe": universe_id},
                        )
                    ).single(strict=True)
                )["count"]
                for label in ("Entity", "Fact")
            ]
            return entities, facts

        return await self._graph.read_consistently(count_nodes)

    async def facts(self, universe_id: Id, query: FactQuery = FactQuery()) -> list[Fact]:
        conditions = ["f.made IS NOT NULL"]
        conditions += ["f.kind = $kind"] if query.kind else []
        conditions += ["f.predicate = $predicate"] if query.predicate else []
        conditions += ["f.predicate STARTS WITH $prefix"] if query.prefix else []
        conditions += ["f.secret = true"] if query.only_secrets else []
        conditions += ["NOT EXISTS { (f)-[:INVOLVES]-() }"] if query.only_about_nobody else []
        conditions += [] if query.history else [_CURRENT_CONDITION]
        direction = "ASC" if query.newest is None else "DESC"
        facts = await self._read_all(
            Fact,
            f"""MATCH (f:Fact {{universe_id: $universe}}) WHERE {" AND ".join(conditions)}
                RETURN f.body ORDER BY f.made {direction} LIMIT $limit""",
            universe=universe_id,
            kind=query.kind,
            predicate=query.predicate,
            prefix=query.prefix,
            limit=query.limit if query.newest is None else query.newest,
        )
        return facts if query.newest is None else facts[::-1]

    async def facts_by_statement(self, universe_id: Id, statement_keys: Collection[str]) -> list[Fact]:
        return await self._read_all(
            Fact,
            """UNWIND $said AS words MATCH (f:Fact {universe_id: $universe, said_key: words})
               WHERE f.made IS NOT NULL RETURN f.body ORDER BY f.made""",
            universe=universe_id,
            said=list(dict.fromkeys(map(index_key, statement_keys))),
        )

    async def facts_of_all(self, universe_id: Id, query: FactsQuery) -> list[Fact]:
        by_id = await self.facts_by_id(query.ids) if query.ids else {}
        answers = await gather(
            *(self.facts_about(entity_id, one) for entity_id, one in query.about),
            *(self.facts(universe_id, one) for one in query.of_universe),
            *([self.facts_by_statement(universe_id, query.statement_keys)] if query.statement_keys else []),
        )
        return list({**by_id, **{fact.id: fact for answer in answers for fact in answer}}.values())

    async def neighbourhood(self, roots: Sequence[Id], *, hops: int = 2, limit: int = 50) -> Neighbourhood:
        async def read_neighbourhood(tx: AsyncManagedTransaction) -> Neighbourhood:
            near_ids = await _find_near_ids(tx, roots, hops, limit)
            entities = await read_records(
                tx,
                Entity,
                """UNWIND range(0, size($near) - 1) AS place MATCH (e:Entity {id: $near[place]})
                   WHERE e.made IS NOT NULL RETURN e.body ORDER BY place""",
                near=near_ids,
            )
            # Use the index of relation edges: expanding an entity with many relations would cost more.
            facts = await read_records(
                tx,
                Fact,
                """UNWIND $near AS here MATCH (a:Entity {id: here})-[r:RELATED]->(b:Entity)
                   WHERE r.valid_to IS NULL AND b.id IN $near
                   WITH DISTINCT r.fact_id AS id MATCH (f:Fact {id: id})
                   RETURN f.body ORDER BY f.made LIMIT $limit""",
                near=near_ids,
                limit=limit * _FACTS_PER_ENTITY,
            )
            return Neighbourhood(tuple(entities), tuple(facts))

        return await self._graph.read_consistently(read_neighbourhood)

    # --- what rests on what -------------------------------------------------------------------------

    async def evidence_of(self, subject_id: Id) -> list[Evidence]:
        return (await self.evidence_of_all([subject_id]))[subject_id]

    async def evidence_of_all(self, subject_ids: Collection[Id]) -> dict[Id, list[Evidence]]:
        evidence_by_subject: dict[Id, list[Evidence]] = {subject_id: [] for subject_id in subject_ids}
        rows = await self._read_rows(
            """UNWIND $ids AS id
               CALL (id) { MATCH (s:Fact {id: id}) RETURN s UNION MATCH (s:Entity {id: id}) RETURN s }
               MATCH (s)-[:SUPPORTED_BY]->(e:Evidence) WHERE e.made IS NOT NULL
               WITH DISTINCT id, e RETURN id, e.body ORDER BY e.made""",
            ids=list(evidence_by_subject),
        )
        for subject_id, body in rows:
            evidence_by_subject[str(subject_id)].append(_parse_record(Evidence, body))
        return evidence_by_subject

    async def supported_by(self, turn_ids: Collection[Id]) -> list[tuple[Id, Id]]:
        rows = await self._read_rows(
            """UNWIND $ids AS id MATCH (e:Evidence {turn_id: id})<-[:SUPPORTED_BY]-(s)
               WITH e.turn_id AS turn, s.id AS subject, min(e.made) AS made
               RETURN turn, subject ORDER BY made, subject""",
            ids=list(dict.fromkeys(turn_ids)),
        )
        return [(str(turn_id), str(subject_id)) for turn_id, subject_id in rows]

    async def evidence_from(self, source_id: Id) -> list[tuple[Id, Evidence]]:
        rows = await self._read_rows(
            """MATCH (e:Evidence {source_id: $id})<-[:SUPPORTED_BY]-(s)
               RETURN s.id AS subject, e.body AS body ORDER BY e.made, subject""",
            id=source_id,
        )
        return [(str(subject_id), _parse_record(Evidence, body)) for subject_id, body in rows]

    async def superseded_by(self, fact_id: Id) -> list[Fact]:
        return await self._read_all(
            Fact,
            """MATCH (:Fact {id: $id})<-[:SUPERSEDES]-(f:Fact) WHERE f.made IS NOT NULL
               RETURN f.body ORDER BY f.made""",
            id=fact_id,
        )

    async def supersedes(self, fact_id: Id) -> list[Fact]:
        return await self._read_all(
            Fact,
            """MATCH (:Fact {id: $id})-[:SUPERSEDES]->(f:Fact) WHERE f.made IS NOT NULL
               RETURN f.body ORDER BY f.made""",
            id=fact_id,
        )

    async def appearances(self, entity_id: Id) -> list[Id]:
        rows = await self._read_rows(
            "MATCH (:Entity {id: $id})-[a:APPEARS_IN]->(s:Scene) RETURN s.id ORDER BY a.made", id=entity_id
        )
        return [str(scene_id) for (scene_id,) in rows]

    async def story_nodes(self, universe_id: Id) -> list[StoryNode]:
        return await self._read_all(
            StoryNode,
            "MATCH (s:Story {universe_id: $id}) WHERE s.made IS NOT NULL RETURN s.body ORDER BY s.made",
            id=universe_id,
        )

    async def scene_nodes(self, story_id: Id) -> list[SceneNode]:
        return await self._read_all(
            SceneNode,
            """MATCH (s:Scene {story_id: $id}) WHERE s.made IS NOT NULL
               RETURN s.body ORDER BY s.order, s.made""",
            id=story_id,
        )

    # --- inside -------------------------------------------------------------------------------------

    async def _read_one(self, model: type[R], record_id: Id) -> R:
        label = model.__name__
        records = await self._read_all(
            model, f"MATCH (n:{label} {{id: $id}}) WHERE n.made IS NOT NULL RETURN n.body", id=record_id
        )
        if not records:
            raise NotFound(f"There is no {label.lower()} {record_id}.")
        return records[0]

    async def _read_all(self, model: type[R], query: str, **parameters: Any) -> list[R]:
        return await self._graph.read(lambda tx: read_records(tx, model, query, **parameters))

    async def _read_rows(self, query: str, **parameters: Any) -> list[list[Any]]:
        return await self._graph.read(lambda tx: run_query(tx, query, parameters))


async def run_query(
    tx: AsyncManagedTransaction, query: str, parameters: Mapping[str, Any]
) -> list[list[Any]]:
    """Return the rows of a query."""
    result = await tx.run(query, dict(parameters))
    return [list(record.values()) async for record in result]


async def read_records(tx: AsyncManagedTransaction, model: type[R], query: str, **parameters: Any) -> list[R]:
    """Return the records whose JSON is the first column of the rows."""
    return [_parse_record(model, row[0]) for row in await run_query(tx, query, parameters)]


def _parse_record(model: type[R], body: str) -> R:
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        raise LibraryUnreadable(
            f"Canon holds a {model.__name__.lower()} that cannot be read.",
            kept="It was left as it is.",
            todo="Update MONITOR, or restore the last backup.",
        ) from error


async def _find_near_ids(tx: AsyncManagedTransaction, roots: Sequence[Id], hops: int, limit: int) -> list[Id]:
    """Return the roots and the entities within `hops` of them, nearest first, `limit` in all.

    Only relations that still hold and entities that are canonical count.
    """
    near_ids = list(dict.fromkeys(roots))[:limit]
    frontier = near_ids
    for _ in range(hops):
        reached_ids: list[Id] = []
        for left, right in (("-", "->"), ("<-", "-")):
            remaining = limit - len(near_ids) - len(reached_ids)
            rows = await run_query(
                tx,
                f"""UNWIND range(0, size($frontier) - 1) AS place
                    MATCH (:Entity {{id: $frontier[place]}}){left}[r:RELATED]{right}(e:Entity)
                    WHERE r.valid_to IS NULL AND e.status = 'canonical' AND NOT e.id IN $seen
                    WITH e.id AS id, min(place) AS place ORDER BY place, id LIMIT $room RETURN id""",
                {"frontier": frontier, "seen": [*near_ids, *reached_ids], "room": max(0, remaining)},
            )
            reached_ids += [str(entity_id) for (entity_id,) in rows]
        if not reached_ids:
            break
        near_ids = near_ids + reached_ids
        frontier = reached_ids
    return near_ids
