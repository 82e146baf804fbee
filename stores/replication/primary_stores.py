"""Log and canon: a whole copy here, the servers, and one order of writes for both.

While the server answers, a write waits for it: a refusal reaches the caller, and an accepted write is applied to
the copy as well. Until then it stands in the outbox, not applied, so after a crash it is sent again; that is
harmless, as every write is idempotent. If the server gives no answer, the write is applied to the copy and stays
in the outbox. From then on all writes of log and canon are applied to the copy first and sent in one order: the
servers always hold an earlier moment of play, and a commit is never sent before its plan. Readers get the server's
data while it has everything, and else the copy's.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Protocol, TypeVar

import apsw

from stores.authority import Role, Store
from stores.embedded.canon_graph import EmbeddedCanon
from stores.embedded.database import Database, Transactions
from stores.embedded.history import EmbeddedHistory
from stores.embedded.narrative_log import EmbeddedLog
from stores.errors import MonitorError, StoreFull
from stores.history import CollectionRecords
from stores.records.base import Record
from stores.records.ids import Clock, Id
from stores.replication.connection import ServerConnection, ServerOutage
from stores.replication.divergence_check import MAX_SCENES, find_differing_scenes, find_moved_scene
from stores.replication.health import STORE_NAMES, ServerHealth
from stores.replication.import_files import IMPORT_METHOD, ImportFiles
from stores.replication.outbox import (
    PRIMARY_STORES,
    Outbox,
    OutboxEntry,
    OutboxTransactions,
    delete_entry,
    insert_entry,
    mark_applied,
)
from stores.replication.port_calls import serialize_arguments
from stores.replication.priority_lock import BACKGROUND_METHODS, PriorityLock
from stores.replication.replay_clock import ReplayClock

log = logging.getLogger(__name__)

T = TypeVar("T")


class SendingPermission(Protocol):
    """Decides whether writes may be sent; see `LibraryMembership`."""

    async def require_may_send(self) -> None:
        """Raise ServerOutage or another MonitorError unless writes may be sent to the servers now."""
        ...

    async def mark_copy_stale(self) -> None:
        """Note that the copy lacks something that a server has."""
        ...


class ReplicatedPrimaryStores:
    """Reads and writes log and canon. `connections` has those of the two that are on servers."""

    def __init__(
        self,
        db: Database,
        outbox: Outbox,
        connections: Mapping[Store, ServerConnection[Any]],
        health: ServerHealth,
        import_files: ImportFiles,
        replay_clock: ReplayClock,
        membership: SendingPermission,
    ) -> None:
        self._db = db
        self._outbox = outbox
        self._connections = connections
        self._health = health
        self._import_files = import_files
        self._replay_clock = replay_clock
        self._membership = membership
        self._lock = PriorityLock()
        self._is_in_step = False
        self._has_unapplied = False
        self._running_tasks: set[asyncio.Task[Any]] = set()
        self._moved_scene_ids: set[Id] = set()
        self.on_waiting: Callable[[], None] = lambda: None

    # --- reading ------------------------------------------------------------------------------------

    async def read(self, store: Store, role: Role, call: Callable[[Any], Awaitable[T]]) -> T:
        """Make a call that reads, on the server or the copy, whichever has everything."""
        connection = self._connections.get(store)
        if connection and self._is_in_step and connection.is_usable:
            try:
                return await connection.read(role, call)
            except ServerOutage:
                log.info("The %s is read from the copy.", STORE_NAMES[store])
        await self.apply_unapplied()
        return await call(_local_handle(self._db, store, role, self._replay_clock))

    async def apply_unapplied(self) -> None:
        """Apply to the copy what a server has accepted while the disk here was full."""
        if self._has_unapplied:
            async with self._lock.hold():
                await self._apply_unapplied()

    # --- writing ------------------------------------------------------------------------------------

    async def write(self, entry: OutboxEntry) -> Any:
        """Make a write. When it returns it is durable here and, while the server answers, on the server.

        Raises if the store refuses it; then it is in neither. If the caller is cancelled, a write that was
        begun is finished.
        """
        if entry.call_arguments is not None and entry.store in self._connections:
            entry = entry._replace(
                arguments=serialize_arguments(entry.store, entry.method, entry.call_arguments)
            )
        return await self._run_to_end(self._write(entry))

    async def recover(self) -> None:
        """Send again what was being sent when the process ended. Call once, before anything else."""
        for entry in await self._outbox.unapplied_entries(PRIMARY_STORES):
            try:
                if await self._may_send(entry):
                    await self._send_and_apply(entry, is_retry=True)
                else:
                    await self._apply_unsent(entry)
            except MonitorError as error:
                # It was never reported as done, and now it cannot be.
                log.warning("%s was cut off by a crash, and is refused now: %s", entry.method, error)
        with suppress(MonitorError):
            await self.finish_delivery()

    async def close(self) -> None:
        """Finish the writes that were begun."""
        if self._running_tasks:
            await asyncio.wait(self._running_tasks)

    async def _write(self, entry: OutboxEntry) -> Any:
        async with self._lock.hold(in_background=entry.method in BACKGROUND_METHODS):
            if entry.store not in self._connections:
                return await self._apply(entry, lambda connection: None)
            await self._apply_unapplied()
            if self._is_in_step and await self._may_send(entry):
                return await self._send_and_apply(await self._post_entry(entry))
            return await self._write_locally(entry)

    async def _may_send(self, entry: OutboxEntry) -> bool:
        if not all(self._connections[store].is_usable for store in _needed_servers(entry, self._connections)):
            return False
        try:
            await self._membership.require_may_send()
        except MonitorError:
            return False
        return True

    async def _post_entry(self, entry: OutboxEntry) -> OutboxEntry:
        """Add the entry to the outbox before it is sent."""

        def insert(connection: apsw.Connection) -> int:
            return insert_entry(connection, entry)

        seq = await (self._db.write(entry.role, insert) if entry.role else self._db.write_as_owner(insert))
        self._outbox.pending_counts[entry.store] += 1
        return entry._replace(seq=seq)

    async def _send_and_apply(self, entry: OutboxEntry, *, is_retry: bool = False) -> Any:
        try:
            refusal = await self._send(entry, is_retry=is_retry)
        except ServerOutage:
            return await self._apply_unsent(entry)
        except MonitorError:
            await self._outbox.remove(entry)
            raise
        if refusal:
            await self._outbox.remove(entry)
            return refusal
        await self._apply_sent(entry)
        return refusal

    async def _apply_sent(self, entry: OutboxEntry) -> None:
        """Apply to the copy what the server has accepted. An error here does not undo that."""
        try:
            await self._apply(entry, partial(delete_entry, seq=entry.seq), finish_partial=True)
            self._outbox.note_removed(entry)
        except StoreFull:
            log.warning("There is no room here for %s; it stays in the outbox.", entry.method)
            self._has_unapplied = True
        except MonitorError as error:
            log.exception("The copy does not take what the server took: %s", entry.method)
            await self._outbox.remove(entry)
            await self._membership.mark_copy_stale()
            self._health.mark_diverged(
                entry.store, f"{error} The server has it all; the copy is made anew at the next opening."
            )

    async def _apply_unapplied(self) -> None:
        if self._has_unapplied:
            for entry in await self._outbox.unapplied_entries(PRIMARY_STORES):
                await self._apply(entry, partial(delete_entry, seq=entry.seq), finish_partial=True)
                self._outbox.note_removed(entry)
            self._has_unapplied = False

    async def _apply_unsent(self, entry: OutboxEntry) -> Any:
        """Apply a write that got no answer, and leave it in the outbox to be sent again."""
        try:
            refusal = await self._apply(entry, partial(mark_applied, seq=entry.seq))
        except MonitorError:
            await self._outbox.remove(entry)
            raise
        if refusal:
            await self._outbox.remove(entry)
        else:
            self._mark_behind()
        return refusal

    async def _write_locally(self, entry: OutboxEntry) -> Any:
        local_entry = entry._replace(applied=True)
        refusal = await self._apply(local_entry, lambda connection: insert_entry(connection, local_entry))
        if not refusal:
            self._outbox.pending_counts[entry.store] += 1
            self._mark_behind()
        return refusal

    def _mark_behind(self) -> None:
        self._is_in_step = False
        for store in self._connections:
            self._health.mark_waiting(store)
        self.on_waiting()

    async def _apply(
        self, entry: OutboxEntry, and_then: Callable[[apsw.Connection], Any], *, finish_partial: bool = False
    ) -> Any:
        """Make the write in the copy, and then `and_then` in the same transaction unless the write is refused."""
        db = OutboxTransactions(
            self._db, lambda connection, refusal: None if refusal else and_then(connection)
        )
        if entry.method == IMPORT_METHOD:
            return await self._import_files.load_locally(entry, db, finish_partial=finish_partial)
        assert entry.role is not None
        handle = _local_handle(db, entry.store, entry.role, lambda: entry.at)
        return await entry.apply_to(handle)

    # --- sending ------------------------------------------------------------------------------------

    async def deliver(self, entry: OutboxEntry) -> None:
        """Send a waiting entry. Raises ServerOutage, or why it may not be sent or is refused."""
        for store in _needed_servers(entry, self._connections):
            if not self._connections[store].is_usable:
                raise self._connections[store].outage_error()
        await self._membership.require_may_send()
        self._health.mark_catching_up(entry.store)
        await self._send(entry, is_retry=True)
        if entry.store is Store.LOG and (scene_id := find_moved_scene(entry)):
            self._moved_scene_ids.add(scene_id)

    async def finish_delivery(self) -> None:
        """Read from the servers again, if the outbox is empty: what came into it meanwhile wakes the sender itself.

        Raises StoreFull while there is no room here for what a server has accepted.
        """
        async with self._lock.hold():
            await self._apply_unapplied()
            if await self._outbox.oldest_entries(PRIMARY_STORES, 1):
                return
            await self._membership.require_may_send()
            differing_scenes = await self._compare_moved_scenes()
            self._is_in_step = True
        for store, connection in self._connections.items():
            if connection.is_usable:
                self._health.mark_up(store)
        if differing_scenes:
            await self._membership.mark_copy_stale()
            self._health.mark_diverged(
                Store.LOG,
                f"they tell otherwise of {len(differing_scenes)} scene(s). Play goes by the server; the copy is made"
                " anew at the next opening.",
            )

    async def _compare_moved_scenes(self) -> list[Id]:
        """Compare the scenes that were played while the log's server was down; return those that differ."""
        if not self._moved_scene_ids:
            return []
        local_log = _local_handle(self._db, Store.LOG, Role.CONTEXT_ASSEMBLY, self._replay_clock)
        differing_scenes = await find_differing_scenes(
            local_log, self._connections[Store.LOG], sorted(self._moved_scene_ids)[:MAX_SCENES]
        )
        self._moved_scene_ids.clear()
        return differing_scenes

    async def _send(self, entry: OutboxEntry, *, is_retry: bool) -> Any:
        if entry.method == IMPORT_METHOD:
            return await self._import_files.load_on_servers(
                entry, self._connections[entry.store], is_retry=is_retry
            )
        connection = self._connections[entry.store]
        with self._replay_clock.set_to(entry.at):
            return await connection.write(entry.role, entry.apply_to)

    async def _run_to_end(self, operation: Coroutine[Any, Any, Any]) -> Any:
        task = asyncio.ensure_future(operation)
        self._running_tasks.add(task)
        task.add_done_callback(self._running_tasks.discard)
        task.add_done_callback(
            lambda finished_task: finished_task.cancelled() or finished_task.exception()
        )  # its caller may be gone
        return await asyncio.shield(task)


class ReplicatedHistory:
    """The `History` of a library that has a copy here. Reading asks the copy alone."""

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


def _needed_servers(
    entry: OutboxEntry, connections: Mapping[Store, ServerConnection[Any]]
) -> tuple[Store, ...]:
    """Return the stores whose servers an entry needs: an import goes to both."""
    return tuple(connections) if entry.method == IMPORT_METHOD else (entry.store,)


def _local_handle(db: Transactions, store: Store, role: Role, clock: Callable[[], Any]) -> Any:
    if store is Store.LOG:
        return EmbeddedLog(db, role, clock=clock)
    return EmbeddedCanon(db, role)
