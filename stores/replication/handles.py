"""What an agent is given: a store as its role may use it, whatever server is up or down behind it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Protocol

from stores.authority import Role, Store
from stores.embedded.database import Database
from stores.embedded.history import EmbeddedHistory
from stores.errors import MonitorError
from stores.history import CollectionRecords
from stores.records.base import Record
from stores.records.ids import Clock, Id
from stores.replication.import_files import IMPORT_METHOD, ImportFiles
from stores.replication.outbox import OutboxEntry
from stores.replication.port_calls import read_methods, write_methods
from stores.replication.primary_stores import ReplicatedPrimaryStores
from stores.replication.replicated_index import ReplicatedIndex

_STORE_DATED_METHODS = frozenset({"move_head"})
"""Writes that the store dates itself: only for those is the clock looked at, as one adapter alone would."""


class StoreBackend(Protocol):
    """What stands behind a handle."""

    async def read(
        self, store: Store, role: Role, method: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> Any: ...

    async def write(self, entry: OutboxEntry) -> Any: ...


class ReplicatedHandle:
    """Every method of the store's ports, for one role. What reads and what writes, `calls` knows."""

    def __init__(
        self, store: Store, role: Role, backend: StoreBackend, replay_clock: Clock, now: Clock
    ) -> None:
        self._store = store
        self._role = role
        self._backend = backend
        self._replay_clock = replay_clock
        self._now = now

    def __getattr__(self, method: str) -> Callable[..., Awaitable[Any]]:
        if method in read_methods(self._store):
            return partial(self._read, method)
        if method in write_methods(self._store):
            return partial(self._write, method)
        raise AttributeError(f"There is no method {method!r} on the port of {self._store}.")

    async def _read(self, method: str, *args: Any, **kwargs: Any) -> Any:
        return await self._backend.read(self._store, self._role, method, args, kwargs)

    async def _write(self, method: str, *args: Any, **kwargs: Any) -> None:
        at = self._replay_clock() if method in _STORE_DATED_METHODS else self._now()
        await self._backend.write(
            OutboxEntry(self._store, self._role, method, "", at, call_arguments=(args, kwargs))
        )


class ReplicatedIndexHandle(ReplicatedHandle):
    """The port of an index, for one role; and `rebuild`, if the server's adapter has it."""

    def __init__(
        self, store: Store, role: Role, index: ReplicatedIndex, replay_clock: Clock, now: Clock
    ) -> None:
        super().__init__(store, role, index, replay_clock, now)
        self._index = index

    def __getattr__(self, method: str) -> Callable[..., Awaitable[Any]]:
        if method == "rebuild" and self._index.can_rebuild(self._role):
            return partial(self._index.rebuild, self._role)
        return super().__getattr__(method)


class ReplicatedHistory:
    """All of a universe, out of the copy and into both. The words of each method are those of `History`."""

    is_single_snapshot = True

    def __init__(
        self, db: Database, primary_stores: ReplicatedPrimaryStores, import_files: ImportFiles, now: Clock
    ) -> None:
        self._local_history = EmbeddedHistory(db)
        self._primary_stores = primary_stores
        self._import_files = import_files
        self._now = now

    async def dump(self, universe_id: Id, sink: Callable[[str, Iterator[Record]], None]) -> None:
        await self._primary_stores.apply_unapplied()
        await self._local_history.dump(universe_id, sink)

    async def dump_all(self, sink: Callable[[Id, str, Iterator[Record]], None]) -> None:
        await self._primary_stores.apply_unapplied()
        await self._local_history.dump_all(sink)

    async def load(
        self,
        parts: Iterable[CollectionRecords],
        *,
        mentioned_ids: Collection[Id],
        finish_partial: bool = False,
    ) -> set[Id]:
        arguments = await self._import_files.write_file(parts, mentioned_ids, finish_partial=finish_partial)
        entry = OutboxEntry(Store.LOG, None, IMPORT_METHOD, arguments, self._now())
        try:
            existing_ids: set[Id] = await self._primary_stores.write(entry)
        except MonitorError:
            self._import_files.remove_file(entry)
            raise
        if existing_ids:
            self._import_files.remove_file(entry)
        return existing_ids
