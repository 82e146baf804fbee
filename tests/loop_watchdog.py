"""Measures how long single steps hold the event loop, by the processor time of its thread.

Time during which other processes or threads have the processor does not count, so a busy machine changes little.
"""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

PROGRAM_THRESHOLDS: Final = (700, 10)
"""Python's own for the younger generations: those of the tests (`conftest.py`) collect more at a time."""

MAX_DESCRIBED: Final = 300
"""Characters of a step's description: its end says most."""


@dataclass
class LoopWatchdog:
    """The steps of the loop that took longest."""

    steps: list[tuple[float, str]] = field(default_factory=list)
    """Their processor time in milliseconds, and where the task stood that went on."""

    def take_steps_over(self, milliseconds: float) -> list[tuple[float, str]]:
        """Return the steps since the last call that took longer."""
        steps, self.steps = self.steps, []
        return sorted((step for step in steps if step[0] > milliseconds), reverse=True)


@contextmanager
def watched_loop() -> Iterator[LoopWatchdog]:
    """Watch the loop of this thread while the block runs, without collections of the oldest garbage.

    The program makes those in pauses (`monitor_tui.garbage`).
    """
    watchdog, thread, thresholds = LoopWatchdog(), threading.get_ident(), gc.get_threshold()
    run: Any = asyncio.Handle._run
    handle_class: Any = asyncio.Handle

    def run_timed(handle: Any) -> None:
        if threading.get_ident() != thread:
            run(handle)
            return
        description, start = _describe(handle._callback), time.thread_time()
        run(handle)
        watchdog.steps.append((1_000 * (time.thread_time() - start), description))

    handle_class._run = run_timed
    gc.collect()
    gc.set_threshold(*PROGRAM_THRESHOLDS, 1_000_000)
    try:
        yield watchdog
    finally:
        handle_class._run = run
        gc.set_threshold(*thresholds)


def _describe(callback: Any) -> str:
    """Return where the task of a callback stands before it goes on, or what is called."""
    task = getattr(callback, "__self__", None)
    if not isinstance(task, asyncio.Task):
        return str(getattr(callback, "__qualname__", callback))
    places = []
    coroutine: Any = task.get_coro()
    while (frame := getattr(coroutine, "cr_frame", None)) is not None:
        places.append(f"{frame.f_code.co_qualname}:{frame.f_lineno}")
        coroutine = coroutine.cr_await
    return " > ".join(places)[-MAX_DESCRIBED:]
