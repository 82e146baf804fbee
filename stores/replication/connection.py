"""The connection to one server, with a timeout on every call.

A call that gets no answer marks the server as down; it is not called again until a probe in the background
has reached it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Generic, NamedTuple, TypeVar

from stores.authority import Role, Store
from stores.errors import MonitorError, NotFound, StoreFull, StoreUnavailable
from stores.records.ids import derive_id
from stores.replication.health import STORE_NAMES, ServerHealth

log = logging.getLogger(__name__)

Sleep = Callable[[float], Awaitable[None]]

Port = TypeVar("Port")
T = TypeVar("T")


class OpenConnection(NamedTuple):
    """An open server: its handle for a role (None: the owner), and how to close it."""

    handle: Callable[[Any], Any]
    close: Callable[[], Awaitable[None]]


Connector = Callable[[], Awaitable[OpenConnection]]
"""Connects, checks what is there and brings its schema up to date, or raises a StoreError."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds to wait for each kind of call."""

    read: float = 4.0
    write: float = 6.0
    connect: float = 8.0
    load: float = 600.0
    close: float = 2.0
    idle: float = 15.0
    probe_pauses: tuple[float, ...] = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
    """Pauses between probes of a server that is down; the last one repeats."""
    refused_pause: float = 60.0


class ServerOutage(StoreUnavailable):
    """The server gave no answer: the call may or may not have been carried out."""


_PROBE_ID = derive_id("probe")
_PROBE_CALLS: Final[Mapping[Store, Callable[[Any], Awaitable[object]]]] = {
    Store.LOG: lambda log: log.checkpoints(_PROBE_ID),
    Store.CANON: lambda canon: canon.story_nodes(_PROBE_ID),
    Store.VECTORS: lambda index: index.count("turns", model="probe"),
    Store.WORDS: lambda index: index.count("turns"),
    Store.OBJECTS: lambda objects: objects.exists("originals", "0" * 64),
}
"""The cheapest read of each store, to see whether its server answers."""


async def _admit_any_server() -> None:
    """Admit whatever server answers."""


class ServerConnection(Generic[Port]):
    """Calls the server of one store.

    `admit` checks a server that answers (again) before it is used; if it raises, the server stays unused.
    """

    def __init__(self, store: Store, connect: Connector, health: ServerHealth, timeouts: Timeouts) -> None:
        self.store = store
        self.lost_event = asyncio.Event()
        self.admit: Callable[[], Awaitable[None]] = _admit_any_server
        self._connect = connect
        self._health = health
        self._timeouts = timeouts
        self._open_connection: OpenConnection | None = None
        self._is_reached = False
        self._is_admitted = False

    @property
    def is_reached(self) -> bool:
        """Whether the server answered the last call."""
        return self._is_reached

    @property
    def is_usable(self) -> bool:
        """Whether it may be used: it was reached, and admitted."""
        return self._is_reached and self._is_admitted

    async def read(self, role: Role | None, call: Callable[[Port], Awaitable[T]]) -> T:
        """Make a call that changes nothing. Raises ServerOutage, or what the server answers.

        An unexpected exception of the adapter is logged, and does not mark the server as down.
        """
        return await self._call(self._timeouts.read, role, call, tolerate_faults=True)

    async def write(self, role: Role | None, call: Callable[[Port], Awaitable[T]]) -> T:
        """Make a call that writes. Raises ServerOutage, or what the server answers."""
        return await self._call(self._timeouts.write, role, call)

    async def run(self, operation: Awaitable[T], timeout: float, *, tolerate_faults: bool = False) -> T:
        """Wait for another operation on the server, with the same timeout and errors."""
        try:
            async with asyncio.timeout(timeout):
                return await operation
        except Exception as error:
            if not is_outage(error):
                raise
            if tolerate_faults and _is_adapter_fault(error):
                log.exception(
                    "An adapter of the %s server failed in a way of its own.", STORE_NAMES[self.store]
                )
                raise self.outage_error() from error
            raise self._mark_lost(error, timeout) from error

    async def reach(self) -> bool:
        """Connect if need be and make the probe call; return whether the server answered."""
        try:
            if self._open_connection is None:
                async with asyncio.timeout(self._timeouts.connect):
                    self._open_connection = await self._connect()
            with suppress(NotFound):
                await self._call(self._timeouts.read, Role.CONTEXT_ASSEMBLY, _PROBE_CALLS[self.store])
        except ServerOutage:
            return False
        except Exception as error:  # noqa: BLE001  (whatever it is, the server cannot be used, and `ServerHealth` says why)
            self._mark_lost(error, self._timeouts.connect)
            return False
        self._is_reached = True
        self.lost_event.clear()
        return True

    async def probe(self) -> bool:
        """Reach the server and have it admitted; return whether it may be used."""
        if not await self.reach():
            return False
        try:
            await self.admit()
        except ServerOutage as outage:
            if self._is_reached:
                self._mark_lost(outage.__cause__ or outage, self._timeouts.read)
            return False
        except MonitorError as error:
            self._is_admitted = False
            self._health.mark_diverged(self.store, str(error))
            self.lost_event.set()
            return False
        self._is_admitted = True
        return True

    async def close(self) -> None:
        open_connection, self._open_connection, self._is_reached = self._open_connection, None, False
        if open_connection is not None:
            try:
                async with asyncio.timeout(self._timeouts.close):
                    await open_connection.close()
            except Exception:  # a dead server cannot be closed properly, and nothing depends on it
                log.info("The %s server was left without a word.", STORE_NAMES[self.store], exc_info=True)

    async def _call(
        self,
        timeout: float,
        role: Role | None,
        call: Callable[[Port], Awaitable[T]],
        *,
        tolerate_faults: bool = False,
    ) -> T:
        open_connection = self._open_connection
        if open_connection is None:
            raise self.outage_error()

        async def call_handle() -> T:  # making the handle may fail as the call itself does
            return await call(open_connection.handle(role))

        return await self.run(call_handle(), timeout, tolerate_faults=tolerate_faults)

    def outage_error(self) -> ServerOutage:
        """Return the error for a server that is down."""
        return ServerOutage(
            f"The {STORE_NAMES[self.store]} server is down.",
            kept="Nothing was changed.",
            todo="MONITOR tries again by itself.",
        )

    def _mark_lost(self, error: BaseException, timeout: float) -> ServerOutage:
        if _is_adapter_fault(error):
            log.error("The %s server failed in a way of its own.", STORE_NAMES[self.store], exc_info=error)
        self._is_reached = self._is_admitted = False
        self._health.mark_down(self.store, self._describe_error(error, timeout))
        self.lost_event.set()
        return self.outage_error()

    def _describe_error(self, error: BaseException, timeout: float) -> str:
        if isinstance(error, MonitorError):
            return error.what
        if isinstance(error, TimeoutError) and not str(error):
            return f"The {STORE_NAMES[self.store]} server gives no answer within {timeout:g} s."
        return f"The {STORE_NAMES[self.store]} server is of no use: {str(error) or type(error).__name__}."


def _is_adapter_fault(error: BaseException) -> bool:
    """Tell a programming error of the adapter from errors of the server or the network."""
    return not isinstance(error, MonitorError | TimeoutError | OSError)


def is_outage(error: BaseException) -> bool:
    """Return whether the server gave no proper answer; a refusal is an answer.

    A full disk on the server counts as an outage: the same write succeeds once there is room again.
    """
    return isinstance(error, StoreUnavailable | StoreFull) or not isinstance(error, MonitorError)
