"""Tests of indexes on servers that are down for a while during play."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.events import EventBus, HeadMoved, TurnAppended
from agents.indexer.index_reconciler import Indexer
from agents.indexer.index_texts import TurnNeighbours
from agents.indexer.index_worker import IndexWorker
from agents.indexer.index_writers import TextIndexWriter, VectorIndexWriter
from agents.indexer.source_reader import SourceReader
from agents.jobs.job_runner import JobRunner
from agents.jobs.job_store import JobStore
from stores.authority import Role, Store
from stores.open import Stores
from stores.records.ids import Id, utc_now
from stores.records.jobs import JobKind
from stores.records.play import MoveKind, Scene, Turn
from tests.agents.indexer.fake_embedder import FakeEmbedder
from tests.agents.indexer.rebuilt_index import rebuild_index
from tests.contract import builders as make
from tests.replication.fake_servers import (
    FakeServers,
    ManualSleep,
    open_copy,
    open_fake_servers,
    wait_until_healthy,
)

INDEXES = (Store.WORDS, Store.VECTORS)


@pytest.fixture
async def servers(tmp_path: Path) -> AsyncIterator[FakeServers]:
    async with open_fake_servers(tmp_path / "servers") as fake_servers:
        yield fake_servers


class ManualClock:
    """A clock that only the test advances."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def build_runner(stores: Stores, events: EventBus, clock: ManualClock) -> JobRunner:
    source_reader = SourceReader(stores.canon(Role.INDEXER), stores.log(Role.INDEXER))
    runner = JobRunner(JobStore(stores.log(Role.ORCHESTRATOR), utc_now), events, seconds=clock)
    runner.register(
        IndexWorker(source_reader, Indexer(source_reader, TextIndexWriter(stores.words(Role.INDEXER))))
    )
    vectors = VectorIndexWriter(stores.vectors(Role.INDEXER), FakeEmbedder("m"))
    runner.register(IndexWorker(source_reader, Indexer(source_reader, vectors), JobKind.EMBED))
    return runner


async def create_scene(stores: Stores) -> Scene:
    universe = make.universe(id=make.new_id())
    await stores.canon(Role.CANON_KEEPER).commit(make.batch(universe_id=universe.id, universe=universe))
    story = make.story(universe_id=universe.id)
    scene = make.scene(story)
    await stores.log(Role.ORCHESTRATOR).put_story(story)
    await stores.log(Role.ORCHESTRATOR).create_scene(scene)
    return scene


async def read_turn_fingerprints(stores: Stores) -> tuple[dict[Id, str], dict[Id, str]]:
    words = await stores.words(Role.INDEXER).fingerprints("turns")
    return words, await stores.vectors(Role.INDEXER).fingerprints("turns", model="m")


async def test_index_catches_up_after_servers_were_down(servers: FakeServers, tmp_path: Path) -> None:
    sleep, clock, events = ManualSleep(), ManualClock(), EventBus()
    async with open_copy(servers, tmp_path / "home", sleep=sleep) as stores:
        scene = await create_scene(stores)
        runner = build_runner(stores, events, clock)
        log = stores.log(Role.ORCHESTRATOR)

        async def append_turn(after: Turn | None, text: str) -> Turn:
            turn = make.turn(scene, after, text)
            await log.append_turn(turn)
            events.publish(TurnAppended(turn))
            return turn

        first = await append_turn(None, "I wade in.")
        await append_turn(first, "I swim.")
        await runner.wait_until_idle()
        servers.down.update(INDEXES)
        await log.move_head(scene.id, first.id, MoveKind.UNDO)
        events.publish(HeadMoved(scene.id))
        await runner.wait_until_idle()  # jobs that wait for a store are not waited for
        rows = dict(runner.current_status().rows)
        assert "to do · " in rows["words"], rows
        assert "to do · " in rows["meaning"], rows
        assert runner.current_status().poisoned == ()
        servers.down.clear()
        await wait_until_healthy(stores, sleep)
        clock.now += 3_600
        events.publish(HeadMoved(scene.id))
        while runner.current_status().items_left:
            await sleep.let_time_pass()
        source_reader = SourceReader(stores.canon(Role.INDEXER), log)
        words, vectors = [
            {
                i: item.fingerprint
                for i, item in (await rebuild_index(source_reader, neighbours))["turns"].items()
            }
            for neighbours in (TurnNeighbours.BOTH, TurnNeighbours.PREVIOUS)
        ]
        assert words.keys() == vectors.keys() == {first.id}
        assert await read_turn_fingerprints(stores) == (words, vectors)
        await runner.close()
