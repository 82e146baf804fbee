"""Opening stores of which some are on servers, so that any of those may be down before or during play.

Source: issue "The five stores" ("Degraded modes"); design/architecture.md ("stores/").
"""

from __future__ import annotations

import asyncio
import os
import platform
import uuid
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, cast

from stores.authority import Role, Store
from stores.embedded.index import open_index
from stores.embedded.library import open_library
from stores.embedded.object_store import EmbeddedObjects, remove_unfinished
from stores.embedded.stores import embedded_stores
from stores.errors import MonitorError
from stores.history import History
from stores.mirror.board import Board
from stores.mirror.drain import Drain
from stores.mirror.fill import Tell
from stores.mirror.handles import Handle, IndexHandle, Keeper, MirroredHistory
from stores.mirror.indexes import Index
from stores.mirror.joining import Joining
from stores.mirror.link import Connect, Link, Patience, Sleep
from stores.mirror.loads import Loads
from stores.mirror.marks import Holder, LogMarks
from stores.mirror.membership import Copying, Membership
from stores.mirror.originals import Originals, OriginalsHandle
from stores.mirror.outbox import TRUTH, Outbox
from stores.mirror.place import place_of
from stores.mirror.stamps import Stamps
from stores.mirror.tenure import Tenure
from stores.mirror.truth import Truth
from stores.mirror.watch import Watch
from stores.mirror.words import a_copy
from stores.records.ids import Clock, utc_now
from stores.stores import Stores, make_home

_PATIENCE = Patience()


@dataclass(frozen=True, slots=True)
class Servers:
    """How to come to the servers. `connect` has a way for each store that is on one.

    `history` is their door to whole universes, asked for once both log and canon are connected; None if
    they are not both on servers. The adapters are to be opened with `stamps` as their clock.
    """

    connect: Mapping[Store, Connect]
    stamps: Stamps
    history: Callable[[], History] | None = None


async def mirrored(
    servers: Servers,
    home: Path,
    *,
    now: Clock = utc_now,
    sleep: Sleep = asyncio.sleep,
    patience: Patience = _PATIENCE,
    tell: Tell = lambda line: None,
) -> Stores:
    """Open the library in `home` as the copy of the one on `servers`; what is not on a server is in `home`.

    A server that does not answer within `patience` is down, and is looked for again in the background.
    `now` is the time of day; `tell` hears, line by line, how the first copy of a large library comes along.

    Raises Apart (what is here and there cannot be joined without a decision), LibraryInUse (naming who has
    it, here or on another machine), LibraryUnreadable, or StoreUnavailable where a copy has to be made first
    and a server for it is down; nothing stays open.
    """
    await asyncio.to_thread(make_home, home)
    async with AsyncExitStack() as opened:
        waiting: Counter[Store] = Counter()
        board = Board(servers.connect, now, waiting)
        links = {store: Link(store, way, board, patience) for store, way in servers.connect.items()}
        for link in links.values():
            opened.push_async_callback(link.close)
        membership = await _membership(home, links, board, waiting, now)
        opened.push_async_callback(lambda: membership.library.close())
        await asyncio.gather(*(link.reach() for link in links.values()))
        loads = Loads(home / "outbox", servers.history, patience.load)
        await Outbox(membership.library, waiting).count()
        await membership.open_joined(Copying(home, servers.history, patience.load, tell))
        outbox = Outbox(membership.library, waiting, loads.drop)
        await outbox.count()
        await asyncio.to_thread(loads.sweep, busy=waiting[Store.LOG] > 0)
        index = await open_index(home / "index.db")
        opened.push_async_callback(index.close)
        await asyncio.to_thread(remove_unfinished, home / "objects")
        building = _Building(membership, outbox, board, links, now)
        opened.push_async_callback(building.close)
        stores = embedded_stores(home, membership.library, index, servers.stamps, opened.aclose)
        stores = await building.build(stores, servers, home, loads, sleep, patience)
        return replace(stores, close=opened.pop_all().aclose)


async def _membership(
    home: Path, links: Mapping[Store, Link], board: Board, waiting: Counter[Store], now: Clock
) -> Membership:
    """Open the copy, and make ready to join."""
    library = await open_library(home / "library.db")
    truth = {store: links[store] for store in TRUTH if store in links}
    try:
        place = await place_of(library)
        if not place.joined <= set(truth):
            raise a_copy()
    except BaseException:
        await library.close()
        raise
    mirror = place.mirror or str(uuid.uuid4())
    marks = LogMarks(truth[Store.LOG], now) if Store.LOG in truth else None
    where = await asyncio.to_thread(os.path.realpath, home)
    me = Holder(mirror=mirror, host=platform.node(), home=where, process=os.getpid())
    tenure = Tenure(marks, me, now) if marks else None
    joining = Joining(truth, marks, tenure)
    return Membership(library, truth, joining, tenure, board, mirror, waiting)


class _Building:
    """Puts a keeper behind each store that is on a server, and sets to work who looks after it."""

    def __init__(
        self, membership: Membership, outbox: Outbox, board: Board, links: Mapping[Store, Link], now: Clock
    ) -> None:
        self._membership = membership
        self._outbox = outbox
        self._board = board
        self._links = links
        self._now = now
        self._drains: dict[Store, Drain] = {}
        self._crew = Crew()

    async def build(
        self, stores: Stores, servers: Servers, home: Path, loads: Loads, sleep: Sleep, patience: Patience
    ) -> Stores:
        """Return `stores` with those on servers in place of the embedded ones, everything at work."""

        def handles(store: Store, keeper: Keeper) -> Callable[[Role], Any]:
            return lambda role: cast(Any, Handle(store, role, keeper, servers.stamps, self._now))

        def drained(keeper: Any, *of: Store) -> None:
            pause = patience.refused
            keeper.on_waiting = self._drain(Drain(of, self._outbox, self._board, keeper, sleep, pause))

        truth = None
        if any(store in self._links for store in TRUTH):
            truth = self._truth(servers.stamps, loads)
            drained(truth, *TRUTH)
            stores = replace(
                stores,
                log=handles(Store.LOG, truth),
                canon=handles(Store.CANON, truth),
                history=MirroredHistory(self._membership.library, truth, loads, self._now),
            )
        for store in (Store.VECTORS, Store.WORDS):
            if store in self._links:
                index = Index(self._links[store], self._outbox, self._board)
                drained(index, store)
                given = cast(
                    Any, partial(IndexHandle, store, index=index, clock=servers.stamps, now=self._now)
                )
                meaning = store is Store.VECTORS
                stores = replace(stores, vectors=given) if meaning else replace(stores, words=given)
        if Store.OBJECTS in self._links:
            originals = self._originals(home)
            drained(originals, Store.OBJECTS)
            stores = replace(stores, objects=lambda role: OriginalsHandle(originals, role))
        await self._set_to_work(truth, sleep, patience)
        return replace(
            stores, health=self._health(stores), listen=self._board.listen, amiss=self._board.amiss
        )

    async def close(self) -> None:
        await self._crew.dismiss()

    def _truth(self, stamps: Stamps, loads: Loads) -> Truth:
        links = {store: self._links[store] for store in TRUTH if store in self._links}
        for store, link in links.items():
            link.admit = partial(self._membership.admit, store)
        library = self._membership.library
        truth = Truth(library, self._outbox, links, self._board, loads, stamps, self._membership)
        self._crew.last_words += [truth.close, self._membership.leave]
        return truth

    def _originals(self, home: Path) -> Originals:
        originals = Originals(
            partial(EmbeddedObjects, home / "objects"),
            self._links[Store.OBJECTS],
            self._outbox,
            self._board,
            self._now,
        )
        self._crew.last_words.append(originals.close)
        return originals

    def _drain(self, drain: Drain) -> Callable[[], None]:
        self._drains |= dict.fromkeys(drain.stores, drain)
        return drain.wake

    async def _set_to_work(self, truth: Truth | None, sleep: Sleep, patience: Patience) -> None:
        for link in self._links.values():
            if link.reached:
                await link.probe()
        if truth:
            await truth.recover()
        for store, link in self._links.items():
            if self._outbox.waiting[store]:
                self._board.waits(store)
            self._crew.employ(Watch(link, sleep, patience, self._drains[store].wake).run())
        for drain in set(self._drains.values()):
            self._crew.employ(drain.run())
            drain.wake()

    def _health(self, embedded: Stores) -> Callable[[], tuple[tuple[str, str], ...]]:
        def health() -> tuple[tuple[str, str], ...]:
            here = dict(embedded.health())
            there = {store.value: self._board.health(store) for store in self._links}
            return tuple((store.value, (here | there)[store.value]) for store in Store)

        return health


class Crew:
    """The tasks in the background, and what is still to be done when they go."""

    def __init__(self) -> None:
        self.last_words: list[Callable[[], Coroutine[Any, Any, None]]] = []
        self._tasks: list[asyncio.Task[None]] = []

    def employ(self, work: Coroutine[Any, Any, None]) -> None:
        self._tasks.append(asyncio.create_task(work))

    async def dismiss(self) -> None:
        """Stop the tasks, finish what callers have begun, and take leave of the servers."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for say in self.last_words:
            with suppress(MonitorError):
                await say()
