"""Documents on a server, and copies of those that were used here. They are immutable and named by their content.

A document is put on the server and kept here, so reading it again needs no server. Its key is put in the outbox
first: after a crash the document is looked for in both places, and put where it is missing.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from stores.authority import Role, Store
from stores.errors import MonitorError, NotFound
from stores.ports import ObjectStore
from stores.records.ids import Clock
from stores.replication.connection import ServerConnection, ServerOutage
from stores.replication.health import ServerHealth
from stores.replication.outbox import Outbox, OutboxEntry

T = TypeVar("T")

LocalObjectsFactory = Callable[[Role | None], ObjectStore]
"""Returns the documents of the home folder as a role may use them."""


class ReplicatedObjects:
    """Keeps the documents here and on the server the same."""

    def __init__(
        self,
        local_objects: LocalObjectsFactory,
        connection: ServerConnection[ObjectStore],
        outbox: Outbox,
        health: ServerHealth,
        now: Clock,
    ) -> None:
        self._local_objects = local_objects
        self._connection = connection
        self._outbox = outbox
        self._health = health
        self._now = now
        self._lock = asyncio.Lock()
        self._running_tasks: set[asyncio.Task[Any]] = set()
        self.on_waiting: Callable[[], None] = lambda: None

    async def put(self, role: Role | None, collection: str, data: bytes) -> str:
        """Store a document here and, unless the server is down, on the server; return its key."""
        task = asyncio.ensure_future(self._run_exclusively(self._put(role, collection, data)))
        self._running_tasks.add(task)
        task.add_done_callback(self._running_tasks.discard)
        task.add_done_callback(lambda done: done.cancelled() or done.exception())  # its caller may be gone
        return await asyncio.shield(task)

    async def get(self, role: Role | None, collection: str, key: str) -> bytes:
        """Return a document from here, or fetch it from the server and keep it here."""
        try:
            return await self._local_objects(role).get(collection, key)
        except NotFound:
            if not self._connection.is_usable:
                raise self._connection.outage_error() from None
        try:
            data = await self._connection.read(role, lambda objects: objects.get(collection, key))
        except ServerOutage:
            raise self._connection.outage_error() from None
        await self._local_objects(None).put(collection, data)
        return data

    async def exists(self, role: Role | None, collection: str, key: str) -> bool:
        is_local = await self._local_objects(role).exists(collection, key)
        if is_local or not self._connection.is_usable:
            return is_local
        try:
            return await self._connection.read(role, lambda objects: objects.exists(collection, key))
        except ServerOutage:
            return False

    async def keys(self, role: Role | None, collection: str) -> list[str]:
        """Return every key; while the server is down, only those here."""
        local_keys = await self._local_objects(role).keys(collection)
        if not self._connection.is_usable:
            return local_keys
        try:
            server_keys = await self._connection.read(role, lambda objects: objects.keys(collection))
            return sorted({*local_keys, *server_keys})
        except ServerOutage:
            return local_keys

    async def close(self) -> None:
        """Finish the writes that were begun."""
        if self._running_tasks:
            await asyncio.wait(self._running_tasks)

    async def deliver(self, entry: OutboxEntry) -> None:
        """Put the document of an entry wherever it is missing."""
        if not self._connection.is_usable:
            raise self._connection.outage_error()
        self._health.mark_catching_up(Store.OBJECTS)
        await self._run_exclusively(self._deliver(entry))

    async def _deliver(self, entry: OutboxEntry) -> None:
        collection, key = json.loads(entry.arguments)
        owner_objects = self._local_objects(None)
        try:
            data = await owner_objects.get(collection, key)
        except NotFound:
            # The process that put it has ended: the server has it, or nobody does.
            if await self._connection.read(None, lambda objects: objects.exists(collection, key)):
                data = await self._connection.read(None, lambda objects: objects.get(collection, key))
                await owner_objects.put(collection, data)
            return
        await self._connection.write(entry.role, lambda objects: objects.put(collection, data))

    async def finish_delivery(self) -> None:
        if self._connection.is_usable:
            self._health.mark_up(Store.OBJECTS)

    async def _put(self, role: Role | None, collection: str, data: bytes) -> str:
        key = hashlib.sha256(data).hexdigest()
        entry = await self._outbox.add(
            OutboxEntry(Store.OBJECTS, role, "put", json.dumps([collection, key]), self._now(), applied=True)
        )
        try:
            is_sent = await self._send(role, collection, data)
            await self._local_objects(role).put(collection, data)
        except MonitorError:
            await self._outbox.remove(entry)
            raise
        if is_sent:
            await self._outbox.remove(entry)
        else:
            self.on_waiting()
        return key

    async def _run_exclusively(self, operation: Coroutine[Any, Any, T]) -> T:
        """Run one operation at a time, so that a document being put is not looked for by the sender."""
        async with self._lock:
            return await operation

    async def _send(self, role: Role | None, collection: str, data: bytes) -> bool:
        if not self._connection.is_usable:
            return False
        try:
            await self._connection.write(role, lambda objects: objects.put(collection, data))
        except ServerOutage:
            return False
        return True


class ReplicatedObjectsHandle:
    """The documents as one role may use them; see `ObjectStore`."""

    def __init__(self, objects: ReplicatedObjects, role: Role | None) -> None:
        self._objects = objects
        self._role = role

    async def put(self, collection: str, data: bytes) -> str:
        return await self._objects.put(self._role, collection, data)

    async def get(self, collection: str, key: str) -> bytes:
        return await self._objects.get(self._role, collection, key)

    async def exists(self, collection: str, key: str) -> bool:
        return await self._objects.exists(self._role, collection, key)

    async def keys(self, collection: str) -> list[str]:
        return await self._objects.keys(self._role, collection)
