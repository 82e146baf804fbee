"""Reads and writes records as JSON documents in tables.

A document table has `made` (the order of insertion), `body` (the record as JSON), and key columns that SQLite
derives from the body, so that they cannot disagree with it. The few fields that one role may change in another's
record (`authority.WRITE_MATRIX`) are columns of their own and not in the body.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable
from functools import lru_cache
from typing import Any, TypeVar, cast

import apsw
from pydantic import ValidationError

from stores.embedded.database import Transactions
from stores.errors import RESTORE_ADVICE, LibraryUnreadable, NotFound
from stores.readable_records import ReadableRecords, parse_readable
from stores.records.base import Record
from stores.records.ids import Id

_CACHED_RECORDS = 5_000
"""Parsed records in the cache, some ten megabytes: more than a large gate has, which is read whole at every line."""

_NAMING_FIELD = re.compile(r'"(id|name|title)": ?"([^"\\]{1,200})"')

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
    """Return any number of identifiers as one parameter for SQL's `json_each`."""
    return json.dumps(list(ids))


def quote_values(values: Iterable[Any]) -> str:
    """Return members of our own enumerations as a list of SQL literals."""
    return ", ".join(f"'{value.value}'" for value in values)


def where_clause(conditions: Collection[str]) -> str:
    """Return a WHERE clause with all the conditions; empty if there are none."""
    return f"WHERE {' AND '.join(conditions)}" if conditions else ""


def read_all(connection: apsw.Connection, model: type[R], sql: str, bindings: Any = ()) -> list[R]:
    """Return the records whose JSON is the first column of the rows."""
    return [parse(model, row[0]) for row in connection.execute(sql, bindings)]


def read_readable(
    connection: apsw.Connection, model: type[R], sql: str, bindings: Any = ()
) -> ReadableRecords[R]:
    """As `read_all`, without the records that cannot be read; those are named."""
    return parse_readable(connection.execute(sql, bindings), lambda row: parse(model, row[0]))


def read_uncached(connection: apsw.Connection, model: type[R], sql: str, bindings: Any = ()) -> list[R]:
    """As `read_all`, without the cache: for long records that are seldom read twice."""
    return [parse_uncached(model, row[0]) for row in connection.execute(sql, bindings)]


def read_one(connection: apsw.Connection, model: type[R], sql: str, record_id: Id) -> R:
    """Return the one record that `sql` finds by its identifier, or raise NotFound."""
    row = connection.execute(sql, (record_id,)).fetchone()
    if row is None:
        raise NotFound(f"There is no {model.__name__.lower()} {record_id}.")
    return parse(model, row[0])


def parse(model: type[R], body: object) -> R:
    """Parse the JSON of a record, with a cache. Raises LibraryUnreadable, naming the record."""
    return _parse_checked(model, body, lambda text: cast(R, _parse_cached(model, text)))


def parse_uncached(model: type[R], body: object) -> R:
    """As `parse`, without the cache."""
    return _parse_checked(model, body, model.model_validate_json)


def _parse_checked(model: type[R], body: object, parse: Callable[[str], R]) -> R:
    try:
        return parse(str(body))
    except ValidationError as error:
        raise damaged_record_error(model, body) from error


def damaged_record_error(model: type[Record], body: object = "") -> LibraryUnreadable:
    return LibraryUnreadable(
        f"{describe_record(model, body)} in the library is damaged.",
        kept="It was left as it is.",
        todo=RESTORE_ADVICE,
    )


def describe_record(model: type[Record], body: object = "") -> str:
    """Return 'The story “First Light” (01J...)': a stored record, as far as it can be read."""
    kind = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", model.__name__).lower()
    fields = _read_naming_fields(str(body))
    record_id, name = fields.get("id"), fields.get("name") or fields.get("title")
    if name:
        return f"The {kind} “{name}” ({record_id})" if record_id else f"The {kind} “{name}”"
    return f"The {kind} {record_id}" if record_id else f"One {kind}"


def _read_naming_fields(body: str) -> dict[str, str]:
    """Return what names a record in its JSON, even where the JSON is broken."""
    try:
        fields = json.loads(body)
    except (ValueError, RecursionError):
        return dict(reversed(_NAMING_FIELD.findall(body)))  # the first of each: the record's own
    return (
        {key: value for key, value in fields.items() if isinstance(value, str)}
        if isinstance(fields, dict)
        else {}
    )


@lru_cache(maxsize=_CACHED_RECORDS)
def _parse_cached(model: type[Record], body: str) -> Record:
    """Parse a record, with a cache.

    The same facts and entities are read at every exchange, and records are immutable.
    """
    return model.model_validate_json(body)


class RecordReader:
    """The helpers that every reader of tables of records shares."""

    def __init__(self, db: Transactions) -> None:
        self._db = db

    async def _read(self, work: Callable[[apsw.Connection], T]) -> T:
        return await self._db.read(work)

    async def _all(self, model: type[R], sql: str, bindings: Any = ()) -> list[R]:
        return await self._db.read(lambda connection: read_all(connection, model, sql, bindings))

    async def _one(self, model: type[R], sql: str, record_id: Id) -> R:
        return await self._db.read(lambda connection: read_one(connection, model, sql, record_id))
