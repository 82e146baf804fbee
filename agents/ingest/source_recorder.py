"""Writes how far documents are. What the user decided meanwhile stands."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from agents.events import EventBus, IngestProgressed, SourceAdded
from stores.errors import NotFound
from stores.ports import IngestLog
from stores.records.ids import Id
from stores.records.sources import READING_STATES, TAKEN_BACK_STATES, Snippet, Source, SourcePage
from stores.records.workflow import ProposedChange


class SourceRecorder:
    """Implements `stores.ports.SourceWriter` for workers, and changes the states of documents for the user.

    The program alone has one: a worker's report and the user's decision come one after another.
    """

    def __init__(self, log: IngestLog, events: EventBus) -> None:
        self._log = log
        self._events = events
        self._lock = asyncio.Lock()

    async def add_source(self, source: Source) -> None:
        """Store a new document."""
        async with self._lock:
            await self._log.put_source(source)
        self._publish(source)

    async def change_source(self, source_id: Id, change: Callable[[Source], Source]) -> Source:
        """Store what `change` makes of the document; return it. Raises NotFound."""
        async with self._lock:
            stored = await self._log.source(source_id)
            changed = change(stored)
            if changed != stored:
                await self._log.put_source(changed)
        if changed != stored:
            self._publish(changed)
        if (stored.state in TAKEN_BACK_STATES) is not (changed.state in TAKEN_BACK_STATES):
            self._events.publish(SourceAdded(changed.universe_id, changed.id))
        return changed

    async def put_source(self, source: Source) -> None:
        """Store what a worker reports of a document, unless it was of another edition.

        One that was paused, cancelled or withdrawn meanwhile keeps that state.
        """

        def take_report(stored: Source) -> Source:
            if stored.edition != source.edition:
                return stored
            is_as_reported = stored.state in READING_STATES and (
                (stored.uses_model, stored.reads_pictures) == (source.uses_model, source.reads_pictures)
            )
            return source if is_as_reported else source.model_copy(update=_users_part(stored, source))

        try:
            await self.change_source(source.id, take_report)
        except NotFound:
            return  # a library that was restored meanwhile has no such document
        if source.chunk_count is not None:
            self._events.publish(SourceAdded(source.universe_id, source.id))

    async def put_pages(self, pages: Sequence[SourcePage]) -> None:
        await self._log.put_pages(pages)

    async def put_snippets(self, snippets: Sequence[Snippet]) -> None:
        await self._log.put_snippets(snippets)

    async def stage_snippets(self, snippets: Sequence[Snippet], proposals: Sequence[ProposedChange]) -> None:
        await self._log.stage_snippets(snippets, proposals)
        for universe_id, source_id in dict.fromkeys((s.universe_id, s.source_id) for s in snippets):
            self._events.publish(IngestProgressed(universe_id, source_id))

    def _publish(self, source: Source) -> None:
        self._events.publish(IngestProgressed(source.universe_id, source.id))


def _users_part(stored: Source, reported: Source) -> dict[str, object]:
    """Return what of a document the user decides, whatever is reported of it."""
    return {
        "state": stored.state,
        "error": stored.error,
        "uses_model": stored.uses_model,
        "reads_pictures": stored.reads_pictures,
        "picture_pages": reported.picture_pages if stored.reads_pictures else (),
    }
