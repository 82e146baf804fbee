"""The vector index in `index.db`, with vectors as float16."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

import apsw

from stores.authority import Role, Store
from stores.embedded.index_file import CURSOR_TABLES, IndexFile, token_codes_table, vectors_table
from stores.errors import StoreError
from stores.ports import VectorHit, VectorItem
from stores.records.ids import Id

if TYPE_CHECKING:
    from stores.embedded.vector_space import VectorSpace

_BYTES_PER_NUMBER = 2
_BATCH_ROWS = 1_000

_DROP_MARKER_ID = ""
"""The identifier of the row that marks that all earlier vectors were dropped."""


class EmbeddedVectorIndex:
    """The vector index as `role` may use it. Errors: `WriteDenied`, `StoreFull`, `StoreError`.

    Models are independent of each other; the first vector of a model sets the dimension of the rest.
    """

    def __init__(self, index: IndexFile, role: Role) -> None:
        self._index = index
        self._role = role

    async def put(self, collection: str, items: Sequence[VectorItem], *, model: str) -> None:
        """Index the items, replacing those that exist. Vectors are normalised to length one."""
        if items:
            await self._index.write(self._role, lambda connection: _put(connection, collection, model, items))

    async def delete(self, collection: str, ids: Collection[Id], *, model: str) -> None:
        if ids:
            await self._index.write(
                self._role, lambda connection: _delete(connection, collection, model, ids)
            )

    async def search(
        self,
        collection: str,
        vector: Sequence[float],
        *,
        model: str,
        k: int = 10,
        scope: Mapping[str, str] | None = None,
    ) -> list[VectorHit]:
        """Return the `k` nearest by cosine, best first; ties by identifier."""
        table = vectors_table(collection)
        return await self._index.read(
            lambda connection: self._search_space(connection, table, model, vector, k, scope or {})
        )

    async def count(self, collection: str, *, model: str, scope: Mapping[str, str] | None = None) -> int:
        table = vectors_table(collection)

        def count_rows(connection: apsw.Connection) -> int:
            where, bindings = _build_row_filter(connection, table, model, scope)
            return int(connection.execute(f"SELECT count(*) FROM {table} WHERE {where}", bindings).get)

        return await self._index.read(count_rows)

    async def fingerprints(
        self,
        collection: str,
        *,
        model: str,
        ids: Collection[Id] | None = None,
        scope: Mapping[str, str] | None = None,
    ) -> dict[Id, str]:
        """Return what is indexed (of `ids`, within `scope`), with its fingerprint."""
        table = vectors_table(collection)

        def read_fingerprints(connection: apsw.Connection) -> dict[Id, str]:
            where, bindings = _build_row_filter(connection, table, model, scope, ids)
            return dict(connection.execute(f"SELECT id, mark FROM {table} WHERE {where}", bindings))

        return await self._index.read(read_fingerprints)

    async def token_codes(self, collection: str, ids: Collection[Id], *, model: str) -> dict[Id, bytes]:
        """Return the token codes of those of `ids` that were put with some."""
        sql = f"""SELECT id, codes FROM {token_codes_table(collection)}
                  WHERE model = ? AND id IN (SELECT value FROM json_each(?))"""
        bindings = (model, json.dumps(list(ids)))
        return await self._index.read(lambda connection: dict(connection.execute(sql, bindings)))

    async def models(self, collection: str) -> dict[str, int]:
        """Return every model that vectors of the collection were made by, with how many there are."""
        table = vectors_table(collection)
        sql = f"SELECT model, count(*) FROM {table} WHERE vector IS NOT NULL GROUP BY model ORDER BY model"
        return await self._index.read(lambda connection: dict(connection.execute(sql)))

    async def read_cursor(self, *, model: str) -> str:
        return await self._index.read_cursor(Store.VECTORS, model)

    async def write_cursor(self, cursor: str, *, model: str) -> None:
        await self._index.write_cursor(self._role, Store.VECTORS, cursor, model)

    async def drop(self, collection: str, *, model: str) -> None:
        """Remove all that the model made, and how far it followed the library."""

        def drop_vectors(connection: apsw.Connection) -> None:
            _drop(connection, vectors_table(collection), model)
            connection.execute(f"DELETE FROM {token_codes_table(collection)} WHERE model = ?", (model,))
            connection.execute(f"DELETE FROM {CURSOR_TABLES[Store.VECTORS]} WHERE name = ?", (model,))

        await self._index.write(self._role, drop_vectors)

    def _search_space(
        self,
        connection: apsw.Connection,
        table: str,
        model: str,
        vector: Sequence[float],
        k: int,
        scope: Mapping[str, str],
    ) -> list[VectorHit]:
        dimension = _read_dimension(connection, table, model)
        if dimension is None or k < 1:
            return []
        _check_dimension(vector, dimension, model)
        with self._index.vector_spaces_lock:
            space = self._current_space(table, model, dimension, _read_drop_seq(connection, table, model))
            _apply_new_changes(connection, table, model, space)
            return [VectorHit(*hit) for hit in space.nearest(vector, k, scope)]

    def _current_space(self, table: str, model: str, dimension: int, drop_seq: int) -> VectorSpace:
        """Return the shared arrays, emptied if they are missing, mostly deleted, or older than a drop."""
        from stores.embedded.vector_space import VectorSpace

        space = self._index.vector_spaces.get((table, model))
        is_stale = space is not None and (space.dimension != dimension or space.seq < drop_seq)
        if space is None or is_stale or space.is_mostly_dead:
            space = self._index.vector_spaces[table, model] = VectorSpace(dimension)
        return space


def _put(connection: apsw.Connection, collection: str, model: str, items: Sequence[VectorItem]) -> None:
    from stores.embedded.vector_space import pack_vector

    table = vectors_table(collection)
    dimension = _read_dimension(connection, table, model) or len(items[0].vector)
    for item in items:
        _check_dimension(item.vector, dimension, model)
        connection.execute(
            f"INSERT OR REPLACE INTO {table}(model, id, scope, vector, mark) VALUES (?, ?, ?, ?, ?)",
            (
                model,
                item.id,
                json.dumps(dict(item.scope), sort_keys=True),
                pack_vector(item.vector),
                item.fingerprint,
            ),
        )
    _delete_token_codes(connection, collection, model, [item.id for item in items if not item.token_codes])
    connection.executemany(
        f"INSERT OR REPLACE INTO {token_codes_table(collection)}(model, id, codes) VALUES (?, ?, ?)",
        [(model, item.id, item.token_codes) for item in items if item.token_codes],
    )


def _delete(connection: apsw.Connection, collection: str, model: str, ids: Collection[Id]) -> None:
    table = vectors_table(collection)
    connection.executemany(
        f"""UPDATE {table} SET vector = NULL, seq = (SELECT max(seq) + 1 FROM {table})
            WHERE model = ? AND id = ? AND vector IS NOT NULL""",
        [(model, id) for id in ids],
    )
    _delete_token_codes(connection, collection, model, ids)


def _delete_token_codes(
    connection: apsw.Connection, collection: str, model: str, ids: Collection[Id]
) -> None:
    connection.executemany(
        f"DELETE FROM {token_codes_table(collection)} WHERE model = ? AND id = ?", [(model, id) for id in ids]
    )


def _drop(connection: apsw.Connection, table: str, model: str) -> None:
    """Remove the model's rows, and leave a marker row, by which the arrays notice the drop.

    The marker is written first, so that no `seq` is used again.
    """
    if connection.execute(
        f"SELECT 1 FROM {table} WHERE model = ? AND id <> ? LIMIT 1", (model, _DROP_MARKER_ID)
    ).get:
        connection.execute(
            f"INSERT OR REPLACE INTO {table}(model, id, scope, vector) VALUES (?, ?, '{{}}', NULL)",
            (model, _DROP_MARKER_ID),
        )
        connection.execute(f"DELETE FROM {table} WHERE model = ? AND id <> ?", (model, _DROP_MARKER_ID))


def _read_drop_seq(connection: apsw.Connection, table: str, model: str) -> int:
    return (
        connection.execute(
            f"SELECT seq FROM {table} WHERE model = ? AND id = ?", (model, _DROP_MARKER_ID)
        ).get
        or 0
    )


def _build_row_filter(
    connection: apsw.Connection,
    table: str,
    model: str,
    scope: Mapping[str, str] | None,
    ids: Collection[Id] | None = None,
) -> tuple[str, dict[str, str]]:
    """Return the condition for the model's rows that are not deleted (of `ids`, within `scope`), with its bindings.

    There are few different scopes, so those with every pair of `scope` are looked up first.
    """
    where, bindings = "model = :model AND vector IS NOT NULL", {"model": model}
    if ids is not None:
        where += " AND id IN (SELECT value FROM json_each(:ids))"
        bindings["ids"] = json.dumps(list(ids))
    if scope:
        scope_rows = connection.execute(f"SELECT DISTINCT scope FROM {table} WHERE {where}", bindings)
        matching_scopes = [text for (text,) in scope_rows if scope.items() <= set(_parse_scope(text))]
        # The plus makes SQLite use the identifiers, if there are some.
        where += f" AND {'' if ids is None else '+'}scope IN (SELECT value FROM json_each(:scopes))"
        bindings["scopes"] = json.dumps(matching_scopes)
    return where, bindings


def _apply_new_changes(connection: apsw.Connection, table: str, model: str, space: VectorSpace) -> None:
    """Apply the changes since the space was last updated; the plus makes SQLite use the order of `seq`."""
    from stores.embedded.vector_space import VectorChange

    rows = connection.execute(
        f"SELECT seq, id, scope, vector FROM {table} WHERE seq > ? AND +model = ? ORDER BY seq",
        (space.seq, model),
    )
    while batch := list(islice(rows, _BATCH_ROWS)):
        space.apply_changes(
            [VectorChange(seq, id, _parse_scope(scope), vector) for seq, id, scope, vector in batch]
        )


@lru_cache(maxsize=1024)
def _parse_scope(scope: str) -> tuple[tuple[str, str], ...]:
    """Parse a scope, with a cache, as most vectors that are written together share one."""
    return tuple(json.loads(scope).items())


def _read_dimension(connection: apsw.Connection, table: str, model: str) -> int | None:
    size: int | None = connection.execute(
        f"SELECT length(vector) FROM {table} WHERE model = ? AND vector IS NOT NULL LIMIT 1", (model,)
    ).get
    return size // _BYTES_PER_NUMBER if size else None


def _check_dimension(vector: Sequence[float], dimension: int, model: str) -> None:
    if len(vector) != dimension:
        raise StoreError(
            f"A vector of {len(vector)} numbers does not fit those of {model}, which have {dimension}.",
            kept="Nothing was written.",
            todo="Index again with one embedding model, or give the new one its own name.",
        )
