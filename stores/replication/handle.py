"""The base of the handles that agents are given: a port as one role may use it, whatever server is up or down."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar

from stores.authority import Role, Store
from stores.records.ids import Clock
from stores.replication.outbox import OutboxEntry

Port = TypeVar("Port")
T = TypeVar("T")


class StoreBackend(Protocol):
    """Reads and writes for every role, on the server or on the copy."""

    async def read(self, store: Store, role: Role, call: Callable[[Any], Awaitable[T]]) -> T:
        """Return what `call` reads from the store's port, wherever all that was written is found."""
        ...

    async def write(self, entry: OutboxEntry) -> Any:
        """Make the write that the entry describes, or keep it until the server is back."""
        ...


class ReplicatedHandle(Generic[Port]):
    """Forwards the methods of a port. Reads are calls on the port; writes are data that can wait in the outbox."""

    def __init__(
        self, store: Store, role: Role, backend: StoreBackend, store_clock: Clock, now: Clock
    ) -> None:
        self._store = store
        self._role = role
        self._backend = backend
        self._store_clock = store_clock
        self._now = now

    async def _read(self, call: Callable[[Port], Awaitable[T]]) -> T:
        return await self._backend.read(self._store, self._role, call)

    async def _write(self, method: str, **arguments: object) -> None:
        await self._write_at(self._now(), method, **arguments)

    async def _write_at(self, at: datetime, method: str, **arguments: object) -> None:
        await self._backend.write(
            OutboxEntry(self._store, self._role, method, "", at, call_arguments=arguments)
        )
