"""What reading documents in needs of others: files, a reader of formats, and what finds something in a chunk."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from agents.ingest.documents.document import Chunk, Document
from stores.records.sources import LadderStage, Snippet, Source
from stores.records.workflow import ProposedChange

SplitDocument = Callable[[Document], Iterator[Chunk]]


class DocumentReading(Protocol):
    async def read(self, data: bytes, name: str) -> Document:
        """Read a document in a process of its own, within limits. Raises MonitorError that says what is wrong."""
        ...


class OriginalReader(Protocol):
    async def get(self, collection: str, key: str) -> bytes: ...


class OriginalStore(OriginalReader, Protocol):
    async def put(self, collection: str, data: bytes) -> str: ...


@dataclass(frozen=True, slots=True)
class ListedFiles:
    """The files at a path, and those that are left out with the reason."""

    paths: tuple[str, ...]
    skipped: tuple[tuple[str, str], ...] = ()


class DocumentFiles(Protocol):
    """The files that the user names."""

    async def list_files(self, path: str) -> ListedFiles:
        """Return the documents of a folder, or the one file. Raises InputError if there is nothing."""
        ...

    async def read_file(self, path: str) -> bytes:
        """Raises InputError, for one that is too large as well."""
        ...


@dataclass(frozen=True, slots=True)
class ServedChunk:
    """What the ladder gave for a chunk."""

    stage: LadderStage
    anchors: tuple[str, ...]
    proposals: tuple[ProposedChange, ...]
    asked_model: bool = False


class ChunkServer(Protocol):
    """Serves the chunks of a document by the ladder."""

    async def begin(self, source: Source, snippets: Sequence[Snippet]) -> None:
        """Note the document that chunks are served of next, with all its chunks."""
        ...

    async def serve(self, snippet: Snippet) -> ServedChunk: ...

    async def finish(self, source: Source) -> tuple[ProposedChange, ...]:
        """Return what only the whole document gives: names that are one."""
        ...
