"""Every way to write in an SQLite file of ours, in raw SQL, and whether the write matrix grants it to a role.

`monitor doctor` tries what is not granted; the authority tests try everything. Each try is taken back.
Source: stores/authority.py, design/authority.md.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from typing import NamedTuple

import apsw

from stores.authority import Op, Role, Store, grants
from stores.embedded.leave import StoreOfTable
from stores.records.play import Speaker

Act = Callable[[apsw.Connection], object]
Write = Callable[[Role, Act], object]

APPEND_ONLY = ("turns", "resolutions", "head_moves", "transitions", "notes", "llm_calls", "decisions")
"""Tables of `library.db` whose rows nobody changes or removes, not even the owner."""

FORMAT_CHANGES = (
    "CREATE TABLE mine (a)",
    "CREATE TEMP TABLE mine (a)",
    "CREATE VIEW mine AS SELECT 1",
    "CREATE INDEX mine ON turns (made)",
    "CREATE TEMP TRIGGER mine AFTER INSERT ON turns BEGIN DELETE FROM canon_facts; END",
    "ALTER TABLE turns ADD COLUMN mine",
    "DROP TABLE canon_facts",
    "DROP TRIGGER turns_no_delete",
    "ATTACH ':memory:' AS other",
    "PRAGMA writable_schema = 1",
    "PRAGMA recursive_triggers = 0",
    "PRAGMA query_only = 0",
    "PRAGMA user_version = 99",
    "PRAGMA foreign_keys = 0",
    "PRAGMA journal_mode",
    "PRAGMA wal_checkpoint",
    "REINDEX",
    "ANALYZE",
)
"""What no role may do to `library.db`."""


class Try(NamedTuple):
    """One way to write. `needs_row`: without a row in the table it would do nothing, granted or not."""

    store: Store
    table: str
    what: str
    granted: bool
    act: Act
    needs_row: bool = False


class Undo(BaseException):
    """Thrown once the store has let an act pass, so that it leaves nothing behind."""


def and_undo(act: Act) -> Callable[[apsw.Connection], None]:
    """Return the act with its taking back."""

    def act_and_undo(connection: apsw.Connection) -> None:
        act(connection)
        raise Undo

    return act_and_undo


def tries(role: Role, tables: StoreOfTable, connection: apsw.Connection) -> Iterator[Try]:
    """Yield every insert, update (column by column), delete and replace in `tables`."""
    columns = {table: _columns(connection, table) for table in tables}
    for table, (store, collection) in tables.items():
        yield from _inserts(role, table, store, collection)
        for column in columns[table]:
            granted = any(
                g.columns is None or column in g.columns for g in grants(role, store, collection, Op.UPDATE)
            )
            act = _sql(f'UPDATE {table} SET "{column}" = "{column}"')
            yield Try(store, table, f"update {collection}.{column}", granted, act)
        may_delete = bool(grants(role, store, collection, Op.DELETE))
        documents = "body" in columns[table]
        last = f"WHERE made = (SELECT max(made) FROM {table})" if documents else ""
        yield Try(store, table, f"delete {collection}", may_delete, _sql(f"DELETE FROM {table} {last}"))
        if documents:
            # REPLACE removes rows without asking an authorizer: triggers do the asking.
            may = may_delete and bool(grants(role, store, collection, Op.INSERT))
            listed = ", ".join(columns[table])
            act = _sql(f"REPLACE INTO {table}({listed}) SELECT {listed} FROM {table} {last}")
            yield Try(store, table, f"replace {collection}", may, act, needs_row=True)


def format_changes() -> Iterator[tuple[str, Act]]:
    return ((sql, _sql(sql)) for sql in FORMAT_CHANGES)


def rewritings(table: str, connection: apsw.Connection) -> Iterator[tuple[str, Act]]:
    """Yield the ways to rewrite what was said: the last row of an append-only table."""
    column = _columns(connection, table)[-1]
    last = f"WHERE rowid = (SELECT max(rowid) FROM {table})" if table != "head_moves" else ""
    yield f"update {table}", _sql(f'UPDATE {table} SET "{column}" = "{column}" {last}')
    yield f"delete {table}", _sql(f"DELETE FROM {table} {last}")


def has_row(connection: apsw.Connection, table: str) -> bool:
    return connection.execute(f"SELECT 1 FROM {table} LIMIT 1").get is not None


def insert(
    connection: apsw.Connection,
    table: str,
    row_id: str,
    *,
    refers_to: str = "loose",
    speaker: Speaker = Speaker.PLAYER,
) -> None:
    """Insert a row of `row_id` that hangs on the rows `refers_to` of other tables."""
    referring = {row[3] for row in connection.execute(f"PRAGMA foreign_key_list({table})")}
    body = dict.fromkeys(("id", "exchange_id", "subject_id"), row_id)
    body |= {"scene_id": refers_to, "story_id": refers_to, "loop": "main", "speaker": speaker.value}
    row: dict[str, object] = {}
    for _, name, kind, *_ in connection.execute(f"PRAGMA table_info({table})"):
        if name == "body":
            row[name] = json.dumps(body)
        elif name in referring:
            row[name] = refers_to
        elif name != "made":
            row[name] = uuid.uuid4().int >> 66 if kind == "INTEGER" else row_id
    columns, marks = ", ".join(f'"{name}"' for name in row), ", ".join("?" * len(row))
    connection.execute(f"INSERT INTO {table}({columns}) VALUES ({marks})", tuple(row.values()))


def _inserts(role: Role, table: str, store: Store, collection: str) -> Iterator[Try]:
    granted = grants(role, store, collection, Op.INSERT)
    if table != "turns":
        yield Try(store, table, f"insert {collection}", bool(granted), _insertion(table))
        return
    for speaker in Speaker:
        may = any(g.values is None or speaker in g.values[1] for g in granted)
        yield Try(store, table, f"insert {collection} as {speaker}", may, _insertion(table, speaker))


def _insertion(table: str, speaker: Speaker = Speaker.PLAYER) -> Act:
    return lambda connection: insert(connection, table, "new", speaker=speaker)


def _sql(statement: str) -> Act:
    return lambda connection: connection.execute(statement)


def _columns(connection: apsw.Connection, table: str) -> list[str]:
    return [str(row[1]) for row in connection.execute(f"PRAGMA table_info({table})")]
