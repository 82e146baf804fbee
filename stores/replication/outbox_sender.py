"""Sends the entries of the outbox, one after another, whenever their server may be up."""

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
"""Entries read at once. Each is removed before the next is sent: an entry may be sent twice, but never after a
later one."""

log = logging.getLogger(__name__)


class EntryDeliverer(Protocol):
    """Delivers entries to their server."""

    async def deliver(self, entry: OutboxEntry) -> None:
        """Send one entry. Raises ServerOutage, to be called again when the server is back, or another
        MonitorError if the entry is refused."""
        ...

    async def finish_delivery(self) -> bool:
        """Finish when the outbox is empty; return False if it is not. Raises as `deliver` does."""
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
