"""Work that goes on in threads, and stops when nobody waits for it any more."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Iterable, Iterator
from contextlib import suppress
from typing import TypeVar

from stores.errors import StoreError

T = TypeVar("T")


class Halt:
    """Await the work through `of`, and let it `check` now and then: cancelling it then ends the thread too,
    and is over only when that has ended."""

    def __init__(self, what: str, kept: str) -> None:
        self._what = what
        self._kept = kept
        self._cancelled = threading.Event()

    def check(self) -> None:
        """Raise StoreError if it was cancelled; the thread dies of it, and nobody hears it."""
        if self._cancelled.is_set():
            raise StoreError(self._what, kept=self._kept)

    def checked(self, things: Iterable[T]) -> Iterator[T]:
        for thing in things:
            self.check()
            yield thing

    async def of(self, work: Awaitable[T]) -> T:
        job = asyncio.ensure_future(work)
        try:
            return await asyncio.shield(job)
        except asyncio.CancelledError:
            self._cancelled.set()
            with suppress(Exception):
                await job
            raise
