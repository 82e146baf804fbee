"""The servers as a worker on another machine uses them: with users of its own, of the few roles that it needs.

It reads log and canon, and writes neither: what it finds for the log goes back to the program that plays. It writes
indexes and archives. What only the owner may do (schemas, indexes, buckets, users) the program has done before.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from stores.authority import Role, Store
from stores.errors import InputError
from stores.open import StoresBehindPlay
from stores.records.ids import utc_now
from stores.servers.server_names import name_prefix
from stores.servers.server_settings import (
    SECRET_VARIABLE,
    WORKER_VARIABLE,
    ServerSettings,
    read_server_settings,
)
from stores.servers.server_stores import (
    connect_minio,
    connect_opensearch,
    import_drivers,
    make_mongo_connector,
    require_drivers,
)

if TYPE_CHECKING:
    from pymongo.asynchronous.database import AsyncDatabase

    from stores.servers.minio import MinioBuckets
    from stores.servers.mongo import Document
    from stores.servers.opensearch import OpenSearchServer

ALL_STORES: Final = frozenset(Store)
READING_ROLE: Final = Role.CONTEXT_ASSEMBLY
"""A role that may write nothing anywhere."""
_WORDS_ROLES: Final = (Role.INDEXER,)
_OBJECTS_ROLES: Final = (Role.ARCHIVIST, READING_ROLE)
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,30}")
_SHARED_VARIABLES: Final = (
    *("MONITOR_STORES", "MONITOR_LIBRARY", "MONITOR_BROKER", "MONITOR_EMBEDDING_MODEL"),
    # Neo4j Community and Qdrant have no users of their own for a worker: it gets what the program has.
    *("MONITOR_NEO4J_URL", "MONITOR_NEO4J_USER", "MONITOR_NEO4J_PASSWORD"),
    *("MONITOR_QDRANT_URL", "MONITOR_QDRANT_API_KEY", "MONITOR_QDRANT_READ_ONLY_API_KEY"),
    *("MONITOR_OPENSEARCH_URL", "MONITOR_MINIO_ENDPOINT"),
)
"""What a worker's environment has of the program's; nothing of an owner's that a server can do without."""


async def open_worker_stores(environ: Mapping[str, str]) -> StoresBehindPlay:
    """Open the servers' stores for the worker that the environment is of.

    Raises InputError if something is missing in it, or StoreError; nothing stays open then.
    """
    settings = read_worker_settings(environ)
    await asyncio.to_thread(import_drivers, ALL_STORES)
    from stores.servers.canon_graph import ServerCanon
    from stores.servers.mongo import MongoDatabase
    from stores.servers.narrative_log import ServerLog
    from stores.servers.neo4j_graph import open_graph
    from stores.servers.object_store import ServerObjectStore
    from stores.servers.qdrant import open_qdrant
    from stores.servers.text_index import ServerTextIndex
    from stores.servers.vector_index import ServerVectorIndex

    async with AsyncExitStack() as exit_stack:
        graph = await open_graph(
            settings.get("NEO4J_URL"), settings.get("NEO4J_USER", "neo4j"), settings.get("NEO4J_PASSWORD")
        )
        exit_stack.push_async_callback(graph.close)
        mongo = MongoDatabase(make_mongo_connector(settings), settings.get("MONGO_URL"), settings.library)
        exit_stack.push_async_callback(mongo.close)
        keys = settings.get("QDRANT_API_KEY"), settings.get("QDRANT_READ_ONLY_API_KEY")
        prefix = name_prefix(settings.library)
        qdrant = await open_qdrant(settings.get("QDRANT_URL"), *keys, prefix=prefix)
        exit_stack.push_async_callback(qdrant.close)
        opensearch = await connect_opensearch(settings)
        exit_stack.push_async_callback(opensearch.close)
        buckets = await connect_minio(settings)
        exit_stack.push_async_callback(buckets.close)
        return StoresBehindPlay(
            ServerCanon(graph, READING_ROLE),
            ServerLog(mongo, READING_ROLE, clock=utc_now),
            ServerTextIndex(opensearch, Role.INDEXER),
            ServerVectorIndex(qdrant, Role.INDEXER),
            ServerObjectStore(buckets, Role.ARCHIVIST),
            ServerObjectStore(buckets, READING_ROLE),
            None,
            exit_stack.pop_all().aclose,
        )


def read_worker_settings(environ: Mapping[str, str]) -> ServerSettings:
    """Return the settings of the worker that the environment is of. Raises InputError that names what is missing."""
    if not environ.get(WORKER_VARIABLE):
        raise InputError(
            f"This is not the environment of a worker: {WORKER_VARIABLE} is missing.",
            kept="Nothing was started.",
            todo="Make one where you play: monitor worker add NAME > worker.env",
        )
    return read_server_settings(environ, ALL_STORES)


async def add_worker(environ: Mapping[str, str], name: str) -> dict[str, str]:
    """Create a worker's users on the servers, and return its environment. May be run again.

    The addresses must carry the owner's credentials. Raises InputError for a name that cannot be, StoreUnavailable
    or StoreError naming the server that refused.
    """
    settings, worker = _settings_of_both(environ, name)
    from stores.servers import minio_roles, mongo_roles, opensearch_roles

    async with _Owner(settings) as owner:
        await mongo_roles.make_worker_user(
            owner.admin, settings.library, READING_ROLE, name, worker.derive_password("mongo", READING_ROLE)
        )
        for role in _WORDS_ROLES:
            password = worker.derive_password("opensearch", role)
            await opensearch_roles.make_worker_user(owner.opensearch, role, name, password)
        for role in _OBJECTS_ROLES:
            password = worker.derive_password("minio", role)
            await minio_roles.make_worker_user(owner.buckets, role, name, password)
    shared = {name: value for name, value in settings.values.items() if name in _SHARED_VARIABLES}
    return {
        **shared,
        "MONITOR_MONGO_URL": _without_user(settings.get("MONGO_URL")),
        SECRET_VARIABLE: worker.values[SECRET_VARIABLE],
        WORKER_VARIABLE: name,
    }


async def remove_worker(environ: Mapping[str, str], name: str) -> None:
    """Remove a worker's users from the servers: it can open nothing any more. May be run again.

    Raises what `add_worker` raises.
    """
    settings, _ = _settings_of_both(environ, name)
    from stores.servers import minio_roles, mongo_roles, opensearch_roles

    async with _Owner(settings) as owner:
        await mongo_roles.remove_worker_user(owner.admin, settings.library, READING_ROLE, name)
        for role in _WORDS_ROLES:
            await opensearch_roles.remove_worker_user(owner.opensearch, role, name)
        for role in _OBJECTS_ROLES:
            await minio_roles.remove_worker_user(owner.buckets, role, name)


def _settings_of_both(environ: Mapping[str, str], name: str) -> tuple[ServerSettings, ServerSettings]:
    """Return the program's settings and the worker's. Raises InputError."""
    if not _NAME.fullmatch(name):
        raise InputError(
            f"{name!r} cannot be a worker's name.",
            kept="Nothing was changed.",
            todo="Use small letters, digits and hyphens, 31 at most.",
        )
    require_drivers(ALL_STORES)
    settings = read_server_settings(environ, ALL_STORES)
    if settings.worker:
        raise InputError(
            f"This is the environment of the worker {settings.worker}, which may make no other.",
            kept="Nothing was changed.",
            todo="Do this where you play.",
        )
    return settings, settings.of_worker(name)


class _Owner:
    """The servers, opened as their owner."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._exit_stack = AsyncExitStack()
        self.admin: AsyncDatabase[Document]
        self.opensearch: OpenSearchServer
        self.buckets: MinioBuckets

    async def __aenter__(self) -> _Owner:
        from pymongo import AsyncMongoClient

        from stores.servers.mongo import CONNECT_MS, translate_mongo_errors

        url = self._settings.get("MONGO_URL")
        async with AsyncExitStack() as exit_stack:
            client: AsyncMongoClient[Document] = AsyncMongoClient(url, serverSelectionTimeoutMS=CONNECT_MS)
            exit_stack.push_async_callback(client.close)
            exit_stack.enter_context(translate_mongo_errors(url, "The owner"))
            self.admin = client.admin
            self.opensearch = await connect_opensearch(self._settings)
            exit_stack.push_async_callback(self.opensearch.close)
            self.buckets = await connect_minio(self._settings)
            exit_stack.push_async_callback(self.buckets.close)
            self._exit_stack = exit_stack.pop_all()
        return self

    async def __aexit__(self, *error: Any) -> bool | None:
        return await self._exit_stack.__aexit__(*error)


def _without_user(url: str) -> str:
    """Return an address without user and password, and without where that user is known."""
    parts = urlsplit(url)
    options = [(name, value) for name, value in parse_qsl(parts.query) if name != "authSource"]
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query=urlencode(options)))
