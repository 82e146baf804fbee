"""The contract's adapters on real servers, each where its address is in the environment (`make servers`).

The servers are for tests alone: every adapter begins with an empty store.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import secrets
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pymongo import AsyncMongoClient

from stores.authority import Role
from stores.servers.canon_graph import ServerCanon
from stores.servers.minio import MinioBuckets, open_minio
from stores.servers.minio_roles import make_users as make_objects_users
from stores.servers.minio_roles import remove_users as remove_objects_users
from stores.servers.minio_roles import user_name as objects_user_of
from stores.servers.mongo import CONNECT_MS, MongoDatabase, migrate_schema
from stores.servers.mongo_roles import make_users, user_name
from stores.servers.narrative_log import ServerLog
from stores.servers.neo4j_graph import open_graph
from stores.servers.object_store import ServerObjectStore
from stores.servers.opensearch import OpenSearchServer, open_opensearch
from stores.servers.opensearch_roles import make_users as make_words_users
from stores.servers.opensearch_roles import remove_users as remove_words_users
from stores.servers.opensearch_roles import user_name as words_user_of
from stores.servers.qdrant import QdrantServer, open_qdrant
from stores.servers.server_names import name_prefix
from stores.servers.text_index import ServerTextIndex
from stores.servers.vector_index import ServerVectorIndex

MINE = f"test{secrets.token_hex(4)}"
PREFIX = name_prefix(MINE)
"""Begins all that this process makes on servers, so that test runs beside one another never meet."""

_with_users: set[str] = set()
"""The servers where this process has made its users: once for all its tests, as some take seconds for it."""


def at_hand(store: str) -> bool:
    """Say whether a server for this store was named."""
    return bool(os.environ.get(f"MONITOR_{store}"))


@asynccontextmanager
async def neo4j_canon(folder: Path) -> AsyncIterator[Any]:
    """Give canon on the Neo4j at hand, emptied."""
    names = ("MONITOR_NEO4J_URL", "MONITOR_NEO4J_USER", "MONITOR_NEO4J_PASSWORD")
    graph = await open_graph(*(os.environ[name] for name in names))
    try:
        await graph.run_statement("MATCH (n) WHERE coalesce(n.name, '') <> 'format' DETACH DELETE n")
        yield lambda role: ServerCanon(graph, role)
    finally:
        await graph.close()


@asynccontextmanager
async def mongo_log(folder: Path) -> AsyncIterator[Any]:
    """Give the log on the MongoDB at hand, in a database of its own, to each role as its own user."""
    url = os.environ["MONITOR_MONGO_URL"]
    name = f"contract_{secrets.token_hex(4)}"
    owner: AsyncMongoClient[dict[str, Any]] = AsyncMongoClient(url, serverSelectionTimeoutMS=CONNECT_MS)

    def connect(role: Role | None) -> AsyncMongoClient[dict[str, Any]]:
        if role is None:
            return owner
        mine: dict[str, Any] = {
            "username": user_name(role, name),
            "password": f"secret of {role}",
            "authSource": "admin",
        }
        return AsyncMongoClient(url, serverSelectionTimeoutMS=CONNECT_MS, **mine)

    mongo = MongoDatabase(connect, url, name)
    try:
        await make_users(owner.admin, name, lambda role: f"secret of {role}")
        await migrate_schema(mongo)
        yield lambda role: ServerLog(mongo, role)
    finally:
        await owner.drop_database(name)
        await mongo.close()


def secret_of(role: Role) -> str:
    """Return a password that every server takes for a strong one."""
    return hashlib.sha256(f"{MINE} {role}".encode()).hexdigest()[:32]


@asynccontextmanager
async def a_qdrant() -> AsyncIterator[QdrantServer]:
    """Give the Qdrant at hand, empty."""
    keys = os.environ["MONITOR_QDRANT_API_KEY"], os.environ["MONITOR_QDRANT_READ_ONLY_API_KEY"]
    qdrant = await open_qdrant(os.environ["MONITOR_QDRANT_URL"], *keys, prefix=PREFIX)
    try:
        yield qdrant
    finally:
        await qdrant.drop_all()
        await qdrant.close()


def words_credentials(role: Role | None) -> tuple[str, str]:
    if role is None:
        return os.environ["MONITOR_OPENSEARCH_USER"], os.environ["MONITOR_OPENSEARCH_PASSWORD"]
    return words_user_of(PREFIX, role), secret_of(role)


@asynccontextmanager
async def an_opensearch() -> AsyncIterator[OpenSearchServer]:
    """Give the OpenSearch at hand, empty, with each role's user."""
    opensearch = await open_opensearch(os.environ["MONITOR_OPENSEARCH_URL"], words_credentials, prefix=PREFIX)
    try:
        if "OPENSEARCH_URL" not in _with_users:
            _with_users.add("OPENSEARCH_URL")
            await make_words_users(opensearch, secret_of)
        yield opensearch
    finally:
        await _drop_the_used(opensearch)
        await opensearch.close()


async def _drop_the_used(opensearch: OpenSearchServer) -> None:
    """An index that was never written to is as good as new; making one costs more than most tests."""
    told = await opensearch.owner.indices.stats(index=f"{PREFIX}*", metric="indexing")
    if used := [n for n, of in told["indices"].items() if of["primaries"]["indexing"]["index_total"]]:
        await opensearch.owner.indices.delete(index=",".join(used))


def objects_credentials(role: Role | None) -> tuple[str, str]:
    if role is None:
        return os.environ["MONITOR_MINIO_ACCESS_KEY"], os.environ["MONITOR_MINIO_SECRET_KEY"]
    return objects_user_of(PREFIX, role), secret_of(role)


@asynccontextmanager
async def a_minio() -> AsyncIterator[MinioBuckets]:
    """Give the MinIO at hand, empty, with each role's user."""
    buckets = await open_minio(os.environ["MONITOR_MINIO_ENDPOINT"], objects_credentials, prefix=PREFIX)
    try:
        if "MINIO_ENDPOINT" not in _with_users:
            _with_users.add("MINIO_ENDPOINT")
            await make_objects_users(buckets, secret_of)
        yield buckets
    finally:
        await buckets.drop_all()
        await buckets.close()


async def remove_users() -> None:
    """Remove the users that this process made on the servers, and what is left of theirs."""
    if "OPENSEARCH_URL" in _with_users:
        async with an_opensearch() as opensearch:
            await remove_words_users(opensearch)
            await opensearch.drop_all()
    if "MINIO_ENDPOINT" in _with_users:
        async with a_minio() as buckets:
            await remove_objects_users(buckets)


DERIVED: dict[str, tuple[Any, Any]] = {
    "QDRANT_URL": (a_qdrant, ServerVectorIndex),
    "OPENSEARCH_URL": (an_opensearch, ServerTextIndex),
    "MINIO_ENDPOINT": (a_minio, ServerObjectStore),
}


class Later:
    """A store on a server that is opened when it is first used."""

    def __init__(self, name: str, opened: AsyncExitStack) -> None:
        self._name = name
        self._opened = opened
        self._opening = asyncio.Lock()
        self._server: Any = None

    def handle(self, role: Role | None) -> Any:
        if not at_hand(self._name):
            pytest.skip("no server of this store is at hand")
        return _Handle(self, role, DERIVED[self._name][1])

    async def call(self, role: Role | None, method: str, *args: Any, **named: Any) -> Any:
        serve, adapter = DERIVED[self._name]
        async with self._opening:
            self._server = self._server or await self._opened.enter_async_context(serve())
        return await getattr(adapter(self._server, role), method)(*args, **named)


class _Handle:
    """Has the methods of its adapter, and no others."""

    def __init__(self, store: Later, role: Role | None, adapter: type) -> None:
        self._store = store
        self._role = role
        self._adapter = adapter

    def __getattr__(self, method: str) -> Any:
        if not hasattr(self._adapter, method):
            raise AttributeError(method)
        return partial(self._store.call, self._role, method)


@asynccontextmanager
async def derived_servers(folder: Path) -> AsyncIterator[list[Any]]:
    """Give vectors, words and objects on the servers at hand; a test of one that is not there is skipped."""
    async with AsyncExitStack() as opened:
        yield [Later(name, opened).handle for name in DERIVED]
