"""Measures what replication costs: a write with the server up, with it down, and each write sent later.

The server is a library of files in another folder, so that the difference is the cost of replication
itself.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.libraries import Libraries, time_call
from benchmarks.passages import START, UNIVERSE, Kind, id_of
from benchmarks.table import Row, make_times_row
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
    yield from asyncio.run(_rows(libraries.folder / "replica", libraries.often(COUNT)))


async def _rows(folder: Path, count: int) -> list[Row]:
    local_stores = await open_stores(folder / "alone")
    server_stores = UnreachableStores(await open_stores(folder / "far"))
    replicated_stores = await open_replicated_stores(
        server_stores.make_connectors(), folder / "home", timeouts=Timeouts(probe_pauses=(0.01,))
    )
    try:
        append_locally = await _make_append(local_stores)
        rows = [
            make_times_row(
                "append a turn: files alone", [await time_call(append_locally) for _ in range(count)]
            )
        ]
        append = await _make_append(replicated_stores)
        rows.append(
            make_times_row("append a turn: copy and server", [await time_call(append) for _ in range(count)])
        )
        server_stores.is_down = True
        rows.append(
            make_times_row(
                "append a turn: copy, server down", [await time_call(append) for _ in range(count)]
            )
        )
        server_stores.is_down = False
        rows.append(await _catch_up(replicated_stores, count))
        return rows
    finally:
        await replicated_stores.close()
        await server_stores.stores.close()
        await local_stores.close()


async def _catch_up(replicated_stores: Stores, count: int) -> Row:
    caught_up = asyncio.Event()
    replicated_stores.add_notice_listener(
        lambda notice: caught_up.set() if notice.severity == "information" else None
    )
    started_at = time.perf_counter()
    await caught_up.wait()
    return Row("send what waited, each", 1_000 * (time.perf_counter() - started_at) / count)


async def _make_append(stores: Stores) -> Callable[[], Awaitable[None]]:
    """Open a scene; return a function that adds a turn to it."""
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
    appended_turns: list[Turn] = []

    async def append() -> None:
        turn_id = ids.new()
        turn = Turn(
            id=turn_id,
            scene_id=scene.id,
            parent_id=appended_turns[-1].id if appended_turns else None,
            exchange_id=turn_id,
            speaker=Speaker.PLAYER,
            text="I go down to the water and ask after the bell.",
            depth=len(appended_turns),
            created_at=START,
        )
        await log.append_turn(turn)
        appended_turns.append(turn)

    return append


class UnreachableStores:
    """Stores that can be made unreachable."""

    def __init__(self, stores: Stores) -> None:
        self.stores = stores
        self.is_down = False

    def make_connectors(self) -> ServerConnectors:
        async def connect(store: Store) -> OpenConnection:
            return OpenConnection(
                lambda role: _UnreachableHandle(self, getattr(self.stores, store.value)(role)), _close_nothing
            )

        connectors = {store: lambda store=store: connect(store) for store in (Store.LOG, Store.CANON)}
        return ServerConnectors(connectors, ReplayClock(utc_now), lambda: self.stores.history)


class _UnreachableHandle:
    def __init__(self, server_stores: UnreachableStores, handle: Any) -> None:
        self._server_stores = server_stores
        self._handle = handle

    def __getattr__(self, method: str) -> Any:
        if self._server_stores.is_down:
            raise StoreUnavailable("Out of reach.")
        return getattr(self._handle, method)


async def _close_nothing() -> None:
    """Do nothing: a folder needs no closing."""
