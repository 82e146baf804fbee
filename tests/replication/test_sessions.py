"""The two worked examples while servers fail and return: the report and the servers' data are the same."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections import deque
from pathlib import Path
from typing import Any

import pytest

from stores.authority import Store
from tests.replication.fake_servers import (
    Fault,
    ManualSleep,
    open_copy,
    open_fake_servers,
    read_everything,
    wait_until_healthy,
)
from tests.replication.sessions import new_clock, nothing, played, played_at_home

pytestmark = pytest.mark.slow

EXAMPLES = [("orc.play", 5), ("hidden_door.play", 1)]


@pytest.mark.parametrize(("script", "seed"), EXAMPLES)
@pytest.mark.parametrize("upset", [*Store, None])
async def test_session_with_an_outage_gives_the_same_story(
    tmp_path: Path, script: str, seed: int, upset: Store | None
) -> None:
    """The server is down at every second line (None: all five are)."""
    stores_upset = {upset} if upset else set(Store)
    expected = await played_at_home(tmp_path / "at home", script, seed)
    clock, naps = new_clock(), ManualSleep()
    async with open_fake_servers(tmp_path / "far", clock=clock) as far:

        async def flap(line: int) -> None:
            if line % 2:
                far.down |= stores_upset
            else:
                far.down.clear()
                await naps.let_time_pass()

        home = tmp_path / "home"
        async with open_copy(far, home, sleep=naps) as stores:
            assert await played(stores, home, script, seed, clock, flap) == expected
            far.down.clear()
            await wait_until_healthy(stores, naps)
            assert await read_everything(stores) == await read_everything(far.stores)


@pytest.mark.parametrize(("script", "seed"), EXAMPLES)
async def test_session_with_frequent_faults_gives_the_same_story(
    tmp_path: Path, script: str, seed: int
) -> None:
    expected = await played_at_home(tmp_path / "at home", script, seed)
    clock, naps = new_clock(), ManualSleep()
    async with open_fake_servers(tmp_path / "far", clock=clock) as far:
        home = tmp_path / "home"
        async with open_copy(far, home, sleep=naps) as stores:
            for store, faults in (
                (Store.LOG, (Fault.LOST_ANSWER, Fault.REFUSED)),
                (Store.CANON, (Fault.FULL,)),
            ):
                far.faults[store] = EveryFew(faults)
            time = asyncio.create_task(passing(naps))
            assert await played(stores, home, script, seed, clock, nothing) == expected
            far.faults = {store: deque() for store in Store}
            time.cancel()
            await wait_until_healthy(stores, naps)
            assert await read_everything(stores) == await read_everything(far.stores)


class EveryFew(deque[Fault | None]):
    """An endless sequence with a fault at every ninth call."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        super().__init__()
        self._next = itertools.cycle(call for fault in faults for call in (*[None] * 8, fault))

    def __bool__(self) -> bool:
        return True

    def popleft(self) -> Any:
        return next(self._next)


async def passing(naps: ManualSleep) -> None:
    with contextlib.suppress(asyncio.CancelledError):
        while True:
            await naps.let_time_pass()
            await asyncio.sleep(0.002)
