"""The player of `player.py` on a copy of servers that come and go, and lose their answers, at random."""

from __future__ import annotations

import asyncio
import random
from collections import deque
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from monitor_tui.compose import Program, compose
from stores.authority import Store
from stores.records.ids import SystemIdGenerator, utc_now
from stores.replication.connection import Timeouts
from tests.chaos.player import play_on
from tests.replication.fake_servers import FakeServers, Fault, open_copy, open_fake_servers

TRUTH = (Store.LOG, Store.CANON)
IMPATIENT = Timeouts(read=0.15, write=0.15, probe_pauses=(0.01, 0.02), idle=0.05, refused_pause=0.05)


def run(home: str, far: str, notes: str, seed: int) -> None:
    """Play until killed."""
    asyncio.run(_run(Path(home), Path(far), Path(notes), random.Random(seed)))


async def _run(home: Path, far_home: Path, notes: Path, dice: random.Random) -> None:
    async with open_fake_servers(far_home) as far, AsyncExitStack() as opened:
        for store in TRUTH:
            far.faults[store] = Unsteady(dice)
        weather = asyncio.create_task(_come_and_go(far, dice))

        async def open_() -> Program:
            stores = await opened.enter_async_context(open_copy(far, home, *TRUTH, timeouts=IMPATIENT))
            return Program(
                compose(stores, home, utc_now, SystemIdGenerator(utc_now)), stores, lambda: opened.aclose()
            )

        try:
            await play_on(open_, notes, dice)
        finally:
            weather.cancel()


class Unsteady(deque[Fault | None]):
    """Endless: one call in twelve goes wrong."""

    def __init__(self, dice: random.Random) -> None:
        super().__init__()
        self._dice = dice

    def __bool__(self) -> bool:
        return True

    def popleft(self) -> Any:
        faults = (Fault.LOST_ANSWER, Fault.LOST_ANSWER, Fault.REFUSED, Fault.HANGS_AFTER)
        return self._dice.choice(faults) if self._dice.random() < 1 / 12 else None


async def _come_and_go(far: FakeServers, dice: random.Random) -> None:
    while True:
        await asyncio.sleep(dice.uniform(0.0, 0.15))
        store = dice.choice(TRUTH)
        far.down ^= {store}
