"""What is being looked up, so that whoever asks the same meanwhile waits for the same."""

from __future__ import annotations

from asyncio import Task, create_task, shield
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class InFlight(Generic[T]):
    """Keeps nothing but what is under way: whoever asks later asks anew."""

    def __init__(self) -> None:
        self._tasks: dict[Hashable, Task[T]] = {}

    async def of(self, key: Hashable, look: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Return what `look` comes to, or what the look under the same key does that is under way. Whoever
        gives up waiting does not stop it for the others."""
        task = self._tasks.get(key)
        if task is None:
            task = self._tasks[key] = create_task(look())
            task.add_done_callback(lambda done: self._ended(key, done))
        return await shield(task)

    def _ended(self, key: Hashable, task: Task[T]) -> None:
        self._tasks.pop(key, None)
        if not task.cancelled():
            task.exception()  # when nobody waits any more, it is not asyncio's to complain about
