"""Reading the canon graph from `library.db`. The words of each method are those of `CanonReader`."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import apsw

from stores.embedded.documents import Reads, all_of, id_list
from stores.names import folded
from stores.ports import Neighbourhood
from stores.records.canon import Evidence, Fact, FactKind
from stores.records.ids import Id
from stores.records.world import Entity, EntityKind, SceneNode, StoryNode, Universe

_CURRENT = "f.status = 'canonical' AND (f.valid_to IS NULL OR f.kind = 'event')"
_FACTS_OF_PAIRS = 4
"""A neighbourhood brings at most this many facts for each entity it may hold."""


class CanonReads(Reads):
    async def universes(self) -> list[Universe]:
        return await self._all(Universe, "SELECT body FROM canon_universes ORDER BY made")

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
            {"universe": universe_id, "kind": kind, "search": folded(search), "limit": limit},
        )

    async def entities_by_id(self, ids: Collection[Id]) -> dict[Id, Entity]:
        found = await self._all(
            Entity,
            "SELECT body FROM canon_entities WHERE id IN (SELECT value FROM json_each(?))",
            (id_list(ids),),
        )
        return {entity.id: entity for entity in found}

    async def known_as(self, universe_id: Id) -> list[str]:
        def names(connection: apsw.Connection) -> list[str]:
            rows = connection.execute(
                """SELECT body ->> '$.name' FROM canon_entities
                   WHERE universe_id = ? AND status = 'canonical' ORDER BY made""",
                (universe_id,),
            )
            return [str(name) for (name,) in rows]

        return await self._read(names)

    async def names(self, universe_id: Id) -> list[tuple[str, Id]]:
        def names(connection: apsw.Connection) -> list[tuple[str, Id]]:
            rows = connection.execute(
                """SELECT folded, entity_id FROM canon_entity_names
                   WHERE universe_id = ? ORDER BY folded, ordinal""",
                (universe_id,),
            )
            return [(str(name), str(entity_id)) for name, entity_id in rows]

        return await self._read(names)

    async def find_entity(self, universe_id: Id, name: str) -> list[Entity]:
        return await self._all(
            Entity,
            """SELECT body FROM canon_entities WHERE id IN (
                 SELECT entity_id FROM canon_entity_names WHERE universe_id = ? AND folded = ?)
               ORDER BY made""",
            (universe_id, folded(name)),
        )

    # --- facts --------------------------------------------------------------------------------------

    async def fact(self, fact_id: Id) -> Fact:
        return await self._one(Fact, "SELECT body FROM canon_facts WHERE id = ?", fact_id)

    async def facts_by_id(self, ids: Collection[Id]) -> dict[Id, Fact]:
        found = await self._all(
            Fact, "SELECT body FROM canon_facts WHERE id IN (SELECT value FROM json_each(?))", (id_list(ids),)
        )
        return {fact.id: fact for fact in found}

    async def facts_about(
        self,
        entity_id: Id,
        *,
        predicate: str | None = None,
        history: bool = False,
        begins: tuple[int, int] | None = None,
        newest: int | None = None,
        limit: int = 1_000,
    ) -> list[Fact]:
        first, last = begins or (None, None)
        of_it, by = "i.entity_id = :entity", "fact_by_entity_made"
        if begins:
            of_it, by = of_it + " AND i.begins BETWEEN :first AND :last", "fact_by_entity_begins"
        if predicate:
            of_it, by = of_it + " AND i.predicate = :predicate", "fact_by_entity"
        return await self._all(
            Fact,
            # Which, by indexes that hold all that is asked of them; then the bodies of those alone.
            f"""SELECT body FROM canon_facts WHERE made IN (
                  SELECT DISTINCT i.made FROM canon_involvements i INDEXED BY {by}
                  CROSS JOIN canon_facts f INDEXED BY fact_as_it_stands ON f.id = i.fact_id
                  WHERE {of_it} AND (:history OR {_CURRENT})
                  ORDER BY i.made {"DESC" if newest is not None else ""} LIMIT :limit)
                ORDER BY made""",
            {
                "entity": entity_id,
                "predicate": predicate,
                "history": history,
                "first": first,
                "last": last,
                "limit": limit if newest is None else newest,
            },
        )

    async def facts_at(
        self, universe_id: Id, tick: int, *, kind: FactKind | None = None, limit: int = 10_000
    ) -> list[Fact]:
        # One branch a status: each walks its index in order and stops at the limit.
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
        def count(connection: apsw.Connection) -> tuple[int, int]:
            entities, facts = (
                connection.execute(
                    f"""SELECT count(*) FROM {table} WHERE status = 'canonical'
                        {"" if universe_id is None else "AND universe_id = :universe"}""",
                    {"universe": universe_id},
                ).get
                for table in ("canon_entities", "canon_facts")
            )
            return entities, facts

        return await self._read(count)

    async def facts(
        self,
        universe_id: Id,
        *,
        kind: FactKind | None = None,
        predicate: str | None = None,
        prefix: str | None = None,
        history: bool = False,
        limit: int = 10_000,
    ) -> list[Fact]:
        conditions = ["f.universe_id = :universe"]
        conditions += ["f.kind = :kind"] if kind else []
        conditions += ["f.predicate = :predicate"] if predicate else []
        # A stretch of the index, which LIKE would not walk; nothing in Unicode comes behind the end.
        conditions += ["f.predicate >= :prefix AND f.predicate < :prefix || char(1114111)"] if prefix else []
        conditions += [] if history else [_CURRENT]
        return await self._all(
            Fact,
            f"SELECT f.body FROM canon_facts f WHERE {' AND '.join(conditions)} ORDER BY f.made LIMIT :limit",
            {
                "universe": universe_id,
                "kind": kind,
                "predicate": predicate,
                "prefix": prefix,
                "limit": limit,
            },
        )

    async def facts_saying(self, universe_id: Id, said: Collection[str]) -> list[Fact]:
        return await self._all(
            Fact,
            """SELECT f.body FROM canon_facts f
               WHERE f.universe_id = ? AND f.said IN (SELECT value FROM json_each(?)) ORDER BY f.made""",
            (universe_id, id_list(said)),
        )

    async def neighbourhood(self, roots: Sequence[Id], *, hops: int = 2, limit: int = 50) -> Neighbourhood:
        def spread(connection: apsw.Connection) -> Neighbourhood:
            near = _spread(connection, roots, hops, limit)
            found = all_of(
                connection,
                Entity,
                """SELECT e.body FROM json_each(?) near JOIN canon_entities e ON e.id = near.value
                   ORDER BY near.key""",
                (id_list(near),),
            )
            return Neighbourhood(tuple(found), tuple(_facts_between(connection, near, limit)))

        return await self._read(spread)

    # --- what rests on what -------------------------------------------------------------------------

    async def evidence_of(self, subject_id: Id) -> list[Evidence]:
        return await self._all(
            Evidence,
            """SELECT e.body FROM canon_supports s JOIN canon_evidence e ON e.id = s.evidence_id
               WHERE s.subject_id = ? ORDER BY e.made""",
            (subject_id,),
        )

    async def evidence_of_all(self, subject_ids: Collection[Id]) -> dict[Id, list[Evidence]]:
        def grouped(connection: apsw.Connection) -> dict[Id, list[Evidence]]:
            found: dict[Id, list[Evidence]] = {subject_id: [] for subject_id in subject_ids}
            rows = connection.execute(
                """SELECT s.subject_id, e.body
                   FROM canon_supports s JOIN canon_evidence e ON e.id = s.evidence_id
                   WHERE s.subject_id IN (SELECT value FROM json_each(?)) ORDER BY e.made""",
                (id_list(subject_ids),),
            )
            for subject_id, body in rows:
                found[str(subject_id)].append(Evidence.model_validate_json(str(body)))
            return found

        return await self._read(grouped)

    async def supported_by(self, turn_ids: Collection[Id]) -> list[tuple[Id, Id]]:
        def supported(connection: apsw.Connection) -> list[tuple[Id, Id]]:
            rows = connection.execute(
                """SELECT DISTINCT e.turn_id, s.subject_id
                   FROM canon_evidence e JOIN canon_supports s ON s.evidence_id = e.id
                   WHERE e.turn_id IN (SELECT value FROM json_each(?)) ORDER BY e.made, s.subject_id""",
                (id_list(turn_ids),),
            )
            return [(str(turn_id), str(subject_id)) for turn_id, subject_id in rows]

        return await self._read(supported)

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
        def scenes(connection: apsw.Connection) -> list[Id]:
            rows = connection.execute(
                "SELECT scene_id FROM canon_appearances WHERE entity_id = ? ORDER BY made", (entity_id,)
            )
            return [str(scene_id) for (scene_id,) in rows]

        return await self._read(scenes)

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


def _spread(connection: apsw.Connection, roots: Sequence[Id], hops: int, limit: int) -> list[Id]:
    """Return the roots and the entities within `hops` of them, nearest first, `limit` in all.

    Breadth-first with two queries a level: one recursive query takes a thousand times as long at a
    hub (design/libraries.md). Only relations that still hold and entities that are canonical count.
    """
    near = list(dict.fromkeys(roots))[:limit]
    frontier = near
    for _ in range(hops):
        reached: list[Id] = []
        for here, there in (("from_id", "to_id"), ("to_id", "from_id")):
            room = limit - len(near) - len(reached)
            reached += _step(connection, here, there, frontier, [*near, *reached], room)
        if not reached:
            break
        near = near + reached
        frontier = reached
    return near


def _step(
    connection: apsw.Connection, here: str, there: str, frontier: list[Id], seen: list[Id], room: int
) -> list[Id]:
    rows = connection.execute(
        f"""SELECT DISTINCT r.{there}
            FROM json_each(?) f CROSS JOIN canon_relations r ON r.{here} = f.value
            JOIN canon_entities e ON e.id = r.{there} AND e.status = 'canonical'
            WHERE r.valid_to IS NULL AND r.{there} NOT IN (SELECT value FROM json_each(?)) LIMIT ?""",
        (id_list(frontier), id_list(seen), room),
    )
    return [str(entity_id) for (entity_id,) in rows]


def _facts_between(connection: apsw.Connection, near: list[Id], limit: int) -> list[Fact]:
    # Pairs are probed one by one: to read all relations of a hub would cost more. Facts are put in order by
    # their numbers, and only those that are wanted are read.
    return all_of(
        connection,
        Fact,
        """SELECT body FROM canon_facts WHERE made IN (
             SELECT made FROM canon_facts WHERE id IN (
               SELECT r.fact_id FROM json_each(?1) a CROSS JOIN json_each(?1) b
               CROSS JOIN canon_relations r ON r.from_id = a.value AND r.to_id = b.value
               WHERE r.valid_to IS NULL)
             ORDER BY made LIMIT ?2)
           ORDER BY made""",
        (id_list(near), limit * _FACTS_OF_PAIRS),
    )
