"""Probes one server in the background: whether it still answers, and whether it is back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from itertools import chain, repeat
from typing import Any

from stores.replication.connection import ServerConnection, Sleep, Timeouts


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
