"""The background tasks: sending the outbox, and probing the servers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Coroutine, Iterable
from contextlib import suppress
from itertools import chain, repeat
from typing import Any, Protocol

from stores.authority import Store
from stores.errors import MonitorError
from stores.replication.connection import ServerConnection, ServerOutage, Sleep, Timeouts
from stores.replication.health import ServerHealth
from stores.replication.outbox import Outbox, OutboxEntry
from stores.task_ending import end_tasks

_BATCH_SIZE = 64
"""Entries read at once. Each is removed before the next is sent: an entry may be sent twice, but never after a
later one."""

log = logging.getLogger(__name__)


class EntryDeliverer(Protocol):
    """Delivers entries to their server."""

    async def deliver(self, entry: OutboxEntry) -> None:
        """Send one entry.

        Raises ServerOutage, to be called again when the server is back, or another MonitorError if the
        entry is refused.
        """
        ...

    async def finish_delivery(self) -> None:
        """Note that all is delivered, if the outbox is empty. Raises as `deliver` does."""
        ...


class OutboxSender:
    """Sends the entries for `stores` in their order, and removes each once it was delivered.

    An entry that is refused stays, with all behind it, and is tried again after `retry_pause` seconds.
    """

    def __init__(
        self,
        stores: Collection[Store],
        outbox: Outbox,
        health: ServerHealth,
        deliverer: EntryDeliverer,
        sleep: Sleep,
        retry_pause: float,
    ) -> None:
        self.stores = stores
        self._outbox = outbox
        self._health = health
        self._deliverer = deliverer
        self._sleep = sleep
        self._retry_pause = retry_pause
        self._wake_event = asyncio.Event()

    def wake(self) -> None:
        """Start sending: an entry was added, or a server is back."""
        self._wake_event.set()

    async def run(self) -> None:
        """Send until cancelled."""
        while True:
            await self._wake_event.wait()
            self._wake_event.clear()
            try:
                await self._send_all()
            except ServerOutage:
                continue
            except MonitorError:
                await self._sleep(self._retry_pause)
                self._wake_event.set()
            except Exception:  # a programming error: the entries stay in the outbox and are tried again
                log.exception("What waits for %s could not be sent.", ", ".join(self.stores))
                await self._sleep(self._retry_pause)
                self._wake_event.set()

    async def _send_all(self) -> None:
        while entries := await self._outbox.sendable_entries(self.stores, _BATCH_SIZE):
            for entry in entries:
                await self._send(entry)
        await self._deliverer.finish_delivery()

    async def _send(self, entry: OutboxEntry) -> None:
        try:
            await self._deliverer.deliver(entry)
        except ServerOutage:
            raise
        except MonitorError as error:
            self._health.mark_diverged(entry.store, str(error))
            raise
        self._health.count_sent(entry.store)
        await self._outbox.remove(entry)


class ServerWatch:
    """Probes a server, ever less often while it is down; calls `on_back` when it may be used again."""

    def __init__(
        self, connection: ServerConnection[Any], sleep: Sleep, timeouts: Timeouts, on_back: Callable[[], None]
    ) -> None:
        self._connection = connection
        self._sleep = sleep
        self._timeouts = timeouts
        self._on_back = on_back

    async def run(self) -> None:
        """Watch until cancelled."""
        while True:
            if self._connection.is_usable:
                await self._wait_idle()
                if self._connection.is_usable:
                    await self._connection.probe()
            else:
                await self._wait_until_back()

    async def _wait_until_back(self) -> None:
        for pause in _repeat_last(self._timeouts.probe_pauses):
            await self._sleep(pause)
            if await self._connection.probe():
                break
        self._on_back()

    async def _wait_idle(self) -> None:
        """Sleep until the next probe is due, or a call found the server down."""
        wait_futures: list[asyncio.Future[Any]] = [
            asyncio.ensure_future(self._sleep(self._timeouts.idle)),
            asyncio.ensure_future(self._connection.lost_event.wait()),
        ]
        try:
            await asyncio.wait(wait_futures, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait_future in wait_futures:
                wait_future.cancel()


def _repeat_last(pauses: tuple[float, ...]) -> Iterable[float]:
    return chain(pauses, repeat(pauses[-1]))


class ReplicationTaskGroup:
    """The background tasks, and the steps to run after they have stopped."""

    def __init__(self) -> None:
        self.closing_steps: list[Callable[[], Coroutine[Any, Any, None]]] = []
        self._tasks: list[asyncio.Task[None]] = []

    def start(self, task_work: Coroutine[Any, Any, None]) -> None:
        self._tasks.append(asyncio.create_task(task_work))

    async def stop(self) -> None:
        """Stop the tasks, finish the writes that were begun, and end the lease."""
        await end_tasks(self._tasks)
        for closing_step in self.closing_steps:
            with suppress(MonitorError):
                await closing_step()
