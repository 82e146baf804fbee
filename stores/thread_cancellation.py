"""Work that goes on in threads, and stops when nobody waits for it any more."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Iterable, Iterator
from contextlib import suppress
from typing import TypeVar

from stores.errors import StoreError

T = TypeVar("T")


class ThreadCancellation:
    """Await the work through `of`, and let it `check` now and then: cancelling it then ends the thread too,
    and is over only when that has ended."""

    def __init__(self, what: str, kept: str) -> None:
        self._message = what
        self._kept_message = kept
        self._cancelled = threading.Event()

    def raise_if_cancelled(self) -> None:
        """Raise StoreError if it was cancelled; the thread dies of it, and nobody hears it."""
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
