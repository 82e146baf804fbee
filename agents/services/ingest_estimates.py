"""Estimates what documents would bring and cost, before anything is stored or paid."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Final

from agents.ingest.documents.document import Chunk, Page
from agents.ingest.documents.errors import scanned_document_error
from agents.ingest.documents.estimate import estimate_document
from agents.ingest.documents.folders import DocumentListing, ListedDocument, list_documents
from agents.ingest.documents.limits import DEFAULT_LIMITS
from agents.ingest.documents.reading_pipe import DocumentSummary, PageBatch
from agents.ingest.ports import DocumentReading, SplitDocument
from agents.llm.llm_port import ModelFacts
from agents.llm.prompt_builder import PICTURE_TOKENS
from agents.llm.usage_estimate import price_tokens
from agents.views.ingest_views import DocumentPreview, IngestEstimate, UnreadFile
from stores.errors import InputError, StoreError
from stores.ports import LogReader
from stores.records.ids import Id
from stores.records.sources import TAKEN_BACK_STATES

ReadModelFacts = Callable[[], Awaitable[ModelFacts | None]]
"""Returns what is known of the model that would be asked; None if none is set."""

PROMPT_TOKENS: Final = 900
"""Tokens of instructions that go with each chunk."""
ANSWER_TOKENS: Final = 400
"""Tokens of an answer about one chunk."""
PICTURE_PROMPT_TOKENS: Final = 400
"""Tokens of instructions that go with the picture of a page."""
PICTURE_ANSWER_TOKENS: Final = 1_000
"""Tokens of the text of a page."""
MODEL_SECONDS: Final = 4.0
"""Seconds that a model takes for one chunk."""
SAMPLED_PAGES: Final = 20
"""Pages of each document that are looked at."""


@dataclass(frozen=True, slots=True)
class ReadEdition:
    """A document that was read whole, with its chunks; nothing of it is stored."""

    summary: DocumentSummary
    chunks: tuple[Chunk, ...]


class DocumentEstimator:
    """Looks at files without keeping them, and says what they would bring and cost."""

    def __init__(
        self,
        log: LogReader,
        reader: DocumentReading,
        split_document: SplitDocument,
        read_model_facts: ReadModelFacts,
    ) -> None:
        self._log = log
        self._reader = reader
        self._split_document = split_document
        self._read_model_facts = read_model_facts

    async def preview(self, path: str, universe_id: Id | None) -> IngestEstimate:
        """Return what the file, or every document of the folder, would bring.

        Raises InputError if there is nothing to read; a file of a folder that cannot be read is listed with the others
        that are not.
        """
        listing = await self.list_documents(path)
        facts = await self._read_model_facts()
        sees_pictures = facts is not None and facts.takes_pictures
        titles_by_key = await self._read_titles(universe_id)
        previews = []
        unread = [UnreadFile(one.name, one.reason) for one in listing.skipped]
        for listed in listing.documents:
            try:
                previews.append(await self._preview_document(listed, facts, titles_by_key))
            except StoreError:
                raise
            except InputError as error:
                if len(listing.documents) == 1 and not listing.skipped:
                    raise
                unread.append(UnreadFile(listed.name, error.what))
        model = facts.model if facts else ""
        return IngestEstimate(
            tuple(previews), tuple(unread), listing.is_vault, model, sees_pictures=sees_pictures
        )

    async def read_title(self, path: str) -> str:
        """Return the title of a document; of a folder, and of what cannot be read, the file's name."""
        documents = (await self.list_documents(path)).documents
        name = PurePath(path).stem
        if documents[0].path.name != PurePath(path).name:
            return name  # a folder

        async def leave(batch: PageBatch) -> None:
            pass

        try:
            summary = await self._reader.read_in_batches(
                documents[0].path,
                documents[0].path.name,
                leave,
                sample_pages=SAMPLED_PAGES,
                allows_pictures=True,
            )
        except StoreError:
            raise
        except InputError:
            return name  # reading it in says why
        return summary.title or name

    async def list_documents(self, path: str) -> DocumentListing:
        """Return the documents at the path. Raises InputError if there are none."""
        listing = await asyncio.to_thread(lambda: list_documents(Path(path).expanduser()))
        if not listing.documents:
            reason = (
                f" {listing.skipped[0].name} is not read: {listing.skipped[0].reason}."
                if listing.skipped
                else ""
            )
            raise InputError(
                f"There is no document at {path}.{reason}",
                kept="Nothing was stored.",
                todo="Choose PDF, EPUB, HTML, DOCX, Markdown or plain text.",
            )
        return listing

    async def read_whole(self, path: str) -> ReadEdition:
        """Return a document with its chunks. Raises InputError."""
        listed = (await self.list_documents(path)).documents[0]
        pages: list[Page] = []

        async def keep(batch: PageBatch) -> None:
            pages.extend(batch.pages)

        summary = await self._reader.read_in_batches(listed.path, listed.path.name, keep)
        chunks = await asyncio.to_thread(lambda: tuple(self._split_document(pages)))
        return ReadEdition(summary, chunks)

    async def _preview_document(
        self, listed: ListedDocument, facts: ModelFacts | None, titles_by_key: Mapping[str, str]
    ) -> DocumentPreview:
        sample: list[Page] = []

        async def keep(batch: PageBatch) -> None:
            sample.extend(batch.pages)

        summary = await self._reader.read_in_batches(
            listed.path, listed.path.name, keep, sample_pages=SAMPLED_PAGES, allows_pictures=True
        )
        estimate = estimate_document(sample, summary.page_count)
        if not estimate.characters and not (facts is not None and facts.takes_pictures):
            raise scanned_document_error()
        picture_count = round(len(summary.picture_pages) * summary.page_count / max(1, len(sample)))
        micros: int | None = 0
        tokens_in = tokens_out = 0
        if facts is not None:
            tokens_in = estimate.tokens + estimate.chunks * PROMPT_TOKENS
            tokens_out = estimate.chunks * ANSWER_TOKENS
            price = price_tokens(facts, tokens_in, tokens_out)
            micros = price.micros if price.known else None
        digest = await asyncio.to_thread(digest_of_file, listed.path) if titles_by_key else ""
        return DocumentPreview(
            path=str(listed.path),
            title=summary.title or listed.path.stem,
            media_type=summary.media_type,
            page_count=summary.page_count,
            chunk_count=estimate.chunks,
            token_count=tokens_in + tokens_out,
            micros=micros,
            seconds=estimate.seconds + (estimate.chunks * MODEL_SECONDS if facts is not None else 0.0),
            is_estimated=len(sample) < summary.page_count,
            notes=summary.notes,
            same_as=titles_by_key.get(digest, ""),
            picture_count=picture_count,
            picture_micros=_price_pictures(facts, picture_count),
        )

    async def _read_titles(self, universe_id: Id | None) -> dict[str, str]:
        """Return the titles of the universe's documents by the digests of their originals."""
        sources = await self._log.sources(universe_id) if universe_id is not None else []
        return {s.object_key: s.title for s in sources if s.object_key and s.state not in TAKEN_BACK_STATES}


def _price_pictures(facts: ModelFacts | None, count: int) -> int | None:
    """Return what it costs to have a model read so many pictures of pages; None if its price is unknown."""
    if facts is None:
        return 0
    price = price_tokens(
        facts, count * (PICTURE_TOKENS + PICTURE_PROMPT_TOKENS), count * PICTURE_ANSWER_TOKENS
    )
    return price.micros if price.known else None


def digest_of_file(path: Path) -> str:
    """Return the SHA-256 of a file, under which its original is stored."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


async def read_original_file(path: Path) -> bytes:
    """Return the bytes of a document. Raises InputError."""

    def read() -> bytes:
        with path.open("rb") as file:
            return file.read(DEFAULT_LIMITS.file_bytes + 1)

    try:
        data = await asyncio.to_thread(read)
    except OSError as error:
        raise InputError(
            f"{path} cannot be read: {error.strerror or error}.", kept="Nothing was stored."
        ) from error
    if len(data) > DEFAULT_LIMITS.file_bytes:
        raise InputError(f"{path} is too large.", kept="Nothing was stored.", todo="Split it into parts.")
    return data
