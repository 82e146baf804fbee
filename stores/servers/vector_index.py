"""The vector index in Qdrant, with exact search; see `VectorIndex`.

Vectors are normalised and rounded to float16, as in the embedded index, so that both give the same results. A point's
payload has the identifier, the words of its scope, its fingerprint (`mark`), its token codes (base64) if it has some,
and its model if the name of the server's collection does not contain it unchanged.
"""

from __future__ import annotations

import asyncio
import uuid
from base64 import b64decode, b64encode
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
from stores.servers.qdrant import SCOPE, QdrantServer, is_missing
from stores.servers.scopes import scope_words
from stores.servers.server_errors import check_collection, check_grants

T = TypeVar("T")

_BATCH_NUMBERS = 250_000
"""Numbers of vectors in one request: about 5 MB of the 32 MB that Qdrant accepts."""

_BATCH_POINTS = 1_000
_MAX_TIED = 10_000
"""The most equally near vectors that are sorted by identifier; beyond that, the server's order is used."""

_BATCH_PAYLOADS = 5_000
_ID, _FINGERPRINT, _MODEL, _TOKEN_CODES = "id", "mark", "model", "tokens"


class ServerVectorIndex:
    """The vector index as `role` may use it.

    Errors: `WriteDenied`, `StoreUnavailable`, `StoreFull` and `StoreError`.

    A put of many vectors takes several requests; one that is interrupted is repeated from the start, which
    changes nothing that is there.
    """

    def __init__(self, qdrant: QdrantServer, role: Role | None) -> None:
        self._qdrant = qdrant
        self._role = role

    async def put(self, collection: str, items: Sequence[VectorItem], *, model: str) -> None:
        check_collection(Store.VECTORS, collection)
        if not items:
            return
        check_grants(self._role, Store.VECTORS, collection, Operation.INSERT, Operation.UPDATE)
        points = await asyncio.to_thread(_make_points, items, self._qdrant.ambiguous_model_name(model))
        size = len(items[0].vector)

        async def upsert_points() -> None:
            await self._check_dimension(collection, model, [len(item.vector) for item in items])
            await self._qdrant.ensure_collection(collection, model, size)
            name, client = (
                self._qdrant.collection_name(collection, model, size),
                self._qdrant.writer_client(self._role),
            )
            for part in _split_into_batches(points, max(1, _BATCH_NUMBERS // size)):
                await client.upsert(name, points=_make_batch(part), wait=True)

        async with self._qdrant.write_lock:
            with self._qdrant.translate_errors(self._role, is_write=True):
                await self._retry_if_missing(upsert_points)

    async def delete(self, collection: str, ids: Collection[Id], *, model: str) -> None:
        check_collection(Store.VECTORS, collection)
        if not ids:
            return
        check_grants(self._role, Store.VECTORS, collection, Operation.DELETE)

        async def delete_points() -> None:
            client = self._qdrant.writer_client(self._role)
            for size in await self._qdrant.read_dimensions(collection, model):
                name = self._qdrant.collection_name(collection, model, size)
                for part in _split_into_batches([_point_id(id) for id in ids], _BATCH_POINTS):
                    await client.delete(name, models.PointIdsList(points=list(part)), wait=True)

        async with self._qdrant.write_lock:
            with self._qdrant.translate_errors(self._role, is_write=True):
                await self._retry_if_missing(delete_points)

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
        query_vector = _to_query_vector(vector)
        if k < 1:
            return []

        async def search_points() -> list[VectorHit]:
            name = self._qdrant.collection_name(collection, model, len(query_vector))
            sizes = await self._qdrant.read_dimensions(collection, model, expected=len(query_vector))
            hits = (
                await self._find_nearest(name, query_vector, k, scope) if len(query_vector) in sizes else []
            )
            if not hits:
                await self._check_dimension(collection, model, [len(query_vector)])
            return hits

        with self._qdrant.translate_errors():
            return await self._retry_if_missing(search_points)

    async def count(self, collection: str, *, model: str, scope: Mapping[str, str] | None = None) -> int:
        check_collection(Store.VECTORS, collection)

        async def count_points() -> int:
            sizes = await self._qdrant.read_dimensions(collection, model)
            return sum([await self._count_points(collection, model, size, scope) for size in sizes])

        with self._qdrant.translate_errors():
            return await self._retry_if_missing(count_points)

    async def fingerprints(
        self,
        collection: str,
        *,
        model: str,
        ids: Collection[Id] | None = None,
        scope: Mapping[str, str] | None = None,
    ) -> dict[Id, str]:
        check_collection(Store.VECTORS, collection)
        point_ids = None if ids is None else [_point_id(id) for id in dict.fromkeys(ids)]

        async def read_fingerprints() -> dict[Id, str]:
            fingerprint_by_id: dict[Id, str] = {}
            for size in await self._qdrant.read_dimensions(collection, model):
                name = self._qdrant.collection_name(collection, model, size)
                for batch in [None] if point_ids is None else _split_into_batches(point_ids, _BATCH_POINTS):
                    async for payload in self._read_payloads(name, _scope_filter(scope, batch)):
                        fingerprint_by_id[str(payload[_ID])] = str(payload.get(_FINGERPRINT, ""))
            return fingerprint_by_id

        with self._qdrant.translate_errors():
            return await self._retry_if_missing(read_fingerprints)

    async def token_codes(self, collection: str, ids: Collection[Id], *, model: str) -> dict[Id, bytes]:
        check_collection(Store.VECTORS, collection)
        point_ids = [_point_id(id) for id in dict.fromkeys(ids)]

        async def read_token_codes() -> dict[Id, bytes]:
            codes_by_id: dict[Id, bytes] = {}
            for size in await self._qdrant.read_dimensions(collection, model):
                name = self._qdrant.collection_name(collection, model, size)
                for batch in _split_into_batches(point_ids, _BATCH_POINTS):
                    for point in await self._qdrant.reader_client.retrieve(
                        name, list(batch), with_payload=[_ID, _TOKEN_CODES]
                    ):
                        payload = point.payload or {}
                        if _TOKEN_CODES in payload:
                            codes_by_id[str(payload[_ID])] = b64decode(payload[_TOKEN_CODES])
            return codes_by_id

        with self._qdrant.translate_errors():
            return await self._retry_if_missing(read_token_codes)

    async def models(self, collection: str) -> dict[str, int]:
        check_collection(Store.VECTORS, collection)

        async def count_by_model() -> dict[str, int]:
            counts: dict[str, int] = {}
            for name, name_in_collection in (await self._qdrant.read_models(collection)).items():
                count = (await self._qdrant.reader_client.count(name, exact=True)).count
                if count:
                    model = await self._read_model_name(name) or name_in_collection
                    counts[model] = counts.get(model, 0) + count
            return dict(sorted(counts.items()))

        with self._qdrant.translate_errors():
            return await self._retry_if_missing(count_by_model)

    async def drop(self, collection: str, *, model: str) -> None:
        check_collection(Store.VECTORS, collection)
        check_grants(self._role, Store.VECTORS, collection, Operation.DELETE)
        async with self._qdrant.write_lock:
            with self._qdrant.translate_errors(self._role, is_write=True):
                await self._qdrant.drop_model(collection, model)

    # --- inside -------------------------------------------------------------------------------------

    async def _find_nearest(
        self, name: str, vector: list[float], k: int, scope: Mapping[str, str] | None
    ) -> list[VectorHit]:
        """Fetch hits until the last is less near than the `k`th, so that ties can be sorted by identifier."""
        limit = k + 1
        while True:
            hits = await self._query_points(name, vector, limit, scope)
            is_all = len(hits) < limit
            if is_all or hits[-1].score < hits[k - 1].score or limit > k + _MAX_TIED:
                return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:k]
            limit = k + 4 * (limit - k) + 12

    async def _query_points(
        self, name: str, vector: list[float], limit: int, scope: Mapping[str, str] | None
    ) -> list[VectorHit]:
        response = await self._qdrant.reader_client.query_points(
            name,
            query=vector,
            query_filter=_scope_filter(scope),
            search_params=models.SearchParams(exact=True),
            limit=limit,
            with_payload=[_ID],
        )
        return [VectorHit(str((point.payload or {})[_ID]), point.score) for point in response.points]

    async def _count_points(
        self, collection: str, model: str, size: int, scope: Mapping[str, str] | None = None
    ) -> int:
        name = self._qdrant.collection_name(collection, model, size)
        return (
            await self._qdrant.reader_client.count(name, count_filter=_scope_filter(scope), exact=True)
        ).count

    async def _read_payloads(self, name: str, point_filter: Filter | None) -> AsyncIterator[dict[str, Any]]:
        """Yield the payloads without the vectors."""
        next_offset: Any = None
        while True:
            points, next_offset = await self._qdrant.reader_client.scroll(
                name,
                scroll_filter=point_filter,
                limit=_BATCH_PAYLOADS,
                offset=next_offset,
                with_payload=[_ID, _FINGERPRINT],
                with_vectors=False,
            )
            for point in points:
                yield point.payload or {}
            if next_offset is None:
                return

    async def _read_model_name(self, name: str) -> str | None:
        """Return the model's own name from a payload, if the collection's name does not contain it."""
        points, _ = await self._qdrant.reader_client.scroll(
            name, limit=1, with_payload=[_MODEL], with_vectors=False
        )
        return (points[0].payload or {}).get(_MODEL) if points else None

    async def _check_dimension(self, collection: str, model: str, dimensions: list[int]) -> None:
        """Raise StoreError if a vector has another dimension than the existing ones, or than the first."""
        sizes = await self._qdrant.read_dimensions(collection, model, expected=dimensions[0])
        others = [size for size in sizes if size != dimensions[0]]
        filled_dimensions = [size for size in others if await self._count_points(collection, model, size)]
        dimension = filled_dimensions[0] if filled_dimensions else dimensions[0]
        for size in dimensions:
            if size != dimension:
                raise StoreError(
                    f"A vector of {size} numbers does not fit those of {model}, which have {dimension}.",
                    kept="Nothing was written.",
                    todo="Index again with one embedding model, or give the new one its own name.",
                )

    async def _retry_if_missing(self, work: Callable[[], Awaitable[T]]) -> T:
        """Run `work`, and once more if a cached collection no longer exists."""
        try:
            return await work()
        except UnexpectedResponse as error:
            if not is_missing(error):
                raise
        self._qdrant.forget_collections()
        return await work()


class _VectorPoint(NamedTuple):
    id: str
    vector: list[float]
    payload: dict[str, Any]


def _make_points(items: Sequence[VectorItem], model: str | None) -> list[_VectorPoint]:
    """Return the points of items; of two with the same identifier the last counts."""
    return list({item.id: _make_point(item, model) for item in items}.values())


def _make_point(item: VectorItem, model: str | None) -> _VectorPoint:
    payload = {_ID: item.id, SCOPE: scope_words(item.scope), _FINGERPRINT: item.fingerprint}
    if model:
        payload[_MODEL] = model
    if item.token_codes:
        payload[_TOKEN_CODES] = b64encode(item.token_codes).decode()
    return _VectorPoint(_point_id(item.id), _to_stored_vector(item.vector), payload)


def _scope_filter(scope: Mapping[str, str] | None, ids: Sequence[str] | None = None) -> Filter | None:
    """Return the filter for points within the scope (and with one of these identifiers)."""
    conditions: list[Any] = [
        models.FieldCondition(key=SCOPE, match=models.MatchValue(value=word)) for word in scope_words(scope)
    ]
    if ids is not None:
        conditions.append(models.HasIdCondition(has_id=list(ids)))
    return Filter(must=conditions) if conditions else None


def _make_batch(points: Sequence[_VectorPoint]) -> models.Batch:
    ids, vectors, payloads = zip(*points, strict=True)
    return models.Batch(ids=list(ids), vectors=list(vectors), payloads=list(payloads))


def _point_id(id: Id) -> str:
    """Return a UUID for an identifier, as Qdrant accepts no others; a canonical UUID is unchanged."""
    try:
        return id if str(uuid.UUID(id)) == id else derive_id("point", id)
    except ValueError:
        return derive_id("point", id)


def _to_stored_vector(vector: Sequence[float]) -> list[float]:
    """Return the vector as it is stored: normalised, and rounded to float16."""
    import numpy as np

    from stores.embedded.vector_space import to_unit_vector

    numbers: list[float] = to_unit_vector(vector).astype(np.float16).astype(np.float32).tolist()
    return numbers


def _to_query_vector(vector: Sequence[float]) -> list[float]:
    from stores.embedded.vector_space import to_unit_vector

    numbers: list[float] = to_unit_vector(vector).tolist()
    return numbers


def _split_into_batches(items: Sequence[T], count: int) -> Iterator[Sequence[T]]:
    iterator = iter(items)
    while part := list(islice(iterator, count)):
        yield part
