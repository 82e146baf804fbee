"""Vectors as float16 in `index.db`. Source: design/architecture.md ("stores/")."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

import apsw

from stores.authority import Role
from stores.embedded.index import IndexFile, vectors_table
from stores.errors import StoreError
from stores.ports import VectorHit, VectorItem
from stores.records.ids import Id

if TYPE_CHECKING:
    from stores.embedded.vector_space import VectorSpace

_BYTES_A_NUMBER = 2
_ROWS_AT_A_TIME = 1_000

_ALL = ""
"""Stands where an identifier would, in the row that says: all that was here was dropped."""


class EmbeddedVectors:
    """The vector index as `role` may use it. Errors: `WriteDenied`, `StoreFull`, `StoreError`.

    What one model made is apart from what another did; the first vector sets the dimension for the rest.
    """

    def __init__(self, index: IndexFile, role: Role) -> None:
        self._index = index
        self._role = role

    async def put(self, collection: str, items: Sequence[VectorItem], *, model: str) -> None:
        """Index the items; one that is there already is replaced. Vectors are kept at length one."""
        table = vectors_table(collection)
        if items:
            await self._index.write(self._role, lambda connection: _put(connection, table, model, items))

    async def delete(self, collection: str, ids: Collection[Id], *, model: str) -> None:
        table = vectors_table(collection)
        if ids:
            await self._index.write(self._role, lambda connection: _delete(connection, table, model, ids))

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
            lambda connection: self._search(connection, table, model, vector, k, scope or {})
        )

    async def count(self, collection: str, *, model: str, scope: Mapping[str, str] | None = None) -> int:
        table = vectors_table(collection)

        def count(connection: apsw.Connection) -> int:
            where, bindings = _within(connection, table, model, scope)
            return int(connection.execute(f"SELECT count(*) FROM {table} WHERE {where}", bindings).get)

        return await self._index.read(count)

    async def marks(
        self,
        collection: str,
        *,
        model: str,
        ids: Collection[Id] | None = None,
        scope: Mapping[str, str] | None = None,
    ) -> dict[Id, str]:
        """Return what is indexed (of `ids`, within `scope`), with its mark."""
        table = vectors_table(collection)

        def marks(connection: apsw.Connection) -> dict[Id, str]:
            where, bindings = _within(connection, table, model, scope, ids)
            return dict(connection.execute(f"SELECT id, mark FROM {table} WHERE {where}", bindings))

        return await self._index.read(marks)

    async def models(self, collection: str) -> dict[str, int]:
        """Return every model that vectors of the collection were made by, with how many there are."""
        table = vectors_table(collection)
        sql = f"SELECT model, count(*) FROM {table} WHERE vector IS NOT NULL GROUP BY model ORDER BY model"
        return await self._index.read(lambda connection: dict(connection.execute(sql)))

    async def drop(self, collection: str, *, model: str) -> None:
        """Remove all that the model made."""
        table = vectors_table(collection)
        await self._index.write(self._role, lambda connection: _drop(connection, table, model))

    def _search(
        self,
        connection: apsw.Connection,
        table: str,
        model: str,
        vector: Sequence[float],
        k: int,
        scope: Mapping[str, str],
    ) -> list[VectorHit]:
        dimension = _dimension(connection, table, model)
        if dimension is None or k < 1:
            return []
        _check(vector, dimension, model)
        with self._index.spaces_guard:
            space = self._space(table, model, dimension, _dropped_at(connection, table, model))
            _catch_up(connection, table, model, space)
            return [VectorHit(*hit) for hit in space.nearest(vector, k, scope)]

    def _space(self, table: str, model: str, dimension: int, dropped_at: int) -> VectorSpace:
        """The shared arrays, or empty ones to fill if there are none yet, they are mostly dead, or they are
        of before all of it was dropped."""
        from stores.embedded.vector_space import VectorSpace

        space = self._index.spaces.get((table, model))
        stale = space is not None and (space.dimension != dimension or space.seq < dropped_at)
        if space is None or stale or space.mostly_dead:
            space = self._index.spaces[table, model] = VectorSpace(dimension)
        return space


def _put(connection: apsw.Connection, table: str, model: str, items: Sequence[VectorItem]) -> None:
    from stores.embedded.vector_space import packed

    dimension = _dimension(connection, table, model) or len(items[0].vector)
    for item in items:
        _check(item.vector, dimension, model)
        connection.execute(
            f"INSERT OR REPLACE INTO {table}(model, id, scope, vector, mark) VALUES (?, ?, ?, ?, ?)",
            (
                model,
                item.id,
                json.dumps(dict(item.scope), sort_keys=True),
                packed(item.vector),
                item.mark,
            ),
        )


def _delete(connection: apsw.Connection, table: str, model: str, ids: Collection[Id]) -> None:
    connection.executemany(
        f"""UPDATE {table} SET vector = NULL, seq = (SELECT max(seq) + 1 FROM {table})
            WHERE model = ? AND id = ? AND vector IS NOT NULL""",
        [(model, id) for id in ids],
    )


def _drop(connection: apsw.Connection, table: str, model: str) -> None:
    """Remove the model's rows, and leave one in their place, by which the arrays know that they are gone.

    It is written first, so that no number of theirs is ever given again.
    """
    if connection.execute(f"SELECT 1 FROM {table} WHERE model = ? AND id <> ? LIMIT 1", (model, _ALL)).get:
        connection.execute(
            f"INSERT OR REPLACE INTO {table}(model, id, scope, vector) VALUES (?, ?, '{{}}', NULL)",
            (model, _ALL),
        )
        connection.execute(f"DELETE FROM {table} WHERE model = ? AND id <> ?", (model, _ALL))


def _dropped_at(connection: apsw.Connection, table: str, model: str) -> int:
    return connection.execute(f"SELECT seq FROM {table} WHERE model = ? AND id = ?", (model, _ALL)).get or 0


def _within(
    connection: apsw.Connection,
    table: str,
    model: str,
    scope: Mapping[str, str] | None,
    ids: Collection[Id] | None = None,
) -> tuple[str, dict[str, str]]:
    """Return the condition for the living rows of the model (of `ids`, within `scope`), with its bindings.

    Items share few scopes, so what to look up are those that hold every pair of `scope`.
    """
    where, bindings = "model = :model AND vector IS NOT NULL", {"model": model}
    if ids is not None:
        where += " AND id IN (SELECT value FROM json_each(:ids))"
        bindings["ids"] = json.dumps(list(ids))
    if scope:
        known = connection.execute(f"SELECT DISTINCT scope FROM {table} WHERE {where}", bindings)
        held = [text for (text,) in known if scope.items() <= set(_pairs(text))]
        # The plus keeps SQLite to the identifiers, where there are some.
        where += f" AND {'' if ids is None else '+'}scope IN (SELECT value FROM json_each(:scopes))"
        bindings["scopes"] = json.dumps(held)
    return where, bindings


def _catch_up(connection: apsw.Connection, table: str, model: str, space: VectorSpace) -> None:
    """Take in what was written since the space last looked; the plus keeps SQLite to the order of `seq`."""
    from stores.embedded.vector_space import Change

    rows = connection.execute(
        f"SELECT seq, id, scope, vector FROM {table} WHERE seq > ? AND +model = ? ORDER BY seq",
        (space.seq, model),
    )
    while part := list(islice(rows, _ROWS_AT_A_TIME)):
        space.take([Change(seq, id, _pairs(scope), vector) for seq, id, scope, vector in part])


@lru_cache(maxsize=1024)
def _pairs(scope: str) -> tuple[tuple[str, str], ...]:
    """Vectors that were made together mostly have the same scope."""
    return tuple(json.loads(scope).items())


def _dimension(connection: apsw.Connection, table: str, model: str) -> int | None:
    size: int | None = connection.execute(
        f"SELECT length(vector) FROM {table} WHERE model = ? AND vector IS NOT NULL LIMIT 1", (model,)
    ).get
    return size // _BYTES_A_NUMBER if size else None


def _check(vector: Sequence[float], dimension: int, model: str) -> None:
    if len(vector) != dimension:
        raise StoreError(
            f"A vector of {len(vector)} numbers does not fit those of {model}, which have {dimension}.",
            kept="Nothing was written.",
            todo="Index again with one embedding model, or give the new one its own name.",
        )
