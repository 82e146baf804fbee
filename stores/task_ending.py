"""Ends background tasks for certain."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import Any, Final

CANCEL_AGAIN_SECONDS: Final = 2.0
"""Seconds after which a task that still runs is cancelled again."""


async def end_tasks(
    tasks: Collection[asyncio.Task[Any]], *, cancel_again_seconds: float = CANCEL_AGAIN_SECONDS
) -> None:
    """Cancel tasks, and return when all have ended. What they raise is dropped.

    One cancellation is not enough: a driver may lose it, as `asyncio.wait_for` of Python 3.11 does when what it
    waits for ends in the same moment (https://github.com/python/cpython/issues/86296), and the task would go on.
    """
    running_tasks = set(tasks)
    while running_tasks:
        for task in running_tasks:
            task.cancel()
        ended_tasks, running_tasks = await asyncio.wait(running_tasks, timeout=cancel_again_seconds)
        for task in ended_tasks:
            if not task.cancelled():
                task.exception()  # looked at, so that asyncio does not report it as forgotten
