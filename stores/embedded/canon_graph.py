"""The canon graph in `library.db`: reading, story and scene nodes, and commits.

SQLite refuses what a role may not write, on the role's own connection.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import apsw

from stores.authority import Role
from stores.embedded.canon_reader import EmbeddedCanonReader
from stores.embedded.database import Priority, Transactions
from stores.embedded.documents import ids_json, insert_new, upsert
from stores.errors import NotFound
from stores.records.canon import CanonBatch, Fact, FactChange, FactKind
from stores.records.ids import Id
from stores.records.world import Entity, EntityStatus, SceneNode, StoryNode, fold_name


class EmbeddedCanon(EmbeddedCanonReader):
    """Canon as `role` may use it. `priority` is how urgent its writes are."""

    def __init__(self, db: Transactions, role: Role, *, priority: Priority = Priority.PLAY) -> None:
        super().__init__(db)
        self._role = role
        self._priority = priority

    async def create_story_node(self, node: StoryNode) -> None:
        await self._db.write(self._role, lambda c: insert_new(c, "canon_story_nodes", [node]), self._priority)

    async def create_scene_node(self, node: SceneNode) -> None:
        await self._db.write(self._role, lambda c: insert_new(c, "canon_scene_nodes", [node]), self._priority)

    async def commit(self, batch: CanonBatch) -> None:
        await self._db.write(self._role, lambda c: write_batch(c, batch), self._priority)


def write_batch(connection: apsw.Connection, batch: CanonBatch) -> None:
    """Write all of the batch, in the transaction that `connection` is in."""
    if batch.universe:
        upsert(connection, "canon_universes", [batch.universe])
    _put_entities(connection, batch.entities)
    _add_facts(connection, batch.facts)
    _change_facts(connection, batch.fact_changes)
    _rebuild_relations(
        connection,
        [
            *(fact.id for fact in batch.facts if fact.kind is FactKind.RELATION),
            *(change.fact_id for change in batch.fact_changes),
        ],
    )
    insert_new(connection, "canon_evidence", batch.evidence)
    _add_edges(connection, batch)
    _set_status(connection, "canon_scene_nodes", batch.scene_status)
    _set_status(connection, "canon_story_nodes", batch.story_status)


def _put_entities(connection: apsw.Connection, entities: Sequence[Entity]) -> None:
    upsert(connection, "canon_entities", entities)
    connection.executemany(
        "DELETE FROM canon_entity_names WHERE entity_id = ?", ((entity.id,) for entity in entities)
    )
    connection.executemany(
        "INSERT INTO canon_entity_names(entity_id, ordinal, universe_id, folded) VALUES (?, ?, ?, ?)",
        (
            (entity.id, ordinal, entity.universe_id, fold_name(name))
            for entity in entities
            if entity.status is EntityStatus.CANONICAL
            for ordinal, name in enumerate((entity.name, *entity.aliases))
        ),
    )


def _add_facts(connection: apsw.Connection, facts: Sequence[Fact]) -> None:
    insert_new(connection, "canon_facts", facts)
    connection.executemany(
        """INSERT INTO canon_involvements(fact_id, ordinal, role, entity_id, predicate, begins, made)
           VALUES (?1, ?2, ?3, ?4, ?5, ?6, (SELECT made FROM canon_facts WHERE id = ?1))
           ON CONFLICT DO NOTHING""",
        (
            (fact.id, ordinal, involvement.role, involvement.entity_id, fact.predicate, fact.valid_from)
            for fact in facts
            for ordinal, involvement in enumerate(fact.involves)
        ),
    )


def _change_facts(connection: apsw.Connection, changes: Sequence[FactChange]) -> None:
    for change in changes:
        connection.execute(
            "UPDATE canon_facts SET body = json_set(body, '$.status', ?, '$.valid_to', ?) WHERE id = ?",
            (change.status.value, change.valid_to, change.fact_id),
        )
        if connection.changes() == 0:
            raise NotFound(f"There is no fact {change.fact_id} to change.", kept="Nothing was written.")
        if change.closed is not None:
            connection.execute(
                "UPDATE canon_facts SET body = json_set(body, '$.closed', json(?)) WHERE id = ?",
                ("true" if change.closed else "false", change.fact_id),
            )
        if change.secrecy is not None:
            connection.execute(
                "UPDATE canon_facts SET body = json_set(body, '$.secrecy', json(?)) WHERE id = ?",
                (change.secrecy.model_dump_json(), change.fact_id),
            )


def _rebuild_relations(connection: apsw.Connection, fact_ids: Sequence[Id]) -> None:
    """Rebuild the edges of those of these facts that are relations from the facts themselves."""
    if not fact_ids:
        return
    ids = ids_json(fact_ids)
    connection.execute(
        "DELETE FROM canon_relations WHERE fact_id IN (SELECT value FROM json_each(?))", (ids,)
    )
    connection.execute(
        """INSERT INTO canon_relations(fact_id, from_id, to_id, predicate, valid_from, valid_to)
           SELECT DISTINCT f.id, s.entity_id, o.entity_id, f.predicate, f.valid_from, f.valid_to
           FROM canon_facts f
           JOIN canon_involvements s ON s.fact_id = f.id AND s.role = 'subject'
           JOIN canon_involvements o ON o.fact_id = f.id AND o.role = 'object'
           WHERE f.id IN (SELECT value FROM json_each(?))
             AND f.kind = 'relation' AND f.status = 'canonical'""",
        (ids,),
    )


def _add_edges(connection: apsw.Connection, batch: CanonBatch) -> None:
    connection.executemany(
        "INSERT INTO canon_supports(subject_id, evidence_id) VALUES (?, ?) ON CONFLICT DO NOTHING",
        ((edge.subject_id, edge.evidence_id) for edge in batch.supports),
    )
    connection.executemany(
        "INSERT INTO canon_supersessions(newer_id, older_id) VALUES (?, ?) ON CONFLICT DO NOTHING",
        ((edge.newer_id, edge.older_id) for edge in batch.supersedes),
    )
    connection.executemany(
        "INSERT INTO canon_appearances(entity_id, scene_id) VALUES (?, ?) ON CONFLICT DO NOTHING",
        ((edge.entity_id, edge.scene_id) for edge in batch.appearances),
    )


def _set_status(connection: apsw.Connection, table: str, status_of: Mapping[Id, str]) -> None:
    for node_id, status in status_of.items():
        connection.execute(
            f"UPDATE {table} SET body = json_set(body, '$.status', ?) WHERE id = ?", (status, node_id)
        )
        if connection.changes() == 0:
            raise NotFound(f"Canon has no story or scene {node_id}.", kept="Nothing was written.")
