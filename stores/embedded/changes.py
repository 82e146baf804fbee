"""The numbered changes of `library.db`; see `stores.changes`.

Triggers write them in the transaction of each write. Of a record only the last change counts; earlier ones are removed
once they are `KEPT_CHANGES` back, so that a cursor that is a little behind still finds its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import apsw

from stores.changes import Change, ChangeCursor, RecordKind
from stores.embedded.database import Transactions
from stores.embedded.permissions import CHANGES_TABLE
from stores.records.jobs import JobKind
from stores.records.workflow import Loop

KEPT_CHANGES: Final = 1_000
"""Newest changes that are kept even if their records were changed again."""

_FIRST_KIND: Final = "library"
"""The kind of the change that every library begins with, so that there always is a last one."""


class EmbeddedChanges:
    """Implements `ChangeReader`."""

    def __init__(self, db: Transactions) -> None:
        self._db = db

    async def last_change(self) -> ChangeCursor:
        sql = f"SELECT number, tag FROM {CHANGES_TABLE} ORDER BY number DESC LIMIT 1"
        return await self._db.read(lambda connection: ChangeCursor(*connection.execute(sql).get))

    async def knows(self, cursor: ChangeCursor) -> bool:
        sql = f"SELECT 1 FROM {CHANGES_TABLE} WHERE number = ? AND tag = ?"
        return await self._db.read(lambda connection: connection.execute(sql, cursor).get is not None)

    async def changes_after(self, cursor: ChangeCursor, *, limit: int) -> list[Change]:
        def read_changes(connection: apsw.Connection) -> list[Change]:
            # SQLite takes the other columns from the row that has the maximum.
            rows = connection.execute(
                f"""SELECT max(number) AS last_number, tag, kind, id, universe_id, scene_id FROM {CHANGES_TABLE}
                    WHERE number > ? GROUP BY kind, id ORDER BY last_number LIMIT ?""",
                (cursor.number, limit),
            )
            return [
                Change(ChangeCursor(number, tag), RecordKind(kind), id, universe_id, scene_id)
                for number, tag, kind, id, universe_id, scene_id in rows
            ]

        return await self._db.read(read_changes)


class _Source(NamedTuple):
    """A table whose rows are changes, with SQL for the columns of each; `{row}` stands for NEW or OLD."""

    table: str
    kind: RecordKind
    id: str = "{row}.id"
    universe_id: str = "{row}.universe_id"
    scene_id: str = "NULL"


_SCENE_UNIVERSE: Final = "(SELECT s.body ->> '$.universe_id' FROM scenes s WHERE s.id = {row}.scene_id)"

_DOCUMENTS: Final = _Source("sources", RecordKind.SOURCE)
_SNIPPETS: Final = _Source(
    "snippets", RecordKind.SOURCE, id="{row}.source_id", universe_id="{row}.body ->> '$.universe_id'"
)

_SOURCES: Final = (
    _Source("canon_entities", RecordKind.ENTITY),
    _Source("canon_facts", RecordKind.FACT),
    _Source("memories", RecordKind.MEMORY, scene_id="{row}.scene_id"),
    # A turn changes the head of its scene.
    _Source("scenes", RecordKind.SCENE, universe_id="{row}.body ->> '$.universe_id'"),
    _Source("summaries", RecordKind.SCENE, id="{row}.scene_id", universe_id=_SCENE_UNIVERSE),
    _DOCUMENTS,
    _SNIPPETS,
)


def create_changes(connection: apsw.Connection) -> None:
    """Create the table of changes and the triggers that write it. Records that are there have no change."""
    connection.execute(
        f"""CREATE TABLE {CHANGES_TABLE} (
            number INTEGER PRIMARY KEY, tag INTEGER NOT NULL DEFAULT (random()), kind TEXT NOT NULL,
            id TEXT NOT NULL, universe_id TEXT, scene_id TEXT) STRICT"""
    )
    connection.execute(f"CREATE INDEX change_by_record ON {CHANGES_TABLE} (kind, id)")
    connection.execute(f"INSERT INTO {CHANGES_TABLE}(kind, id) VALUES ('{_FIRST_KIND}', '')")
    for statement in _trigger_statements():
        connection.execute(statement)


def create_loop_changes(connection: apsw.Connection) -> None:
    """Count a scene as changed when it begins or ends, and a story's last scene when the story does."""
    for loop, scene_ids in (
        (Loop.SCENE, "SELECT id, body FROM scenes WHERE id = NEW.subject_id"),
        (
            Loop.STORY,
            """SELECT id, body FROM scenes WHERE story_id = NEW.subject_id AND head IS NOT NULL
                ORDER BY "order" DESC LIMIT 1""",
        ),
    ):
        connection.execute(
            f"""CREATE TRIGGER {CHANGES_TABLE}_transitions_{loop} AFTER INSERT ON transitions
                WHEN NEW.loop = '{loop}' BEGIN
                INSERT INTO {CHANGES_TABLE}(kind, id, universe_id)
                    SELECT '{RecordKind.SCENE}', s.id, s.body ->> '$.universe_id' FROM ({scene_ids}) s; END"""
        )


def create_memory_changes(connection: apsw.Connection) -> None:
    """Count a scene as changed when its memories are written further: the seals of its indexes say how far."""
    for op, condition in (
        ("INSERT", "NEW.body ->> '$.cursor' <> ''"),
        ("UPDATE", "NEW.body ->> '$.cursor' IS NOT OLD.body ->> '$.cursor'"),
    ):
        connection.execute(
            f"""CREATE TRIGGER {CHANGES_TABLE}_jobs_{op.lower()} AFTER {op} ON jobs
                WHEN NEW.body ->> '$.kind' = '{JobKind.REMEMBER}' AND {condition} BEGIN
                INSERT INTO {CHANGES_TABLE}(kind, id, universe_id)
                    SELECT '{RecordKind.SCENE}', s.id, s.body ->> '$.universe_id'
                    FROM scenes s WHERE s.id = NEW.body ->> '$.subject_id'; END"""
        )


def create_source_changes(connection: apsw.Connection) -> None:
    """Count a document or a chunk as changed only when what is searched of it does: reading one writes it often."""
    for source, fields in ((_DOCUMENTS, ("state", "edition")), (_SNIPPETS, ("text", "edition"))):
        connection.execute(f"DROP TRIGGER {CHANGES_TABLE}_{source.table}_update")
        is_changed = " OR ".join(f"OLD.body ->> '$.{name}' IS NOT NEW.body ->> '$.{name}'" for name in fields)
        connection.execute(_trigger_statement(source, "UPDATE", f"({is_changed})"))


def _trigger_statements() -> Iterator[str]:
    for source in _SOURCES:
        for op in ("INSERT", "UPDATE", "DELETE"):
            yield _trigger_statement(source, op)
    # Only the player character's name is in the index; the rest of a story changes with every thread and clock.
    yield f"""CREATE TRIGGER {CHANGES_TABLE}_stories_update AFTER UPDATE ON stories
        WHEN OLD.body ->> '$.pc_id' IS NOT NEW.body ->> '$.pc_id' BEGIN
        INSERT INTO {CHANGES_TABLE}(kind, id, universe_id)
            SELECT '{RecordKind.SCENE}', s.id, NEW.universe_id FROM scenes s WHERE s.story_id = NEW.id; END"""


def _trigger_statement(source: _Source, op: str, condition: str = "true") -> str:
    row = "OLD" if op == "DELETE" else "NEW"
    id, universe_id, scene_id = (
        sql.format(row=row) for sql in (source.id, source.universe_id, source.scene_id)
    )
    return f"""CREATE TRIGGER {CHANGES_TABLE}_{source.table}_{op.lower()} AFTER {op} ON {source.table}
        WHEN {id} IS NOT NULL AND {condition} BEGIN
        INSERT INTO {CHANGES_TABLE}(kind, id, universe_id, scene_id)
            VALUES ('{source.kind}', {id}, {universe_id}, {scene_id});
        {_forget_replaced(f"'{source.kind}'", id)} END"""


def forget_replaced_changes(connection: apsw.Connection) -> None:
    """Remove the changes that the next write of the same record would: after a load, that write would take long."""
    connection.execute(
        f"""DELETE FROM {CHANGES_TABLE} AS old
            WHERE number < (SELECT max(number) FROM {CHANGES_TABLE}) - {KEPT_CHANGES} AND EXISTS (
                SELECT 1 FROM {CHANGES_TABLE} AS new
                WHERE new.kind = old.kind AND new.id = old.id AND new.number > old.number)"""
    )


def _forget_replaced(kind: str, id: str) -> str:
    return f"""DELETE FROM {CHANGES_TABLE} WHERE kind = {kind} AND id = {id}
        AND number < (SELECT max(number) FROM {CHANGES_TABLE}) - {KEPT_CHANGES};"""
