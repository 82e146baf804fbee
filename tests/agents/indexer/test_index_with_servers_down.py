"""Indexes on servers that go and come back while there is something to index."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.events import EventBus, HeadMoved, TurnAppended
from agents.indexer.index_reconciler import Indexer
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
from tests.agents.indexer.rebuilt_index import anew
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
async def far(tmp_path: Path) -> AsyncIterator[FakeServers]:
    async with open_fake_servers(tmp_path / "far") as opened:
        yield opened


class Hour:
    """A clock that stands until the test has an hour pass."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def runner_of(stores: Stores, events: EventBus, hour: Hour) -> JobRunner:
    truth = SourceReader(stores.canon(Role.INDEXER), stores.log(Role.INDEXER))
    runner = JobRunner(JobStore(stores.log(Role.ORCHESTRATOR), utc_now), events, seconds=hour)
    runner.register(IndexWorker(truth, Indexer(truth, TextIndexWriter(stores.words(Role.INDEXER)))))
    vectors = VectorIndexWriter(stores.vectors(Role.INDEXER), FakeEmbedder("m"))
    runner.register(IndexWorker(truth, Indexer(truth, vectors), JobKind.EMBED))
    return runner


async def begin(stores: Stores) -> Scene:
    universe = make.universe(id=make.new_id())
    await stores.canon(Role.CANON_KEEPER).commit(make.batch(universe_id=universe.id, universe=universe))
    story = make.story(universe_id=universe.id)
    scene = make.scene(story)
    await stores.log(Role.ORCHESTRATOR).put_story(story)
    await stores.log(Role.ORCHESTRATOR).create_scene(scene)
    return scene


async def marks(stores: Stores) -> tuple[dict[Id, str], dict[Id, str]]:
    words = await stores.words(Role.INDEXER).fingerprints("turns")
    return words, await stores.vectors(Role.INDEXER).fingerprints("turns", model="m")


async def test_index_catches_up_after_servers_were_down(far: FakeServers, tmp_path: Path) -> None:
    naps, hour, events = ManualSleep(), Hour(), EventBus()
    async with open_copy(far, tmp_path / "home", sleep=naps) as stores:
        scene = await begin(stores)
        runner = runner_of(stores, events, hour)
        log = stores.log(Role.ORCHESTRATOR)

        async def say(after: Turn | None, text: str) -> Turn:
            turn = make.turn(scene, after, text)
            await log.append_turn(turn)
            events.publish(TurnAppended(turn))
            return turn

        first = await say(None, "I wade in.")
        await say(first, "I swim.")
        await runner.wait_until_idle()
        far.down.update(INDEXES)
        await log.move_head(scene.id, first.id, MoveKind.UNDO)
        events.publish(HeadMoved(scene.id))
        await runner.wait_until_idle()  # it does not wait for them
        rows = dict(runner.current_status().rows)
        assert "to do · " in rows["words"], rows
        assert "to do · " in rows["meaning"], rows
        assert runner.current_status().poisoned == ()
        far.down.clear()
        await wait_until_healthy(stores, naps)
        hour.now += 3_600
        events.publish(HeadMoved(scene.id))
        while runner.current_status().items_left:
            await naps.let_time_pass()
        truth = SourceReader(stores.canon(Role.INDEXER), log)
        wanted = {id: item.fingerprint for id, item in (await anew(truth))["turns"].items()}
        assert wanted.keys() == {first.id}
        assert await marks(stores) == (wanted, wanted)
        await runner.close()
