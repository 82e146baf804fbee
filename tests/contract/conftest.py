"""The adapters of the contract suite: every test here runs against each of them, with handles for each role.

An adapter is a context manager over a fresh, empty store. A server's is added to `ADAPTERS` by name.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from stores.authority import Role
from stores.changes import ChangeReader
from stores.embedded.canon_graph import EmbeddedCanon
from stores.embedded.changes import EmbeddedChanges
from stores.embedded.commits import EmbeddedCommits
from stores.embedded.index_file import open_index
from stores.embedded.library import open_library
from stores.embedded.narrative_log import EmbeddedLog
from stores.embedded.object_store import EmbeddedObjectStore
from stores.embedded.text_index import EmbeddedTextIndex
from stores.embedded.vector_index import EmbeddedVectorIndex
from stores.ports import CommitWriter, ObjectStore, TextIndex, VectorIndex
from tests.contract import replicated


class Truth(NamedTuple):
    """Makes the handles of a role for log and canon."""

    log: Callable[[Role], Any]
    canon: Callable[[Role], Any]
    changes: ChangeReader | None = None
    """The numbered changes, of an adapter that can number them."""
    commits: Callable[[Role], CommitWriter] | None = None
    """Writes canon and log at once, of an adapter that is one database."""


Adapter = Callable[[Path], AbstractAsyncContextManager[Truth]]


@asynccontextmanager
async def embedded(folder: Path) -> AsyncIterator[Truth]:
    db = await open_library(folder / "library.db")
    try:
        yield Truth(
            lambda role: EmbeddedLog(db, role),
            lambda role: EmbeddedCanon(db, role),
            EmbeddedChanges(db),
            lambda role: EmbeddedCommits(db, role),
        )
    finally:
        await db.close()


@asynccontextmanager
async def neo4j(folder: Path) -> AsyncIterator[Truth]:
    from tests.contract.servers import neo4j_canon

    def no_log(role: Role) -> Any:
        pytest.skip("this adapter is canon alone")

    async with neo4j_canon(folder) as canon:
        yield Truth(no_log, canon)


@asynccontextmanager
async def mongo(folder: Path) -> AsyncIterator[Truth]:
    from tests.contract.servers import mongo_log

    def no_canon(role: Role) -> Any:
        pytest.skip("this adapter is the log alone")

    async with mongo_log(folder) as log:
        yield Truth(log, no_canon)


ADAPTERS: dict[str, Adapter] = {"embedded": embedded, **replicated.TRUTH}
ON_SERVERS: dict[str, Adapter] = {}
if os.environ.get("MONITOR_MONGO_URL"):
    ON_SERVERS["mongo"] = mongo
if os.environ.get("MONITOR_NEO4J_URL"):
    ON_SERVERS["neo4j"] = neo4j
ADAPTERS |= ON_SERVERS


def cases(adapters: Collection[str], on_servers: Collection[str]) -> list[Any]:
    """Return the adapters as parameters; those on servers are marked, each a group of its own; so are
    those on a copy of servers, which take their time."""
    marks: dict[str, Any] = {name: pytest.mark.slow for name in adapters if name != "embedded"}
    marks |= {name: (pytest.mark.servers, pytest.mark.xdist_group(name)) for name in on_servers}
    return [pytest.param(name, marks=marks.get(name, ())) for name in adapters]


@pytest.fixture(params=cases(ADAPTERS, ON_SERVERS))
async def truth(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Truth]:
    async with ADAPTERS[request.param](tmp_path) as opened:
        yield opened


class Derived(NamedTuple):
    """Makes the handles of a role for vectors, words and objects."""

    vectors: Callable[[Role], VectorIndex]
    words: Callable[[Role], TextIndex]
    objects: Callable[[Role], ObjectStore]


DerivedAdapter = Callable[[Path], AbstractAsyncContextManager[Derived]]


@asynccontextmanager
async def embedded_derived(folder: Path) -> AsyncIterator[Derived]:
    index = await open_index(folder / "index.db")
    try:
        yield Derived(
            lambda role: EmbeddedVectorIndex(index, role),
            lambda role: EmbeddedTextIndex(index, role),
            lambda role: EmbeddedObjectStore(folder / "objects", role),
        )
    finally:
        await index.close()


@asynccontextmanager
async def derived_servers(folder: Path) -> AsyncIterator[Derived]:
    from tests.contract import servers

    async with servers.derived_servers(folder) as stores:
        yield Derived(*stores)


@pytest.fixture(scope="session", autouse=True)
def no_users_are_left_on_servers() -> Iterator[None]:
    yield
    if "tests.contract.servers" in sys.modules:
        asyncio.run(sys.modules["tests.contract.servers"].remove_users())


DERIVED_ADAPTERS: dict[str, DerivedAdapter] = {"embedded": embedded_derived, **replicated.DERIVED}
if any(os.environ.get(f"MONITOR_{name}") for name in ("QDRANT_URL", "OPENSEARCH_URL", "MINIO_ENDPOINT")):
    DERIVED_ADAPTERS["servers"] = derived_servers


@pytest.fixture(params=cases(DERIVED_ADAPTERS, ["servers"]))
async def derived(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Derived]:
    async with DERIVED_ADAPTERS[request.param](tmp_path) as opened:
        yield opened
