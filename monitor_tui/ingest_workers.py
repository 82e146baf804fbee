"""Builds what reads documents in, for whichever process does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from agents.ingest.documents.reading import DocumentReader
from agents.ingest.ingest_worker import IngestWorker
from agents.ingest.ports import ChunkServer, OriginalReader
from stores.ports import LogReader, SourceWriter

if TYPE_CHECKING:
    from agents.ingest.documents.document import Chunk, Page


def build_ingest_worker(
    log: LogReader, writer: SourceWriter, originals: OriginalReader, chunk_server: ChunkServer
) -> IngestWorker:
    """Return the worker that reads documents and serves their chunks without a model."""
    return IngestWorker(log, writer, originals, DocumentReader(), split_document_lazily, chunk_server)


def split_document_lazily(pages: Iterable[Page]) -> Iterator[Chunk]:
    """As `agents.ingest.documents.chunking.split_document`, which loads a library that is no part of the start."""
    from agents.ingest.documents.chunking import split_document

    return split_document(pages)
