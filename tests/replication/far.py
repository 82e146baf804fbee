"""Servers for tests: an embedded library in a folder of its own, on a line that can fail in every way."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from enum import Enum, auto
from pathlib import Path
from typing import Any

from stores.authority import Store
from stores.embedded.index_file import open_index
from stores.embedded.library import open_library
from stores.embedded.stores import build_embedded_stores
from stores.errors import StoreFull, StoreUnavailable
from stores.history import History
from stores.records.ids import Clock, utc_now
from stores.replication.connection import OpenConnection, Timeouts
from stores.replication.open_replicated import ServerConnectors, open_replicated_stores
from stores.replication.replay_clock import ReplayClock
from stores.stores import Stores, make_home

QUICK = Timeouts(read=2.0, write=2.0, connect=2.0, close=0.2)
"""For tests in which a server hangs: long enough for one that does not, on a busy machine."""

HASTY = Timeouts(read=0.1, write=0.1, connect=0.1, close=0.1)
"""For tests in which it does no harm if a server that is merely slow is taken for a dead one."""


class Fault(Enum):
    """What becomes of one call."""

    REFUSED = auto()
    FULL = auto()
    LOST_ANSWER = auto()
    HANGS_BEFORE = auto()
    HANGS_AFTER = auto()
    CRASH_BEFORE = auto()
    CRASH_AFTER = auto()


BEFORE = {Fault.REFUSED, Fault.FULL, Fault.HANGS_BEFORE, Fault.CRASH_BEFORE}


class Crash(BaseException):
    """The process ends here: nothing that catches errors catches this."""


class Far:
    """The servers of one library. `down` are those that are stopped; `faults` come to the next calls.

    `cut`: the process that calls is dead. `crashed`: a fault killed it.
    """

    def __init__(self, stores: Stores, stamps: ReplayClock) -> None:
        self.stores = stores
        self.stamps = stamps
        self.down: set[Store] = set()
        self.cut = False
        self.crashed = False
        self.faults: dict[Store, deque[Fault | None]] = {store: deque() for store in Store}
        self.calls: list[tuple[Store, str]] = []
        self.refuse: Callable[[Store, str, tuple[Any, ...]], None] = lambda store, method, args: None

    def servers(self, *on: Store) -> ServerConnectors:
        """Return the ways to these (all, if none is named)."""
        both = {Store.LOG, Store.CANON} <= set(on or Store)
        ways = {store: self._way(store) for store in on or tuple(Store)}
        return ServerConnectors(ways, self.stamps, (lambda: FarHistory(self)) if both else None)

    def _way(self, store: Store) -> Callable[[], Awaitable[OpenConnection]]:
        async def connect() -> OpenConnection:
            if store in self.down:
                raise stopped(store)
            return OpenConnection(lambda role: FarHandle(self, store, role), _nothing)

        return connect

    async def call(self, store: Store, method: str, args: tuple[Any, ...], job: Callable[[], Any]) -> Any:
        """Make one call over the line."""
        self.calls.append((store, method))
        if self.cut:
            raise Crash
        if store in self.down:
            raise stopped(store)
        fault = self.faults[store].popleft() if self.faults[store] else None
        if fault is None:
            self.refuse(store, method, args)
            return await job()
        answer = await job() if fault not in BEFORE else None
        if fault in (Fault.REFUSED, Fault.LOST_ANSWER):
            raise stopped(store)
        if fault is Fault.FULL:
            raise StoreFull("The server's disk is full.")
        if fault in (Fault.CRASH_BEFORE, Fault.CRASH_AFTER):
            self.crashed = self.cut = True
            raise Crash
        await asyncio.sleep(3600)
        return answer


class FarHandle:
    def __init__(self, far: Far, store: Store, role: Any) -> None:
        self._far = far
        self._store = store
        self._handle = getattr(far.stores, store.value)(role)

    def __getattr__(self, method: str) -> Any:
        function = getattr(self._handle, method)

        async def call(*args: Any, **named: Any) -> Any:
            return await self._far.call(
                self._store, method, (*args, *named.values()), lambda: function(*args, **named)
            )

        return call


class FarHistory:
    is_single_snapshot = True

    def __init__(self, far: Far) -> None:
        self._far = far

    async def dump(self, universe_id: str, sink: Any) -> None:
        await self._over("dump", lambda: self._far.stores.history.dump(universe_id, sink))

    async def dump_all(self, sink: Any) -> None:
        await self._over("dump_all", lambda: self._far.stores.history.dump_all(sink))

    async def load(self, parts: Any, *, mentioned_ids: Any, finish_partial: bool = False) -> set[str]:
        existing_ids: set[str] = await self._over(
            "load",
            lambda: self._far.stores.history.load(
                parts, mentioned_ids=mentioned_ids, finish_partial=finish_partial
            ),
        )
        return existing_ids

    async def _over(self, method: str, job: Callable[[], Any]) -> Any:
        if Store.CANON in self._far.down:
            raise stopped(Store.CANON)
        return await self._far.call(Store.LOG, method, (), job)


def stopped(store: Store) -> StoreUnavailable:
    return StoreUnavailable(f"The {store} server at far.example does not answer: connection refused.")


async def _nothing() -> None:
    pass


class Naps:
    """A `sleep` that lasts until the test says that the time has passed."""

    def __init__(self) -> None:
        self._over = asyncio.Event()
        self.asked: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.asked.append(seconds)
        await self._over.wait()

    async def pass_(self) -> None:
        """Let every nap end that is under way."""
        over, self._over = self._over, asyncio.Event()
        over.set()
        await asyncio.sleep(0)


@asynccontextmanager
async def far_away(folder: Path, *, clock: Clock = utc_now) -> AsyncIterator[Far]:
    """Open the servers' own library in `folder`."""
    stamps = ReplayClock(clock)
    await asyncio.to_thread(make_home, folder)
    library = await open_library(folder / "library.db")
    index = await open_index(folder / "index.db")

    async def close() -> None:
        await index.close()
        await library.close()

    try:
        yield Far(build_embedded_stores(folder, library, index, stamps, close), stamps)
    finally:
        await close()


@asynccontextmanager
async def mirror_of(far: Far, home: Path, *on: Store, **given: Any) -> AsyncIterator[Stores]:
    """Open the copy in `home`, and close it again."""
    stores = await open_replicated_stores(far.servers(*on), home, **given)
    try:
        yield stores
    finally:
        await stores.close()


async def all_of(stores: Stores) -> dict[tuple[str, str], list[str]]:
    """Everything of truth that a library has, to be compared."""
    return await told_by(stores.history)


async def told_by(history: History) -> dict[tuple[str, str], list[str]]:
    """The same of whatever hands it out."""
    found: dict[tuple[str, str], list[str]] = {}

    def sink(universe_id: str, collection: str, records: Any) -> None:
        found[universe_id, collection] = [record.model_dump_json() for record in records]

    await history.dump_all(sink)
    return {key: rows for key, rows in found.items() if rows}


async def healed(stores: Stores, naps: Naps, *, rounds: int = 60_000) -> None:
    """Let time pass until every store is well again; the rounds are a bound, not a wait."""
    await until(naps, lambda: all(state == "ok" for _, state in stores.health()), rounds=rounds)


async def until(naps: Naps, so: Callable[[], bool], *, rounds: int = 60_000) -> None:
    """Let time pass until it is so."""
    for _ in range(rounds):
        if so():
            return
        await naps.pass_()
        await asyncio.sleep(0.001)
    raise AssertionError("it never came to that")
