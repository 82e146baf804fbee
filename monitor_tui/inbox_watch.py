"""Takes in what chat clients propose while the program is open, and what waited while it was not."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

from stores.errors import MonitorError

CHECK_SECONDS: Final = 2.0
"""Seconds between two looks at the folder."""

Close = Callable[[], Awaitable[None]]

log = logging.getLogger("monitor")


class InboxWatch:
    """Calls `take_in` now and then, until the program closes."""

    def __init__(self, take_in: Callable[[], Awaitable[object]]) -> None:
        self._take_in = take_in
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._watch())

    def wrap_close(self, close: Close) -> Close:
        """Return a `close` that ends the watch first."""

        async def stop_and_close() -> None:
            if self._task is not None:
                self._task.cancel()
                with suppress(asyncio.CancelledError):
                    await self._task
            await close()

        return stop_and_close

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(CHECK_SECONDS)
            try:
                await self._take_in()
            except MonitorError as error:
                log.warning("what chat clients proposed was not taken in: %s", error)
