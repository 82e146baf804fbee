"""Fake servers for tests: an embedded library in a folder of its own, behind a connection that can fail."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
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

SHORT_TIMEOUTS = Timeouts(read=2.0, write=2.0, connect=2.0, close=0.2)
"""For tests in which a server hangs: long enough for one that does not hang, on a busy machine."""

VERY_SHORT_TIMEOUTS = Timeouts(read=0.1, write=0.1, connect=0.1, close=0.1)
"""For tests in which a slow server may be taken for a dead one."""


class Fault(Enum):
    """How one call fails."""

    REFUSED = auto()
    FULL = auto()
    LOST_ANSWER = auto()
    HANGS_BEFORE = auto()
    HANGS_AFTER = auto()
    LOSES_CANCELLATION = auto()
    CRASH_BEFORE = auto()
    CRASH_AFTER = auto()


FAULTS_BEFORE_THE_CALL = {Fault.REFUSED, Fault.FULL, Fault.HANGS_BEFORE, Fault.CRASH_BEFORE}


class SimulatedCrash(BaseException):
    """The process ends here: no error handler catches this."""


class FakeServers:
    """The servers of one library. `down` are those that are stopped; `faults` are applied to the next calls.

    `is_disconnected`: the calling process is dead. `has_crashed`: a fault killed it.
    """

    def __init__(self, stores: Stores, stamps: ReplayClock) -> None:
        self.stores = stores
        self.stamps = stamps
        self.down: set[Store] = set()
        self.is_disconnected = False
        self.has_crashed = False
        self.faults: dict[Store, deque[Fault | None]] = {store: deque() for store in Store}
        self.calls: list[tuple[Store, str]] = []
        self.refuse: Callable[[Store, str, tuple[Any, ...]], None] = lambda store, method, args: None

    def servers(self, *on: Store) -> ServerConnectors:
        """Return the connectors to these stores (all, if none is named)."""
        both = {Store.LOG, Store.CANON} <= set(on or Store)
        ways = {store: self._way(store) for store in on or tuple(Store)}
        return ServerConnectors(ways, self.stamps, (lambda: FakeServerHistory(self)) if both else None)

    def _way(self, store: Store) -> Callable[[], Awaitable[OpenConnection]]:
        async def connect() -> OpenConnection:
            if store in self.down:
                raise outage_error(store)
            return OpenConnection(lambda role: FakeServerHandle(self, store, role), _nothing)

        return connect

    async def call(self, store: Store, method: str, args: tuple[Any, ...], job: Callable[[], Any]) -> Any:
        """Make one call over the connection."""
        self.calls.append((store, method))
        if self.is_disconnected:
            raise SimulatedCrash
        if store in self.down:
            raise outage_error(store)
        fault = self.faults[store].popleft() if self.faults[store] else None
        if fault is None:
            self.refuse(store, method, args)
            return await job()
        if fault is Fault.LOSES_CANCELLATION:
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(3600)
            return await job()
        answer = await job() if fault not in FAULTS_BEFORE_THE_CALL else None
        if fault in (Fault.REFUSED, Fault.LOST_ANSWER):
            raise outage_error(store)
        if fault is Fault.FULL:
            raise StoreFull("The server's disk is full.")
        if fault in (Fault.CRASH_BEFORE, Fault.CRASH_AFTER):
            self.has_crashed = self.is_disconnected = True
            raise SimulatedCrash
        await asyncio.sleep(3600)
        return answer


class FakeServerHandle:
    def __init__(self, far: FakeServers, store: Store, role: Any) -> None:
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


class FakeServerHistory:
    is_single_snapshot = True

    def __init__(self, far: FakeServers) -> None:
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
            raise outage_error(Store.CANON)
        return await self._far.call(Store.LOG, method, (), job)


def outage_error(store: Store) -> StoreUnavailable:
    return StoreUnavailable(f"The {store} server at far.example does not answer: connection refused.")


async def _nothing() -> None:
    pass


class ManualSleep:
    """A `sleep` that ends when the test lets time pass."""

    def __init__(self) -> None:
        self._over = asyncio.Event()
        self.requested_seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.requested_seconds.append(seconds)
        await self._over.wait()

    async def let_time_pass(self) -> None:
        """End every sleep that has begun."""
        over, self._over = self._over, asyncio.Event()
        over.set()
        await asyncio.sleep(0)


@asynccontextmanager
async def open_fake_servers(folder: Path, *, clock: Clock = utc_now) -> AsyncIterator[FakeServers]:
    """Open the fake servers, whose library is in `folder`."""
    stamps = ReplayClock(clock)
    await asyncio.to_thread(make_home, folder)
    library = await open_library(folder / "library.db")
    index = await open_index(folder / "index.db")

    async def close() -> None:
        await index.close()
        await library.close()

    try:
        yield FakeServers(build_embedded_stores(folder, library, index, stamps, close), stamps)
    finally:
        await close()


@asynccontextmanager
async def open_copy(far: FakeServers, home: Path, *on: Store, **given: Any) -> AsyncIterator[Stores]:
    """Open the copy in `home`, and close it again."""
    stores = await open_replicated_stores(far.servers(*on), home, **given)
    try:
        yield stores
    finally:
        await stores.close()


async def read_everything(stores: Stores) -> dict[tuple[str, str], list[str]]:
    """Return every record of a library as JSON, to compare it."""
    return await read_history(stores.history)


async def read_history(history: History) -> dict[tuple[str, str], list[str]]:
    """Return every record of a history as JSON."""
    found: dict[tuple[str, str], list[str]] = {}

    def sink(universe_id: str, collection: str, records: Any) -> None:
        found[universe_id, collection] = [record.model_dump_json() for record in records]

    await history.dump_all(sink)
    return {key: rows for key, rows in found.items() if rows}


async def wait_until_healthy(stores: Stores, naps: ManualSleep, *, rounds: int = 60_000) -> None:
    """Let time pass until every store is healthy; `rounds` is only a limit."""
    await wait_until(naps, lambda: all(state == "ok" for _, state in stores.health()), rounds=rounds)


async def wait_until(naps: ManualSleep, so: Callable[[], bool], *, rounds: int = 60_000) -> None:
    """Let time pass until the condition holds."""
    for _ in range(rounds):
        if so():
            return
        await naps.let_time_pass()
        await asyncio.sleep(0.001)
    raise AssertionError("the condition never held")
