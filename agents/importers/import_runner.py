"""The import that runs behind the screens: one at a time, told as it goes, and ended by a word.

Source: the issue "Context that remembers", "The import of a long log ... and play goes on meanwhile".
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from agents.events import EventBus, ImportMoved, Notice
from agents.importers.import_views import ImportPreview, ImportProgress, ImportRequest, ImportResult
from agents.importers.importer import Importer, OnProgress
from stores.errors import InputError

OpenFile = Callable[[str], Awaitable[bytes]]
"""Reads the file at a path. Raises InputError."""


class ImportRunner:
    """See `agents.import_desk.ImportDesk` for what each call promises."""

    def __init__(self, importer: Importer, open_file: OpenFile, events: EventBus) -> None:
        self._importer = importer
        self._open = open_file
        self._events = events
        self._task: asyncio.Task[ImportResult] | None = None
        self._progress: ImportProgress | None = None

    async def open_request(
        self, path: str, *, universe: str = "", story: str = "", hero: str = ""
    ) -> ImportRequest:
        """Read a file, and return what `look` and `run` are asked for with it."""
        return ImportRequest(path, await self._open(path), universe, story, hero)

    async def preview(self, request: ImportRequest) -> ImportPreview:
        """Say what a log holds and where it would go; changes nothing."""
        return await self._importer.preview(request)

    async def import_log(
        self, request: ImportRequest, on_progress: OnProgress = lambda progress: None
    ) -> ImportResult:
        """Bring a log in, or go on where that was cut off; play may go on meanwhile. To cancel it, cancel the
        task: what is in stays, and the same order goes on from there.
        """
        return await self._importer.import_log(request, on_progress)

    @property
    def progress(self) -> ImportProgress | None:
        """How far the one is that `run` brings in; None if there is none."""
        return self._progress

    async def run(self, request: ImportRequest) -> ImportResult | None:
        """As `bring`, and tell of it in events (`ImportMoved`, a `Notice` at its end); None if it was
        cancelled. One runs at a time.
        """
        if self._task is not None:
            raise InputError(
                "A log is being brought in already.", todo="Wait until it is in, or cancel it first."
            )
        self._record_progress(ImportProgress(0, 0, 0, 0))
        self._task = asyncio.ensure_future(self._importer.import_log(request, self._record_progress))
        try:
            # Shielded: whoever waits for it may go away, and it goes on.
            result = await asyncio.shield(self._task)
        except asyncio.CancelledError:
            if not self._task.cancelled():
                self._task.cancel()
                raise
            self._events.publish(Notice(self._cancelled_text()))
            return None
        finally:
            self._task, self._progress = None, None
            self._events.publish(ImportMoved())
        self._events.publish(Notice(describe_import(result)))
        return result

    def cancel(self) -> None:
        """End the one that runs, between two scenes."""
        if self._task is not None:
            self._task.cancel()

    async def close(self) -> None:
        """Cancel what runs, before the stores are closed."""
        if (task := self._task) is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def _record_progress(self, progress: ImportProgress) -> None:
        self._progress = progress
        self._events.publish(ImportMoved(progress.turns, progress.total_turns))

    def _cancelled_text(self) -> str:
        progress = self._progress
        if progress is None or not progress.turns:
            return "Cancelled: nothing of the log was brought in."
        imported_text = f"{progress.turns:,} of {progress.total_turns:,} turns are in"
        return f"Cancelled: {imported_text}. Import the same file again, and it goes on from there."


def describe_import(result: ImportResult) -> str:
    """Return a line on what an import came to."""
    imported_text = f"{result.turns:,} turns in {result.scenes:,} scenes"
    if result.was_already_complete:
        return f"“{result.story}” has this log already: {imported_text}."
    lost_count = sum(problem.is_lost for problem in result.problems)
    lost_text = (
        f" {lost_count:,} {'thing was' if lost_count == 1 else 'things were'} left out." if lost_count else ""
    )
    return f"Imported “{result.story}”: {imported_text}.{lost_text}"
