"""The contract's adapters on a copy of servers: with them up, down, and failing at every other call.

When a test is done the servers come back, and must then hold just what the copy holds.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from stores.authority import Store
from tests.replication.fake_servers import (
    FakeServers,
    Fault,
    ManualSleep,
    open_copy,
    open_fake_servers,
    read_everything,
    wait_until_healthy,
)

_FLAPS = (Fault.LOST_ANSWER, None, Fault.REFUSED, None, Fault.FULL)


class _Flapping(deque[Fault | None]):
    """The faults of a store that fails again and again."""

    def __init__(self) -> None:
        super().__init__()
        self._faults = itertools.cycle(_FLAPS)

    def __bool__(self) -> bool:
        return True

    def popleft(self) -> Any:
        return next(self._faults)


def _stop(far: FakeServers) -> None:
    far.down |= {Store.LOG, Store.CANON}


def _flap(far: FakeServers) -> None:
    for store in (Store.LOG, Store.CANON):
        far.faults[store] = _Flapping()


@asynccontextmanager
async def _truth(folder: Path, upset: Callable[[FakeServers], None]) -> AsyncIterator[Any]:
    async with open_fake_servers(folder / "far") as far:
        naps = ManualSleep()
        async with open_copy(far, folder / "home", Store.LOG, Store.CANON, sleep=naps) as stores:
            upset(far)
            yield stores
            far.down.clear()
            for store in Store:
                far.faults[store] = deque()
            await wait_until_healthy(stores, naps)
            assert await read_everything(stores) == await read_everything(far.stores)


@asynccontextmanager
async def _derived(folder: Path) -> AsyncIterator[Any]:
    async with (
        open_fake_servers(folder / "far") as far,
        open_copy(far, folder / "home", sleep=ManualSleep()) as stores,
    ):
        yield stores


TRUTH: dict[str, Callable[[Path], AbstractAsyncContextManager[Any]]] = {
    "mirrored": partial(_truth, upset=lambda far: None),
    "mirrored, servers stopped": partial(_truth, upset=_stop),
    "mirrored, servers flapping": partial(_truth, upset=_flap),
}
DERIVED: dict[str, Callable[[Path], AbstractAsyncContextManager[Any]]] = {"mirrored": _derived}
