"""Keeps work on thousands of items from holding the event loop, which draws the screen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Final, TypeVar

T = TypeVar("T")

MAX_ITEMS_ON_LOOP: Final = 200
"""Up to so many items are worked on at once on the event loop: some ten milliseconds."""


async def run_beside_screen(work: Callable[[], T], *, item_count: int) -> T:
    """Do the work, in a thread if it is on many items."""
    return work() if item_count <= MAX_ITEMS_ON_LOOP else await asyncio.to_thread(work)


async def in_pieces(items: Sequence[T]) -> AsyncIterator[Sequence[T]]:
    """Yield some of the items at a time, and let the event loop serve others in between."""
    for start in range(0, len(items), MAX_ITEMS_ON_LOOP):
        if start:
            await asyncio.sleep(0)
        yield items[start : start + MAX_ITEMS_ON_LOOP]
