"""A real process is killed at random moments while its servers flap; nothing is lost, nothing is there twice."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import random
import signal
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from monitor_tui.compose import Program, compose
from stores.authority import Store
from stores.records.ids import SystemIdGenerator, utc_now
from stores.stores import Stores
from tests.chaos import flapping
from tests.chaos.test_kill import entries_of, look_at_everything, wait_for_more
from tests.replication.fake_servers import (
    FakeServers,
    ManualSleep,
    open_copy,
    open_fake_servers,
    read_everything,
    wait_until_healthy,
)

KILLS = int(os.environ.get("MONITOR_CHAOS_KILLS", "200")) // 4
LONGEST = 3.0
READINGS = 20
"""Of both sides, before they are said to differ."""

pytestmark = pytest.mark.chaos


def test_replication_kills_with_flapping_servers_lose_nothing(tmp_path: Path) -> None:
    home, far, notes = tmp_path / "home", tmp_path / "far", tmp_path / "notes"
    dice = random.Random(20_261_122)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.chaos.flapping"])
    waited = 0
    for _ in range(KILLS):
        began = notes.stat().st_size if notes.exists() else 0
        process = context.Process(
            target=flapping.run, args=(str(home), str(far), str(notes), dice.getrandbits(32))
        )
        process.start()
        wait_for_more(notes, began)
        process.join(dice.uniform(0.0, LONGEST))
        assert process.is_alive(), "the player ended by itself: see its error above"
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        waited += asyncio.run(_check(home, far, entries_of(notes)))
    acknowledged = [e for e in entries_of(notes) if e["kind"] == "acknowledged"]
    print(
        f"{KILLS} kills: {len(acknowledged)} lines acknowledged, none lost; {waited} writes were sent later"
    )
    assert len(acknowledged) > KILLS
    assert waited, "no kill found anything waiting: the test would show nothing"


async def _check(home: Path, far_home: Path, entries: list[dict[str, Any]]) -> int:
    """Start again with the servers well; look at everything on both sides. Returns how much had waited."""
    naps = ManualSleep()
    async with open_fake_servers(far_home) as far:
        far.down |= {Store.LOG, Store.CANON}
        async with open_copy(far, home, Store.LOG, Store.CANON, sleep=naps) as stores:
            waiting = _waiting(dict(stores.health()))
            far.down.clear()
            await _expect_the_same(stores, far, naps)
            program = Program(
                compose(stores, home, utc_now, SystemIdGenerator(utc_now)), stores, stores.close
            )
            await look_at_everything(program, entries)
            await _expect_the_same(stores, far, naps)
    return waiting


async def _expect_the_same(stores: Stores, far: FakeServers, naps: ManualSleep) -> None:
    """Wait until both sides have the same: what recovery still writes may come between the two readings."""
    here: dict[tuple[str, str], list[str]] = {}
    there: dict[tuple[str, str], list[str]] = {}
    for _ in range(READINGS):
        await wait_until_healthy(stores, naps)
        here, there = await read_everything(stores), await read_everything(far.stores)
        if here == there:
            return
    assert here == there, f"only here: {_only_in(here, there)}; only there: {_only_in(there, here)}"


def _only_in(
    one: dict[tuple[str, str], list[str]], other: dict[tuple[str, str], list[str]]
) -> dict[str, list[str]]:
    """Return what one side has more than the other, by collection; pytest would cut the records short."""
    return {
        collection: rows
        for (universe, collection), all_rows in one.items()
        if (rows := sorted(set(all_rows) - set(other.get((universe, collection), ()))))
    }


def _waiting(health: dict[str, str]) -> int:
    words = " ".join(health.values()).split()
    return sum(int(word) for word, then in pairwise(words) if then == "to")
