"""Opens stores of which some are on servers, so that any server may be down before or during play."""

from __future__ import annotations

import asyncio
import os
import platform
import uuid
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from stores.authority import Store
from stores.embedded.index_file import open_index
from stores.embedded.library import open_library
from stores.embedded.object_store import EmbeddedObjectStore, remove_temporary_files
from stores.embedded.stores import build_embedded_stores
from stores.history import History
from stores.records.ids import Clock, utc_now
from stores.replication.background_tasks import OutboxSender, ReplicationTaskGroup, ServerWatch
from stores.replication.connection import Connector, ServerConnection, Sleep, Timeouts
from stores.replication.copy_builder import OnProgress
from stores.replication.health import ServerHealth
from stores.replication.import_files import ImportFiles
from stores.replication.join_check import JoinChecker
from stores.replication.join_errors import servers_not_named_error
from stores.replication.lease import LeaseKeeper
from stores.replication.library_marks import LeaseHolder, LogMarks
from stores.replication.membership import CopyOptions, LibraryMembership
from stores.replication.outbox import PRIMARY_STORES, Outbox
from stores.replication.primary_stores import ReplicatedHistory, ReplicatedPrimaryStores
from stores.replication.replay_clock import ReplayClock
from stores.replication.replica_state import read_replica_state
from stores.replication.replicated_canon import ReplicatedCanon
from stores.replication.replicated_index import ReplicatedIndex, ReplicatedTextIndex, ReplicatedVectorIndex
from stores.replication.replicated_log import ReplicatedLog
from stores.replication.replicated_objects import ReplicatedObjects, ReplicatedObjectsHandle
from stores.stores import Stores, make_home

_DEFAULT_TIMEOUTS = Timeouts()


@dataclass(frozen=True, slots=True)
class ServerConnectors:
    """How to connect to the servers: one connector for each store that is on a server.

    `open_history` is called once both log and canon are connected; None if they are not both on servers. The
    adapters must use `replay_clock` as their clock.
    """

    connectors: Mapping[Store, Connector]
    replay_clock: ReplayClock
    open_history: Callable[[], History] | None = None


async def open_replicated_stores(
    servers: ServerConnectors,
    home: Path,
    *,
    now: Clock = utc_now,
    sleep: Sleep = asyncio.sleep,
    timeouts: Timeouts = _DEFAULT_TIMEOUTS,
    on_progress: OnProgress = lambda line: None,
) -> Stores:
    """Open the library in `home` as the copy of the one on `servers`; what is not on a server is in `home`.

    A server that does not answer within `timeouts` is down, and is probed again in the background. `now` is the
    time of day; `on_progress` is called with lines of text while a first copy is fetched.

    Raises CopyDiverged (copy and servers cannot be joined without a decision of the user), LibraryInUse (naming
    who has it, here or on another machine), LibraryUnreadable, or StoreUnavailable if a copy must be fetched
    first and a server for it is down; nothing stays open.
    """
    await asyncio.to_thread(make_home, home)
    async with AsyncExitStack() as exit_stack:
        pending_counts: Counter[Store] = Counter()
        health = ServerHealth(servers.connectors, now, pending_counts)
        connections = {
            store: ServerConnection[Any](store, connector, health, timeouts)
            for store, connector in servers.connectors.items()
        }
        for connection in connections.values():
            exit_stack.push_async_callback(connection.close)
        membership = await _open_membership(home, connections, health, pending_counts, now)
        exit_stack.push_async_callback(lambda: membership.library.close())
        await asyncio.gather(*(connection.reach() for connection in connections.values()))
        import_files = ImportFiles(home / "outbox", servers.open_history, timeouts.load)
        await Outbox(membership.library, pending_counts).count_pending()
        await membership.open_and_join(CopyOptions(home, servers.open_history, timeouts.load, on_progress))
        outbox = Outbox(membership.library, pending_counts, import_files.remove_file)
        await outbox.count_pending()
        await asyncio.to_thread(import_files.remove_leftovers, has_pending=pending_counts[Store.LOG] > 0)
        index = await open_index(home / "index.db")
        exit_stack.push_async_callback(index.close)
        await asyncio.to_thread(remove_temporary_files, home / "objects")
        builder = _ReplicationBuilder(membership, outbox, health, connections, now)
        exit_stack.push_async_callback(builder.close)
        stores = build_embedded_stores(
            home, membership.library, index, servers.replay_clock, exit_stack.aclose
        )
        stores = await builder.build(stores, servers, home, import_files, sleep, timeouts)
        return replace(stores, close=exit_stack.pop_all().aclose)


async def _open_membership(
    home: Path,
    connections: Mapping[Store, ServerConnection[Any]],
    health: ServerHealth,
    pending_counts: Counter[Store],
    now: Clock,
) -> LibraryMembership:
    """Open the copy, and prepare to join the servers."""
    library = await open_library(home / "library.db")
    primary_connections = {store: connections[store] for store in PRIMARY_STORES if store in connections}
    try:
        replica_state = await read_replica_state(library)
        if not replica_state.joined_stores <= set(primary_connections):
            raise servers_not_named_error()
    except BaseException:
        await library.close()
        raise
    replica_id = replica_state.replica_id or str(uuid.uuid4())
    log_marks = LogMarks(primary_connections[Store.LOG], now) if Store.LOG in primary_connections else None
    home_path = await asyncio.to_thread(os.path.realpath, home)
    holder = LeaseHolder(mirror=replica_id, host=platform.node(), home=home_path, process=os.getpid())
    lease_keeper = LeaseKeeper(log_marks, holder, now) if log_marks else None
    join_checker = JoinChecker(primary_connections, log_marks, lease_keeper)
    return LibraryMembership(
        library, primary_connections, join_checker, lease_keeper, health, replica_id, pending_counts
    )


class _ReplicationBuilder:
    """Builds the stores that are on servers, and starts their background tasks."""

    def __init__(
        self,
        membership: LibraryMembership,
        outbox: Outbox,
        health: ServerHealth,
        connections: Mapping[Store, ServerConnection[Any]],
        now: Clock,
    ) -> None:
        self._membership = membership
        self._outbox = outbox
        self._health = health
        self._connections = connections
        self._now = now
        self._senders: dict[Store, OutboxSender] = {}
        self._task_group = ReplicationTaskGroup()

    async def build(
        self,
        stores: Stores,
        servers: ServerConnectors,
        home: Path,
        import_files: ImportFiles,
        sleep: Sleep,
        timeouts: Timeouts,
    ) -> Stores:
        """Return `stores` with those on servers in place of the embedded ones, and start the background tasks."""

        def attach_sender(backend: Any, *sent_stores: Store) -> None:
            pause = timeouts.refused_pause
            backend.on_waiting = self._add_sender(
                OutboxSender(sent_stores, self._outbox, self._health, backend, sleep, pause)
            )

        # Play is dated by the time of day, also while a waiting write is sent with its own date.
        clocks = (servers.replay_clock.time_of_day, self._now)
        primary_stores = None
        if any(store in self._connections for store in PRIMARY_STORES):
            log_and_canon = primary_stores = self._build_primary_stores(servers.replay_clock, import_files)
            attach_sender(primary_stores, *PRIMARY_STORES)
            stores = replace(
                stores,
                log=lambda role: ReplicatedLog(Store.LOG, role, log_and_canon, *clocks),
                canon=lambda role: ReplicatedCanon(Store.CANON, role, log_and_canon, *clocks),
                history=ReplicatedHistory(self._membership.library, primary_stores, import_files, self._now),
                changes=None,  # a copy has its writes in another order than the servers
                commits=None,  # each server must have its own part of a commit
            )
        if Store.VECTORS in self._connections:
            vectors = ReplicatedIndex(self._connections[Store.VECTORS], self._outbox, self._health)
            attach_sender(vectors, Store.VECTORS)
            stores = replace(
                stores,
                vectors=lambda role: ReplicatedVectorIndex(Store.VECTORS, role, vectors, *clocks),
            )
        if Store.WORDS in self._connections:
            words = ReplicatedIndex(self._connections[Store.WORDS], self._outbox, self._health)
            attach_sender(words, Store.WORDS)
            stores = replace(stores, words=lambda role: ReplicatedTextIndex(role, words, *clocks))
        if Store.OBJECTS in self._connections:
            replicated_objects = self._build_objects(home)
            attach_sender(replicated_objects, Store.OBJECTS)
            stores = replace(stores, objects=lambda role: ReplicatedObjectsHandle(replicated_objects, role))
        await self._start_tasks(primary_stores, sleep, timeouts)
        return replace(
            stores,
            health=self._make_health_reader(stores),
            add_notice_listener=self._health.add_listener,
            current_problems=self._health.current_problems,
        )

    async def close(self) -> None:
        await self._task_group.stop()

    def _build_primary_stores(
        self, replay_clock: ReplayClock, import_files: ImportFiles
    ) -> ReplicatedPrimaryStores:
        connections = {
            store: self._connections[store] for store in PRIMARY_STORES if store in self._connections
        }
        for store, connection in connections.items():
            connection.admit = partial(self._membership.admit, store)
        library = self._membership.library
        primary_stores = ReplicatedPrimaryStores(
            library, self._outbox, connections, self._health, import_files, replay_clock, self._membership
        )
        self._task_group.closing_steps += [primary_stores.close, self._membership.release]
        return primary_stores

    def _build_objects(self, home: Path) -> ReplicatedObjects:
        replicated_objects = ReplicatedObjects(
            partial(EmbeddedObjectStore, home / "objects"),
            self._connections[Store.OBJECTS],
            self._outbox,
            self._health,
            self._now,
        )
        self._task_group.closing_steps.append(replicated_objects.close)
        return replicated_objects

    def _add_sender(self, sender: OutboxSender) -> Callable[[], None]:
        self._senders |= dict.fromkeys(sender.stores, sender)
        return sender.wake

    async def _start_tasks(
        self, primary_stores: ReplicatedPrimaryStores | None, sleep: Sleep, timeouts: Timeouts
    ) -> None:
        for connection in self._connections.values():
            if connection.is_reached:
                await connection.probe()
        if primary_stores:
            await primary_stores.recover()
        for store, connection in self._connections.items():
            if self._outbox.pending_counts[store]:
                self._health.mark_waiting(store)
            self._task_group.start(ServerWatch(connection, sleep, timeouts, self._senders[store].wake).run())
        for sender in set(self._senders.values()):
            self._task_group.start(sender.run())
            sender.wake()

    def _make_health_reader(self, embedded: Stores) -> Callable[[], tuple[tuple[str, str], ...]]:
        def read_health() -> tuple[tuple[str, str], ...]:
            local_health = dict(embedded.health())
            server_health = {store.value: self._health.describe(store) for store in self._connections}
            return tuple((store.value, (local_health | server_health)[store.value]) for store in Store)

        return read_health
