"""The port to the model that reads chunks, and its implementation by the Reader persona."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Protocol

from agents.ingest.documents.document import Chunk
from agents.ingest.ladder.chunk_context import ChunkContext
from agents.ingest.ladder.tool_calls import ChunkToolCalls, ToolCall
from agents.llm.call_context import CallContext, PersonaCalls
from stores.records.ids import derive_id
from stores.records.llm import FallbackStep, Persona
from stores.records.sources import LadderStage

MAX_NAMES: Final = 60
"""Names known already that a prompt lists."""


@dataclass(frozen=True, slots=True)
class ChunkAnswer:
    """What a model answered about a chunk: the calls that it made of its tools, and its last message."""

    tool_calls: tuple[ToolCall, ...] = ()
    message: str = ""


class ChunkModel(Protocol):
    """A model with the tools of `ChunkToolCalls`."""

    async def read_chunk(self, chunk: Chunk, context: ChunkContext) -> ChunkAnswer:
        """Return the answer to one call on one chunk.

        Raises ModelError if there was none. The caller limits the time, and cancels.
        """
        ...


@dataclass(frozen=True, slots=True)
class ReaderPersona:
    """The Reader: one billed call a chunk, held to the budgets; implements `ChunkModel`."""

    calls: PersonaCalls

    @property
    def is_on(self) -> bool:
        return self.calls.is_on(Persona.READER)

    async def read_chunk(self, chunk: Chunk, context: ChunkContext) -> ChunkAnswer:
        sections = {
            "source": f"{context.source_title}, page {chunk.page}",
            "predicates": ", ".join(context.predicates),
            "names": "\n".join(_shown_names(context.known_names, chunk.text)),
            "chunk": chunk.text,
        }
        call_context = CallContext(
            context.universe_id, None, None, run_id=derive_id("read chunk", context.chunk_id)
        )
        structured = await self.calls.ask_structured(
            Persona.READER, sections, call_context, ChunkToolCalls, max_answers=1
        )
        is_called = structured.fallback_step in (FallbackStep.SCHEMA, FallbackStep.TOOLS)
        calls = structured.value.tool_calls(LadderStage.PRIMARY) if structured.value and is_called else ()
        return ChunkAnswer(calls, structured.call.answer)


def _shown_names(known_names: Iterable[str], text: str) -> list[str]:
    """Return the known names of which a word stands in the text."""
    folded_text = text.casefold()
    shown = (n for n in known_names if any(w in folded_text for w in n.casefold().split() if len(w) > 2))
    return [name for name, _ in zip(shown, range(MAX_NAMES), strict=False)]
