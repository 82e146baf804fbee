"""Whose turn it is: one write at a time, and what is played before what the background does.

Source: stores/ports.py ("nothing of play waits for it"); `stores.embedded.writer`, which does the same here.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

BEHIND: Final = frozenset({"put_job", "drop_job", "put_memories", "put_summaries", "mark_archived"})
"""Writes of the log that play goes before."""


class Order:
    """One at a time. Those that wait go in the order they came, those `behind` after all the others."""

    def __init__(self) -> None:
        self._taken = False
        self._waiting: list[tuple[bool, int, asyncio.Future[None]]] = []
        self._numbers = itertools.count()

    @asynccontextmanager
    async def turn(self, *, behind: bool = False) -> AsyncIterator[None]:
        """Wait for one's turn, and keep it until the block is left."""
        if self._taken:
            await self._wait(behind)
        self._taken = True
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, behind: bool) -> None:
        called: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (behind, next(self._numbers), called))
        try:
            await called
        except asyncio.CancelledError:
            if called.done() and not called.cancelled():  # called, and cancelled before it could come
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        """Call the next one; until it has come, nobody else may go before it."""
        while self._waiting:
            called = heapq.heappop(self._waiting)[2]
            if not called.done():
                called.set_result(None)
                return
        self._taken = False
