"""Joins the copy in the home folder to its servers, and checks that it stays joined."""

from __future__ import annotations

import asyncio
import uuid
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stores.authority import Store
from stores.embedded.database import Database
from stores.embedded.library import open_library
from stores.errors import MonitorError
from stores.history import History
from stores.records.ids import Id
from stores.replication import join_errors as words
from stores.replication.connection import ServerConnection, ServerOutage
from stores.replication.copy_builder import OnProgress, build_copy, install_copy
from stores.replication.health import ServerHealth
from stores.replication.join_check import CopyState, JoinAssessment, JoinChecker, LocalCopy
from stores.replication.lease import LeaseKeeper, LeaseTaken
from stores.replication.replica_state import (
    ReplicaState,
    is_library_empty,
    read_replica_state,
    read_universe_ids,
    write_replica_state,
)


@dataclass(frozen=True, slots=True)
class CopyOptions:
    """How a copy is fetched anew: where, from what, the timeout, and who is told of the progress."""

    home: Path
    history: Callable[[], History] | None
    timeout: float
    on_progress: OnProgress


class LibraryMembership:
    """Keeps the copy joined to the servers of log and canon.

    `library` is the open copy; `open_and_join` may put another in its place.
    """

    def __init__(
        self,
        library: Database,
        connections: Mapping[Store, ServerConnection[Any]],
        join_checker: JoinChecker,
        lease_keeper: LeaseKeeper | None,
        health: ServerHealth,
        replica_id: Id,
        pending_counts: Counter[Store],
    ) -> None:
        self.library = library
        self._connections = connections
        self._join_checker = join_checker
        self._lease_keeper = lease_keeper
        self._health = health
        self._replica_id = replica_id
        self._is_joined = False
        self._blocking_errors: dict[Store, MonitorError] = {}
        self._pending_counts = pending_counts
        self._lock = asyncio.Lock()

    async def open_and_join(self, copy_options: CopyOptions) -> None:
        """Join the servers that are reached, and fetch the copy anew if it lacks something.

        If the log's server is down (or canon's, if the log is not on one), play begins on the copy as it is.
        Raises CopyDiverged, LibraryInUse, or ServerOutage if a copy is needed first; the library is open
        even then, and the caller closes it.
        """
        local_copy = await self._read_local_copy()
        try:
            await self._join(local_copy, await self._assess(local_copy, to_fetch=True), copy_options)
        except ServerOutage as outage:
            if local_copy.replica_state.library_id is None and not local_copy.is_empty:
                raise words.unrelated_library_error() from None
            replica_state = await read_replica_state(self.library)
            if replica_state.is_stale:
                raise words.no_copy_error(outage.what) from None
            await self._save_replica_state(
                replica_state._replace(library_id=replica_state.library_id or _new_library_id())
            )

    async def admit(self, store: Store) -> None:
        """Check a log or canon server that is reached (again). Raises if it may not be used."""
        async with self._lock:
            if self._is_joined:
                await self._recheck_server(store)
            elif self._is_deciding(store):
                local_copy = await self._read_local_copy()
                await self._join(local_copy, await self._assess(local_copy, to_fetch=False), None)

    async def require_may_send(self) -> None:
        """Raise ServerOutage or another MonitorError unless writes may be sent to the servers now."""
        for error in self._blocking_errors.values():
            raise error
        if not self._is_joined:
            raise next(iter(self._connections.values())).outage_error()
        if self._lease_keeper is not None:
            try:
                await self._lease_keeper.require_held()
            except LeaseTaken as error:
                self._block_servers(error)
                raise

    async def mark_copy_stale(self) -> None:
        """Note that the copy lacks something that the servers have: the next opening fetches it anew."""
        await self._save_replica_state((await read_replica_state(self.library))._replace(is_stale=True))

    async def release(self) -> None:
        """End the lease, so that another machine can take the library at once."""
        is_log_usable = Store.LOG in self._connections and self._connections[Store.LOG].is_usable
        if self._lease_keeper is not None and self._is_joined and is_log_usable and not self._blocking_errors:
            await self._lease_keeper.release()

    # --- inside -------------------------------------------------------------------------------------

    async def _recheck_server(self, store: Store) -> None:
        replica_state = await read_replica_state(self.library)
        try:
            await self._join_checker.recheck_server(store, replica_state)
            if store is Store.LOG and self._lease_keeper is not None:
                await self._lease_keeper.renew()
        except LeaseTaken as error:
            self._block_servers(error)
            raise
        except ServerOutage:
            raise
        except MonitorError as error:
            self._blocking_errors[store] = error
            raise
        self._blocking_errors.pop(store, None)
        await self._claim_servers([store], replica_state)

    async def _assess(self, local_copy: LocalCopy, *, to_fetch: bool) -> JoinAssessment:
        deciding_connections = [link for store, link in self._connections.items() if self._is_deciding(store)]
        if not all(link.is_reached for link in deciding_connections):
            raise deciding_connections[0].outage_error()
        return await self._join_checker.assess(local_copy, to_fetch=to_fetch)

    def _is_deciding(self, store: Store) -> bool:
        """Return whether this store's server decides: the log's, or canon's if the log is not on a server."""
        return store is Store.LOG or Store.LOG not in self._connections

    async def _join(
        self, local_copy: LocalCopy, assessment: JoinAssessment, copy_options: CopyOptions | None
    ) -> None:
        """Join as assessed; without `copy_options` the copy is in use, and cannot be fetched anew."""
        is_behind = assessment.copy_state is CopyState.BEHIND
        if is_behind and copy_options is None:
            raise words.played_elsewhere_error(
                assessment.leases[-1].holder.host if assessment.leases else "another machine"
            )
        if is_behind and (copy_options is None or copy_options.history is None or len(self._connections) < 2):
            raise words.partial_servers_error()
        replica_state = local_copy.replica_state._replace(
            library_id=assessment.library_id or local_copy.replica_state.library_id or _new_library_id()
        )
        replica_state = replica_state._replace(replica_id=self._replica_id, is_stale=is_behind)
        await self._save_replica_state(
            replica_state
        )  # before the servers hear of it, so that a crash finds its way back
        reached_stores = [store for store, link in self._connections.items() if link.is_reached]
        if assessment.library_id is None:
            await self._claim_servers(reached_stores, replica_state)
        lease_number = (
            await self._lease_keeper.begin(assessment.leases)
            if self._lease_keeper
            else replica_state.lease_number
        )
        replica_state = replica_state._replace(lease_number=lease_number, is_stale=False)
        if is_behind and copy_options is not None:
            await self._rebuild_copy(
                replica_state,
                copy_options,
                set_aside=not local_copy.is_empty and not local_copy.replica_state.joined_stores,
            )
        await self._save_replica_state(
            replica_state._replace(joined_stores=local_copy.replica_state.joined_stores)
        )
        await self._claim_servers(reached_stores, await read_replica_state(self.library))
        self._is_joined = True

    async def _rebuild_copy(
        self, replica_state: ReplicaState, copy_options: CopyOptions, *, set_aside: bool
    ) -> None:
        assert copy_options.history is not None
        connection = next(iter(self._connections.values()))
        await build_copy(
            copy_options.home,
            self.library,
            connection,
            copy_options.history(),
            replica_state,
            copy_options.timeout,
            copy_options.on_progress,
        )
        if set_aside:
            await write_replica_state(self.library, ReplicaState())
        await self.library.close()
        kept_path = await asyncio.to_thread(install_copy, copy_options.home, set_aside=set_aside)
        if kept_path:
            copy_options.on_progress(f"What was in the home folder before is kept as {kept_path.name}.")
        self.library = await open_library(copy_options.home / "library.db")

    async def _claim_servers(self, stores: list[Store], replica_state: ReplicaState) -> None:
        """Write the library's identity to servers, and note in the copy that they have it."""
        assert replica_state.library_id is not None
        for store in stores:
            if store not in replica_state.joined_stores:
                await self._join_checker.claim_server(store, replica_state.library_id)
        if not replica_state.joined_stores.issuperset(stores):
            await self._save_replica_state(
                replica_state._replace(joined_stores=replica_state.joined_stores.union(stores))
            )

    async def _read_local_copy(self) -> LocalCopy:
        replica_state = await read_replica_state(self.library)
        return LocalCopy(
            replica_state,
            frozenset(await read_universe_ids(self.library)),
            await is_library_empty(self.library),
            sum(self._pending_counts[store] for store in self._connections),
        )

    async def _save_replica_state(self, replica_state: ReplicaState) -> None:
        await write_replica_state(self.library, replica_state._replace(replica_id=self._replica_id))

    def _block_servers(self, error: MonitorError) -> None:
        for store in self._connections:
            self._blocking_errors[store] = error
            self._health.mark_diverged(store, str(error))


def _new_library_id() -> Id:
    return str(uuid.uuid4())
