"""What is being looked up: one look for all who ask meanwhile, and none of them spoils it for the others."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

import pytest

from agents.search.hybrid_search import SingleFlight
from stores.errors import StoreError


class Looking:
    """A look that comes to an end when it is let."""

    def __init__(self) -> None:
        self.looks = 0
        self.let = asyncio.Event()
        self.error: Exception | None = None

    async def __call__(self) -> int:
        self.looks += 1
        await self.let.wait()
        if self.error is not None:
            raise self.error
        return self.looks


async def turns_of_the_loop() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_single_flight_shares_running_lookup_and_caches_nothing() -> None:
    flight, look = SingleFlight[int](), Looking()
    asking = [asyncio.create_task(flight.run_once("key", look)) for _ in range(3)]
    await turns_of_the_loop()
    look.let.set()
    assert await asyncio.gather(*asking) == [1, 1, 1]
    assert await flight.run_once("key", look) == 2


async def test_single_flight_survives_cancelled_first_caller() -> None:
    flight, look = SingleFlight[int](), Looking()
    first, second = (asyncio.create_task(flight.run_once("key", look)) for _ in range(2))
    await turns_of_the_loop()
    first.cancel()
    await turns_of_the_loop()
    look.let.set()
    assert await second == 1
    assert first.cancelled()


async def test_single_flight_raises_error_for_all_callers_and_forgets_it() -> None:
    flight, look = SingleFlight[int](), Looking()
    look.error = StoreError("The index is shut.")
    asking = [asyncio.create_task(flight.run_once("key", look)) for _ in range(2)]
    await turns_of_the_loop()
    look.let.set()
    for one in asking:
        with pytest.raises(StoreError, match="shut"):
            await one
    look.error = None
    assert await flight.run_once("key", look) == 2


async def test_single_flight_ignores_error_without_callers() -> None:
    """Else asyncio says of it, in the log, that it was never retrieved."""
    complaints: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: complaints.append(context))
    flight, look = SingleFlight[int](), Looking()
    look.error = StoreError("The index is shut.")
    asking = asyncio.create_task(flight.run_once("key", look))
    await turns_of_the_loop()
    asking.cancel()
    await turns_of_the_loop()
    look.let.set()
    await turns_of_the_loop()
    del asking  # it holds the look
    gc.collect()
    await turns_of_the_loop()
    assert complaints == []
