"""What an agent is given: a store as its role may use it, whatever server is up or down behind it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Protocol

from stores.authority import Role, Store
from stores.embedded.database import Database
from stores.embedded.history import EmbeddedHistory
from stores.errors import MonitorError
from stores.history import Part
from stores.mirror.calls import reads_of, writes_of
from stores.mirror.indexes import Index
from stores.mirror.loads import LOAD, Loads
from stores.mirror.outbox import Letter
from stores.mirror.truth import Truth
from stores.records.base import Record
from stores.records.ids import Clock, Id

_DATED = frozenset({"move_head"})
"""Writes that the store dates itself: only for those is the clock looked at, as one adapter alone would."""


class Keeper(Protocol):
    """What stands behind a handle."""

    async def read(
        self, store: Store, role: Role, method: str, args: tuple[Any, ...], named: Mapping[str, Any]
    ) -> Any: ...

    async def write(self, letter: Letter) -> Any: ...


class Handle:
    """Every method of the store's ports, for one role. What reads and what writes, `calls` knows."""

    def __init__(self, store: Store, role: Role, keeper: Keeper, clock: Clock, now: Clock) -> None:
        self._store = store
        self._role = role
        self._keeper = keeper
        self._clock = clock
        self._now = now

    def __getattr__(self, method: str) -> Callable[..., Awaitable[Any]]:
        if method in reads_of(self._store):
            return partial(self._read, method)
        if method in writes_of(self._store):
            return partial(self._write, method)
        raise AttributeError(f"There is no method {method!r} on the port of {self._store}.")

    async def _read(self, method: str, *args: Any, **named: Any) -> Any:
        return await self._keeper.read(self._store, self._role, method, args, named)

    async def _write(self, method: str, *args: Any, **named: Any) -> None:
        at = self._clock() if method in _DATED else self._now()
        await self._keeper.write(Letter(self._store, self._role, method, "", at, live=(args, named)))


class IndexHandle(Handle):
    """The port of an index, for one role; and `rebuild`, if the server's adapter has it."""

    def __init__(self, store: Store, role: Role, index: Index, clock: Clock, now: Clock) -> None:
        super().__init__(store, role, index, clock, now)
        self._index = index

    def __getattr__(self, method: str) -> Callable[..., Awaitable[Any]]:
        if method == "rebuild" and self._index.rebuilds(self._role):
            return partial(self._index.rebuild, self._role)
        return super().__getattr__(method)


class MirroredHistory:
    """All of a universe, out of the copy and into both. The words of each method are those of `History`."""

    one_moment = True

    def __init__(self, db: Database, truth: Truth, loads: Loads, now: Clock) -> None:
        self._here = EmbeddedHistory(db)
        self._truth = truth
        self._loads = loads
        self._now = now

    async def dump(self, universe_id: Id, sink: Callable[[str, Iterator[Record]], None]) -> None:
        await self._truth.settle()
        await self._here.dump(universe_id, sink)

    async def dump_all(self, sink: Callable[[Id, str, Iterator[Record]], None]) -> None:
        await self._truth.settle()
        await self._here.dump_all(sink)

    async def load(self, parts: Iterable[Part], *, naming: Collection[Id], finish: bool = False) -> set[Id]:
        arguments = await self._loads.keep(parts, naming, finish=finish)
        letter = Letter(Store.LOG, None, LOAD, arguments, self._now())
        try:
            known: set[Id] = await self._truth.write(letter)
        except MonitorError:
            self._loads.drop(letter)
            raise
        if known:
            self._loads.drop(letter)
        return known
