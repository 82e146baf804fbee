"""Measures how long single steps hold the event loop, by the processor time of its thread.

Time during which other processes or threads have the processor does not count, so a busy machine changes little.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class LoopWatchdog:
    """The steps of the loop of one thread that took longer than `seconds` of processor time."""

    seconds: float
    steps: list[tuple[float, str]] = field(default_factory=list)
    """Their processor time in seconds, and what ran."""

    @property
    def longest(self) -> float:
        return max((seconds for seconds, _ in self.steps), default=0.0)


@contextmanager
def watched_loop(seconds: float) -> Iterator[LoopWatchdog]:
    """Watch the loops of this thread while the block runs."""
    watchdog, thread = LoopWatchdog(seconds), threading.get_ident()
    run = asyncio.Handle._run

    def run_timed(handle: asyncio.Handle) -> None:
        if threading.get_ident() != thread:
            run(handle)
            return
        start = time.thread_time()
        description = _describe(handle)
        run(handle)
        if (taken := time.thread_time() - start) > seconds:
            watchdog.steps.append((taken, description))

    asyncio.Handle._run = run_timed  # type: ignore[method-assign]
    try:
        yield watchdog
    finally:
        asyncio.Handle._run = run  # type: ignore[method-assign]


def _describe(handle: asyncio.Handle) -> str:
    """Return where the task of a handle stands before it goes on, or what is called."""
    callback = handle._callback  # type: ignore[attr-defined]
    task = getattr(callback, "__self__", None)
    if not isinstance(task, asyncio.Task):
        return getattr(callback, "__qualname__", repr(callback))
    coroutine = task.get_coro()
    names = []
    while coroutine is not None:
        frame = getattr(coroutine, "cr_frame", None)
        if frame is None:
            break
        names.append(f"{frame.f_code.co_qualname}:{frame.f_lineno}")
        coroutine = getattr(coroutine, "cr_await", None)
    return " > ".join(names) or task.get_name()
