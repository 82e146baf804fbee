"""Checks whether the copy here and the library on the servers belong together, and which of them is behind.

Checked when MONITOR opens and whenever a server is back. If they cannot be joined without losing something, an
error says so, and nothing is changed on either side.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from typing import Any, NamedTuple

from stores.authority import Role, Store
from stores.records.ids import Id
from stores.records.world import Universe
from stores.replication import join_errors as words
from stores.replication.connection import ServerConnection
from stores.replication.health import STORE_NAMES
from stores.replication.lease import LeaseKeeper
from stores.replication.library_marks import CanonMarks, Lease, LogMarks
from stores.replication.replica_state import ReplicaState

_LibraryIds = Mapping[Store, Id | None]
"""The identity of the library on each server (None: it has no identity yet)."""


class CopyState(Enum):
    """How the copy compares with the servers. `BEHIND`: it lacks something, and must be fetched anew."""

    NEW = auto()
    CURRENT = auto()
    BEHIND = auto()


class LocalCopy(NamedTuple):
    """What is known of the copy in the home folder."""

    replica_state: ReplicaState
    universe_ids: frozenset[Id]
    is_empty: bool
    pending_count: int


class JoinAssessment(NamedTuple):
    """The result of comparing copy and servers; `library_id` is the servers' (None: they have no identity yet)."""

    copy_state: CopyState
    library_id: Id | None
    leases: list[Lease]


class JoinChecker:
    """Compares a copy with the marks on its servers. Raises CopyDiverged, ServerOutage, or what a server refuses."""

    def __init__(
        self,
        connections: Mapping[Store, ServerConnection[Any]],
        log_marks: LogMarks | None,
        lease_keeper: LeaseKeeper | None,
    ) -> None:
        self._connections = connections
        self._log_marks = log_marks
        self._lease_keeper = lease_keeper
        canon = connections.get(Store.CANON)
        self._marks: dict[Store, LogMarks | CanonMarks] = {Store.LOG: log_marks} if log_marks else {}
        if canon:
            self._marks[Store.CANON] = CanonMarks(canon)

    async def assess(self, local_copy: LocalCopy, *, to_fetch: bool) -> JoinAssessment:
        """Compare with the log and canon servers that are reached; the log's must be, if there is one.

        With `to_fetch`, raises ServerOutage if the copy is behind and a server to fetch from is down.
        """
        server_library_ids = {
            store: await marks.read_library_id()
            for store, marks in self._marks.items()
            if self._is_reached(store)
        }
        for store, library_id_of_store in server_library_ids.items():
            if library_id_of_store is None and store in local_copy.replica_state.joined_stores:
                raise words.lost_library_error(STORE_NAMES[store])
        distinct_ids = {identity for identity in server_library_ids.values() if identity is not None}
        if len(distinct_ids) > 1:
            raise words.different_libraries_error()
        leases = await self._log_marks.read_leases() if self._log_marks else []
        if not distinct_ids:
            return JoinAssessment(await self._assess_unmarked(local_copy), None, leases)
        (library_id,) = distinct_ids
        return JoinAssessment(
            self._assess_marked(local_copy, library_id, leases, server_library_ids if to_fetch else None),
            library_id,
            leases,
        )

    async def claim_server(self, store: Store, library_id: Id) -> None:
        """Write the library's identity to a server that has none yet."""
        if await self._marks[store].claim_library(library_id) != library_id:
            raise words.wrong_library_error()

    async def recheck_server(self, store: Store, replica_state: ReplicaState) -> None:
        """Check that a server that is back still has this library."""
        server_library_id = await self._marks[store].read_library_id()
        if server_library_id is None and store in replica_state.joined_stores:
            raise words.lost_library_error(STORE_NAMES[store])
        if server_library_id not in (None, replica_state.library_id):
            raise words.wrong_library_error()

    def _assess_marked(
        self,
        local_copy: LocalCopy,
        library_id: Id,
        leases: list[Lease],
        server_library_ids: _LibraryIds | None,
    ) -> CopyState:
        replica_state = local_copy.replica_state
        if replica_state.library_id != library_id:
            if replica_state.joined_stores:
                raise words.wrong_library_error()
            if not local_copy.is_empty or local_copy.pending_count:
                raise words.unrelated_library_error()
            return self._require_fetchable(server_library_ids)
        if self._lease_keeper is None:
            return CopyState.CURRENT
        if (leases[-1].number if leases else 0) < replica_state.lease_number:
            raise words.older_servers_error()
        if self._lease_keeper.is_current(leases, replica_state.lease_number) and not replica_state.is_stale:
            return CopyState.CURRENT
        if local_copy.pending_count:
            raise words.both_changed_error(leases[-1].holder.host)
        return self._require_fetchable(server_library_ids)

    def _require_fetchable(self, server_library_ids: _LibraryIds | None) -> CopyState:
        """Check that log and canon are reached and have the same identity, so that a copy can be fetched."""
        for store, connection in self._connections.items() if server_library_ids is not None else ():
            if not self._is_reached(store):
                raise connection.outage_error()
            if server_library_ids is not None and server_library_ids.get(store) is None:
                raise words.lost_library_error(STORE_NAMES[store])
        return CopyState.BEHIND

    async def _assess_unmarked(self, local_copy: LocalCopy) -> CopyState:
        """Assess servers without an identity: they are new, or were filled by a migration."""
        server_universe_ids = await self._read_server_universes()
        if server_universe_ids is None:
            if not local_copy.is_empty and local_copy.replica_state.library_id is None:
                raise words.unrelated_library_error()
            return CopyState.NEW
        if not local_copy.pending_count and (
            local_copy.is_empty
            or (local_copy.universe_ids and local_copy.universe_ids <= server_universe_ids)
        ):
            return CopyState.BEHIND
        raise words.unrelated_library_error()

    async def _read_server_universes(self) -> set[Id] | None:
        """Return the universes on the servers; None if those that are reached are empty."""
        universe_ids: set[Id] = set()
        has_stories = False
        if self._is_reached(Store.CANON):
            universes: list[Universe] = await self._connections[Store.CANON].read(
                Role.ORCHESTRATOR, lambda canon: canon.universes()
            )
            universe_ids = {universe.id for universe in universes}
        if self._is_reached(Store.LOG):
            has_stories = bool(
                await self._connections[Store.LOG].read(Role.ORCHESTRATOR, lambda log: log.stories())
            )
        return universe_ids if universe_ids or has_stories else None

    def _is_reached(self, store: Store) -> bool:
        return store in self._connections and self._connections[store].is_reached
