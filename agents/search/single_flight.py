"""What is being looked up, so that whoever asks the same meanwhile waits for the same."""

from __future__ import annotations

from asyncio import Task, create_task, shield
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class SingleFlight(Generic[T]):
    """Keeps nothing but what is under way: whoever asks later asks anew."""

    def __init__(self) -> None:
        self._tasks: dict[Hashable, Task[T]] = {}

    async def run_once(self, key: Hashable, start_lookup: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Return what `look` comes to, or what the look under the same key does that is under way. Whoever
        gives up waiting does not stop it for the others."""
        task = self._tasks.get(key)
        if task is None:
            task = self._tasks[key] = create_task(start_lookup())
            task.add_done_callback(lambda done: self._on_task_done(key, done))
        return await shield(task)

    def _on_task_done(self, key: Hashable, task: Task[T]) -> None:
        self._tasks.pop(key, None)
        if not task.cancelled():
            task.exception()  # when nobody waits any more, it is not asyncio's to complain about
