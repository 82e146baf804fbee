"""Reads documents in, in the background: original, pages, chunks, and what the ladder finds in each chunk.

Whatever is stored says how far a document is: `chunk_count` is set once all pages and all snippets are there, and a
snippet has its `stage` from the write on that stages what was found in it. So a document goes on after a stop where it
was, and a step that is done again writes the same records. The indexes follow by themselves.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, TypeVar

from agents.events import ChunksServed, Event, IngestProgressed
from agents.ingest.document_chunks import build_pages, build_snippets
from agents.ingest.documents.document import Page
from agents.ingest.documents.errors import blank_document_error
from agents.ingest.documents.reading_pipe import PageBatch
from agents.ingest.page_transcription import ModelUnavailable, PageTranscriber, transcription_notes
from agents.ingest.ports import ChunkServer, DocumentReading, OriginalReader, ServedChunk, SplitDocument
from agents.jobs.worker import INGEST_QUEUE, MODEL_QUEUE, JobSubject, RetryLater
from agents.sanitize import clean
from agents.typed_text import one_line
from stores.errors import MonitorError, NotFound, StoreError
from stores.ports import LogReader, SourceWriter
from stores.records.ids import Id
from stores.records.jobs import JobKind
from stores.records.sources import READING_STATES, Snippet, Source, SourcePage, SourceState
from stores.records.workflow import ProposedChange

T = TypeVar("T")

Publish = Callable[[Event], None]

INGEST_PRIORITY: Final = 0
MAX_TITLE_LENGTH: Final = 200
PIECE_SECONDS: Final = 1.0
"""How long a piece of work goes on."""
RECORDS_PER_WRITE: Final = 100
CHUNKS_PER_WRITE: Final = 20
CHUNKS_PER_PIECE: Final = 500
"""Chunks that are read at once: more than are served in a piece."""
MODEL_RETRY_SECONDS: Final = 60.0
CHUNK_TOKENS: Final = 3_000
"""Tokens that the question about one chunk takes, with its answer."""


def concerns_ingest(event: Event) -> bool:
    """Say whether an event may bring work: a document was added, resumed or changed."""
    return isinstance(event, IngestProgressed)


@dataclass(slots=True)
class IngestWorker:
    """Reads documents and serves their chunks without a model; see `agents.jobs.worker.Worker`.

    The chunks of a document that `uses_model` are left to `EnrichWorker`.
    """

    log: LogReader
    writer: SourceWriter
    originals: OriginalReader
    reader: DocumentReading
    split_document: SplitDocument
    chunk_server: ChunkServer
    publish: Publish
    timer: Callable[[], float] = time.monotonic
    _readings: dict[Id, asyncio.Task[Source]] = field(default_factory=dict)
    """What is being read; a reading takes longer than a piece."""

    kind = JobKind.INGEST
    queue = INGEST_QUEUE
    priority = INGEST_PRIORITY

    async def subjects(self) -> Collection[JobSubject]:
        return [_subject_of(source) for source in await self.log.sources(states=READING_STATES)]

    async def on_event(self, event: Event) -> Collection[JobSubject]:
        if not isinstance(event, IngestProgressed):
            return ()
        source = await _find_source(self.log, event.source_id)
        if source is None or source.state not in READING_STATES:
            self._stop_reading(event.source_id)
            return ()
        return [_subject_of(source)]

    async def confirm_complete(self) -> Collection[JobSubject]:
        """Return nothing: the states of the documents say what is left."""
        return ()

    async def reconcile(self, subject_id: Id) -> int:
        source = await _find_source(self.log, subject_id)
        if source is None or source.state not in READING_STATES:
            self._stop_reading(subject_id)
            return 0
        if source.picture_pages:
            return 0  # a model reads these first
        if source.chunk_count is None:
            return await self._read_document(source)
        if source.uses_model:
            return 0
        return await serve_chunks(
            source, self.log, self.writer, self.chunk_server, self.publish, self.timer, by_model=False
        )

    # --- original to pages and chunks ----------------------------------------------------------------

    async def _read_document(self, source: Source) -> int:
        """Read on for the length of a piece; once all pages are stored, store the chunks."""
        if source.id not in self._readings:
            source = source.model_copy(update={"state": SourceState.READING, "pages_read": 0})
            await self.writer.put_source(source)
            self._readings[source.id] = asyncio.create_task(self._store_pages(source))
        reading = self._readings[source.id]
        await asyncio.wait([reading], timeout=PIECE_SECONDS)
        if not reading.done():
            return max(1, (source.page_count or 1) - source.pages_read)
        del self._readings[source.id]
        try:
            read_source = reading.result()
            if read_source.picture_pages:
                await self.writer.put_source(read_source)
                return 0
            return await self._store_chunks(read_source)
        except StoreError:
            raise  # the store's fault, and not the document's: tried again
        except MonitorError as error:
            failed = {"state": SourceState.FAILED, "error": str(error)}
            await self.writer.put_source(source.model_copy(update=failed))
            return 0

    async def _store_pages(self, source: Source) -> Source:
        """Read the original and store its pages as they come; return the source as far as it is known then."""
        data = await self.originals.get("originals", source.object_key)
        reading = source
        transcribed = await self._read_transcribed_pages(source)

        async def store_batch(batch: PageBatch) -> None:
            nonlocal reading
            if batch.pages:
                pages = build_pages(source, batch.pages)
                await self.writer.put_pages([transcribed.get(page.number, page) for page in pages])
            reading = reading.model_copy(
                update={
                    "page_count": batch.page_count,
                    "pages_read": reading.pages_read + len(batch.pages),
                }
            )
            await self.writer.put_source(reading)

        name = source.file_name or source.title
        summary = await self.reader.read_in_batches(
            data, name, store_batch, allows_pictures=source.reads_pictures
        )
        return reading.model_copy(
            update={
                "title": one_line(clean(summary.title))[:MAX_TITLE_LENGTH] or source.title,
                "media_type": summary.media_type,
                "notes": (*summary.notes, *transcription_notes(transcribed.values())),
                "page_count": summary.page_count,
                "picture_pages": tuple(n for n in summary.picture_pages if n not in transcribed)
                if source.reads_pictures
                else (),
            }
        )

    async def _read_transcribed_pages(self, source: Source) -> dict[int, SourcePage]:
        """Return the pages that a model has read from their pictures, by number."""
        if not source.reads_pictures:
            return {}
        pages = await self.log.source_pages(source.id, source.edition)
        return {page.number: page for page in pages if page.transcribed_by}

    async def _store_chunks(self, source: Source) -> int:
        """Split the stored pages into chunks and store them. Raises InputError if a model read nothing on any page."""
        stored_pages = await self.log.source_pages(source.id, source.edition)
        pages = [Page(page.number, page.text, page.label) for page in stored_pages]
        chunks = await asyncio.to_thread(lambda: list(self.split_document(pages)))
        if not chunks:
            raise blank_document_error()
        snippets = build_snippets(source, chunks, await self.log.snippets(source.id))
        for batch in _batches(snippets, RECORDS_PER_WRITE):
            await self.writer.put_snippets(batch)
        await self.writer.put_source(source.model_copy(update={"chunk_count": len(snippets), "error": ""}))
        return len(snippets) + 1

    def _stop_reading(self, source_id: Id) -> None:
        if reading := self._readings.pop(source_id, None):
            reading.cancel()


@dataclass(slots=True)
class EnrichWorker:
    """Reads pictures of pages, and serves chunks, of documents that a model is asked about, beside play.

    See `agents.jobs.worker.Worker`.

    It runs in the program, which has the model and its budgets.
    """

    log: LogReader
    writer: SourceWriter
    chunk_server: ChunkServer
    transcriber: PageTranscriber
    is_on: Callable[[], bool]
    publish: Publish
    timer: Callable[[], float] = time.monotonic

    kind = JobKind.ENRICH
    queue = MODEL_QUEUE
    priority = INGEST_PRIORITY

    async def subjects(self) -> Collection[JobSubject]:
        sources = await self.log.sources(states=READING_STATES)
        return [
            _subject_for_model(source) for source in sources if source.uses_model or source.reads_pictures
        ]

    async def on_event(self, event: Event) -> Collection[JobSubject]:
        if not isinstance(event, IngestProgressed):
            return ()
        source = await _find_source(self.log, event.source_id)
        return [_subject_for_model(source)] if source is not None and _is_for_model(source) else ()

    async def confirm_complete(self) -> Collection[JobSubject]:
        """Return nothing: the states of the documents say what is left."""
        return ()

    async def reconcile(self, subject_id: Id) -> int:
        source = await _find_source(self.log, subject_id)
        if source is None or not _is_for_model(source):
            return 0
        try:
            if not self.is_on():
                raise ModelUnavailable("No model is set up to read documents.")
            if source.picture_pages:
                return await self.transcriber.read_pages(source, self.timer() + PIECE_SECONDS)
            items_left = await serve_chunks(
                source, self.log, self.writer, self.chunk_server, self.publish, self.timer, by_model=True
            )
        except ModelUnavailable as error:
            await self._note_problem(source, error.what)
            raise RetryLater(error.what, seconds=MODEL_RETRY_SECONDS, whole_kind=True) from error
        if items_left:
            await self._note_problem(source, "")
        return items_left

    async def _note_problem(self, served_source: Source, problem: str) -> None:
        """Store why the document waits for its model; empty: the model answers again."""
        source = await self.log.source(served_source.id)
        if source.error != problem:
            await self.writer.put_source(source.model_copy(update={"error": problem}))


async def serve_chunks(
    source: Source,
    log: LogReader,
    writer: SourceWriter,
    server: ChunkServer,
    publish: Publish,
    timer: Callable[[], float],
    *,
    by_model: bool,
) -> int:
    """Serve chunks of the document for the length of a piece, and return how many are left.

    Once none is, the document is done. Raises ModelUnavailable; what was served by then is stored.
    """
    try:
        return await _serve_unserved(source, log, writer, server, publish, timer, by_model=by_model)
    except BaseException:
        server.forget()
        raise


async def _serve_unserved(
    source: Source,
    log: LogReader,
    writer: SourceWriter,
    server: ChunkServer,
    publish: Publish,
    timer: Callable[[], float],
    *,
    by_model: bool,
) -> int:
    ends_at = timer() + PIECE_SECONDS
    waiting, left = await log.waiting_snippets(
        source.id, source.edition, for_model=by_model, limit=CHUNKS_PER_PIECE
    )
    if not await server.begin(source):
        return left + 1
    for batch in _batches(waiting, CHUNKS_PER_WRITE):
        served: list[tuple[Snippet, ServedChunk]] = []
        problem = ""
        for snippet in batch:
            served.append((snippet, await server.serve(snippet)))
            problem = served[-1][1].model_problem
            if problem or timer() > ends_at:
                break
            await asyncio.sleep(0)  # other work of this process comes in between
        await _store_served(writer, served)
        publish(ChunksServed(tuple(one.figures for _, one in served if one.figures is not None)))
        left -= len(served)
        if problem:
            raise ModelUnavailable(problem)
        if timer() > ends_at:
            return left + 1
    if left:
        return left + 1
    proposals = await server.finish(source)
    for proposal_batch in _batches(proposals, RECORDS_PER_WRITE):
        await writer.stage_snippets((), proposal_batch)
    await writer.put_source(source.model_copy(update={"state": SourceState.DONE, "error": ""}))
    return 0


async def _store_served(writer: SourceWriter, served: Sequence[tuple[Snippet, ServedChunk]]) -> None:
    """Store what served the chunks, with what is proposed of them, in one write."""
    snippets = [
        snippet.model_copy(
            update={"stage": chunk.stage, "anchors": chunk.anchors, "asked_model": chunk.asked_model}
        )
        for snippet, chunk in served
    ]
    proposals: list[ProposedChange] = [p for _, chunk in served for p in chunk.proposals]
    await writer.stage_snippets(snippets, proposals)


def _is_for_model(source: Source) -> bool:
    is_served_by_model = source.uses_model and source.chunk_count is not None
    return source.state in READING_STATES and (bool(source.picture_pages) or is_served_by_model)


def _subject_of(source: Source) -> JobSubject:
    return JobSubject(source.id, source.universe_id, source.chunk_count or 1)


def _subject_for_model(source: Source) -> JobSubject:
    """Return the document as what a model is asked about."""
    return _subject_of(source)._replace(tokens=CHUNK_TOKENS)


async def _find_source(log: LogReader, source_id: Id) -> Source | None:
    try:
        return await log.source(source_id)
    except NotFound:
        return None


def _batches(items: Iterable[T], size: int) -> Iterable[list[T]]:
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
