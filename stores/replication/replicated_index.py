"""Vectors and words on a server. They are derived, so there is no copy; writes wait while the server is down.

A search while the server is down raises StoreUnavailable, and the caller falls back. So does a write when too
many wait already: the indexer knows what is indexed, and tries again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar

from stores.authority import Role, Store
from stores.errors import MonitorError, StoreUnavailable
from stores.ports import TextHit, TextIndex, TextItem, VectorHit, VectorIndex, VectorItem
from stores.records.ids import Clock, Id
from stores.replication.connection import ServerConnection, ServerOutage
from stores.replication.handle import ReplicatedHandle
from stores.replication.health import STORE_NAMES, ServerHealth
from stores.replication.outbox import Outbox, OutboxEntry
from stores.replication.port_calls import serialize_arguments

log = logging.getLogger(__name__)

T = TypeVar("T")

MAX_PENDING = 20_000
"""Writes that may wait for one index."""


class ReplicatedIndex:
    """Reads and writes the vectors or the words on their server."""

    def __init__(
        self,
        connection: ServerConnection[Any],
        outbox: Outbox,
        health: ServerHealth,
        max_pending: int = MAX_PENDING,
    ) -> None:
        self._connection = connection
        self._outbox = outbox
        self._health = health
        self._max_pending = max_pending
        self._lock = asyncio.Lock()
        self.on_waiting: Callable[[], None] = lambda: None

    async def read(self, store: Store, role: Role, call: Callable[[Any], Awaitable[T]]) -> T:
        """Make a call that reads. Raises StoreUnavailable while the server is down."""
        if not self._connection.is_usable:
            raise self._connection.outage_error()
        return await self._connection.read(role, call)

    async def write(self, entry: OutboxEntry) -> None:
        """Send the write, or let it wait in the outbox. Raises StoreUnavailable if too many wait."""
        async with self._lock:
            if self._connection.is_usable and not self._outbox.pending_counts[entry.store]:
                try:
                    return await self._send(entry)
                except ServerOutage:
                    log.info("What was to be indexed waits.")
            if self._outbox.pending_counts[entry.store] >= self._max_pending:
                raise self._connection.outage_error()
            assert entry.call_arguments is not None
            arguments = serialize_arguments(entry.store, entry.method, entry.call_arguments)
            await self._outbox.add(entry._replace(arguments=arguments, applied=True))
        self.on_waiting()
        return None

    async def deliver(self, entry: OutboxEntry) -> None:
        """Send a waiting write. If the server refuses it, it is dropped: it can be indexed again from log and canon."""
        if not self._connection.is_usable:
            raise self._connection.outage_error()
        self._health.mark_catching_up(entry.store)
        try:
            await self._send(entry)
        except StoreUnavailable:
            raise
        except MonitorError as error:
            self._health.notify(
                entry.store, f"What waited for the {STORE_NAMES[entry.store]} was refused: {error}", "warning"
            )

    async def finish_delivery(self) -> None:
        if self._connection.is_usable:
            self._health.mark_up(self._connection.store)

    async def _send(self, entry: OutboxEntry) -> None:
        await self._connection.write(entry.role, entry.apply_to)


class ReplicatedVectorIndex(ReplicatedHandle[VectorIndex]):
    """The vectors as one role may use them. Reading raises StoreUnavailable while the server is down."""

    async def put(self, collection: str, items: Sequence[VectorItem], *, model: str) -> None:
        await self._write("put", collection=collection, items=items, model=model)

    async def delete(self, collection: str, ids: Collection[Id], *, model: str) -> None:
        await self._write("delete", collection=collection, ids=ids, model=model)

    async def search(
        self,
        collection: str,
        vector: Sequence[float],
        *,
        model: str,
        k: int = 10,
        scope: Mapping[str, str] | None = None,
    ) -> list[VectorHit]:
        return await self._read(lambda index: index.search(collection, vector, model=model, k=k, scope=scope))

    async def count(self, collection: str, *, model: str, scope: Mapping[str, str] | None = None) -> int:
        return await self._read(lambda index: index.count(collection, model=model, scope=scope))

    async def fingerprints(
        self,
        collection: str,
        *,
        model: str,
        ids: Collection[Id] | None = None,
        scope: Mapping[str, str] | None = None,
    ) -> dict[Id, str]:
        return await self._read(
            lambda index: index.fingerprints(collection, model=model, ids=ids, scope=scope)
        )

    async def token_codes(self, collection: str, ids: Collection[Id], *, model: str) -> dict[Id, bytes]:
        return await self._read(lambda index: index.token_codes(collection, ids, model=model))

    async def models(self, collection: str) -> dict[str, int]:
        return await self._read(lambda index: index.models(collection))

    async def drop(self, collection: str, *, model: str) -> None:
        await self._write("drop", collection=collection, model=model)


class ReplicatedTextIndex(ReplicatedHandle[TextIndex]):
    """The words as one role may use them. Reading raises StoreUnavailable while the server is down."""

    def __init__(self, role: Role, index: ReplicatedIndex, store_clock: Clock, now: Clock) -> None:
        super().__init__(Store.WORDS, role, index, store_clock, now)

    async def put(self, collection: str, items: Sequence[TextItem]) -> None:
        await self._write("put", collection=collection, items=items)

    async def delete(self, collection: str, ids: Collection[Id]) -> None:
        await self._write("delete", collection=collection, ids=ids)

    async def search(
        self, collection: str, query: str, *, k: int = 10, scope: Mapping[str, str] | None = None
    ) -> list[TextHit]:
        return await self._read(lambda index: index.search(collection, query, k=k, scope=scope))

    async def count(self, collection: str, *, scope: Mapping[str, str] | None = None) -> int:
        return await self._read(lambda index: index.count(collection, scope=scope))

    async def fingerprints(
        self, collection: str, *, ids: Collection[Id] | None = None, scope: Mapping[str, str] | None = None
    ) -> dict[Id, str]:
        return await self._read(lambda index: index.fingerprints(collection, ids=ids, scope=scope))
