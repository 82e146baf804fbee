"""The write matrix, cell by cell: what SQLite itself refuses a role in `library.db`.

Every role tries to insert into, update each column of and delete from every table, as raw SQL on its
own connection.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import apsw
import pytest

from stores.authority import COLLECTIONS, WRITE_MATRIX, Role, Store
from stores.embedded.database import Database
from stores.embedded.library import open_library
from stores.embedded.migrations import COLLECTION_OF_TABLE, UNCOLLECTED_TABLES
from stores.embedded.write_attempts import (
    APPEND_ONLY,
    RollbackSignal,
    WriteOperation,
    insert_test_row,
    iter_format_changes,
    iter_rewrite_attempts,
    iter_write_attempts,
    with_rollback,
)
from stores.errors import StoreError, WriteDenied


@pytest.fixture
async def library(tmp_path: Path) -> AsyncIterator[Database]:
    """A library with a row in each table that others refer to, and in tables of documents a loose one."""
    db = await open_library(tmp_path / "library.db")
    await db.write_as_owner(_fill)
    yield db
    await db.close()


def _fill(connection: apsw.Connection) -> None:
    connection.pragma("defer_foreign_keys", True)
    for table in COLLECTION_OF_TABLE:
        insert_test_row(connection, table, "seed", refers_to="seed")
        if _is_documents(connection, table):
            insert_test_row(connection, table, "loose", refers_to="seed")


def _is_documents(connection: apsw.Connection, table: str) -> bool:
    return any(row[1] == "body" for row in connection.execute(f"PRAGMA table_info({table})"))


async def refused(db: Database, role: Role, act: WriteOperation) -> bool:
    """Return whether the store refuses the operation; any other failure is raised."""
    try:
        await db.write(role, with_rollback(act))
    except RollbackSignal:
        return False
    except WriteDenied:
        return True
    raise AssertionError("unreachable")


def executing(sql: str) -> Callable[[apsw.Connection], object]:
    """Return the operation of executing one statement."""
    return lambda connection: connection.execute(sql)


async def columns_of(db: Database, table: str) -> list[str]:
    return await db.read(lambda c: [str(row[1]) for row in c.execute(f"PRAGMA table_info({table})")])


async def test_write_matrix_has_a_table_for_every_collection(library: Database) -> None:
    collections = {(store, name) for store in (Store.CANON, Store.LOG) for name in COLLECTIONS[store]}
    assert set(COLLECTION_OF_TABLE.values()) == collections
    found = await library.read(
        lambda c: {str(row[0]) for row in c.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    )
    assert found == {*COLLECTION_OF_TABLE, *UNCOLLECTED_TABLES}


@pytest.mark.parametrize("role", Role)
async def test_write_matrix_grants_are_enforced_by_sqlite(library: Database, role: Role) -> None:
    """Insert, update column by column, delete, replace: in every table."""
    every = await library.read(
        lambda connection: list(iter_write_attempts(role, COLLECTION_OF_TABLE, connection))
    )
    assert {attempt.table for attempt in every} == set(COLLECTION_OF_TABLE)
    for attempt in every:
        assert await refused(library, role, attempt.operation) is not attempt.is_granted, attempt.description


_SEND = "INSERT INTO outbox(store, role, method, arguments, at, applied) VALUES ('log', '{}', '', '', '', 0)"


@pytest.mark.parametrize("role", Role)
async def test_outbox_refuses_entries_of_another_role(library: Database, role: Role) -> None:
    """What waits for a server is sent as the role it names, so no role may name another."""
    writes = any(g.store in (Store.LOG, Store.CANON) for g in WRITE_MATRIX[role])
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
            assert await refused(library, role, executing(sql)) is not own, sql
        for column in ("role", "method", "arguments", "seq"):
            sql = f"UPDATE outbox SET {column} = {column} WHERE role = '{name}'"
            assert await refused(library, role, executing(sql)), sql
    for sql in ("INSERT INTO mirror VALUES ('a', 'b')", "DELETE FROM mirror"):
        assert await refused(library, role, executing(sql)), sql


@pytest.mark.parametrize("role", Role)
async def test_write_matrix_lets_no_role_change_the_format(library: Database, role: Role) -> None:
    for sql, act in iter_format_changes():
        assert await refused(library, role, act), sql


@pytest.mark.parametrize("table", APPEND_ONLY)
async def test_append_only_tables_refuse_changes_by_anyone(library: Database, table: str) -> None:
    for _, act in await library.read(lambda connection: list(iter_rewrite_attempts(table, connection))):
        with pytest.raises(WriteDenied, match="never changed"):
            await library.write_as_owner(act)


async def test_reader_connection_refuses_all_writes(library: Database) -> None:
    for sql in ("DELETE FROM stories", "CREATE TEMP TABLE t (a)", "ATTACH ':memory:' AS other"):
        with pytest.raises(WriteDenied):
            await library.read(executing(sql))


async def test_write_denied_error_names_the_role(library: Database) -> None:
    with pytest.raises(WriteDenied, match="Context assembly may not write that") as refusal:
        await library.write(Role.CONTEXT_ASSEMBLY, lambda c: c.execute("DELETE FROM turns"))
    assert refusal.value.kept == "Nothing was written."
    with pytest.raises(StoreError, match="no such table"):
        await library.write(Role.CANON_KEEPER, lambda c: c.execute("DELETE FROM nowhere"))
