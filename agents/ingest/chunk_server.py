"""Serves the chunks of a document by the ladder, and makes proposals of what it finds."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Protocol

from agents.ingest.documents.document import Chunk
from agents.ingest.findings import Finding
from agents.ingest.ladder.chunk_context import ChunkContext, ChunkOutcome
from agents.ingest.ladder.chunk_ladder import ChunkLadder
from agents.ingest.ports import ServedChunk
from agents.ingest.structure.document_names import DocumentName
from stores.records.ids import Id
from stores.records.sources import Snippet, Source
from stores.records.workflow import ProposedChange

MAX_ANCHOR_CHARACTERS: Final = 200
"""Characters of an anchor that a snippet keeps."""

FindNames = Callable[[Sequence[str]], tuple[DocumentName, ...]]
"""Finds the names of a document in all its chunks."""


class FindByNames(Protocol):
    """Finds what stands in a text, by the names of the document that it is of."""

    def __call__(self, text: str, names: Sequence[DocumentName]) -> Sequence[Finding]: ...


ReadNames = Callable[[Id], Awaitable[Sequence[str]]]
"""Returns the names of a universe's canon."""
ReadPredicates = Callable[[Id], Awaitable[Sequence[str]]]
"""Returns the predicates of a universe's catalogue."""


class FindingProposer(Protocol):
    """Makes proposals of what chunks gave, under identifiers that are derived from the chunk and the finding."""

    async def propose(self, source: Source, outcome: ChunkOutcome) -> tuple[ProposedChange, ...]: ...

    async def propose_merges(self, source: Source, snippets: Sequence[Snippet]) -> tuple[ProposedChange, ...]:
        """Return what only the whole document gives: names that mean one."""
        ...


@dataclass(slots=True)
class LadderChunkServer:
    """Implements `agents.ingest.ports.ChunkServer`."""

    ladder: ChunkLadder
    find_names: FindNames
    find_in_chunk: FindByNames
    build_proposer: Callable[[Sequence[DocumentName]], FindingProposer]
    read_names: ReadNames
    read_predicates: ReadPredicates
    _proposer: FindingProposer | None = None
    """Knows what was proposed of the chunks so far, of one document at a time."""
    _source: Source | None = None
    _snippets: Sequence[Snippet] = ()
    _predicates: tuple[str, ...] = ()
    _document_names: tuple[DocumentName, ...] = ()
    """What the whole document calls somebody or something."""
    _names: dict[str, None] = field(default_factory=dict)
    """Names of canon and of the chunks so far."""

    async def begin(self, source: Source, snippets: Sequence[Snippet]) -> None:
        is_same = self._source is not None and (self._source.id, self._source.edition) == (
            source.id,
            source.edition,
        )
        if not is_same:
            texts = [snippet.text for snippet in snippets]
            self._document_names = await asyncio.to_thread(self.find_names, texts)
            self.ladder.find_in_chunk = partial(self.find_in_chunk, names=self._document_names)
            self._proposer = None
            self._predicates = tuple(await self.read_predicates(source.universe_id))
            self._names = dict.fromkeys(await self.read_names(source.universe_id))
            for snippet in snippets:
                self._names |= dict.fromkeys(snippet.anchors)
        self._source, self._snippets = source, snippets

    async def serve(self, snippet: Snippet) -> ServedChunk:
        source = self._source
        assert source is not None
        assert source.id == snippet.source_id
        outcome = await self.ladder.process_chunk(_chunk_of(snippet), self._context_of(source, snippet))
        names = tuple(dict.fromkeys(link.name for link in outcome.links))
        self._names |= dict.fromkeys(names)
        is_unanswered = outcome.is_model_unavailable
        return ServedChunk(
            outcome.stage,
            tuple(a[:MAX_ANCHOR_CHARACTERS] for a in (*names, *(o.text for o in outcome.observations))),
            await self._open_proposer().propose(source, outcome),
            asked_model=self.ladder.model is not None and not is_unanswered,
            model_problem=outcome.model_problem if is_unanswered else "",
        )

    def forget(self) -> None:
        self._source = self._proposer = None

    async def finish(self, source: Source) -> tuple[ProposedChange, ...]:
        return await self._open_proposer().propose_merges(source, self._snippets)

    def _open_proposer(self) -> FindingProposer:
        if self._proposer is None:
            self._proposer = self.build_proposer(self._document_names)
        return self._proposer

    def _context_of(self, source: Source, snippet: Snippet) -> ChunkContext:
        return ChunkContext(
            universe_id=source.universe_id,
            source_id=source.id,
            chunk_id=snippet.id,
            source_title=source.title,
            source_file=source.url or source.file_name,
            known_names=tuple(self._names),
            predicates=self._predicates,
        )


def _chunk_of(snippet: Snippet) -> Chunk:
    return Chunk(snippet.ordinal, snippet.page or 1, snippet.span or (0, len(snippet.text)), snippet.text)
