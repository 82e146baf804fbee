"""What a chunk is read with, how its evidence is called, and what its stages leave behind."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from agents.ingest.documents.document import Chunk
from agents.ingest.findings import Finding, Observation
from agents.proposals.evidence import MAX_QUOTE_LENGTH
from agents.sanitize import clean
from agents.typed_text import one_line
from stores.records.canon import Evidence, EvidenceKind
from stores.records.ids import Id, derive_id
from stores.records.sources import LadderStage

PREVIEW_CHARACTERS: Final = 200
"""Characters of a text of the document or of a model that a log line or an observation of evidence shows."""

_FIRST_SENTENCE: Final = re.compile(r"\S.*?(?:[.!?…](?=\s|$)|\n|$)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ChunkContext:
    """The source of a chunk, and what is known before it is read."""

    universe_id: Id
    source_id: Id
    chunk_id: Id
    """The identifier of the chunk's snippet."""
    source_title: str
    source_file: str = ""
    """The file or address that the source was read from."""
    known_names: tuple[str, ...] = ()
    """Names of canon and of earlier chunks, to which relations may lead."""
    predicates: tuple[str, ...] = ()
    """The predicates of the universe's catalogue."""


@dataclass(frozen=True, slots=True)
class ChunkEvidence:
    """The evidence record of a chunk, under its name, with what it says of the source."""

    name: str
    record: Evidence
    observations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EvidenceLink:
    """A name that a chunk is the evidence of."""

    name: str
    evidence_name: str


@dataclass(frozen=True, slots=True)
class DroppedFinding:
    """Something reported that is not proposed, and why, in a few words."""

    finding: Finding
    reason: str


@dataclass(frozen=True, slots=True)
class ChunkOutcome:
    """What one chunk gave. Nothing of it is stored or proposed yet."""

    chunk: Chunk
    evidence: ChunkEvidence
    stage: LadderStage
    """The stage that served it."""
    findings: tuple[Finding, ...]
    """What is to be proposed or, of an observation, kept; at least one."""
    links: tuple[EvidenceLink, ...]
    dropped: tuple[DroppedFinding, ...] = ()
    warnings: tuple[str, ...] = ()
    model_problem: str = ""
    """Why the model gave no answer; empty if it did, or was not asked."""
    is_timed_out: bool = False
    is_model_unavailable: bool = False
    """Whether no chunk would have been answered: no model, no key, no budget, no server."""
    is_emergency: bool = False
    """Whether a fault of a stage ended in the emergency minimum."""
    seconds_by_step: Mapping[str, float] = field(default_factory=dict)

    @property
    def origin(self) -> str:
        """Return who found it, as screens and logs say it."""
        return "model" if self.stage in (LadderStage.PRIMARY, LadderStage.SUGGESTED) else self.stage.value

    @property
    def observations(self) -> tuple[Observation, ...]:
        return tuple(finding for finding in self.findings if isinstance(finding, Observation))


def evidence_name(source_id: Id, chunk_id: Id) -> str:
    """Return the name of a chunk's evidence, the same at every reading."""
    return f"Evidence {source_id}-{chunk_id}"


def build_evidence(chunk: Chunk, context: ChunkContext) -> ChunkEvidence:
    """Return the evidence that a whole chunk is: its source, file, page and first words."""
    observations = (
        f"Source: {preview(context.source_title)}",
        *((f"File: {preview(context.source_file)}",) if context.source_file else ()),
        f"Page: {chunk.page}",
        context_observation("Context", chunk.text),
    )
    return ChunkEvidence(
        evidence_name(context.source_id, context.chunk_id),
        chunk_evidence(chunk, context.source_id, context.chunk_id),
        observations,
    )


def chunk_evidence(
    chunk: Chunk, source_id: Id, chunk_id: Id, quote_span: tuple[int, int] | None = None
) -> Evidence:
    """Return the evidence record of words of a chunk; without a span, of its first words."""
    start, end = quote_span or (0, len(chunk.text))
    end = min(end, start + MAX_QUOTE_LENGTH)
    return Evidence(
        id=derive_id("evidence", EvidenceKind.CHUNK, chunk_id, *(quote_span or ())),
        kind=EvidenceKind.CHUNK,
        ref_id=chunk_id,
        quote=clean(chunk.text[start:end]),
        source_id=source_id,
        page=chunk.page,
        span=(chunk.span[0] + start, chunk.span[0] + end),
    )


def context_observation(prefix: str, text: str) -> str:
    """Return the first words of a text behind a prefix, cut to what a preview shows."""
    return f"{prefix}: {preview(text)}"


def preview(text: str) -> str:
    """Return the beginning of a text in one clean line."""
    line = one_line(clean(text[: 4 * PREVIEW_CHARACTERS]))
    return line if len(line) <= PREVIEW_CHARACTERS else f"{line[: PREVIEW_CHARACTERS - 1]}…"


def first_sentence_of(text: str) -> str:
    """Return the first sentence or line of a text as it stands there; empty if it has no words."""
    match = _FIRST_SENTENCE.search(text[: 10 * PREVIEW_CHARACTERS])
    return match[0].strip()[:PREVIEW_CHARACTERS] if match else ""
