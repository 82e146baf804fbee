"""The order of writes to log and canon: those of play before those of background work."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest

from stores.authority import Role, Store
from stores.replication.priority_lock import PriorityLock
from tests.contract import builders as make
from tests.replication.fake_servers import ManualSleep, open_copy, open_fake_servers


async def gone_through(order: PriorityLock, name: str, told: list[str], *, behind: bool = False) -> None:
    async with order.hold(in_background=behind):
        told.append(name)
        await asyncio.sleep(0)


async def test_priority_lock_serves_play_before_background() -> None:
    order, told = PriorityLock(), list[str]()
    names = ["job 1", "turn 1", "job 2", "turn 2", "job 3", "turn 3"]
    async with order.hold(in_background=True):
        tasks = [
            asyncio.ensure_future(gone_through(order, name, told, behind=name.startswith("job")))
            for name in names
        ]
        await asyncio.sleep(0)
        assert told == []
    await asyncio.gather(*tasks)
    assert told == ["turn 1", "turn 2", "turn 3", "job 1", "job 2", "job 3"]
    await gone_through(order, "later", told, behind=True)
    assert told[-1] == "later"


@pytest.mark.parametrize("seed", range(6))
async def test_priority_lock_has_one_holder_after_cancellation(seed: int) -> None:
    order, chance, inside, done = PriorityLock(), random.Random(seed), 0, 0

    async def go(behind: bool) -> None:
        nonlocal inside, done
        async with order.hold(in_background=behind):
            inside += 1
            try:
                assert inside == 1
                for _ in range(chance.randrange(3)):
                    await asyncio.sleep(0)
            finally:
                inside -= 1
            done += 1

    tasks = []
    for _ in range(60):
        tasks.append(asyncio.ensure_future(go(chance.random() < 0.5)))
        if chance.random() < 0.3:
            chance.choice(tasks).cancel()
        if chance.random() < 0.5:
            await asyncio.sleep(0)
    told = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(each is None or isinstance(each, asyncio.CancelledError) for each in told), told
    assert done == sum(each is None for each in told)
    async with order.hold():
        pass


async def test_replicated_writes_of_play_go_before_jobs(tmp_path: Path) -> None:
    async with (
        open_fake_servers(tmp_path / "far") as far,
        open_copy(far, tmp_path / "home", Store.LOG, Store.CANON, sleep=ManualSleep()) as stores,
    ):
        log = stores.log(Role.ORCHESTRATOR)
        story = make.story()
        scene = make.scene(story)
        await log.put_story(story)
        await log.create_scene(scene)
        ended: list[str] = []

        async def ending(name: str, write: Any) -> None:
            await write
            ended.append(name)

        writes = [ending(f"job {n}", log.put_job(make.job())) for n in range(4)]
        await asyncio.gather(*writes, ending("turn", log.append_turn(make.turn(scene))))
        assert ended[:2] == ["job 0", "turn"], "the one job that was under way, and no other"
        assert len(await far.stores.log(Role.NARRATOR).jobs()) == 4
