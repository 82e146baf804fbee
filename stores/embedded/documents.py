"""Records as JSON documents in tables, and reading them back.

A document table has `made` (the order of making), `body` (the record as JSON), and key columns that
SQLite derives from the body itself, so that they can never disagree with it. The few columns that one
role may change in another's record (`authority.MATRIX`) are columns of their own and not in the body.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable
from functools import lru_cache
from typing import Any, TypeVar, cast

import apsw
from pydantic import ValidationError

from stores.embedded.database import Transactions
from stores.embedded.sqlite_errors import RESTORE_ADVICE
from stores.errors import LibraryUnreadable, NotFound
from stores.records.base import Record
from stores.records.ids import Id

_CACHED_RECORDS = 2_000
"""Records that are kept ready to be read again: a few megabytes."""

R = TypeVar("R", bound=Record)
T = TypeVar("T")


def record_json(record: Record, without: Collection[str] = ()) -> str:
    return record.model_dump_json(exclude=set(without) or None)


def insert_new(connection: apsw.Connection, table: str, records: Iterable[Record]) -> None:
    """Insert the documents that are not there yet."""
    connection.executemany(
        f"INSERT INTO {table}(body) VALUES (?) ON CONFLICT DO NOTHING", ((record_json(r),) for r in records)
    )


def upsert(connection: apsw.Connection, table: str, records: Iterable[Record], key: str = "id") -> None:
    """Insert the documents, or write them whole over the ones of the same key."""
    connection.executemany(
        f"INSERT INTO {table}(body) VALUES (?) ON CONFLICT ({key}) DO UPDATE SET body = excluded.body",
        ((record_json(r),) for r in records),
    )


def ids_json(ids: Collection[Id]) -> str:
    """Give identifiers to SQL's `json_each`: any number of them in one parameter."""
    return json.dumps(list(ids))


def quote_values(values: Iterable[Any]) -> str:
    """Write members of our own enumerations into SQL."""
    return ", ".join(f"'{value.value}'" for value in values)


def where_clause(conditions: Collection[str]) -> str:
    """Write a clause that all the conditions must meet; none if there are none."""
    return f"WHERE {' AND '.join(conditions)}" if conditions else ""


def read_all(connection: apsw.Connection, model: type[R], sql: str, bindings: Any = ()) -> list[R]:
    """Return the records whose JSON is the first column of the rows."""
    return [_parse(model, row[0]) for row in connection.execute(sql, bindings)]


def read_uncached(connection: apsw.Connection, model: type[R], sql: str, bindings: Any = ()) -> list[R]:
    """As `all_of`, for long records that are seldom read twice: they are not kept ready."""
    return [
        _parse_checked(model, row[0], model.model_validate_json) for row in connection.execute(sql, bindings)
    ]


def read_one(connection: apsw.Connection, model: type[R], sql: str, record_id: Id) -> R:
    """Return the one record that `sql` finds by its identifier, or raise NotFound."""
    row = connection.execute(sql, (record_id,)).fetchone()
    if row is None:
        raise NotFound(f"There is no {model.__name__.lower()} {record_id}.")
    return _parse(model, row[0])


def _parse(model: type[R], body: object) -> R:
    return _parse_checked(model, body, lambda text: cast(R, _parse_cached(model, text)))


def _parse_checked(model: type[R], body: object, parse: Callable[[str], R]) -> R:
    try:
        return parse(str(body))
    except ValidationError as error:
        raise LibraryUnreadable(
            f"A {model.__name__.lower()} in the library is damaged.",
            kept="It was left as it is.",
            todo=RESTORE_ADVICE,
        ) from error


@lru_cache(maxsize=_CACHED_RECORDS)
def _parse_cached(model: type[Record], body: str) -> Record:
    """Make a record of its JSON. The same facts and people are read at every exchange, and a record never
    changes: the same words give the same one."""
    return model.model_validate_json(body)


class DocumentReader:
    """What every reader over documents shares."""

    def __init__(self, db: Transactions) -> None:
        self._db = db

    async def _read(self, work: Callable[[apsw.Connection], T]) -> T:
        return await self._db.read(work)

    async def _all(self, model: type[R], sql: str, bindings: Any = ()) -> list[R]:
        return await self._db.read(lambda connection: read_all(connection, model, sql, bindings))

    async def _one(self, model: type[R], sql: str, record_id: Id) -> R:
        return await self._db.read(lambda connection: read_one(connection, model, sql, record_id))
