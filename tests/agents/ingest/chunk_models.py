"""Scripted models and chunks for the tests of the ladder."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from agents.ingest.documents.document import Chunk
from agents.ingest.findings import Finding, FoundEntity
from agents.ingest.ladder.chunk_context import ChunkContext
from agents.ingest.ladder.chunk_ladder import ChunkLadder
from agents.ingest.ladder.chunk_model import ChunkAnswer
from agents.ingest.ladder.fallback_findings import find_plain_names, find_sentence_with
from agents.ingest.ladder.tool_calls import ChunkToolCalls
from stores.records.sources import LadderStage
from stores.records.world import EntityKind

TEXT = (
    "Captain Mara Venn rules over Salt Quay. She serves the Tide Council, which meets in the Bell House.\n"
    "The dead cannot cross salt water. Every lamp must be lit before dusk."
)


def make_chunk(text: str = TEXT, ordinal: int = 0, page: int = 3) -> Chunk:
    return Chunk(ordinal=ordinal, page=page, span=(0, len(text)), text=text)


def make_context(chunk_id: str = "chunk-0", known_names: tuple[str, ...] = ()) -> ChunkContext:
    return ChunkContext(
        universe_id="universe",
        source_id="source",
        chunk_id=chunk_id,
        source_title="The Salt Coast",
        source_file="salt-coast.pdf",
        known_names=known_names,
    )


def tool_calls(**entries: object) -> ChunkAnswer:
    """Return the answer of a model that called its tools with these entries."""
    return ChunkAnswer(ChunkToolCalls.model_validate(entries).tool_calls(LadderStage.PRIMARY))


@dataclass
class ScriptedChunkModel:
    """Answers with what it is given, raises it, or never answers if it is given None."""

    answer: ChunkAnswer | Exception | None
    read_chunks: list[Chunk] = field(default_factory=list)

    async def read_chunk(self, chunk: Chunk, context: ChunkContext) -> ChunkAnswer:
        self.read_chunks.append(chunk)
        if self.answer is None:
            await asyncio.Event().wait()
        if isinstance(self.answer, Exception):
            raise self.answer
        assert self.answer is not None
        return self.answer


def find_names(text: str) -> Sequence[Finding]:
    """Find capitalised names: the rules of a test."""
    return [
        FoundEntity(name, EntityKind.CHARACTER, find_sentence_with(name, text))
        for name in find_plain_names(text)
    ]


def find_nothing(text: str) -> Sequence[Finding]:
    return []


def ladder(answer: ChunkAnswer | Exception | None, *, finds: bool = True) -> ChunkLadder:
    """Return a ladder with a scripted model, and rules that find names or nothing."""
    return ChunkLadder(find_names if finds else find_nothing, ScriptedChunkModel(answer))
