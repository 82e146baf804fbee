"""Connects to the servers: a connector for each store that is on a server, and `History` over log and canon.

`stores.replication` handles servers that are down.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from stores.authority import Role, Store
from stores.doctor import Doctor
from stores.errors import InputError
from stores.history import History
from stores.replication.connection import Connector, OpenConnection
from stores.replication.open_replicated import ServerConnectors
from stores.replication.replay_clock import ReplayClock
from stores.servers.server_names import name_prefix
from stores.servers.server_settings import ServerSettings

if TYPE_CHECKING:  # a driver takes up to two seconds to import, so only those in use are imported
    from pymongo import AsyncMongoClient

    from stores.servers.minio import MinioBuckets
    from stores.servers.mongo import Document, MongoDatabase
    from stores.servers.neo4j_graph import Neo4jGraph
    from stores.servers.opensearch import OpenSearchServer
    from stores.servers.qdrant import QdrantServer

_DRIVER_PACKAGES: Final[Mapping[Store, str]] = {
    Store.CANON: "neo4j",
    Store.LOG: "pymongo",
    Store.VECTORS: "qdrant_client",
    Store.WORDS: "opensearchpy",
    Store.OBJECTS: "minio",
}


_ADAPTER_MODULES: Final[Mapping[Store, str]] = {
    Store.CANON: "canon_graph",
    Store.LOG: "narrative_log",
    Store.VECTORS: "vector_index",
    Store.WORDS: "text_index",
    Store.OBJECTS: "object_store",
}


def import_drivers(stores: frozenset[Store]) -> None:
    """Import the drivers of these stores' servers before any is connected.

    Imports take seconds, during which no request gets its answer. Raises what `require_drivers` raises.
    """
    require_drivers(stores)
    for store in stores:
        import_module(f"stores.servers.{_ADAPTER_MODULES[store]}")


def require_drivers(stores: frozenset[Store]) -> None:
    """Raise InputError unless the drivers of these stores' servers are installed. Imports nothing."""
    missing = [
        _DRIVER_PACKAGES[store]
        for store in Store
        if store in stores and find_spec(_DRIVER_PACKAGES[store]) is None
    ]
    if missing:
        raise InputError(
            f"What speaks to the servers is not installed here: {', '.join(missing)}.",
            kept="Nothing was opened.",
            todo="Install it with: pip install 'monitor-tui[servers]', or with: make drivers.",
        )


class ServerStores:
    """The open connections to servers. `replay_clock` is set for each write that is sent late."""

    def __init__(self, settings: ServerSettings, replay_clock: ReplayClock) -> None:
        self._settings = settings
        self._replay_clock = replay_clock
        self._graph: Neo4jGraph | None = None
        self._mongo: MongoDatabase | None = None
        self._qdrant: QdrantServer | None = None
        self._opensearch: OpenSearchServer | None = None
        self._buckets: MinioBuckets | None = None

    def make_doctor(self, home: Doctor, stores: frozenset[Store]) -> Doctor:
        """Return a doctor for the servers and the copy in the home folder."""
        from stores.servers.doctor import ConnectedServers, ServersDoctor

        def connected_servers() -> ConnectedServers:
            return ConnectedServers(self._graph, self._mongo, self._qdrant, self._opensearch, self._buckets)

        return ServersDoctor(home, connected_servers, stores)

    def make_connectors(self, stores: frozenset[Store]) -> ServerConnectors:
        """Return the connectors to the servers of these stores."""
        connectors: dict[Store, Connector] = {
            Store.CANON: self._connect_canon,
            Store.LOG: self._connect_log,
            Store.VECTORS: self._connect_vectors,
            Store.WORDS: self._connect_words,
            Store.OBJECTS: self._connect_objects,
        }
        has_log_and_canon = frozenset({Store.CANON, Store.LOG}) <= stores
        return ServerConnectors(
            connectors={store: connector for store, connector in connectors.items() if store in stores},
            replay_clock=self._replay_clock,
            open_history=self._open_history if has_log_and_canon else None,
        )

    async def _connect_canon(self) -> OpenConnection:
        from stores.servers.canon_graph import ServerCanon
        from stores.servers.neo4j_graph import open_graph

        settings = self._settings
        graph = await open_graph(
            settings.get("NEO4J_URL"), settings.get("NEO4J_USER", "neo4j"), settings.get("NEO4J_PASSWORD")
        )
        self._graph = graph
        return OpenConnection(lambda role: ServerCanon(graph, role), graph.close)

    async def _connect_log(self) -> OpenConnection:
        from stores.servers.mongo import MongoDatabase, migrate_schema
        from stores.servers.narrative_log import ServerLog

        settings = self._settings
        mongo = MongoDatabase(make_mongo_connector(settings), settings.get("MONGO_URL"), settings.library)
        try:
            await migrate_schema(mongo)
        except BaseException:
            await mongo.close()
            raise
        self._mongo = mongo
        return OpenConnection(lambda role: ServerLog(mongo, role, clock=self._replay_clock), mongo.close)

    async def _connect_vectors(self) -> OpenConnection:
        from stores.servers.qdrant import open_qdrant
        from stores.servers.vector_index import ServerVectorIndex

        settings = self._settings
        keys = settings.get("QDRANT_API_KEY"), settings.get("QDRANT_READ_ONLY_API_KEY")
        qdrant = await open_qdrant(settings.get("QDRANT_URL"), *keys, prefix=name_prefix(settings.library))
        self._qdrant = qdrant
        return OpenConnection(lambda role: ServerVectorIndex(qdrant, role), qdrant.close)

    async def _connect_words(self) -> OpenConnection:
        from stores.servers.text_index import ServerTextIndex

        opensearch = self._opensearch = await connect_opensearch(self._settings)
        return OpenConnection(lambda role: ServerTextIndex(opensearch, role), opensearch.close)

    async def _connect_objects(self) -> OpenConnection:
        from stores.servers.object_store import ServerObjectStore

        buckets = self._buckets = await connect_minio(self._settings)
        return OpenConnection(lambda role: ServerObjectStore(buckets, role), buckets.close)

    def _open_history(self) -> History:
        from stores.servers.history import ServerHistory

        assert self._graph is not None
        assert self._mongo is not None
        return ServerHistory(self._graph, self._mongo)


def make_mongo_connector(settings: ServerSettings) -> Callable[[Role | None], AsyncMongoClient[Document]]:
    """Return a function that makes a client with the credentials of a role."""
    from pymongo import AsyncMongoClient

    from stores.servers.mongo import CONNECT_MS
    from stores.servers.mongo_roles import user_name

    def connect(role: Role | None) -> AsyncMongoClient[Document]:
        return AsyncMongoClient(
            settings.get("MONGO_URL"),
            username=user_name(role, settings.library, settings.worker),
            password=settings.derive_password("mongo", role),
            authSource="admin",
            appname="monitor",
            serverSelectionTimeoutMS=CONNECT_MS,
            connectTimeoutMS=CONNECT_MS,
            socketTimeoutMS=CONNECT_MS * 5,
        )

    return connect


async def connect_opensearch(settings: ServerSettings) -> OpenSearchServer:
    """Connect to the server of the text index, as each role and as its owner (a worker: as its roles alone)."""
    from stores.servers.opensearch import OpenSearchServer, open_opensearch
    from stores.servers.opensearch_roles import user_name

    def credentials(role: Role | None) -> tuple[str, str]:
        if role is None:
            return settings.get("OPENSEARCH_USER", "admin"), settings.get("OPENSEARCH_PASSWORD")
        return user_name(prefix, role, settings.worker), settings.derive_password("opensearch", role)

    url, prefix = settings.get("OPENSEARCH_URL"), name_prefix(settings.library)
    if settings.worker:
        return OpenSearchServer(url, credentials, prefix)
    return await open_opensearch(url, credentials, prefix=prefix)


async def connect_minio(settings: ServerSettings) -> MinioBuckets:
    """Connect to the server of the object store, as each role and as its owner (a worker: as its roles alone)."""
    from stores.servers.minio import MinioBuckets, open_minio
    from stores.servers.minio_roles import user_name

    def credentials(role: Role | None) -> tuple[str, str]:
        if role is None:
            return settings.get("MINIO_ACCESS_KEY"), settings.get("MINIO_SECRET_KEY")
        return user_name(prefix, role, settings.worker), settings.derive_password("minio", role)

    endpoint, prefix = settings.get("MINIO_ENDPOINT"), name_prefix(settings.library)
    if settings.worker:
        return MinioBuckets(endpoint, credentials, prefix)
    return await open_minio(endpoint, credentials, prefix=prefix)
