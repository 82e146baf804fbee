"""Serves the chunks of a document by the ladder, and makes proposals of what it finds."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from agents.canon_keeper.universe_policy import ReadCatalogue
from agents.ingest.document_chunks import select_present
from agents.ingest.documents.document import Chunk
from agents.ingest.findings import Finding
from agents.ingest.ladder.chunk_context import ChunkContext
from agents.ingest.ladder.chunk_ladder import ChunkLadder
from agents.ingest.ladder.chunk_model import ChunkModel
from agents.ingest.ladder.ladder_metrics import figures_of
from agents.ingest.ports import ServedChunk
from agents.ingest.source_proposals import SourceProposer
from agents.ingest.structure.document_names import DocumentName, find_names_in_texts
from agents.ingest.structure.find_in_chunk import find_in_chunk
from stores.ports import CanonReader, LogReader
from stores.records.ids import Id
from stores.records.sources import Snippet, Source
from stores.records.workflow import ProposedChange

BEGIN_SECONDS: Final = 1.0
"""How long one call looks at a document."""
MAX_ANCHOR_CHARACTERS: Final = 200
"""Characters of an anchor that a snippet keeps."""


@dataclass(slots=True)
class _ServedDocument:
    """The document that is served, with what is known of the whole of it."""

    source: Source
    snippets: Sequence[Snippet]
    names: tuple[DocumentName, ...]
    predicates: tuple[str, ...]
    proposer: SourceProposer
    """Knows what was proposed of the chunks so far."""
    known_names: dict[str, None] = field(default_factory=dict)
    """Names of canon and of the chunks so far."""


class LadderChunkServer:
    """Implements `agents.ingest.ports.ChunkServer`, with or without a model."""

    def __init__(
        self,
        canon: CanonReader,
        log: LogReader,
        read_catalogue: ReadCatalogue,
        model: ChunkModel | None = None,
    ) -> None:
        self._canon = canon
        self._log = log
        self._read_catalogue = read_catalogue
        self._ladder = ChunkLadder(self._find_in_chunk, model)
        self._document: _ServedDocument | None = None
        self._opening: asyncio.Task[_ServedDocument] | None = None
        self._opening_key: tuple[Id, int] | None = None
        """The document that is looked at, and its edition."""

    async def begin(self, source: Source) -> bool:
        key = source.id, source.edition
        if self._document is None or (self._document.source.id, self._document.source.edition) != key:
            if self._opening is None or self._opening_key != key:
                self.forget()
                self._opening = asyncio.create_task(self._open_document(source))
                self._opening_key = key
            await asyncio.wait([self._opening], timeout=BEGIN_SECONDS)
            if not self._opening.done():
                return False
            opening, self._opening = self._opening, None
            self._document = opening.result()
        self._document.source = source
        return True

    async def serve(self, snippet: Snippet) -> ServedChunk:
        document = self._require_document()
        outcome = await self._ladder.process_chunk(_chunk_of(snippet), _context_of(document, snippet))
        names = tuple(dict.fromkeys(link.name for link in outcome.links))
        document.known_names |= dict.fromkeys(names)
        anchors = (*names, *(observation.text for observation in outcome.observations))
        return ServedChunk(
            outcome.stage,
            tuple(anchor[:MAX_ANCHOR_CHARACTERS] for anchor in anchors),
            await document.proposer.propose(document.source, outcome),
            asked_model=self._ladder.model is not None and not outcome.is_model_unavailable,
            model_problem=outcome.model_problem if outcome.is_model_unavailable else "",
            figures=figures_of(outcome),
        )

    def forget(self) -> None:
        self._document = None
        if self._opening is not None:
            self._opening.cancel()
            self._opening = None

    async def finish(self, source: Source) -> tuple[ProposedChange, ...]:
        document = self._require_document()
        self._document = None
        return await document.proposer.propose_merges(source, document.snippets)

    async def _open_document(self, source: Source) -> _ServedDocument:
        snippets = select_present(source, await self._log.snippets(source.id))
        texts = [snippet.text for snippet in snippets]
        # In a thread: a book takes a second, in which the event loop answers others.
        names = await asyncio.to_thread(find_names_in_texts, texts)
        proposer = SourceProposer(self._canon, self._log, self._read_catalogue, names)
        catalogue = await self._read_catalogue(source.universe_id)
        canon_names = await self._canon.entity_names(source.universe_id)
        return _ServedDocument(
            source,
            snippets,
            names,
            tuple(catalogue.predicates),
            proposer,
            dict.fromkeys((*canon_names, *(anchor for s in snippets for anchor in s.anchors))),
        )

    def _find_in_chunk(self, text: str) -> Sequence[Finding]:
        return find_in_chunk(text, self._require_document().names)

    def _require_document(self) -> _ServedDocument:
        assert self._document is not None, "no document was begun"
        return self._document


def _context_of(document: _ServedDocument, snippet: Snippet) -> ChunkContext:
    source = document.source
    return ChunkContext(
        universe_id=source.universe_id,
        source_id=source.id,
        chunk_id=snippet.id,
        source_title=source.title,
        source_file=source.url or source.file_name,
        known_names=tuple(document.known_names),
        predicates=document.predicates,
    )


def _chunk_of(snippet: Snippet) -> Chunk:
    return Chunk(snippet.ordinal, snippet.page or 1, snippet.span or (0, len(snippet.text)), snippet.text)
