"""Tests of SingleFlight: concurrent callers share one lookup and do not disturb each other."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

import pytest

from agents.search.hybrid_search import SingleFlight
from stores.errors import StoreError


class BlockedLookup:
    """A lookup that ends when the test releases it."""

    def __init__(self) -> None:
        self.call_count = 0
        self.release = asyncio.Event()
        self.error: Exception | None = None

    async def __call__(self) -> int:
        self.call_count += 1
        await self.release.wait()
        if self.error is not None:
            raise self.error
        return self.call_count


async def run_event_loop() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_single_flight_shares_running_lookup_and_caches_nothing() -> None:
    flight, lookup = SingleFlight[int](), BlockedLookup()
    callers = [asyncio.create_task(flight.run_once("key", lookup)) for _ in range(3)]
    await run_event_loop()
    lookup.release.set()
    assert await asyncio.gather(*callers) == [1, 1, 1]
    assert await flight.run_once("key", lookup) == 2


async def test_single_flight_survives_cancelled_first_caller() -> None:
    flight, lookup = SingleFlight[int](), BlockedLookup()
    first, second = (asyncio.create_task(flight.run_once("key", lookup)) for _ in range(2))
    await run_event_loop()
    first.cancel()
    await run_event_loop()
    lookup.release.set()
    assert await second == 1
    assert first.cancelled()


async def test_single_flight_raises_error_for_all_callers_and_forgets_it() -> None:
    flight, lookup = SingleFlight[int](), BlockedLookup()
    lookup.error = StoreError("The index is shut.")
    callers = [asyncio.create_task(flight.run_once("key", lookup)) for _ in range(2)]
    await run_event_loop()
    lookup.release.set()
    for caller in callers:
        with pytest.raises(StoreError, match="shut"):
            await caller
    lookup.error = None
    assert await flight.run_once("key", lookup) == 2


async def test_single_flight_ignores_error_without_callers() -> None:
    """Otherwise asyncio logs that the exception was never retrieved."""
    unhandled_errors: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: unhandled_errors.append(context))
    flight, lookup = SingleFlight[int](), BlockedLookup()
    lookup.error = StoreError("The index is shut.")
    caller = asyncio.create_task(flight.run_once("key", lookup))
    await run_event_loop()
    caller.cancel()
    await run_event_loop()
    lookup.release.set()
    await run_event_loop()
    del caller  # it holds the lookupup
    gc.collect()
    await run_event_loop()
    assert unhandled_errors == []
