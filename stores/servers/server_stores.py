"""Coming to the servers: a way to connect for each store that is on one, and the door to whole universes.

What stands in between while one of them is down is the mirror's business.
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
from stores.servers.server_names import prefix_of
from stores.servers.server_settings import Addresses

if TYPE_CHECKING:  # a driver takes up to two seconds to import: each comes when its store is on a server
    from pymongo import AsyncMongoClient

    from stores.servers.minio import Buckets
    from stores.servers.mongo import Document, Mongo
    from stores.servers.neo4j_graph import Graph
    from stores.servers.opensearch import OpenSearch
    from stores.servers.qdrant import Qdrant

_DRIVERS: Final[Mapping[Store, str]] = {
    Store.CANON: "neo4j",
    Store.LOG: "pymongo",
    Store.VECTORS: "qdrant_client",
    Store.WORDS: "opensearchpy",
    Store.OBJECTS: "minio",
}


_ADAPTERS: Final[Mapping[Store, str]] = {
    Store.CANON: "canon_graph",
    Store.LOG: "narrative_log",
    Store.VECTORS: "vector_index",
    Store.WORDS: "text_index",
    Store.OBJECTS: "object_store",
}


def import_drivers(stores: frozenset[Store]) -> None:
    """Import what speaks to these stores' servers, before any of them is asked: it takes seconds, in which
    nothing that is under way gets its answer. Raises what `need_drivers` raises."""
    need_drivers(stores)
    for store in stores:
        import_module(f"stores.servers.{_ADAPTERS[store]}")


def need_drivers(stores: frozenset[Store]) -> None:
    """Raise InputError unless what speaks to these stores' servers is installed. Imports nothing."""
    missing = [_DRIVERS[store] for store in Store if store in stores and find_spec(_DRIVERS[store]) is None]
    if missing:
        raise InputError(
            f"What speaks to the servers is not installed here: {', '.join(missing)}.",
            kept="Nothing was opened.",
            todo="Install it with: pip install 'monitor-tui[servers]'.",
        )


class ServerStores:
    """What is open on the servers. `stamps` is the clock that the mirror sets for each write."""

    def __init__(self, addresses: Addresses, stamps: ReplayClock) -> None:
        self._addresses = addresses
        self._stamps = stamps
        self._graph: Graph | None = None
        self._mongo: Mongo | None = None
        self._qdrant: Qdrant | None = None
        self._opensearch: OpenSearch | None = None
        self._buckets: Buckets | None = None

    def doctor(self, home: Doctor, stores: frozenset[Store]) -> Doctor:
        """Return who tries every role on the servers, beside the doctor of the copy at home."""
        from stores.servers.doctor import Open, ServersDoctor

        def now() -> Open:
            return Open(self._graph, self._mongo, self._qdrant, self._opensearch, self._buckets)

        return ServersDoctor(home, now, stores)

    def servers(self, stores: frozenset[Store]) -> ServerConnectors:
        """Return how to come to the servers of these stores."""
        ways: dict[Store, Connector] = {
            Store.CANON: self._canon,
            Store.LOG: self._log,
            Store.VECTORS: self._vectors,
            Store.WORDS: self._words,
            Store.OBJECTS: self._objects,
        }
        both = frozenset({Store.CANON, Store.LOG}) <= stores
        return ServerConnectors(
            connectors={store: way for store, way in ways.items() if store in stores},
            replay_clock=self._stamps,
            open_history=self._history if both else None,
        )

    async def _canon(self) -> OpenConnection:
        from stores.servers.canon_graph import ServerCanon
        from stores.servers.neo4j_graph import open_graph

        a = self._addresses
        graph = await open_graph(a.get("NEO4J_URL"), a.get("NEO4J_USER", "neo4j"), a.get("NEO4J_PASSWORD"))
        self._graph = graph
        return OpenConnection(lambda role: ServerCanon(graph, role), graph.close)

    async def _log(self) -> OpenConnection:
        from stores.servers.mongo import Mongo, migrate
        from stores.servers.narrative_log import ServerLog

        a = self._addresses
        mongo = Mongo(mongo_client(a), a.get("MONGO_URL"), a.library)
        try:
            await migrate(mongo)
        except BaseException:
            await mongo.close()
            raise
        self._mongo = mongo
        return OpenConnection(lambda role: ServerLog(mongo, role, clock=self._stamps), mongo.close)

    async def _vectors(self) -> OpenConnection:
        from stores.servers.qdrant import open_qdrant
        from stores.servers.vector_index import ServerVectors

        a = self._addresses
        keys = a.get("QDRANT_API_KEY"), a.get("QDRANT_READ_ONLY_API_KEY")
        qdrant = await open_qdrant(a.get("QDRANT_URL"), *keys, prefix=prefix_of(a.library))
        self._qdrant = qdrant
        return OpenConnection(lambda role: ServerVectors(qdrant, role), qdrant.close)

    async def _words(self) -> OpenConnection:
        from stores.servers.text_index import ServerWords

        opensearch = self._opensearch = await words_server(self._addresses)
        return OpenConnection(lambda role: ServerWords(opensearch, role), opensearch.close)

    async def _objects(self) -> OpenConnection:
        from stores.servers.object_store import ServerObjects

        buckets = self._buckets = await objects_server(self._addresses)
        return OpenConnection(lambda role: ServerObjects(buckets, role), buckets.close)

    def _history(self) -> History:
        from stores.servers.history import ServerHistory

        assert self._graph is not None
        assert self._mongo is not None
        return ServerHistory(self._graph, self._mongo)


def mongo_client(addresses: Addresses) -> Callable[[Role | None], AsyncMongoClient[Document]]:
    """Return what gives a client with the credentials of a role."""
    from pymongo import AsyncMongoClient

    from stores.servers.mongo import CONNECT_MS
    from stores.servers.mongo_roles import user_of

    def connect(role: Role | None) -> AsyncMongoClient[Document]:
        return AsyncMongoClient(
            addresses.get("MONGO_URL"),
            username=user_of(role, addresses.library),
            password=addresses.password("mongo", role),
            authSource="admin",
            appname="monitor",
            serverSelectionTimeoutMS=CONNECT_MS,
            connectTimeoutMS=CONNECT_MS,
            socketTimeoutMS=CONNECT_MS * 5,
        )

    return connect


async def words_server(addresses: Addresses) -> OpenSearch:
    """Connect to the words' server, as each role and as its owner."""
    from stores.servers.opensearch import open_opensearch
    from stores.servers.opensearch_roles import user_of

    def credentials(role: Role | None) -> tuple[str, str]:
        if role is None:
            return addresses.get("OPENSEARCH_USER", "admin"), addresses.get("OPENSEARCH_PASSWORD")
        return user_of(prefix, role), addresses.password("opensearch", role)

    prefix = prefix_of(addresses.library)
    return await open_opensearch(addresses.get("OPENSEARCH_URL"), credentials, prefix=prefix)


async def objects_server(addresses: Addresses) -> Buckets:
    """Connect to the originals' server, as each role and as its owner."""
    from stores.servers.minio import open_minio
    from stores.servers.minio_roles import user_of

    def credentials(role: Role | None) -> tuple[str, str]:
        if role is None:
            return addresses.get("MINIO_ACCESS_KEY"), addresses.get("MINIO_SECRET_KEY")
        return user_of(prefix, role), addresses.password("minio", role)

    prefix = prefix_of(addresses.library)
    return await open_minio(addresses.get("MINIO_ENDPOINT"), credentials, prefix=prefix)
