"""Shares one lookup among concurrent callers that ask for the same."""

from __future__ import annotations

from asyncio import Task, create_task, shield
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class SingleFlight(Generic[T]):
    """Runs one task per key at a time; it caches nothing once the task is done."""

    def __init__(self) -> None:
        self._tasks: dict[Hashable, Task[T]] = {}

    async def run_once(self, key: Hashable, start_lookup: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Return the result of the task under `key`, starting it if none is running.

        A caller that is cancelled does not stop the task for the others.
        """
        task = self._tasks.get(key)
        if task is None:
            task = self._tasks[key] = create_task(start_lookup())
            task.add_done_callback(lambda done: self._on_task_done(key, done))
        return await shield(task)

    def _on_task_done(self, key: Hashable, task: Task[T]) -> None:
        self._tasks.pop(key, None)
        if not task.cancelled():
            task.exception()  # retrieved, so that asyncio does not report an exception that nobody awaits
