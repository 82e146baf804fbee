"""What reading documents in needs of others: a reader of formats, and what finds something in a chunk."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from agents.events import ChunkFigures
from agents.ingest.documents.document import Chunk, Page
from agents.ingest.documents.reading_pipe import DocumentSummary, PageBatch
from stores.records.sources import LadderStage, Snippet, Source
from stores.records.workflow import ProposedChange

SplitDocument = Callable[[Iterable[Page]], Iterator[Chunk]]
OnBatch = Callable[[PageBatch], Awaitable[None]]


class DocumentReading(Protocol):
    """Reads documents within limits, in a process of their own. Raises InputError that says what is wrong."""

    async def read_in_batches(
        self,
        source: Path | bytes,
        name: str,
        on_batch: OnBatch,
        *,
        sample_pages: int = 0,
        allows_pictures: bool = False,
    ) -> DocumentSummary:
        """Hand over the pages (or some, spread over the document) in order; the first batch says how many there are.

        With `allows_pictures`, pages that are pictures without text are no fault of the document.
        """
        ...


class PageRenderer(Protocol):
    async def render_page(
        self, source: Path | bytes, name: str, number: int, width: int, max_height: int = 0
    ) -> bytes:
        """Return a page of a PDF as a picture (PNG), `width` pixels wide unless that is too high (0: no matter).

        `number` is from 1.
        """
        ...


class PictureShrinker(Protocol):
    async def shrink_picture(self, data: bytes, max_width: int, max_height: int) -> bytes:
        """Return a picture (PNG or JPEG) as PNG that fits into so many pixels. Raises InputError."""
        ...


class OriginalReader(Protocol):
    async def get(self, collection: str, key: str) -> bytes: ...


class OriginalStore(OriginalReader, Protocol):
    async def put(self, collection: str, data: bytes) -> str: ...


@dataclass(frozen=True, slots=True)
class ServedChunk:
    """What the ladder gave for a chunk."""

    stage: LadderStage
    anchors: tuple[str, ...]
    proposals: tuple[ProposedChange, ...]
    asked_model: bool = False
    model_problem: str = ""
    """Why a model that was to be asked gave no answer: it is asked again later."""
    figures: ChunkFigures | None = None
    """How the ladder served it, to be counted."""


class ChunkServer(Protocol):
    """Serves the chunks of a document by the ladder."""

    async def begin(self, source: Source) -> bool:
        """Look at the document that chunks are served of next; return whether that is done.

        It takes about a second at most: a long document is looked at over several calls.
        """
        ...

    async def serve(self, snippet: Snippet) -> ServedChunk: ...

    def forget(self) -> None:
        """Forget what was served: it may not be stored. What is stored is read again."""
        ...

    async def finish(self, source: Source) -> tuple[ProposedChange, ...]:
        """Return what only the whole document gives: names that are one."""
        ...
