"""The lock that lets one change of the library be made at a time."""

from __future__ import annotations

import asyncio
from typing import Literal


class NestedChangeError(RuntimeError):
    """A change was begun inside another one: waiting for the lock there would never end."""


class SessionLock(asyncio.Lock):
    """An `asyncio.Lock` that raises, instead of waiting for ever, when the task that holds it asks again."""

    def __init__(self) -> None:
        super().__init__()
        self._holder: asyncio.Task[object] | None = None

    async def acquire(self) -> Literal[True]:
        """Take the lock. Raises NestedChangeError in the task that holds it already."""
        task = asyncio.current_task()
        if self.locked() and task is not None and task is self._holder:
            raise NestedChangeError(
                "A change was begun inside another one. Call what makes the change itself, without the dispatcher."
            )
        await super().acquire()
        self._holder = task
        return True

    def release(self) -> None:
        self._holder = None
        super().release()
