"""Every way to write in an SQLite file of ours, in raw SQL, and whether the write matrix grants it to a role.

`monitor doctor` tries what is not granted; the authority tests try everything. Each attempt is rolled back.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from typing import NamedTuple

import apsw

from stores.authority import Operation, Role, Store, find_grants
from stores.embedded.permissions import StoreOfTable
from stores.records.play import Speaker

WriteOperation = Callable[[apsw.Connection], object]

APPEND_ONLY = (
    "turns", "resolutions", "head_moves", "transitions", "notes", "llm_calls", "decisions", "map_edits",
)  # fmt: skip
"""Tables of `library.db` whose rows nobody may change or remove, not even the owner."""

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
"""Statements that no role may run on `library.db`."""


class WriteAttempt(NamedTuple):
    """One way to write. `needs_row`: it does nothing unless the table has a row."""

    store: Store
    table: str
    description: str
    is_granted: bool
    operation: WriteOperation
    needs_row: bool = False


class RollbackSignal(BaseException):
    """Raised after a write that the store allowed, so that it is rolled back."""


def with_rollback(operation: WriteOperation) -> Callable[[apsw.Connection], None]:
    """Return the operation followed by its rollback."""

    def run_and_roll_back(connection: apsw.Connection) -> None:
        operation(connection)
        raise RollbackSignal

    return run_and_roll_back


def iter_write_attempts(
    role: Role, tables: StoreOfTable, connection: apsw.Connection
) -> Iterator[WriteAttempt]:
    """Yield every insert, update (column by column), delete and replace in `tables`."""
    columns = {table: _column_names(connection, table) for table in tables}
    for table, (store, collection) in tables.items():
        yield from _iter_insert_attempts(role, table, store, collection)
        for column in columns[table]:
            is_granted = any(
                g.columns is None or column in g.columns
                for g in find_grants(role, store, collection, Operation.UPDATE)
            )
            operation = _sql_operation(f'UPDATE {table} SET "{column}" = "{column}"')
            yield WriteAttempt(store, table, f"update {collection}.{column}", is_granted, operation)
        may_delete = bool(find_grants(role, store, collection, Operation.DELETE))
        is_document_table = "body" in columns[table]
        last_row_condition = f"WHERE made = (SELECT max(made) FROM {table})" if is_document_table else ""
        yield WriteAttempt(
            store,
            table,
            f"delete {collection}",
            may_delete,
            _sql_operation(f"DELETE FROM {table} {last_row_condition}"),
        )
        if is_document_table:
            # REPLACE removes rows without asking the authorizer, so triggers check them.
            may_replace = may_delete and bool(find_grants(role, store, collection, Operation.INSERT))
            column_list = ", ".join(columns[table])
            operation = _sql_operation(
                f"REPLACE INTO {table}({column_list}) SELECT {column_list} FROM {table} {last_row_condition}"
            )
            yield WriteAttempt(store, table, f"replace {collection}", may_replace, operation, needs_row=True)


def iter_format_changes() -> Iterator[tuple[str, WriteOperation]]:
    return ((sql, _sql_operation(sql)) for sql in FORMAT_CHANGES)


def iter_rewrite_attempts(table: str, connection: apsw.Connection) -> Iterator[tuple[str, WriteOperation]]:
    """Yield the ways to change the last row of an append-only table."""
    column = _column_names(connection, table)[-1]
    last_row_condition = f"WHERE rowid = (SELECT max(rowid) FROM {table})" if table != "head_moves" else ""
    yield (
        f"update {table}",
        _sql_operation(f'UPDATE {table} SET "{column}" = "{column}" {last_row_condition}'),
    )
    yield f"delete {table}", _sql_operation(f"DELETE FROM {table} {last_row_condition}")


def has_row(connection: apsw.Connection, table: str) -> bool:
    return connection.execute(f"SELECT 1 FROM {table} LIMIT 1").get is not None


def insert_test_row(
    connection: apsw.Connection,
    table: str,
    row_id: str,
    *,
    refers_to: str = "loose",
    speaker: Speaker = Speaker.PLAYER,
) -> None:
    """Insert a row `row_id` that refers to the rows `refers_to` of other tables."""
    reference_columns = {row[3] for row in connection.execute(f"PRAGMA foreign_key_list({table})")}
    body = dict.fromkeys(("id", "exchange_id", "run_id", "subject_id"), row_id)
    body |= {"scene_id": refers_to, "story_id": refers_to, "loop": "main", "speaker": speaker.value}
    row: dict[str, object] = {}
    for _, name, kind, *_ in connection.execute(f"PRAGMA table_info({table})"):
        if name == "body":
            row[name] = json.dumps(body)
        elif name in reference_columns:
            row[name] = refers_to
        elif name != "made":
            row[name] = uuid.uuid4().int >> 66 if kind == "INTEGER" else row_id
    columns, placeholders = ", ".join(f'"{name}"' for name in row), ", ".join("?" * len(row))
    connection.execute(f"INSERT INTO {table}({columns}) VALUES ({placeholders})", tuple(row.values()))


def _iter_insert_attempts(role: Role, table: str, store: Store, collection: str) -> Iterator[WriteAttempt]:
    insert_grants = find_grants(role, store, collection, Operation.INSERT)
    if table != "turns":
        yield WriteAttempt(
            store, table, f"insert {collection}", bool(insert_grants), _insert_operation(table)
        )
        return
    for speaker in Speaker:
        may_insert = any(g.values is None or speaker in g.values[1] for g in insert_grants)
        yield WriteAttempt(
            store, table, f"insert {collection} as {speaker}", may_insert, _insert_operation(table, speaker)
        )


def _insert_operation(table: str, speaker: Speaker = Speaker.PLAYER) -> WriteOperation:
    return lambda connection: insert_test_row(connection, table, "new", speaker=speaker)


def _sql_operation(statement: str) -> WriteOperation:
    return lambda connection: connection.execute(statement)


def _column_names(connection: apsw.Connection, table: str) -> list[str]:
    return [str(row[1]) for row in connection.execute(f"PRAGMA table_info({table})")]
