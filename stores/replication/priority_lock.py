"""A lock that serves the writes of play before those of background work.

`stores.embedded.database.WriterThread` orders the writes of one file in the same way.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

BACKGROUND_METHODS: Final = frozenset(
    {"put_job", "drop_job", "put_memories", "put_summaries", "mark_archived"}
)
"""Writes of the log that are served after those of play."""


class PriorityLock:
    """One holder at a time. Waiters are served in their order, those in the background after all others."""

    def __init__(self) -> None:
        self._is_locked = False
        self._waiters: list[tuple[bool, int, asyncio.Future[None]]] = []
        self._sequence_numbers = itertools.count()

    @asynccontextmanager
    async def hold(self, *, in_background: bool = False) -> AsyncIterator[None]:
        """Wait for the lock, and hold it until the block is left."""
        if self._is_locked:
            await self._wait(in_background)
        self._is_locked = True
        try:
            yield
        finally:
            self._wake_next()

    async def _wait(self, in_background: bool) -> None:
        turn_future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiters, (in_background, next(self._sequence_numbers), turn_future))
        try:
            await turn_future
        except asyncio.CancelledError:
            if (
                turn_future.done() and not turn_future.cancelled()
            ):  # called, and cancelled before it could come
                self._wake_next()
            raise

    def _wake_next(self) -> None:
        """Hand the lock to the next waiter, and keep it locked until that one runs."""
        while self._waiters:
            turn_future = heapq.heappop(self._waiters)[2]
            if not turn_future.done():
                turn_future.set_result(None)
                return
        self._is_locked = False
