"""The write matrix, tried cell by cell: what SQLite itself refuses a role in `library.db`.

Every role tries to insert into, update each column of and delete from every table, as raw SQL on its
own connection. Source: design/authority.md, stores/authority.py.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import apsw
import pytest

from stores.authority import COLLECTIONS, MATRIX, Op, Role, Store, grants
from stores.embedded.database import Database
from stores.embedded.library import open_library
from stores.embedded.migrations import MIRROR_TABLES, TABLES
from stores.errors import StoreError, WriteDenied
from stores.records.play import Speaker

APPEND_ONLY = ("turns", "resolutions", "head_moves", "transitions", "notes")
_fresh: Iterator[int] = count(1)


@pytest.fixture
async def library(tmp_path: Path) -> AsyncIterator[Database]:
    """A library with a row in each table that others refer to, and in tables of documents a loose one."""
    db = await open_library(tmp_path / "library.db")
    await db.write_as_owner(_fill)
    yield db
    await db.close()


def _fill(connection: apsw.Connection) -> None:
    connection.pragma("defer_foreign_keys", True)
    for table in TABLES:
        insert(connection, table, "seed", refers_to="seed")
        if _is_documents(connection, table):
            insert(connection, table, "loose", refers_to="seed")


def _is_documents(connection: apsw.Connection, table: str) -> bool:
    return any(row[1] == "body" for row in connection.execute(f"PRAGMA table_info({table})"))


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
    row: dict[str, Any] = {}
    for _, name, kind, *_ in connection.execute(f"PRAGMA table_info({table})"):
        if name == "body":
            row[name] = json.dumps(body)
        elif name in referring:
            row[name] = refers_to
        elif name != "made":
            row[name] = next(_fresh) if kind == "INTEGER" else row_id
    columns, marks = ", ".join(row), ", ".join("?" * len(row))
    connection.execute(f"INSERT INTO {table}({columns}) VALUES ({marks})", tuple(row.values()))


class Undo(BaseException):
    """Thrown once the store has let an attempt pass, so that it leaves nothing behind."""


async def refused(db: Database, role: Role, attempt: Any) -> bool:
    """Tell whether the store refuses the attempt; any other failure is raised."""

    def attempt_and_undo(connection: apsw.Connection) -> None:
        attempt(connection)
        raise Undo

    try:
        await db.write(role, attempt_and_undo)
    except Undo:
        return False
    except WriteDenied:
        return True
    raise AssertionError("unreachable")


async def columns_of(db: Database, table: str) -> list[str]:
    return await db.read(lambda c: [str(row[1]) for row in c.execute(f"PRAGMA table_info({table})")])


async def test_every_collection_has_its_table(library: Database) -> None:
    collections = {(store, name) for store in (Store.CANON, Store.LOG) for name in COLLECTIONS[store]}
    assert set(TABLES.values()) == collections
    found = await library.read(
        lambda c: {str(row[0]) for row in c.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    )
    assert found == {*TABLES, *MIRROR_TABLES}


@pytest.mark.parametrize("role", Role)
async def test_inserts_are_as_granted(library: Database, role: Role) -> None:
    for table, (store, collection) in TABLES.items():
        granted = grants(role, store, collection, Op.INSERT)
        for speaker in Speaker if table == "turns" else (Speaker.PLAYER,):
            allowed = any(g.values is None or speaker in g.values[1] for g in granted)
            assert (
                await refused(library, role, lambda c, t=table, s=speaker: insert(c, t, "new", speaker=s))
                is not allowed
            ), (table, speaker)


@pytest.mark.parametrize("role", Role)
async def test_updates_are_as_granted_column_by_column(library: Database, role: Role) -> None:
    for table, (store, collection) in TABLES.items():
        granted = grants(role, store, collection, Op.UPDATE)
        for column in await columns_of(library, table):
            allowed = any(g.columns is None or column in g.columns for g in granted)
            sql = f'UPDATE {table} SET "{column}" = "{column}"'
            assert await refused(library, role, lambda c, s=sql: c.execute(s)) is not allowed, (table, column)


@pytest.mark.parametrize("role", Role)
async def test_deletes_are_as_granted(library: Database, role: Role) -> None:
    for table, (store, collection) in TABLES.items():
        allowed = bool(grants(role, store, collection, Op.DELETE))
        documents = "body" in await columns_of(library, table)
        loose = f"WHERE made = (SELECT max(made) FROM {table})" if documents else ""
        sql = f"DELETE FROM {table} {loose}"
        assert await refused(library, role, lambda c, s=sql: c.execute(s)) is not allowed, table


@pytest.mark.parametrize("role", Role)
async def test_replacing_a_row_is_deleting_it(library: Database, role: Role) -> None:
    """REPLACE removes rows without asking an authorizer: triggers do the asking."""
    for table, (store, collection) in TABLES.items():
        columns = await columns_of(library, table)
        if "body" not in columns:
            continue
        allowed = all(grants(role, store, collection, op) for op in (Op.INSERT, Op.DELETE))
        listed = ", ".join(columns)
        loose = f"SELECT {listed} FROM {table} WHERE made = (SELECT max(made) FROM {table})"
        sql = f"REPLACE INTO {table}({listed}) {loose}"
        assert await refused(library, role, lambda c, s=sql: c.execute(s)) is not allowed, table


_SEND = "INSERT INTO outbox(store, role, method, arguments, at, applied) VALUES ('log', '{}', '', '', '', 0)"


@pytest.mark.parametrize("role", Role)
async def test_a_role_sends_in_its_own_name_only(library: Database, role: Role) -> None:
    """What waits for a server is sent as the role it names, so no role may name another."""
    writes = any(g.store in (Store.LOG, Store.CANON) for g in MATRIX[role])
    await library.write_as_owner(
        lambda c: [c.execute(_SEND.format(name)) for name in (*Role, "owner")] and None
    )
    for name in (*Role, "owner"):
        own = writes and name == role
        for sql in (
            _SEND.format(name),
            f"DELETE FROM outbox WHERE role = '{name}'",
            f"UPDATE outbox SET applied = 1 WHERE role = '{name}'",
        ):
            assert await refused(library, role, lambda c, s=sql: c.execute(s)) is not own, sql
        for column in ("role", "method", "arguments", "seq"):
            sql = f"UPDATE outbox SET {column} = {column} WHERE role = '{name}'"
            assert await refused(library, role, lambda c, s=sql: c.execute(s)), sql
    for sql in ("INSERT INTO mirror VALUES ('a', 'b')", "DELETE FROM mirror"):
        assert await refused(library, role, lambda c, s=sql: c.execute(s)), sql


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


@pytest.mark.parametrize("role", Role)
async def test_no_role_may_change_the_format(library: Database, role: Role) -> None:
    for sql in FORMAT_CHANGES:
        assert await refused(library, role, lambda connection, s=sql: connection.execute(s)), sql


@pytest.mark.parametrize("table", APPEND_ONLY)
async def test_what_was_said_and_rolled_is_never_changed_by_anyone(library: Database, table: str) -> None:
    column = (await columns_of(library, table))[-1]
    for sql in (f'UPDATE {table} SET "{column}" = "{column}"', f"DELETE FROM {table}"):
        with pytest.raises(WriteDenied, match="never changed"):
            await library.write_as_owner(lambda c, s=sql: c.execute(s))


async def test_a_reader_writes_nothing(library: Database) -> None:
    for sql in ("DELETE FROM stories", "CREATE TEMP TABLE t (a)", "ATTACH ':memory:' AS other"):
        with pytest.raises(WriteDenied):
            await library.read(lambda connection, s=sql: connection.execute(s))


async def test_the_refusal_names_the_role(library: Database) -> None:
    with pytest.raises(WriteDenied, match="Context assembly may not write that") as refusal:
        await library.write(Role.CONTEXT_ASSEMBLY, lambda c: c.execute("DELETE FROM turns"))
    assert refusal.value.kept == "Nothing was written."
    with pytest.raises(StoreError, match="no such table"):
        await library.write(Role.CANON_KEEPER, lambda c: c.execute("DELETE FROM nowhere"))
