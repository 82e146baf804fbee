"""Sends what waits, one letter after another, whenever there is hope that it arrives."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection
from typing import Protocol

from stores.authority import Store
from stores.errors import MonitorError
from stores.replication.connection import ServerOutage, Sleep
from stores.replication.health import ServerHealth
from stores.replication.outbox import Outbox, OutboxEntry

_BATCH_SIZE = 64
"""Letters read at once. Each is taken out by itself, and only then is the next one sent: a letter that has
arrived may be sent twice, but never behind a later one."""

log = logging.getLogger(__name__)


class EntryDeliverer(Protocol):
    """Whose letters they are."""

    async def deliver(self, entry: OutboxEntry) -> None:
        """Send it. Raises Outage, to be called again when the server is back, or another MonitorError for
        a letter that is refused."""
        ...

    async def finish_delivery(self) -> bool:
        """Nothing waits; answers False if something has come meanwhile. Raises as `deliver` does."""
        ...


class OutboxSender:
    """Sends the letters to `stores`, in their order; a letter goes when it has arrived.

    One that is refused stays, and all behind it, and is tried again after `pause` seconds.
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
        """Something waits, or a server is back."""
        self._wake_event.set()

    async def run(self) -> None:
        """Work until cancelled."""
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
            except Exception:  # a fault of ours: what waits is safe in the outbox, and is tried again
                log.exception("What waits for %s could not be sent.", ", ".join(self.stores))
                await self._sleep(self._retry_pause)
                self._wake_event.set()

    async def _send_all(self) -> None:
        while True:
            for entry in (entries := await self._outbox.oldest_entries(self.stores, _BATCH_SIZE)):
                await self._send(entry)
            if not entries and await self._deliverer.finish_delivery():
                return

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
