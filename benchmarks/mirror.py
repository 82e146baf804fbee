"""What a copy of servers costs: a write with the server there, with it down, and each write sent later.

The server is a library of files in another folder, so that the difference is the copy's own work.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.libraries import Libraries, timed
from benchmarks.passages import START, UNIVERSE, Kind, id_of
from benchmarks.table import Row, times
from stores.authority import Role, Store
from stores.errors import StoreUnavailable
from stores.open import open_stores
from stores.records.ids import SystemIdGenerator, utc_now
from stores.records.play import Scene, Speaker, Story, Turn
from stores.replication.connection import OpenConnection, Timeouts
from stores.replication.open_replicated import ServerConnectors, open_replicated_stores
from stores.replication.replay_clock import ReplayClock
from stores.stores import Stores

COUNT = 300


def run(libraries: Libraries) -> Iterator[Row]:
    yield from asyncio.run(_rows(libraries.folder / "mirror", libraries.often(COUNT)))


async def _rows(folder: Path, count: int) -> list[Row]:
    alone = await open_stores(folder / "alone")
    far = Far(await open_stores(folder / "far"))
    served = await open_replicated_stores(
        far.servers(), folder / "home", timeouts=Timeouts(probe_pauses=(0.01,))
    )
    try:
        here = await _append(alone)
        rows = [times("append a turn: files alone", [await timed(here) for _ in range(count)])]
        append = await _append(served)
        rows.append(times("append a turn: copy and server", [await timed(append) for _ in range(count)]))
        far.down = True
        rows.append(times("append a turn: copy, server down", [await timed(append) for _ in range(count)]))
        far.down = False
        rows.append(await _catch_up(served, count))
        return rows
    finally:
        await served.close()
        await far.stores.close()
        await alone.close()


async def _catch_up(served: Stores, count: int) -> Row:
    back = asyncio.Event()
    served.add_notice_listener(lambda notice: back.set() if notice.severity == "information" else None)
    began = time.perf_counter()
    await back.wait()
    return Row("send what waited, each", 1_000 * (time.perf_counter() - began) / count)


async def _append(stores: Stores) -> Callable[[], Awaitable[None]]:
    """Begin a scene; what is returned adds a turn to it."""
    log, ids = stores.log(Role.ORCHESTRATOR), SystemIdGenerator()
    story = Story(id=id_of(Kind.STORY, 0), universe_id=UNIVERSE, title="A story", created_at=START)
    scene = Scene(
        id=id_of(Kind.SCENE, 0),
        story_id=story.id,
        universe_id=UNIVERSE,
        order=1,
        title="A scene",
        created_at=START,
    )
    await log.put_story(story)
    await log.create_scene(scene)
    last: list[Turn] = []

    async def append() -> None:
        turn_id = ids.new()
        turn = Turn(
            id=turn_id,
            scene_id=scene.id,
            parent_id=last[-1].id if last else None,
            exchange_id=turn_id,
            speaker=Speaker.PLAYER,
            text="I go down to the water and ask after the bell.",
            depth=len(last),
            created_at=START,
        )
        await log.append_turn(turn)
        last.append(turn)

    return append


class Far:
    """Stores that can be out of reach."""

    def __init__(self, stores: Stores) -> None:
        self.stores = stores
        self.down = False

    def servers(self) -> ServerConnectors:
        async def connect(store: Store) -> OpenConnection:
            return OpenConnection(
                lambda role: _Handle(self, getattr(self.stores, store.value)(role)), _nothing
            )

        ways = {store: lambda store=store: connect(store) for store in (Store.LOG, Store.CANON)}
        return ServerConnectors(ways, ReplayClock(utc_now), lambda: self.stores.history)


class _Handle:
    def __init__(self, far: Far, handle: Any) -> None:
        self._far = far
        self._handle = handle

    def __getattr__(self, method: str) -> Any:
        if self._far.down:
            raise StoreUnavailable("Out of reach.")
        return getattr(self._handle, method)


async def _nothing() -> None:
    """A folder needs no farewell."""
