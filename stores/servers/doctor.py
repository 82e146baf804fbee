"""What the servers themselves refuse each role: every adapter is gone round with the role's own credentials.

Whatever was not refused is taken back.
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
from stores.servers.mongo_schema import INDEXES, privileges

if TYPE_CHECKING:  # each driver is imported where its server is tried: not every library needs all five
    from neo4j import AsyncManagedTransaction

    from stores.servers.minio import Buckets
    from stores.servers.mongo import Mongo
    from stores.servers.neo4j_graph import Graph
    from stores.servers.opensearch import OpenSearch
    from stores.servers.qdrant import Qdrant

_POINT = "00000000-0000-4000-8000-00000000d0c7"
_DENIED = 403
_UNAUTHORIZED = 13
_ACTIONS = ("insert", "update", "remove")


class _TakenBack(Exception):
    """Thrown once a server has let an attempt pass, so that it leaves nothing behind."""


class Open(NamedTuple):
    """The servers that are connected now."""

    graph: Graph | None
    mongo: Mongo | None
    qdrant: Qdrant | None
    opensearch: OpenSearch | None
    buckets: Buckets | None


class ServersDoctor:
    """Beside the doctor of the copy at home. `servers` says what is connected when it is asked."""

    def __init__(self, home: Doctor, servers: Callable[[], Open], stores: frozenset[Store]) -> None:
        self._home = home
        self._servers = servers
        self._stores = stores

    async def findings(self) -> AsyncIterator[DoctorFinding]:
        """Look at the copy at home, and say of each server whether it is there and what it cannot do."""
        async for finding in self._home.findings():
            yield finding
        there = self._servers()
        for store, server in zip(Store, there, strict=True):
            if store in self._stores and server is None:
                yield DoctorFinding(
                    f"the server of {store}", "bad", "it does not answer; play goes on without it"
                )
        if there.graph is not None:
            says = (
                "Neo4j Community has no roles: who may write anything may write all; readers' sessions refuse"
            )
            yield DoctorFinding("the server of canon", "warning", says)
        if there.qdrant is not None:
            says = f"its keys refuse {there.qdrant.refuses}"
            yield DoctorFinding("the server of vectors", "ok", says)

    async def attempts(self) -> AsyncIterator[Attempt]:
        """Try in the copy at home, then on every server that is there."""
        async for attempt in self._home.attempts():
            yield attempt
        for role in Role:
            for one in (self._canon, self._log, self._vectors, self._words, self._objects):
                async for attempt in one(role):
                    yield attempt

    # --- canon: read-access sessions ------------------------------------------------------------------

    async def _canon(self, role: Role) -> AsyncIterator[Attempt]:
        """What a role may write at all it may write anywhere: Community has nothing to hold it with."""
        graph = self._servers().graph
        if graph is None or role is Role.CANON_KEEPER:
            return
        for name in ("facts", "entities", "evidence"):
            what = f"server: create in {name}"
            if any(g.store is Store.CANON for g in WRITE_MATRIX[role]):
                yield Attempt(role, Store.CANON, what, AttemptOutcome.REFUSED_HERE)
                continue
            yield Attempt(role, Store.CANON, what, await _refused(graph.write(role, [name], _create)))

    # --- log: a user for each role --------------------------------------------------------------------

    async def _log(self, role: Role) -> AsyncIterator[Attempt]:
        mongo = self._servers().mongo
        if mongo is None:
            return
        may = privileges(role)
        for collection in INDEXES:
            for action in _ACTIONS:
                if action not in may.get(collection, ()):
                    outcome = await _in_mongo(mongo, role, collection, action)
                    yield Attempt(role, Store.LOG, f"server: {action} in {collection}", outcome)

    # --- vectors: tokens ------------------------------------------------------------------------------

    async def _vectors(self, role: Role) -> AsyncIterator[Attempt]:
        qdrant = self._servers().qdrant
        if qdrant is None:
            return
        from qdrant_client import models
        from qdrant_client.http.exceptions import UnexpectedResponse

        client = qdrant.writer(role)
        for collection in COLLECTIONS[Store.VECTORS]:
            name = next((n for n in qdrant.names_of(collection)), None)
            if find_grants(role, Store.VECTORS, collection, Operation.DELETE):
                continue
            what = f"server: delete from {collection}"
            if name is None:
                yield Attempt(role, Store.VECTORS, what, AttemptOutcome.UNTRIED)
                continue
            gone = models.PointIdsList(points=[_POINT])
            outcome = AttemptOutcome.REFUSED_HERE
            try:
                await client.delete(name, gone, wait=True)
            except UnexpectedResponse as error:
                outcome = AttemptOutcome.REFUSED if error.status_code == _DENIED else AttemptOutcome.UNTRIED
            yield Attempt(role, Store.VECTORS, what, outcome)

    # --- words: users ---------------------------------------------------------------------------------

    async def _words(self, role: Role) -> AsyncIterator[Attempt]:
        opensearch = self._servers().opensearch
        if opensearch is None:
            return
        from opensearchpy.exceptions import TransportError

        client = opensearch.client(role)
        for collection in COLLECTIONS[Store.WORDS]:
            index = opensearch.index(collection)
            text = {"id": "doctor", "text": "", "scope": []}
            tries: dict[Operation, Callable[[], Awaitable[Any]]] = {
                Operation.INSERT: partial(client.index, index=index, id="doctor", body=text),
                Operation.DELETE: partial(client.delete, index=index, id="doctor"),
            }
            for op, attempt in tries.items():
                if find_grants(role, Store.WORDS, collection, op):
                    continue
                outcome = AttemptOutcome.PASSED
                try:
                    await attempt()
                    await opensearch.owner.delete(index=index, id="doctor", ignore=[404])
                except TransportError as error:
                    outcome = (
                        AttemptOutcome.REFUSED if error.status_code == _DENIED else AttemptOutcome.UNTRIED
                    )
                yield Attempt(role, Store.WORDS, f"server: {op} in {collection}", outcome)

    # --- objects: users -------------------------------------------------------------------------------

    async def _objects(self, role: Role) -> AsyncIterator[Attempt]:
        buckets = self._servers().buckets
        if buckets is None:
            return
        for collection in COLLECTIONS[Store.OBJECTS]:
            if not find_grants(role, Store.OBJECTS, collection, Operation.INSERT):
                outcome = await asyncio.to_thread(_put_object, buckets, role, collection)
                yield Attempt(role, Store.OBJECTS, f"server: put into {collection}", outcome)


async def _in_mongo(mongo: Mongo, role: Role, collection: str, action: str) -> AttemptOutcome:
    """Try it in a transaction that ends in nothing. A server that does not look at a privilege's
    collection lets it pass; then this program's own refusal is what holds."""
    from pymongo.errors import OperationFailure

    database = mongo.database(role)
    try:
        async with database.client.start_session() as session, await session.start_transaction():
            target = database[collection]
            if action == "insert":
                await target.insert_one({"_id": "doctor", "made": 0, "body": ""}, session=session)
            elif action == "update":
                await target.update_one({"_id": "doctor"}, {"$set": {"made": 0}}, session=session)
            else:
                await target.delete_one({"_id": "doctor"}, session=session)
            raise _TakenBack
    except _TakenBack:
        return AttemptOutcome.REFUSED_HERE
    except OperationFailure as error:
        return AttemptOutcome.REFUSED if error.code == _UNAUTHORIZED else AttemptOutcome.UNTRIED


def _put_object(buckets: Buckets, role: Role, collection: str) -> AttemptOutcome:
    from minio.error import S3Error

    bucket = buckets.bucket(collection)
    try:
        buckets.client(role).put_object(bucket, "doctor", io.BytesIO(b""), 0)
    except S3Error as error:
        return AttemptOutcome.REFUSED if error.code == "AccessDenied" else AttemptOutcome.UNTRIED
    buckets.client(None).remove_object(bucket, "doctor")
    return AttemptOutcome.PASSED


async def _create(tx: AsyncManagedTransaction) -> None:
    await (await tx.run("CREATE (n:Doctor {id: 'doctor'}) DELETE n")).consume()


async def _refused(attempt: Awaitable[None]) -> AttemptOutcome:
    try:
        await attempt
    except WriteDenied:
        return AttemptOutcome.REFUSED
    except MonitorError:
        return AttemptOutcome.UNTRIED
    return AttemptOutcome.PASSED
