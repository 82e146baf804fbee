"""The import that runs behind the screens: one at a time, told as it goes, and ended by a word.

Source: the issue "Context that remembers", "The import of a long log ... and play goes on meanwhile".
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from agents.importing.importer import Hear, Importer
from agents.importing.views import ImportDone, ImportOrder, ImportPreview, ImportProgress
from agents.messages import EventBus, ImportMoved, Notice
from stores.errors import InputError

Open = Callable[[str], Awaitable[bytes]]
"""Reads the file at a path. Raises InputError."""


class Imports:
    """See `agents.import_desk.ImportDesk` for what each call promises."""

    def __init__(self, importer: Importer, open_file: Open, events: EventBus) -> None:
        self._importer = importer
        self._open = open_file
        self._events = events
        self._task: asyncio.Task[ImportDone] | None = None
        self._progress: ImportProgress | None = None

    async def order(self, path: str, *, universe: str = "", story: str = "", hero: str = "") -> ImportOrder:
        """Read a file, and return what `look` and `run` are asked for with it."""
        return ImportOrder(path, await self._open(path), universe, story, hero)

    async def look(self, order: ImportOrder) -> ImportPreview:
        """Say what a log holds and where it would go; changes nothing."""
        return await self._importer.look(order)

    async def bring(self, order: ImportOrder, hear: Hear = lambda progress: None) -> ImportDone:
        """Bring a log in, or go on where that was cut off; play may go on meanwhile. To cancel it, cancel the
        task: what is in stays, and the same order goes on from there.
        """
        return await self._importer.bring(order, hear)

    @property
    def running(self) -> ImportProgress | None:
        """How far the one is that `run` brings in; None if there is none."""
        return self._progress

    async def run(self, order: ImportOrder) -> ImportDone | None:
        """As `bring`, and tell of it in events (`ImportMoved`, a `Notice` at its end); None if it was
        cancelled. One runs at a time.
        """
        if self._task is not None:
            raise InputError(
                "A log is being brought in already.", todo="Wait until it is in, or cancel it first."
            )
        self._hear(ImportProgress(0, 0, 0, 0))
        self._task = asyncio.ensure_future(self._importer.bring(order, self._hear))
        try:
            # Shielded: whoever waits for it may go away, and it goes on.
            done = await asyncio.shield(self._task)
        except asyncio.CancelledError:
            if not self._task.cancelled():
                self._task.cancel()
                raise
            self._events.publish(Notice(self._cut_off()))
            return None
        finally:
            self._task, self._progress = None, None
            self._events.publish(ImportMoved())
        self._events.publish(Notice(told(done)))
        return done

    def cancel(self) -> None:
        """End the one that runs, between two scenes."""
        if self._task is not None:
            self._task.cancel()

    async def close(self) -> None:
        """Cancel what runs, before the stores are closed."""
        if (task := self._task) is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def _hear(self, progress: ImportProgress) -> None:
        self._progress = progress
        self._events.publish(ImportMoved(progress.turns, progress.of_turns))

    def _cut_off(self) -> str:
        came = self._progress
        if came is None or not came.turns:
            return "Cancelled: nothing of the log was brought in."
        so_far = f"{came.turns:,} of {came.of_turns:,} turns are in"
        return f"Cancelled: {so_far}. Import the same file again, and it goes on from there."


def told(done: ImportDone) -> str:
    """Return a line on what an import came to."""
    held = f"{done.turns:,} turns in {done.scenes:,} scenes"
    if done.whole:
        return f"“{done.story}” has this log already: {held}."
    lost = sum(problem.lost for problem in done.problems)
    left = f" {lost:,} {'thing was' if lost == 1 else 'things were'} left out." if lost else ""
    return f"Imported “{done.story}”: {held}.{left}"
