"""Vectors and words: derived, so without a copy here. What is written while they are down waits, and goes.

A search while the server is down raises StoreUnavailable, and the caller falls back. So does a write when
too much waits already: whoever indexes keeps count of what is indexed, and comes again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from functools import partial
from typing import Any

from stores.authority import Role, Store
from stores.errors import MonitorError, StoreUnavailable
from stores.replication.connection import ServerConnection, ServerOutage
from stores.replication.health import STORE_NAMES, ServerHealth
from stores.replication.outbox import Outbox, OutboxEntry
from stores.replication.port_calls import serialize_arguments

log = logging.getLogger(__name__)

MAX_PENDING = 20_000
"""Writes that may wait for one index."""


class ReplicatedIndex:
    """The vectors or the words, on a server."""

    def __init__(
        self,
        connection: ServerConnection,
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

    async def read(
        self, store: Store, role: Role, method: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> Any:
        if not self._connection.is_usable:
            raise self._connection.outage_error()
        return await self._connection.read(role, method, *args, **kwargs)

    def can_rebuild(self, role: Role) -> bool:
        """Tell whether this index can be made anew beside the one that is in use."""
        return self._connection.has_method(role, "rebuild")

    async def rebuild(self, role: Role, collection: str, batches: AsyncIterator[Any]) -> int:
        """Make a collection anew there. Raises StoreUnavailable, and then it is as it was."""
        if not self._connection.is_usable:
            raise self._connection.outage_error()
        return int(await self._connection.run_long(role, "rebuild", collection, batches))

    async def write(self, entry: OutboxEntry) -> None:
        """Write there, or let it wait. Raises StoreUnavailable if no more may wait."""
        async with self._lock:
            if self._connection.is_usable and not self._outbox.pending_counts[entry.store]:
                try:
                    return await self._send(entry)
                except ServerOutage:
                    log.info("What was to be indexed waits.")
            if self._outbox.pending_counts[entry.store] >= self._max_pending:
                raise self._connection.outage_error()
            assert entry.call_arguments is not None
            arguments = serialize_arguments(entry.store, entry.method, *entry.call_arguments)
            await self._outbox.add(entry._replace(arguments=arguments, applied=True))
        self.on_waiting()
        return None

    async def deliver(self, entry: OutboxEntry) -> None:
        """Send what waited. What the server refuses is dropped: it can be made again from the truth."""
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

    async def finish_delivery(self) -> bool:
        if self._connection.is_usable:
            self._health.mark_up(self._connection.store)
        return True

    async def _send(self, entry: OutboxEntry) -> None:
        await entry.call(partial(self._connection.write, entry.role, entry.method))
