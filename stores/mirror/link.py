"""The way to one server: connected when it answers, and never waited for longer than is bearable.

A call that fails for want of an answer marks the server as down; then nobody calls it any more until a
probe in the background has found it again. Source: issue "The five stores" ("Degraded modes").
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from stores.authority import Role, Store
from stores.errors import MonitorError, NotFound, StoreFull, StoreUnavailable
from stores.mirror.board import NAMES, Board
from stores.records.ids import derived

log = logging.getLogger(__name__)

Sleep = Callable[[float], Awaitable[None]]


class Connected(NamedTuple):
    """An open server: its handle for a role (None: the owner), and how to close it."""

    handle: Callable[[Any], Any]
    close: Callable[[], Awaitable[None]]


Connect = Callable[[], Awaitable[Connected]]
"""Connects, checks what is there and brings its schema up to date, or raises a StoreError."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long is waited for what, in seconds. `again` are the pauses between probes of a dead server."""

    read: float = 4.0
    write: float = 6.0
    connect: float = 8.0
    load: float = 600.0
    close: float = 2.0
    idle: float = 15.0
    again: tuple[float, ...] = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
    refused: float = 60.0


class Outage(StoreUnavailable):
    """The server gave no answer: what was asked of it may or may not have been done."""


_NOBODY = derived("probe")
_ALIVE: Final[Mapping[Store, tuple[str, tuple[Any, ...], Mapping[str, Any]]]] = {
    Store.LOG: ("checkpoints", (_NOBODY,), {}),
    Store.CANON: ("story_nodes", (_NOBODY,), {}),
    Store.VECTORS: ("count", ("turns",), {"model": "probe"}),
    Store.WORDS: ("count", ("turns",), {}),
    Store.OBJECTS: ("exists", ("originals", "0" * 64), {}),
}
"""The smallest question that each store answers."""


async def _anyone() -> None:
    """Admit whatever server answers."""


class Link:
    """The way to the server of `store`.

    `admit` looks at a server that answers (again) before it is used; what it raises keeps it apart.
    """

    def __init__(self, store: Store, connect: Connect, board: Board, patience: Patience) -> None:
        self.store = store
        self.lost = asyncio.Event()
        self.admit: Callable[[], Awaitable[None]] = _anyone
        self._connect = connect
        self._board = board
        self._patience = patience
        self._connected: Connected | None = None
        self._reached = False
        self._admitted = False

    @property
    def reached(self) -> bool:
        """Whether the last that was heard of it was an answer."""
        return self._reached

    @property
    def answers(self) -> bool:
        """Whether it may be used: it was reached, and admitted."""
        return self._reached and self._admitted

    async def read(self, role: Role | None, method: str, *args: Any, **named: Any) -> Any:
        """Call a method that changes nothing. Raises Outage, or what the server answers.

        A fault of the adapter's own in one method is logged, and is no sign that the server is down.
        """
        return await self._call(self._patience.read, role, method, args, named, forgive=True)

    async def write(self, role: Role | None, method: str, *args: Any, **named: Any) -> Any:
        """Call a method that writes. Raises Outage, or what the server answers."""
        return await self._call(self._patience.write, role, method, args, named)

    async def run(self, job: Awaitable[Any], seconds: float, *, forgive: bool = False) -> Any:
        """Wait for something else that the server does, with the same errors."""
        try:
            async with asyncio.timeout(seconds):
                return await job
        except Exception as error:
            if not is_outage(error):
                raise
            if forgive and _is_fault(error):
                log.exception("An adapter of the %s server failed in a way of its own.", NAMES[self.store])
                raise self.outage() from error
            raise self._lost(error, seconds) from error

    def offers(self, role: Role | None, method: str) -> bool:
        """Tell whether the adapter can do something that is not in the port."""
        return self._connected is not None and hasattr(self._connected.handle(role), method)

    async def work(self, role: Role | None, method: str, *args: Any) -> Any:
        """Call a method that takes as long as a whole library does. Raises Outage, or what it answers."""
        return await self._call(self._patience.load, role, method, args, {})

    async def reach(self) -> bool:
        """Connect if need be, and ask for a sign of life; tell whether there was one."""
        try:
            if self._connected is None:
                async with asyncio.timeout(self._patience.connect):
                    self._connected = await self._connect()
            method, args, named = _ALIVE[self.store]
            with suppress(NotFound):
                await self._call(self._patience.read, Role.CONTEXT_ASSEMBLY, method, args, named)
        except Outage:
            return False
        except Exception as error:  # noqa: BLE001  (whatever it is, it is no use: the board says why)
            self._lost(error, self._patience.connect)
            return False
        self._reached = True
        self.lost.clear()
        return True

    async def probe(self) -> bool:
        """Reach it and have it admitted; tell whether it may be used."""
        if not await self.reach():
            return False
        try:
            await self.admit()
        except Outage as outage:
            if self._reached:
                self._lost(outage.__cause__ or outage, self._patience.read)
            return False
        except MonitorError as error:
            self._admitted = False
            self._board.apart(self.store, str(error))
            self.lost.set()
            return False
        self._admitted = True
        return True

    async def close(self) -> None:
        connected, self._connected, self._reached = self._connected, None, False
        if connected is not None:
            try:
                async with asyncio.timeout(self._patience.close):
                    await connected.close()
            except Exception:  # a dead server cannot be taken leave of, and nothing hangs on it
                log.info("The %s server was left without a word.", NAMES[self.store], exc_info=True)

    async def _call(
        self,
        seconds: float,
        role: Role | None,
        method: str,
        args: tuple[Any, ...],
        named: Mapping[str, Any],
        *,
        forgive: bool = False,
    ) -> Any:
        connected = self._connected
        if connected is None:
            raise self.outage()

        async def call() -> Any:  # making the handle may fail as the call itself does
            return await getattr(connected.handle(role), method)(*args, **named)

        return await self.run(call(), seconds, forgive=forgive)

    def outage(self) -> Outage:
        """Return the error that says that this server is down."""
        return Outage(
            f"The {NAMES[self.store]} server is down.",
            kept="Nothing was changed.",
            todo="MONITOR tries again by itself.",
        )

    def _lost(self, error: BaseException, seconds: float) -> Outage:
        if _is_fault(error):
            log.error("The %s server failed in a way of its own.", NAMES[self.store], exc_info=error)
        self._reached = self._admitted = False
        self._board.down(self.store, self._why(error, seconds))
        self.lost.set()
        return self.outage()

    def _why(self, error: BaseException, seconds: float) -> str:
        if isinstance(error, MonitorError):
            return error.what
        if isinstance(error, TimeoutError) and not str(error):
            return f"The {NAMES[self.store]} server gives no answer within {seconds:g} s."
        return f"The {NAMES[self.store]} server is of no use: {str(error) or type(error).__name__}."


def _is_fault(error: BaseException) -> bool:
    """Tell a fault of the adapter's own from what a server or the way to it may do."""
    return not isinstance(error, MonitorError | TimeoutError | OSError)


def is_outage(error: BaseException) -> bool:
    """Tell a server that gave no proper answer from one that answered: with a refusal, say.

    A full disk there is an outage too: the same write will do when there is room again.
    """
    return isinstance(error, StoreUnavailable | StoreFull) or not isinstance(error, MonitorError)
