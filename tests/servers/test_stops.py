"""Each real server in turn is killed in the middle of a session, and started again: nothing lost or doubled.

The servers must be the launcher's, to be stopped by it.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from stores.authority import Role, Store
from stores.errors import StoreUnavailable
from stores.open import StoreKind, open_stores
from stores.ports import TextItem, VectorItem
from stores.records.ids import Clock, utc_now
from stores.servers.provisioning import provision_servers
from stores.stores import StoreNotice, Stores
from tests.replication.fake_servers import read_everything
from tests.replication.sessions import new_clock, played, played_at_home
from tests.servers.conftest import empty_canon

pytestmark = [pytest.mark.servers, pytest.mark.xdist_group("neo4j"), pytest.mark.timeout(900)]

SERVER = {
    Store.LOG: "mongo",
    Store.CANON: "neo4j",
    Store.VECTORS: "qdrant",
    Store.WORDS: "opensearch",
    Store.OBJECTS: "minio",
}
SERVED = dict.fromkeys(Store, StoreKind.SERVERS)
HEALED_WITHIN = 180
"""Seconds that a Java server and the pauses between probes may take, at most."""


@pytest.fixture
def launcher_run(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """All five servers, emptied and made ready for a library of its own, and the run that they are of."""
    run = os.environ.get("MONITOR_TEST_RUN", "")
    running = os.environ.get("MONITOR_TEST_SERVERS", "")
    if not run or not all(name in running for name in SERVER.values()):
        pytest.skip("not all five servers are at hand, and ours to stop (MONITOR_TEST_RUN)")
    monkeypatch.setenv("MONITOR_LIBRARY", f"stops_{secrets.token_hex(4)}")
    monkeypatch.setenv("MONITOR_SERVERS_SECRET", secrets.token_hex(16))
    empty_canon()
    asyncio.run(provision_servers(os.environ))
    yield run
    empty_canon()


@asynccontextmanager
async def served(home: Path, clock: Clock = utc_now) -> AsyncIterator[Stores]:
    stores = await open_stores(home, clock=clock, kinds=SERVED, environ=os.environ)
    try:
        yield stores
    finally:
        await stores.close()


@pytest.mark.parametrize("stopped", Store)
async def test_server_killed_during_a_session_loses_nothing(
    tmp_path: Path, launcher_run: str, stopped: Store
) -> None:
    expected = await played_at_home(tmp_path / "at home", "orc.play", 5)
    told: list[StoreNotice] = []
    clock, home = new_clock(), tmp_path / "served"
    async with served(home, clock) as stores:
        stores.add_notice_listener(told.append)
        await index(stores, "before")

        async def happens(line: int) -> None:
            if line == 4:
                await launch("stop", SERVER[stopped], "--kill", run=launcher_run)
            if line == 7:
                await index(stores, "meanwhile")
                await found(stores, missing=stopped)

        try:
            assert await played(stores, home, "orc.play", 5, clock, happens) == expected
        finally:
            await launch("start", SERVER[stopped], run=launcher_run)
        await healed(stores)
        for store in {stopped, *(n.store for n in told)}:  # a busy machine may keep others waiting too long
            assert [n.severity for n in told if n.store is store] == ["warning", "information"]
        await index(stores, "after")
        await found(stores)
        here = await read_everything(stores)
    async with served(tmp_path / "elsewhere") as stores:
        assert await read_everything(stores) == here, "another machine fetches the same from the servers"


async def index(stores: Stores, name: str) -> None:
    """Index a text and its meaning, and keep a document."""
    await stores.words(Role.INDEXER).put("turns", [TextItem(name, f"the bell {name}", {})])
    vector = VectorItem(name, [1.0, 0.5], {})
    await stores.vectors(Role.INDEXER).put("turns", [vector], model="stops")
    await stores.objects(Role.INGEST).put("originals", name.encode())


async def found(stores: Stores, missing: Store | None = None) -> None:
    """See that all that was indexed is found, once, or that a search says why not."""
    words, vectors = stores.words(Role.INDEXER), stores.vectors(Role.INDEXER)
    said = ["before", "meanwhile"] if missing else ["after", "before", "meanwhile"]
    for store, search in (
        (Store.WORDS, lambda: words.search("turns", "bell")),
        (Store.VECTORS, lambda: vectors.search("turns", [1.0, 0.5], model="stops")),
    ):
        if store is missing:
            with pytest.raises(StoreUnavailable):
                await search()
        else:
            assert sorted(hit.id for hit in await search()) == said
    objects = stores.objects(Role.INGEST)
    assert sorted([await objects.get("originals", key) for key in await objects.keys("originals")]) == [
        name.encode() for name in said
    ]


async def healed(stores: Stores) -> None:
    async with asyncio.timeout(HEALED_WITHIN):
        while not all(state == "ok" for _, state in stores.health()):  # noqa: ASYNC110  (a real server's time)
            await asyncio.sleep(0.2)


async def launch(*words: str, run: str) -> None:
    """Have the launcher stop or start one of its servers, in a thread: play goes on meanwhile."""
    await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "tools.servers", *words, "--run", run],
        check=True,
        capture_output=True,
    )
