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
from tests.replication.far import Far, Fault, Naps, all_of, far_away, healed, mirror_of

_FLAPS = (Fault.LOST_ANSWER, None, Fault.REFUSED, None, Fault.FULL)


class _Flapping(deque[Fault | None]):
    """What becomes of the calls of a store that fails again and again."""

    def __init__(self) -> None:
        super().__init__()
        self._faults = itertools.cycle(_FLAPS)

    def __bool__(self) -> bool:
        return True

    def popleft(self) -> Any:
        return next(self._faults)


def _stop(far: Far) -> None:
    far.down |= {Store.LOG, Store.CANON}


def _flap(far: Far) -> None:
    for store in (Store.LOG, Store.CANON):
        far.faults[store] = _Flapping()


@asynccontextmanager
async def _truth(folder: Path, upset: Callable[[Far], None]) -> AsyncIterator[Any]:
    async with far_away(folder / "far") as far:
        naps = Naps()
        async with mirror_of(far, folder / "home", Store.LOG, Store.CANON, sleep=naps) as stores:
            upset(far)
            yield stores
            far.down.clear()
            for store in Store:
                far.faults[store] = deque()
            await healed(stores, naps)
            assert await all_of(stores) == await all_of(far.stores)


@asynccontextmanager
async def _derived(folder: Path) -> AsyncIterator[Any]:
    async with far_away(folder / "far") as far, mirror_of(far, folder / "home", sleep=Naps()) as stores:
        yield stores


TRUTH: dict[str, Callable[[Path], AbstractAsyncContextManager[Any]]] = {
    "mirrored": partial(_truth, upset=lambda far: None),
    "mirrored, servers stopped": partial(_truth, upset=_stop),
    "mirrored, servers flapping": partial(_truth, upset=_flap),
}
DERIVED: dict[str, Callable[[Path], AbstractAsyncContextManager[Any]]] = {"mirrored": _derived}
