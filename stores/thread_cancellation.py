"""Cancels work in threads when its caller is cancelled."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Iterable, Iterator
from contextlib import suppress
from typing import TypeVar

from stores.errors import StoreError

T = TypeVar("T")


class ThreadCancellation:
    """Runs work through `run`; the work calls `raise_if_cancelled` now and then.

    Cancelling the caller ends the thread, and returns only when it has ended.
    """

    def __init__(self, what: str, kept: str) -> None:
        self._message = what
        self._kept_message = kept
        self._cancelled = threading.Event()

    def raise_if_cancelled(self) -> None:
        """Raise StoreError in the thread if the caller was cancelled."""
        if self._cancelled.is_set():
            raise StoreError(self._message, kept=self._kept_message)

    def iterate_until_cancelled(self, items: Iterable[T]) -> Iterator[T]:
        for item in items:
            self.raise_if_cancelled()
            yield item

    async def run(self, work: Awaitable[T]) -> T:
        task = asyncio.ensure_future(work)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            self._cancelled.set()
            with suppress(Exception):
                await task
            raise
