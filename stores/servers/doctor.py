"""The checks of servers for `monitor doctor`: what each server refuses a role with its own credentials.

The attempts bypass the adapters. Whatever was not refused is rolled back.
"""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from stores.authority import COLLECTIONS, WRITE_MATRIX, Operation, Role, Store, find_grants
from stores.doctor import Attempt, AttemptOutcome, Doctor, DoctorFinding
from stores.errors import MonitorError, WriteDenied
from stores.servers.mongo_schema import INDEXES, role_privileges

if TYPE_CHECKING:  # each driver is imported when its server is tried, as few libraries need all five
    from neo4j import AsyncManagedTransaction

    from stores.servers.minio import MinioBuckets
    from stores.servers.mongo import MongoDatabase
    from stores.servers.neo4j_graph import Neo4jGraph
    from stores.servers.opensearch import OpenSearchServer
    from stores.servers.qdrant import QdrantServer

_PROBE_POINT_ID = "00000000-0000-4000-8000-00000000d0c7"
_DENIED = 403
_UNAUTHORIZED = 13
_ACTIONS = ("insert", "update", "remove")


class _AttemptRolledBack(Exception):
    """Raised after an attempt that a server allowed, so that it is rolled back."""


class ConnectedServers(NamedTuple):
    """The servers that are connected now."""

    graph: Neo4jGraph | None
    mongo: MongoDatabase | None
    qdrant: QdrantServer | None
    opensearch: OpenSearchServer | None
    buckets: MinioBuckets | None


class ServersDoctor:
    """Checks the copy in the home folder and the servers that are connected."""

    def __init__(
        self, home_doctor: Doctor, connected_servers: Callable[[], ConnectedServers], stores: frozenset[Store]
    ) -> None:
        self._home_doctor = home_doctor
        self._connected_servers = connected_servers
        self._stores = stores

    async def findings(self) -> AsyncIterator[DoctorFinding]:
        """Check the copy in the home folder, and whether each server is up and enforces roles."""
        async for finding in self._home_doctor.findings():
            yield finding
        connected = self._connected_servers()
        for store, server in zip(Store, connected, strict=True):
            if store in self._stores and server is None:
                yield DoctorFinding(
                    f"the server of {store}", "bad", "it does not answer; play goes on without it"
                )
        if connected.graph is not None:
            message = (
                "Neo4j Community has no roles: who may write anything may write all; readers' sessions refuse"
            )
            yield DoctorFinding("the server of canon", "warning", message)
        if connected.qdrant is not None:
            message = f"its keys refuse {connected.qdrant.enforcement}"
            yield DoctorFinding("the server of vectors", "ok", message)

    async def attempts(self) -> AsyncIterator[Attempt]:
        """Try in the copy in the home folder, then on every server that is up."""
        async for attempt in self._home_doctor.attempts():
            yield attempt
        for role in Role:
            for try_store in (
                self._try_canon,
                self._try_log,
                self._try_vectors,
                self._try_words,
                self._try_objects,
            ):
                async for attempt in try_store(role):
                    yield attempt

    # --- canon: read-access sessions ------------------------------------------------------------------

    async def _try_canon(self, role: Role) -> AsyncIterator[Attempt]:
        """Try writes on Neo4j. A role that may write anything there may write everything, as Community has no roles."""
        graph = self._connected_servers().graph
        if graph is None or role is Role.CANON_KEEPER:
            return
        for name in ("facts", "entities", "evidence"):
            description = f"server: create in {name}"
            if any(g.store is Store.CANON for g in WRITE_MATRIX[role]):
                yield Attempt(role, Store.CANON, description, AttemptOutcome.REFUSED_HERE)
                continue
            yield Attempt(
                role, Store.CANON, description, await _run_attempt(graph.write(role, [name], _create_node))
            )

    # --- log: a user for each role --------------------------------------------------------------------

    async def _try_log(self, role: Role) -> AsyncIterator[Attempt]:
        mongo = self._connected_servers().mongo
        if mongo is None:
            return
        allowed_actions = role_privileges(role)
        for collection in INDEXES:
            for action in _ACTIONS:
                if action not in allowed_actions.get(collection, ()):
                    outcome = await _try_in_mongo(mongo, role, collection, action)
                    yield Attempt(role, Store.LOG, f"server: {action} in {collection}", outcome)

    # --- vectors: tokens ------------------------------------------------------------------------------

    async def _try_vectors(self, role: Role) -> AsyncIterator[Attempt]:
        qdrant = self._connected_servers().qdrant
        if qdrant is None:
            return
        from qdrant_client import models
        from qdrant_client.http.exceptions import UnexpectedResponse

        client = qdrant.writer_client(role)
        for collection in COLLECTIONS[Store.VECTORS]:
            name = next((n for n in qdrant.collection_names(collection)), None)
            if find_grants(role, Store.VECTORS, collection, Operation.DELETE):
                continue
            description = f"server: delete from {collection}"
            if name is None:
                yield Attempt(role, Store.VECTORS, description, AttemptOutcome.UNTRIED)
                continue
            probe_point = models.PointIdsList(points=[_PROBE_POINT_ID])
            outcome = AttemptOutcome.REFUSED_HERE
            try:
                await client.delete(name, probe_point, wait=True)
            except UnexpectedResponse as error:
                outcome = AttemptOutcome.REFUSED if error.status_code == _DENIED else AttemptOutcome.UNTRIED
            yield Attempt(role, Store.VECTORS, description, outcome)

    # --- words: users ---------------------------------------------------------------------------------

    async def _try_words(self, role: Role) -> AsyncIterator[Attempt]:
        opensearch = self._connected_servers().opensearch
        if opensearch is None:
            return
        from opensearchpy.exceptions import TransportError

        client = opensearch.client_for(role)
        for collection in COLLECTIONS[Store.WORDS]:
            index = opensearch.index_name(collection)
            text = {"id": "doctor", "text": "", "scope": []}
            writes: dict[Operation, Callable[[], Awaitable[Any]]] = {
                Operation.INSERT: partial(client.index, index=index, id="doctor", body=text),
                Operation.DELETE: partial(client.delete, index=index, id="doctor"),
            }
            for operation, attempt in writes.items():
                if find_grants(role, Store.WORDS, collection, operation):
                    continue
                outcome = AttemptOutcome.PASSED
                try:
                    await attempt()
                    await opensearch.owner.delete(index=index, id="doctor", ignore=[404])
                except TransportError as error:
                    outcome = (
                        AttemptOutcome.REFUSED if error.status_code == _DENIED else AttemptOutcome.UNTRIED
                    )
                yield Attempt(role, Store.WORDS, f"server: {operation} in {collection}", outcome)

    # --- objects: users -------------------------------------------------------------------------------

    async def _try_objects(self, role: Role) -> AsyncIterator[Attempt]:
        buckets = self._connected_servers().buckets
        if buckets is None:
            return
        for collection in COLLECTIONS[Store.OBJECTS]:
            if not find_grants(role, Store.OBJECTS, collection, Operation.INSERT):
                outcome = await asyncio.to_thread(_put_object, buckets, role, collection)
                yield Attempt(role, Store.OBJECTS, f"server: put into {collection}", outcome)


async def _try_in_mongo(mongo: MongoDatabase, role: Role, collection: str, action: str) -> AttemptOutcome:
    """Try a write in a transaction that is rolled back.

    A server that ignores the collection of a privilege allows it; then only this program refuses.
    """
    from pymongo.errors import OperationFailure

    database = mongo.database_for(role)
    try:
        async with database.client.start_session() as session, await session.start_transaction():
            target = database[collection]
            if action == "insert":
                await target.insert_one({"_id": "doctor", "made": 0, "body": ""}, session=session)
            elif action == "update":
                await target.update_one({"_id": "doctor"}, {"$set": {"made": 0}}, session=session)
            else:
                await target.delete_one({"_id": "doctor"}, session=session)
            raise _AttemptRolledBack
    except _AttemptRolledBack:
        return AttemptOutcome.REFUSED_HERE
    except OperationFailure as error:
        return AttemptOutcome.REFUSED if error.code == _UNAUTHORIZED else AttemptOutcome.UNTRIED


def _put_object(buckets: MinioBuckets, role: Role, collection: str) -> AttemptOutcome:
    from minio.error import S3Error

    bucket = buckets.bucket_name(collection)
    try:
        buckets.client_for(role).put_object(bucket, "doctor", io.BytesIO(b""), 0)
    except S3Error as error:
        return AttemptOutcome.REFUSED if error.code == "AccessDenied" else AttemptOutcome.UNTRIED
    buckets.client_for(None).remove_object(bucket, "doctor")
    return AttemptOutcome.PASSED


async def _create_node(tx: AsyncManagedTransaction) -> None:
    await (await tx.run("CREATE (n:Doctor {id: 'doctor'}) DELETE n")).consume()


async def _run_attempt(attempt: Awaitable[None]) -> AttemptOutcome:
    try:
        await attempt
    except WriteDenied:
        return AttemptOutcome.REFUSED
    except MonitorError:
        return AttemptOutcome.UNTRIED
    return AttemptOutcome.PASSED
