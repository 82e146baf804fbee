"""Reads the canon graph from `library.db`; see `CanonReader`."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence

import apsw

from stores.embedded.documents import RecordReader, ids_json, parse_uncached, read_all, read_readable
from stores.ports import Neighbourhood
from stores.queries import FactQuery, FactsAboutQuery, FactsQuery
from stores.readable_records import ReadableRecords
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

_CURRENT_CONDITION = "f.status = 'canonical' AND (f.valid_to IS NULL OR f.kind = 'event')"
_SELECT_UNIVERSES = "SELECT body FROM canon_universes ORDER BY made"
_MAX_WORDS = 100
"""Words of names that one statement looks for."""
_HAS_WORD = "(instr(folded, ?) > 0 AND ' ' || folded || ' ' GLOB ?)"
"""Whether a name has a word, or, beside letters that are not ASCII, may have it."""
_FACTS_PER_ENTITY = 4
"""The most facts of a neighbourhood, for each entity that it may have."""


class EmbeddedCanonReader(RecordReader):
    async def universes(self) -> list[Universe]:
        return await self._all(Universe, _SELECT_UNIVERSES)

    async def readable_universes(self) -> ReadableRecords[Universe]:
        return await self._read(lambda connection: read_readable(connection, Universe, _SELECT_UNIVERSES))

    async def universe(self, universe_id: Id) -> Universe:
        return await self._one(Universe, "SELECT body FROM canon_universes WHERE id = ?", universe_id)

    # --- entities -----------------------------------------------------------------------------------

    async def entity(self, entity_id: Id) -> Entity:
        return await self._one(Entity, "SELECT body FROM canon_entities WHERE id = ?", entity_id)

    async def entities(
        self, universe_id: Id, *, kind: EntityKind | None = None, search: str = "", limit: int = 10_000
    ) -> list[Entity]:
        return await self._all(
            Entity,
            """SELECT e.body FROM canon_entity_names n JOIN canon_entities e ON e.id = n.entity_id
               WHERE n.universe_id = :universe AND n.ordinal = 0 AND (:kind IS NULL OR e.kind = :kind)
                 AND (:search = '' OR EXISTS (SELECT 1 FROM canon_entity_names any
                      WHERE any.entity_id = n.entity_id AND instr(any.folded, :search) > 0))
               ORDER BY n.folded, n.entity_id LIMIT :limit""",
            {"universe": universe_id, "kind": kind, "search": fold_name(search), "limit": limit},
        )

    async def entities_by_id(self, ids: Collection[Id]) -> dict[Id, Entity]:
        entities = await self._all(
            Entity,
            "SELECT body FROM canon_entities WHERE id IN (SELECT value FROM json_each(?))",
            (ids_json(ids),),
        )
        return {entity.id: entity for entity in entities}

    async def entity_names(self, universe_id: Id) -> list[str]:
        def read_names(connection: apsw.Connection) -> list[str]:
            rows = connection.execute(
                """SELECT body ->> '$.name' FROM canon_entities
                   WHERE universe_id = ? AND status = 'canonical' ORDER BY made""",
                (universe_id,),
            )
            return [str(name) for (name,) in rows]

        return await self._read(read_names)

    async def named_entities(self, universe_id: Id) -> list[EntityNames]:
        def read_names(connection: apsw.Connection) -> list[EntityNames]:
            rows = connection.execute(
                """SELECT id, kind, body ->> '$.name', body -> '$.aliases' FROM canon_entities
                   WHERE universe_id = ? AND status = 'canonical' ORDER BY made""",
                (universe_id,),
            )
            return [
                EntityNames(
                    str(entity_id),
                    EntityKind(kind),
                    str(name),
                    tuple(json.loads(str(aliases))) if aliases and aliases != "[]" else (),
                )
                for entity_id, kind, name, aliases in rows
            ]

        return await self._read(read_names)

    async def folded_names(self, universe_id: Id) -> list[tuple[str, Id]]:
        def read_names(connection: apsw.Connection) -> list[tuple[str, Id]]:
            rows = connection.execute(
                """SELECT folded, entity_id FROM canon_entity_names
                   WHERE universe_id = ? ORDER BY folded, ordinal""",
                (universe_id,),
            )
            return [(str(name), str(entity_id)) for name, entity_id in rows]

        return await self._read(read_names)

    async def names_with_words(self, universe_id: Id, words: Collection[str]) -> list[tuple[str, Id]]:
        folded_words = sorted({fold_name(word) for word in words})

        def read_names(connection: apsw.Connection) -> list[tuple[str, Id]]:
            rows = set[tuple[str, int, str]]()
            for batch in _in_batches(folded_words, _MAX_WORDS):
                # SQLite compares without Python: 20,000 names with two words take two milliseconds. Thousands of names
                # have a short word somewhere inside, and few as a word: what SQLite takes for one is read here.
                conditions = " OR ".join([_HAS_WORD] * len(batch))
                rows.update(
                    connection.execute(
                        f"""SELECT folded, ordinal, entity_id FROM canon_entity_names
                            WHERE universe_id = ? AND ({conditions})""",
                        (universe_id, *(value for word in batch for value in (word, _glob_of_word(word)))),
                    )
                )
            return [
                (name, entity_id) for name, _, entity_id in sorted(rows) if has_any_word(name, folded_words)
            ]

        return await self._read(read_names)

    async def merged_entities(self, universe_id: Id) -> list[Entity]:
        return await self._all(
            Entity,
            "SELECT body FROM canon_entities WHERE universe_id = ? AND status = 'merged' ORDER BY made",
            (universe_id,),
        )

    async def find_entity(self, universe_id: Id, name: str) -> list[Entity]:
        return await self.entities_named(universe_id, [name])

    async def entities_named(self, universe_id: Id, names: Collection[str]) -> list[Entity]:
        return await self._all(
            Entity,
            """SELECT body FROM canon_entities WHERE id IN (
                 SELECT n.entity_id FROM json_each(?2) CROSS JOIN canon_entity_names n
                 WHERE n.universe_id = ?1 AND n.folded = json_each.value)
               ORDER BY made""",
            (universe_id, ids_json({fold_name(name) for name in names})),
        )

    # --- facts --------------------------------------------------------------------------------------

    async def fact(self, fact_id: Id) -> Fact:
        return await self._one(Fact, "SELECT body FROM canon_facts WHERE id = ?", fact_id)

    async def facts_by_id(self, ids: Collection[Id]) -> dict[Id, Fact]:
        facts = await self._read(lambda connection: _read_facts_by_id(connection, ids))
        return {fact.id: fact for fact in facts}

    async def facts_about(self, entity_id: Id, query: FactsAboutQuery = FactsAboutQuery()) -> list[Fact]:
        return await self._read(lambda connection: _read_facts_about(connection, entity_id, query))

    async def facts_at(
        self, universe_id: Id, tick: int, *, kind: FactKind | None = None, limit: int = 10_000
    ) -> list[Fact]:
        # One branch per status: each walks its index in order and stops at the limit.
        branches = " UNION ALL ".join(
            f"""SELECT * FROM (SELECT made, body FROM canon_facts
                WHERE universe_id = :universe AND status = '{status}' {"AND kind = :kind" if kind else ""}
                  AND (valid_from IS NULL OR valid_from <= :tick) AND ({ends} :tick < valid_to)
                ORDER BY made LIMIT :limit)"""
            for status, ends in (("canonical", "valid_to IS NULL OR"), ("superseded", ""))
        )
        return await self._all(
            Fact,
            f"SELECT body FROM ({branches}) ORDER BY made LIMIT :limit",
            {"universe": universe_id, "tick": tick, "kind": kind, "limit": limit},
        )

    async def count(self, universe_id: Id | None = None) -> tuple[int, int]:
        def count_rows(connection: apsw.Connection) -> tuple[int, int]:
            entities, facts = (
                connection.execute(
                    f"""SELECT count(*) FROM {table} WHERE status = 'canonical'
                        {"" if universe_id is None else "AND universe_id = :universe"}""",
                    {"universe": universe_id},
                ).get
                for table in ("canon_entities", "canon_facts")
            )
            return entities, facts

        return await self._read(count_rows)

    async def facts(self, universe_id: Id, query: FactQuery = FactQuery()) -> list[Fact]:
        return await self._read(lambda connection: _read_facts(connection, universe_id, query))

    async def facts_by_statement(self, universe_id: Id, statement_keys: Collection[str]) -> list[Fact]:
        return await self._read(
            lambda connection: _read_stated_facts(connection, universe_id, statement_keys)
        )

    async def facts_of_all(self, universe_id: Id, query: FactsQuery) -> list[Fact]:
        def read_facts(connection: apsw.Connection) -> list[Fact]:
            answers = (
                _read_facts_by_id(connection, query.ids) if query.ids else (),
                *(_read_facts_about(connection, entity_id, one) for entity_id, one in query.about),
                *(_read_facts(connection, universe_id, one) for one in query.of_universe),
                _read_stated_facts(connection, universe_id, query.statement_keys)
                if query.statement_keys
                else (),
            )
            return list({fact.id: fact for answer in answers for fact in answer}.values())

        return await self._read(read_facts)

    async def neighbourhood(self, roots: Sequence[Id], *, hops: int = 2, limit: int = 50) -> Neighbourhood:
        def read_neighbourhood(connection: apsw.Connection) -> Neighbourhood:
            near_ids = _find_near_ids(connection, roots, hops, limit)
            entities = read_all(
                connection,
                Entity,
                """SELECT e.body FROM json_each(?) near JOIN canon_entities e ON e.id = near.value
                   ORDER BY near.key""",
                (ids_json(near_ids),),
            )
            return Neighbourhood(tuple(entities), tuple(_facts_between(connection, near_ids, limit)))

        return await self._read(read_neighbourhood)

    # --- what rests on what -------------------------------------------------------------------------

    async def evidence_of(self, subject_id: Id) -> list[Evidence]:
        return await self._all(
            Evidence,
            """SELECT e.body FROM canon_supports s JOIN canon_evidence e ON e.id = s.evidence_id
               WHERE s.subject_id = ? ORDER BY e.made""",
            (subject_id,),
        )

    async def evidence_of_all(self, subject_ids: Collection[Id]) -> dict[Id, list[Evidence]]:
        def read_grouped(connection: apsw.Connection) -> dict[Id, list[Evidence]]:
            evidence_by_subject: dict[Id, list[Evidence]] = {subject_id: [] for subject_id in subject_ids}
            rows = connection.execute(
                """SELECT s.subject_id, e.body
                   FROM canon_supports s JOIN canon_evidence e ON e.id = s.evidence_id
                   WHERE s.subject_id IN (SELECT value FROM json_each(?)) ORDER BY e.made""",
                (ids_json(subject_ids),),
            )
            for subject_id, body in rows:
                evidence_by_subject[str(subject_id)].append(Evidence.model_validate_json(str(body)))
            return evidence_by_subject

        return await self._read(read_grouped)

    async def supported_by(self, turn_ids: Collection[Id]) -> list[tuple[Id, Id]]:
        def read_supported(connection: apsw.Connection) -> list[tuple[Id, Id]]:
            rows = connection.execute(
                """SELECT DISTINCT e.turn_id, s.subject_id
                   FROM canon_evidence e JOIN canon_supports s ON s.evidence_id = e.id
                   WHERE e.turn_id IN (SELECT value FROM json_each(?)) ORDER BY e.made, s.subject_id""",
                (ids_json(turn_ids),),
            )
            return [(str(turn_id), str(subject_id)) for turn_id, subject_id in rows]

        return await self._read(read_supported)

    async def evidence_from(self, source_id: Id) -> list[tuple[Id, Evidence]]:
        def read_evidence(connection: apsw.Connection) -> list[tuple[Id, Evidence]]:
            rows = connection.execute(
                """SELECT s.subject_id, e.body FROM canon_evidence e JOIN canon_supports s ON s.evidence_id = e.id
                   WHERE e.source_id = ? ORDER BY e.made, s.subject_id""",
                (source_id,),
            )
            return [(str(subject_id), parse_uncached(Evidence, body)) for subject_id, body in rows]

        return await self._read(read_evidence)

    async def superseded_by(self, fact_id: Id) -> list[Fact]:
        return await self._all(
            Fact,
            """SELECT f.body FROM canon_supersessions s JOIN canon_facts f ON f.id = s.newer_id
               WHERE s.older_id = ? ORDER BY f.made""",
            (fact_id,),
        )

    async def supersedes(self, fact_id: Id) -> list[Fact]:
        return await self._all(
            Fact,
            """SELECT f.body FROM canon_supersessions s JOIN canon_facts f ON f.id = s.older_id
               WHERE s.newer_id = ? ORDER BY f.made""",
            (fact_id,),
        )

    async def appearances(self, entity_id: Id) -> list[Id]:
        def read_scene_ids(connection: apsw.Connection) -> list[Id]:
            rows = connection.execute(
                "SELECT scene_id FROM canon_appearances WHERE entity_id = ? ORDER BY made", (entity_id,)
            )
            return [str(scene_id) for (scene_id,) in rows]

        return await self._read(read_scene_ids)

    async def story_nodes(self, universe_id: Id) -> list[StoryNode]:
        return await self._all(
            StoryNode,
            "SELECT body FROM canon_story_nodes WHERE universe_id = ? ORDER BY made",
            (universe_id,),
        )

    async def scene_nodes(self, story_id: Id) -> list[SceneNode]:
        return await self._all(
            SceneNode,
            'SELECT body FROM canon_scene_nodes WHERE story_id = ? ORDER BY "order", made',
            (story_id,),
        )


def _glob_of_word(word: str) -> str:
    """Return SQLite's pattern of a text in which no ASCII letter or digit stands beside the word."""
    literal = re.sub(r"[*?[]", r"[\g<0>]", word)
    return f"*[^a-z0-9]{literal}[^a-z0-9]*"


def _in_batches(items: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    return (items[start : start + size] for start in range(0, len(items), size))


def _read_facts_by_id(connection: apsw.Connection, ids: Collection[Id]) -> list[Fact]:
    sql = "SELECT body FROM canon_facts WHERE id IN (SELECT value FROM json_each(?))"
    return read_all(connection, Fact, sql, (ids_json(ids),))


def _read_facts_about(connection: apsw.Connection, entity_id: Id, query: FactsAboutQuery) -> list[Fact]:
    first_tick, last_tick = query.begins_within or (None, None)
    involvement_condition, index_name = "i.entity_id = :entity", "fact_by_entity_made"
    if query.begins_within:
        involvement_condition, index_name = (
            involvement_condition + " AND i.begins BETWEEN :first AND :last",
            "fact_by_entity_begins",
        )
    if query.predicate:
        involvement_condition, index_name = (
            involvement_condition + " AND i.predicate = :predicate",
            "fact_by_entity",
        )
    return read_all(
        connection,
        Fact,
        # Select the rows by covering indexes alone; then read only their bodies.
        f"""SELECT body FROM canon_facts WHERE made IN (
              SELECT DISTINCT i.made FROM canon_involvements i INDEXED BY {index_name}
              CROSS JOIN canon_facts f INDEXED BY fact_as_it_stands ON f.id = i.fact_id
              WHERE {involvement_condition} AND (:history OR {_CURRENT_CONDITION})
              ORDER BY i.made {"DESC" if query.newest is not None else ""} LIMIT :limit)
            ORDER BY made""",
        {
            "entity": entity_id,
            "predicate": query.predicate,
            "history": query.history,
            "first": first_tick,
            "last": last_tick,
            "limit": query.limit if query.newest is None else query.newest,
        },
    )


def _read_facts(connection: apsw.Connection, universe_id: Id, query: FactQuery) -> list[Fact]:
    conditions = ["f.universe_id = :universe"]
    conditions += ["f.kind = :kind"] if query.kind else []
    conditions += ["f.predicate = :predicate"] if query.predicate else []
    # A range of the index, which LIKE would not use; char(1114111) is the last code point.
    conditions += (
        ["f.predicate >= :prefix AND f.predicate < :prefix || char(1114111)"] if query.prefix else []
    )
    conditions += ["f.is_secret = 1"] if query.only_secrets else []
    if query.only_about_nobody:
        conditions.append("NOT EXISTS (SELECT 1 FROM canon_involvements i WHERE i.fact_id = f.id)")
    conditions += [] if query.history else [_CURRENT_CONDITION]
    direction = "ASC" if query.newest is None else "DESC"
    facts = read_all(
        connection,
        Fact,
        f"""SELECT f.body FROM canon_facts f WHERE {" AND ".join(conditions)}
            ORDER BY f.made {direction} LIMIT :limit""",
        {
            "universe": universe_id,
            "kind": query.kind,
            "predicate": query.predicate,
            "prefix": query.prefix,
            "limit": query.limit if query.newest is None else query.newest,
        },
    )
    return facts if query.newest is None else facts[::-1]


def _read_stated_facts(
    connection: apsw.Connection, universe_id: Id, statement_keys: Collection[str]
) -> list[Fact]:
    return read_all(
        connection,
        Fact,
        """SELECT f.body FROM canon_facts f
           WHERE f.universe_id = ? AND f.statement_key IN (SELECT value FROM json_each(?)) ORDER BY f.made""",
        (universe_id, ids_json(statement_keys)),
    )


def _find_near_ids(connection: apsw.Connection, roots: Sequence[Id], hops: int, limit: int) -> list[Id]:
    """Return the roots and the entities within `hops` of them, nearest first, `limit` in all.

    Breadth-first with two queries per level: one recursive query takes a thousand times as long at an entity
    with many relations. Only relations that still hold and canonical entities count.
    """
    near_ids = list(dict.fromkeys(roots))[:limit]
    frontier = near_ids
    for _ in range(hops):
        reached_ids: list[Id] = []
        for from_column, to_column in (("from_id", "to_id"), ("to_id", "from_id")):
            remaining = limit - len(near_ids) - len(reached_ids)
            reached_ids += _expand_frontier(
                connection, from_column, to_column, frontier, [*near_ids, *reached_ids], remaining
            )
        if not reached_ids:
            break
        near_ids = near_ids + reached_ids
        frontier = reached_ids
    return near_ids


def _expand_frontier(
    connection: apsw.Connection,
    from_column: str,
    to_column: str,
    frontier: list[Id],
    seen_ids: list[Id],
    remaining: int,
) -> list[Id]:
    rows = connection.execute(
        f"""SELECT DISTINCT r.{to_column}
            FROM json_each(?) f CROSS JOIN canon_relations r ON r.{from_column} = f.value
            JOIN canon_entities e ON e.id = r.{to_column} AND e.status = 'canonical'
            WHERE r.valid_to IS NULL AND r.{to_column} NOT IN (SELECT value FROM json_each(?)) LIMIT ?""",
        (ids_json(frontier), ids_json(seen_ids), remaining),
    )
    return [str(entity_id) for (entity_id,) in rows]


def _facts_between(connection: apsw.Connection, near_ids: list[Id], limit: int) -> list[Fact]:
    # Pairs are looked up one by one: reading all relations of an entity with many would cost more. Facts are
    # sorted by their numbers, and only the selected ones are read.
    return read_all(
        connection,
        Fact,
        """SELECT body FROM canon_facts WHERE made IN (
             SELECT made FROM canon_facts WHERE id IN (
               SELECT r.fact_id FROM json_each(?1) a CROSS JOIN json_each(?1) b
               CROSS JOIN canon_relations r ON r.from_id = a.value AND r.to_id = b.value
               WHERE r.valid_to IS NULL)
             ORDER BY made LIMIT ?2)
           ORDER BY made""",
        (ids_json(near_ids), limit * _FACTS_PER_ENTITY),
    )
