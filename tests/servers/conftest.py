"""Real servers for whole sessions: emptied, made ready, and named in the environment (`make servers`)."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest
from neo4j import GraphDatabase, Query

from stores.authority import Store
from stores.servers.history import ServerHistory
from stores.servers.mongo import MongoDatabase, migrate_schema
from stores.servers.neo4j_graph import open_graph
from stores.servers.provisioning import provision_servers
from stores.servers.server_settings import read_server_settings
from stores.servers.server_stores import make_mongo_connector

TRUTH = frozenset({Store.CANON, Store.LOG})
_EMPTY = "MATCH (n) WHERE coalesce(n.name, '') <> 'format' DETACH DELETE n"
_PATIENCE = 60.0
"""Seconds that emptying canon may take."""
_PRODUCTS = ("neo4j", "mongo", "qdrant", "opensearch", "minio")


@pytest.fixture
def on_servers(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Give the environment of a program whose truth is on the servers at hand, in a library of its own."""
    if not (os.environ.get("MONITOR_NEO4J_URL") and os.environ.get("MONITOR_MONGO_URL")):
        pytest.skip("no Neo4j and MongoDB at hand")
    mine = {
        "MONITOR_LIBRARY": f"session_{secrets.token_hex(4)}",
        "MONITOR_SERVERS_SECRET": secrets.token_hex(16),
        "MONITOR_CANON": "servers",
        "MONITOR_LOG": "servers",
    }
    for name, value in mine.items():
        monkeypatch.setenv(name, value)
    empty_canon()
    asyncio.run(provision_servers(os.environ, TRUTH))
    # Its database stays, under a name of its own, and goes with the server's folder: behind killed players
    # SecantusDB was seen to drop it for ever, and to serve nobody meanwhile.
    return mine


@pytest.fixture
def on_all_servers(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """Give the environment of a program all of whose stores are on the servers at hand, in a new library."""
    running = os.environ.get("MONITOR_TEST_SERVERS", "")
    if missing := [name for name in _PRODUCTS if name not in running]:
        pytest.skip(f"not all five servers are at hand: {', '.join(missing)} missing")
    mine = {
        "MONITOR_LIBRARY": f"whole_{secrets.token_hex(4)}",
        "MONITOR_SERVERS_SECRET": secrets.token_hex(16),
        "MONITOR_STORES": "servers",
    }
    for name, value in mine.items():
        monkeypatch.setenv(name, value)
    empty_canon()
    asyncio.run(provision_servers(os.environ))
    yield mine
    empty_canon()


@asynccontextmanager
async def history_there() -> AsyncIterator[ServerHistory]:
    """The servers' own door to what the library in the environment holds, past any copy of it."""
    known = read_server_settings(os.environ, TRUTH)
    graph = await open_graph(known.get("NEO4J_URL"), known.get("NEO4J_USER"), known.get("NEO4J_PASSWORD"))
    mongo = MongoDatabase(make_mongo_connector(known), known.get("MONGO_URL"), known.library)
    try:
        await migrate_schema(mongo)
        yield ServerHistory(graph, mongo)
    finally:
        await mongo.close()
        await graph.close()


def empty_canon() -> None:
    """Neo4j Community has one database, and so one library."""
    credentials = (os.environ.get("MONITOR_NEO4J_USER", "neo4j"), os.environ["MONITOR_NEO4J_PASSWORD"])
    url = os.environ["MONITOR_NEO4J_URL"]
    with GraphDatabase.driver(url, auth=credentials) as driver, driver.session() as session:
        # With an end: what another process has locked for ever is an error of this test, not a wait for ever.
        session.run(Query(_EMPTY, timeout=_PATIENCE)).consume()
