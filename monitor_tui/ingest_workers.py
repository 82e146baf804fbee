"""Builds what reads documents in, for whichever process does. Word lists are loaded with the first chunk."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from agents.canon_keeper.universe_policy import ReadCatalogue
from agents.ingest.documents.reading import DocumentReader
from agents.ingest.ingest_worker import EnrichWorker, IngestWorker, Publish
from agents.ingest.page_transcription import PageTranscriber, PictureModel
from agents.ingest.ports import ChunkServer, OriginalReader, ServedChunk
from stores.ports import CanonReader, LogReader, SourceWriter
from stores.records.sources import Snippet, Source
from stores.records.workflow import ProposedChange

if TYPE_CHECKING:
    from agents.ingest.documents.document import Chunk, Page
    from agents.ingest.ladder.chunk_model import ChunkModel


def build_ingest_worker(
    canon: CanonReader,
    log: LogReader,
    writer: SourceWriter,
    originals: OriginalReader,
    read_catalogue: ReadCatalogue,
    publish: Publish,
) -> IngestWorker:
    """Return the worker that reads documents and serves their chunks without a model."""
    server = LazyChunkServer(lambda: _build_chunk_server(canon, log, read_catalogue, None))
    return IngestWorker(log, writer, originals, DocumentReader(), split_document_lazily, server, publish)


def build_enrich_worker(
    canon: CanonReader,
    log: LogReader,
    writer: SourceWriter,
    originals: OriginalReader,
    read_catalogue: ReadCatalogue,
    model: ChunkModel,
    picture_model: PictureModel,
    is_on: Callable[[], bool],
    publish: Publish,
) -> EnrichWorker:
    """Return the worker that asks a model about chunks, and about pictures of pages."""
    server = LazyChunkServer(lambda: _build_chunk_server(canon, log, read_catalogue, model))
    transcriber = PageTranscriber(log, writer, originals, DocumentReader(), picture_model, time.monotonic)
    return EnrichWorker(log, writer, server, transcriber, is_on, publish)


class LazyChunkServer:
    """Builds a chunk server when the first chunk is served. Implements `agents.ingest.ports.ChunkServer`."""

    def __init__(self, build: Callable[[], ChunkServer]) -> None:
        self._build = build
        self._built: ChunkServer | None = None

    async def begin(self, source: Source) -> bool:
        return await self._server.begin(source)

    async def serve(self, snippet: Snippet) -> ServedChunk:
        return await self._server.serve(snippet)

    def forget(self) -> None:
        if self._built is not None:
            self._built.forget()

    async def finish(self, source: Source) -> tuple[ProposedChange, ...]:
        return await self._server.finish(source)

    @property
    def _server(self) -> ChunkServer:
        if self._built is None:
            self._built = self._build()
        return self._built


def split_document_lazily(pages: Iterable[Page]) -> Iterator[Chunk]:
    """As `agents.ingest.documents.chunking.split_document`, which loads a library that is no part of the start."""
    from agents.ingest.documents.chunking import split_document

    return split_document(pages)


def _build_chunk_server(
    canon: CanonReader,
    log: LogReader,
    read_catalogue: ReadCatalogue,
    model: ChunkModel | None,
) -> ChunkServer:
    from agents.ingest.chunk_server import LadderChunkServer

    return LadderChunkServer(canon, log, read_catalogue, model)
