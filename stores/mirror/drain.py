"""Sends what waits, one letter after another, whenever there is hope that it arrives."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection
from typing import Protocol

from stores.authority import Store
from stores.errors import MonitorError
from stores.mirror.board import Board
from stores.mirror.link import Outage, Sleep
from stores.mirror.outbox import Letter, Outbox

_AT_ONCE = 64
"""Letters read at once. Each is taken out by itself, and only then is the next one sent: a letter that has
arrived may be sent twice, but never behind a later one."""

log = logging.getLogger(__name__)


class Deliverer(Protocol):
    """Whose letters they are."""

    async def deliver(self, letter: Letter) -> None:
        """Send it. Raises Outage, to be called again when the server is back, or another MonitorError for
        a letter that is refused."""
        ...

    async def emptied(self) -> bool:
        """Nothing waits; answers False if something has come meanwhile. Raises as `deliver` does."""
        ...


class Drain:
    """Sends the letters to `stores`, in their order; a letter goes when it has arrived.

    One that is refused stays, and all behind it, and is tried again after `pause` seconds.
    """

    def __init__(
        self,
        stores: Collection[Store],
        outbox: Outbox,
        board: Board,
        deliverer: Deliverer,
        sleep: Sleep,
        pause: float,
    ) -> None:
        self.stores = stores
        self._outbox = outbox
        self._board = board
        self._deliverer = deliverer
        self._sleep = sleep
        self._pause = pause
        self._hope = asyncio.Event()

    def wake(self) -> None:
        """Something waits, or a server is back."""
        self._hope.set()

    async def run(self) -> None:
        """Work until cancelled."""
        while True:
            await self._hope.wait()
            self._hope.clear()
            try:
                await self._send_all()
            except Outage:
                continue
            except MonitorError:
                await self._sleep(self._pause)
                self._hope.set()
            except Exception:  # a fault of ours: what waits is safe in the outbox, and is tried again
                log.exception("What waits for %s could not be sent.", ", ".join(self.stores))
                await self._sleep(self._pause)
                self._hope.set()

    async def _send_all(self) -> None:
        while True:
            for letter in (letters := await self._outbox.oldest(self.stores, _AT_ONCE)):
                await self._send(letter)
            if not letters and await self._deliverer.emptied():
                return

    async def _send(self, letter: Letter) -> None:
        try:
            await self._deliverer.deliver(letter)
        except Outage:
            raise
        except MonitorError as error:
            self._board.apart(letter.store, str(error))
            raise
        self._board.sent(letter.store)
        await self._outbox.remove(letter)
