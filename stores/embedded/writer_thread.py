"""The one thread that writes to a file; writes that the player waits for go first."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from enum import IntEnum
from queue import PriorityQueue
from typing import Any, TypeVar

from stores.errors import StoreError

T = TypeVar("T")


class Priority(IntEnum):
    """The order of writes: those of play before background work."""

    PLAY = 0
    BACKGROUND = 1


_CLOSE_PRIORITY = 2


@dataclass(order=True)
class _QueuedWrite:
    """A write in the queue. `number` keeps writes of one priority in their order."""

    priority: int
    number: int
    run: Callable[[], Any] | None = field(compare=False)
    future: Future[Any] = field(compare=False)


class WriterThread:
    """Runs jobs one at a time, by priority and then by age, until closed."""

    def __init__(self, name: str) -> None:
        self._queue: PriorityQueue[_QueuedWrite] = PriorityQueue()
        self._job_numbers = itertools.count()
        self._lock = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._run_jobs, name=name, daemon=True)
        self._thread.start()

    def submit(self, run: Callable[[], T], priority: Priority) -> Future[T]:
        """Queue `run`. Cancelling the future drops the job if it has not begun, and else does nothing."""
        future: Future[T] = Future()
        with self._lock:
            if self._closed:
                raise StoreError("The library is closed.", kept="Nothing was written.")
            self._queue.put(_QueuedWrite(priority, next(self._job_numbers), run, future))
        return future

    def close(self) -> None:
        """Finish all that is queued, then end the thread."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._queue.put(_QueuedWrite(_CLOSE_PRIORITY, next(self._job_numbers), None, Future()))
        self._thread.join()

    def _run_jobs(self) -> None:
        while (job := self._queue.get()).run is not None:
            if not job.future.set_running_or_notify_cancel():
                continue
            try:
                result = job.run()
            except BaseException as error:  # noqa: BLE001  (it belongs to whoever awaits the job)
                job.future.set_exception(error)
            else:
                job.future.set_result(result)
            del job  # else its result would be kept alive until the next one
