"""Vectors in Qdrant, searched exactly. The words of each method are those of `VectorIndex`.

Vectors are sent at length one and rounded to float16, as the embedded twin keeps them, so that both
answer alike. A point's payload has the identifier as it was given, the words of its scope, its mark, and
its model where the name of the server's collection does not tell that.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from qdrant_client import models
from qdrant_client.http.exceptions import UnexpectedResponse
from qdrant_client.models import Filter

from stores.authority import Operation, Role, Store
from stores.errors import StoreError
from stores.ports import VectorHit, VectorItem
from stores.records.ids import Id, derive_id
from stores.servers.qdrant import SCOPE, Qdrant, is_missing
from stores.servers.scopes import pairs
from stores.servers.server_errors import check_collection, check_leave

T = TypeVar("T")

_NUMBERS_AT_ONCE = 250_000
"""Numbers of vectors in one request: some 5 MB, where Qdrant takes 32."""

_POINTS_AT_ONCE = 1_000
_MOST_TIED = 10_000
"""Equally near vectors that are put in the order of identifiers; among more, the server's order decides."""

_PAYLOADS_AT_ONCE = 5_000
_ID, _MARK, _MODEL = "id", "mark", "model"


class ServerVectors:
    """The vector index as `role` may use it. Errors: `WriteDenied`, `StoreUnavailable`, `StoreFull` and
    `StoreError`.

    A put of more than some hundreds of vectors goes in several requests; one that breaks off is done again
    from the start, and changes nothing that is there.
    """

    def __init__(self, qdrant: Qdrant, role: Role | None) -> None:
        self._qdrant = qdrant
        self._role = role

    async def put(self, collection: str, items: Sequence[VectorItem], *, model: str) -> None:
        check_collection(Store.VECTORS, collection)
        if not items:
            return
        check_leave(self._role, Store.VECTORS, collection, Operation.INSERT, Operation.UPDATE)
        points = await asyncio.to_thread(_points, items, self._qdrant.told_apart(model))
        size = len(items[0].vector)

        async def write() -> None:
            await self._check_size(collection, model, [len(item.vector) for item in items])
            await self._qdrant.make(collection, model, size)
            name, client = self._qdrant.name(collection, model, size), self._qdrant.writer(self._role)
            for part in _parts(points, max(1, _NUMBERS_AT_ONCE // size)):
                await client.upsert(name, points=_batch(part), wait=True)

        async with self._qdrant.writing:
            with self._qdrant.in_our_words(self._role, writes=True):
                await self._again_if_missing(write)

    async def delete(self, collection: str, ids: Collection[Id], *, model: str) -> None:
        check_collection(Store.VECTORS, collection)
        if not ids:
            return
        check_leave(self._role, Store.VECTORS, collection, Operation.DELETE)

        async def delete() -> None:
            client = self._qdrant.writer(self._role)
            for size in await self._qdrant.sizes(collection, model):
                name = self._qdrant.name(collection, model, size)
                for part in _parts([_point_id(id) for id in ids], _POINTS_AT_ONCE):
                    await client.delete(name, models.PointIdsList(points=list(part)), wait=True)

        async with self._qdrant.writing:
            with self._qdrant.in_our_words(self._role, writes=True):
                await self._again_if_missing(delete)

    async def search(
        self,
        collection: str,
        vector: Sequence[float],
        *,
        model: str,
        k: int = 10,
        scope: Mapping[str, str] | None = None,
    ) -> list[VectorHit]:
        check_collection(Store.VECTORS, collection)
        sought = _sought(vector)
        if k < 1:
            return []

        async def search() -> list[VectorHit]:
            name = self._qdrant.name(collection, model, len(sought))
            sizes = await self._qdrant.sizes(collection, model, having=len(sought))
            hits = await self._nearest(name, sought, k, scope) if len(sought) in sizes else []
            if not hits:
                await self._check_size(collection, model, [len(sought)])
            return hits

        with self._qdrant.in_our_words():
            return await self._again_if_missing(search)

    async def count(self, collection: str, *, model: str, scope: Mapping[str, str] | None = None) -> int:
        check_collection(Store.VECTORS, collection)

        async def count() -> int:
            sizes = await self._qdrant.sizes(collection, model)
            return sum([await self._count(collection, model, size, scope) for size in sizes])

        with self._qdrant.in_our_words():
            return await self._again_if_missing(count)

    async def fingerprints(
        self,
        collection: str,
        *,
        model: str,
        ids: Collection[Id] | None = None,
        scope: Mapping[str, str] | None = None,
    ) -> dict[Id, str]:
        check_collection(Store.VECTORS, collection)
        named = None if ids is None else [_point_id(id) for id in dict.fromkeys(ids)]

        async def marks() -> dict[Id, str]:
            found: dict[Id, str] = {}
            for size in await self._qdrant.sizes(collection, model):
                name = self._qdrant.name(collection, model, size)
                for some in [None] if named is None else _parts(named, _POINTS_AT_ONCE):
                    async for payload in self._payloads(name, _within(scope, some)):
                        found[str(payload[_ID])] = str(payload.get(_MARK, ""))
            return found

        with self._qdrant.in_our_words():
            return await self._again_if_missing(marks)

    async def models(self, collection: str) -> dict[str, int]:
        check_collection(Store.VECTORS, collection)

        async def models() -> dict[str, int]:
            found: dict[str, int] = {}
            for name, called in (await self._qdrant.models_of(collection)).items():
                count = (await self._qdrant.reader.count(name, exact=True)).count
                if count:
                    model = await self._model_of(name) or called
                    found[model] = found.get(model, 0) + count
            return dict(sorted(found.items()))

        with self._qdrant.in_our_words():
            return await self._again_if_missing(models)

    async def drop(self, collection: str, *, model: str) -> None:
        check_collection(Store.VECTORS, collection)
        check_leave(self._role, Store.VECTORS, collection, Operation.DELETE)
        async with self._qdrant.writing:
            with self._qdrant.in_our_words(self._role, writes=True):
                await self._qdrant.drop(collection, model)

    # --- inside -------------------------------------------------------------------------------------

    async def _nearest(
        self, name: str, vector: list[float], k: int, scope: Mapping[str, str] | None
    ) -> list[VectorHit]:
        """Ask for more until the last that came is less near than the `k`th: ties go by identifier."""
        limit = k + 1
        while True:
            hits = await self._ask(name, vector, limit, scope)
            whole = len(hits) < limit
            if whole or hits[-1].score < hits[k - 1].score or limit > k + _MOST_TIED:
                return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:k]
            limit = k + 4 * (limit - k) + 12

    async def _ask(
        self, name: str, vector: list[float], limit: int, scope: Mapping[str, str] | None
    ) -> list[VectorHit]:
        answer = await self._qdrant.reader.query_points(
            name,
            query=vector,
            query_filter=_within(scope),
            search_params=models.SearchParams(exact=True),
            limit=limit,
            with_payload=[_ID],
        )
        return [VectorHit(str((point.payload or {})[_ID]), point.score) for point in answer.points]

    async def _count(
        self, collection: str, model: str, size: int, scope: Mapping[str, str] | None = None
    ) -> int:
        name = self._qdrant.name(collection, model, size)
        return (await self._qdrant.reader.count(name, count_filter=_within(scope), exact=True)).count

    async def _payloads(self, name: str, inside: Filter | None) -> AsyncIterator[dict[str, Any]]:
        """Yield what stands beside the vectors, without those."""
        after: Any = None
        while True:
            points, after = await self._qdrant.reader.scroll(
                name,
                scroll_filter=inside,
                limit=_PAYLOADS_AT_ONCE,
                offset=after,
                with_payload=[_ID, _MARK],
                with_vectors=False,
            )
            for point in points:
                yield point.payload or {}
            if after is None:
                return

    async def _model_of(self, name: str) -> str | None:
        """Return the model's own name, if that of the server's collection does not tell it."""
        points, _ = await self._qdrant.reader.scroll(name, limit=1, with_payload=[_MODEL], with_vectors=False)
        return (points[0].payload or {}).get(_MODEL) if points else None

    async def _check_size(self, collection: str, model: str, given: list[int]) -> None:
        """Raise StoreError if a vector has another dimension than those that there are, or than the first."""
        sizes = await self._qdrant.sizes(collection, model, having=given[0])
        others = [size for size in sizes if size != given[0]]
        held = [size for size in others if await self._count(collection, model, size)]
        dimension = held[0] if held else given[0]
        for size in given:
            if size != dimension:
                raise StoreError(
                    f"A vector of {size} numbers does not fit those of {model}, which have {dimension}.",
                    kept="Nothing was written.",
                    todo="Index again with one embedding model, or give the new one its own name.",
                )

    async def _again_if_missing(self, work: Callable[[], Awaitable[T]]) -> T:
        """Do the work, and once again if a collection has gone that was there when last looked."""
        try:
            return await work()
        except UnexpectedResponse as error:
            if not is_missing(error):
                raise
        self._qdrant.forget()
        return await work()


class _Point(NamedTuple):
    id: str
    vector: list[float]
    payload: dict[str, Any]


def _points(items: Sequence[VectorItem], model: str | None) -> list[_Point]:
    """Return the points of items; of two with one identifier the last counts."""
    return list({item.id: _point(item, model) for item in items}.values())


def _point(item: VectorItem, model: str | None) -> _Point:
    payload = {_ID: item.id, SCOPE: pairs(item.scope), _MARK: item.fingerprint}
    return _Point(_point_id(item.id), _kept(item.vector), payload | ({_MODEL: model} if model else {}))


def _within(scope: Mapping[str, str] | None, ids: Sequence[str] | None = None) -> Filter | None:
    """Return the filter for what is within the scope (and has one of these points' identifiers)."""
    must: list[Any] = [
        models.FieldCondition(key=SCOPE, match=models.MatchValue(value=word)) for word in pairs(scope)
    ]
    if ids is not None:
        must.append(models.HasIdCondition(has_id=list(ids)))
    return Filter(must=must) if must else None


def _batch(points: Sequence[_Point]) -> models.Batch:
    ids, vectors, payloads = zip(*points, strict=True)
    return models.Batch(ids=list(ids), vectors=list(vectors), payloads=list(payloads))


def _point_id(id: Id) -> str:
    """Qdrant takes only UUIDs: an identifier that is none, or is not written as UUIDs are, is given one."""
    try:
        return id if str(uuid.UUID(id)) == id else derive_id("point", id)
    except ValueError:
        return derive_id("point", id)


def _kept(vector: Sequence[float]) -> list[float]:
    """Return the vector as it is stored: at length one, in numbers that float16 has."""
    import numpy as np

    from stores.embedded.vector_space import to_unit_vector

    numbers: list[float] = to_unit_vector(vector).astype(np.float16).astype(np.float32).tolist()
    return numbers


def _sought(vector: Sequence[float]) -> list[float]:
    from stores.embedded.vector_space import to_unit_vector

    numbers: list[float] = to_unit_vector(vector).tolist()
    return numbers


def _parts(all_of: Sequence[T], count: int) -> Iterator[Sequence[T]]:
    rest = iter(all_of)
    while part := list(islice(rest, count)):
        yield part
