"""Runs imports in the background: one at a time, with events on its progress, and cancelled on request."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from agents.events import EventBus, ImportProgressed, Notice
from agents.importers.cards.card_receipt import CardReceipt, describe_receipt
from agents.importers.import_views import ImportPreview, ImportProgress, ImportRequest, ImportResult
from stores.errors import InputError

if TYPE_CHECKING:
    from agents.importers.cards.card_importer import CardImporter
    from agents.importers.importer import Importer, OnProgress


_MAX_LISTED_NAMES: Final = 5


class Importers(NamedTuple):
    """What imports a log of play, and what imports a character card or lorebook."""

    log_importer: Importer
    card_importer: CardImporter


LoadImporters = Callable[[], Importers]
"""Imports the modules that read files, which few sessions need, and builds the importers; called in a thread."""

OpenFile = Callable[[str], Awaitable[bytes]]
"""Reads the file at a path. Raises InputError."""


class ImportRunner:
    """Runs one import at a time and publishes its progress.

    A file is a log of play, or a character card or lorebook: its content decides.
    """

    def __init__(self, load_importers: LoadImporters, open_file: OpenFile, events: EventBus) -> None:
        self._load_importers = load_importers
        self._importers: Importers | None = None
        self._open = open_file
        self._events = events
        self._task: asyncio.Task[ImportResult | CardReceipt] | None = None
        self._progress: ImportProgress | None = None

    async def open_request(
        self, path: str, *, universe: str = "", story: str = "", hero: str = ""
    ) -> ImportRequest:
        """Read a file and return the request to preview or import it."""
        return ImportRequest(path, await self._open(path), universe, story, hero)

    async def preview(self, request: ImportRequest) -> ImportPreview | CardReceipt:
        """Return what a file contains and where it would go. Nothing is changed."""
        log_importer, card_importer = await self._read_importers()
        if (card := await card_importer.read(request)) is not None:
            return await card_importer.preview(request, card)
        return await log_importer.preview(request)

    async def import_file(
        self, request: ImportRequest, on_progress: OnProgress = lambda progress: None
    ) -> ImportResult | CardReceipt:
        """Import a log, or continue where an earlier import stopped, or propose what a card says.

        Play may continue meanwhile. To cancel it, cancel the task: what was imported stays, and the same request
        continues from there.
        """
        _, card_importer = await self._read_importers()
        if (card := await card_importer.read(request)) is not None:
            return await card_importer.import_card(request, card)
        return await self.import_log(request, on_progress)

    async def import_log(
        self, request: ImportRequest, on_progress: OnProgress = lambda progress: None
    ) -> ImportResult:
        """Import a log, whatever else the file could be."""
        log_importer, _ = await self._read_importers()
        return await log_importer.import_log(request, on_progress)

    @property
    def progress(self) -> ImportProgress | None:
        """The progress of the import that `run` started; None if there is none."""
        return self._progress

    async def run(self, request: ImportRequest) -> ImportResult | CardReceipt | None:
        """Import a file and publish `ImportProgressed` events, and a `Notice` at the end; None if it was cancelled.

        Raises InputError if another import is running.
        """
        if self._task is not None:
            raise InputError(
                "Another import is running.", todo="Wait until it has ended, or cancel it first."
            )
        self._record_progress(ImportProgress(0, 0, 0, 0))
        self._task = asyncio.ensure_future(self.import_file(request, self._record_progress))
        try:
            # Shielded: the import continues if its caller is cancelled.
            result = await asyncio.shield(self._task)
        except asyncio.CancelledError:
            if not self._task.cancelled():
                self._task.cancel()
                raise
            self._events.publish(Notice(self._cancelled_text()))
            return None
        finally:
            self._task, self._progress = None, None
            self._events.publish(ImportProgressed())
        described = describe_receipt(result) if isinstance(result, CardReceipt) else describe_import(result)
        self._events.publish(Notice(described))
        return result

    def cancel(self) -> None:
        """Cancel the running import between two scenes."""
        if self._task is not None:
            self._task.cancel()

    async def close(self) -> None:
        """Cancel the running import, before the stores are closed."""
        if (task := self._task) is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _read_importers(self) -> Importers:
        if self._importers is None:
            self._importers = await asyncio.to_thread(self._load_importers)
        return self._importers

    def _record_progress(self, progress: ImportProgress) -> None:
        self._progress = progress
        self._events.publish(ImportProgressed(progress.turns, progress.total_turns))

    def _cancelled_text(self) -> str:
        progress = self._progress
        if progress is None or not progress.turns:
            return "Cancelled: nothing was imported."
        imported_text = f"{progress.turns:,} of {progress.total_turns:,} turns are in"
        return f"Cancelled: {imported_text}. Import the same file again, and it goes on from there."


def describe_import(result: ImportResult) -> str:
    """Return one line on the result of an import."""
    imported_text = f"{_count(result.turns, 'turn')} in {_count(result.scenes, 'scene')}"
    if result.was_already_complete:
        return f"“{result.story}” has this log already: {imported_text}."
    lost_count = sum(problem.is_lost for problem in result.problems)
    lost_text = (
        f" {lost_count:,} {'thing was' if lost_count == 1 else 'things were'} left out." if lost_count else ""
    )
    return f"Imported “{result.story}”: {imported_text}.{lost_text} {describe_proposals(result)}".rstrip()


def describe_proposals(result: ImportResult) -> str:
    """Return a sentence or two on what the log's tags and links propose; empty if they propose nothing."""
    if not result.proposal_count:
        return ""
    noun = "1 change is" if result.proposal_count == 1 else f"{result.proposal_count:,} changes are"
    proposed_text = f"{noun} proposed from its tags and links: you decide in its last scene."
    return f"{proposed_text} {describe_undecided(result.undecided_names)}".rstrip()


def describe_undecided(names: Sequence[str]) -> str:
    """Return what to do for names of which the log does not say what they are; empty if there are none."""
    if not names:
        return ""
    rest = len(names) - _MAX_LISTED_NAMES
    listed = ", ".join(names[:_MAX_LISTED_NAMES]) + (f" and {rest:,} more" if rest > 0 else "")
    return (
        f"The log does not say what is meant by {listed}, proposed as concepts: "
        f"e at the gate lets you say it (“{names[0]}: place”)."
    )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
