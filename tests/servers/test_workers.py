"""Tests of `monitor worker` with every store on a server and a real broker: the program plays, workers do the rest."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from agents.indexer.index_texts import TurnNeighbours
from agents.indexer.source_reader import SourceReader
from agents.llm.llm_settings import NO_EMBEDDING, AppSettings, EmbeddingSettings
from monitor_tui.background_mode import BackgroundMode
from monitor_tui.compose import Program, open_program
from stores.authority import COLLECTIONS, Role, Store
from stores.errors import InputError, StoreError
from stores.open import open_worker_stores
from stores.queries import MemoryQuery
from stores.records.jobs import JobKind
from stores.records.memory import Memory
from stores.servers.worker_stores import add_worker, remove_worker
from tests.agents.indexer.rebuilt_index import rebuild_index
from tests.program import begin
from tools.brokers import Broker, RabbitMq, Redis
from tools.servers.fetch import ServerMissing

pytestmark = [pytest.mark.servers, pytest.mark.xdist_group("neo4j"), pytest.mark.timeout(300)]

WAIT_SECONDS = 90.0


@pytest.fixture
def broker_type() -> type[Redis | RabbitMq]:
    return Redis


@pytest.fixture
def broker(
    broker_type: type[Redis | RabbitMq], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Broker]:
    folder = tmp_path / "broker"
    folder.mkdir()
    try:
        started = broker_type(folder, fetch=True)
        started.start()
    except ServerMissing as error:
        pytest.skip(str(error))
    monkeypatch.setenv("MONITOR_BROKER", started.url)
    yield started
    started.kill()


@asynccontextmanager
async def worker_process(
    environ: Mapping[str, str], slots: int = 2
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run `monitor worker` in the environment that is its own, and no other."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("MONITOR_")}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "monitor_tui", "worker", "--slots", str(slots)),
        env={**own, **environ},
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(WAIT_SECONDS):
            assert b"is ready" in await process.stdout.readline()
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


@asynccontextmanager
async def playing(home: Path) -> AsyncIterator[Program]:
    settings = AppSettings(embedding=EmbeddingSettings(model=NO_EMBEDDING))
    program = await open_program(home, mode=BackgroundMode.PLAY, settings=settings)
    try:
        program.services.jobs.start()
        yield program
    finally:
        await program.close()


async def catch_up(program: Program) -> None:
    """Wait until nothing is left to do, nor waits for anything."""
    jobs = program.services.jobs
    async with asyncio.timeout(WAIT_SECONDS):
        await jobs.wait_until_idle()
        while jobs.current_status().items_left:
            await asyncio.sleep(0.1)
            await jobs.wait_until_idle()
    assert jobs.current_status().poisoned == ()


async def assert_all_is_made(program: Program) -> None:
    """Compare the index of words with a rebuilt one, and look for memories of what was played."""
    stores = program.stores
    source_reader = SourceReader(stores.canon(Role.INDEXER), stores.log(Role.INDEXER))
    rebuilt = await rebuild_index(source_reader, TurnNeighbours.BOTH)
    words = stores.words(Role.INDEXER)
    for name in COLLECTIONS[Store.WORDS]:
        expected = {id: item.fingerprint for id, item in rebuilt.get(name, {}).items()}
        assert await words.fingerprints(name) == expected, name
    memories: list[Memory] = await stores.log(Role.INDEXER).memories(MemoryQuery())
    assert memories


def workers_row(program: Program) -> str:
    return dict(program.services.jobs.current_status().rows)["workers"]


@pytest.mark.parametrize(("broker_type", "kills"), [(Redis, 3), (RabbitMq, 1)], ids=["redis", "rabbitmq"])
async def test_workers_do_what_follows_play_and_lose_nothing_when_killed(
    tmp_path: Path, on_all_servers: dict[str, str], broker: Broker, kills: int
) -> None:
    """One plays; two workers index and remember; one is killed again and again, and the broker once."""
    attic, cellar = await add_worker(os.environ, "attic"), await add_worker(os.environ, "cellar")
    async with playing(tmp_path / "home") as program:
        services = program.services
        scene_id = await begin(program)
        assert workers_row(program) == "none is there: what they do waits"
        for line in ("I wade in.", "> The water is cold.", "/fact event: Mara found the bell", "/commit"):
            await services.play.submit(scene_id, line)
        async with worker_process(attic) as steady:
            for number in range(kills):
                async with worker_process(cellar):
                    await services.play.submit(scene_id, f"I ring the bell {number} times.")
                    await services.play.submit(scene_id, "> The ford is silent.")
                    if number == kills - 1:
                        broker.kill()
                        broker.start()
            await services.play.undo(scene_id)
            await catch_up(program)
            assert re.search(r"attic: 0 of 2 under way", workers_row(program))
            await assert_all_is_made(program)
            steady.send_signal(signal.SIGTERM)
            assert steady.stdout is not None
            last_line = (await steady.stdout.read()).decode()
            counted = re.search(r"Ended after ([\d,]+) pieces", last_line)
            assert counted is not None, last_line
            assert int(counted[1].replace(",", "")) > 3
        # Without workers the program plays on, and what they do waits.
        await services.play.submit(scene_id, "I leave.")
        view = services.jobs.current_status()
        assert "No worker" in dict(view.rows)["words"] or view.items_left


async def test_worker_has_no_owners_secret_and_is_refused_what_is_not_its_own(
    on_all_servers: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environ = await add_worker(os.environ, "attic")
    text = "\n".join(environ.values())
    for name in ("MONITOR_SERVERS_SECRET", "MONITOR_OPENSEARCH_PASSWORD", "MONITOR_MINIO_SECRET_KEY"):
        assert os.environ[name] not in text, name
    assert "root" not in environ["MONITOR_MONGO_URL"]
    stores = await open_worker_stores(environ)
    try:
        assert await stores.log.jobs(kinds=[JobKind.INDEX]) == []
        assert await stores.words.count("turns") == 0
        with pytest.raises(StoreError):
            await stores.originals.put("originals", b"forged")
        with pytest.raises(StoreError):
            await stores.log.drop_job("forged")
        assert await stores.archives.put("archives", b"an archive")
        with pytest.raises(InputError, match="may make no other"):
            await add_worker(environ, "cellar")
    finally:
        await stores.close()
    await remove_worker(os.environ, "attic")
    await remove_worker(os.environ, "attic")
    with pytest.raises(StoreError):
        await read_jobs(environ)


async def read_jobs(environ: Mapping[str, str]) -> None:
    stores = await open_worker_stores(environ)
    try:
        await stores.log.jobs(kinds=[JobKind.INDEX])
    finally:
        await stores.close()
