"""Reads one chunk by the ladder: primary, suggested, generated, forced minimal, and the last step always.

A stage runs only while nothing is written. "Written" means that something is staged to be proposed, or an observation
is kept: nothing here touches a store (docs/decisions/0029-a-write-of-the-ladder-is-a-proposal.md).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from agents.ingest.documents.document import Chunk
from agents.ingest.findings import Finding, Observation
from agents.ingest.ladder.adaptive_timeout import AdaptiveTimeout
from agents.ingest.ladder.chunk_context import (
    ChunkContext,
    ChunkOutcome,
    EvidenceLink,
    build_evidence,
    preview,
)
from agents.ingest.ladder.chunk_model import ChunkAnswer, ChunkModel
from agents.ingest.ladder.fallback_findings import (
    NOTHING_TO_READ,
    FindInChunk,
    forced_minimal,
    generate_tool_calls,
)
from agents.ingest.ladder.suggested_calls import find_tool_calls
from agents.ingest.ladder.tool_calls import ToolCall, order_tool_calls
from agents.ingest.ladder.tool_door import ChunkStaging, invoke_tool, log, log_stage, retry_relations
from agents.llm.errors import ModelCut, ModelError, ModelRefused, ModelRejected, ModelTimeout, ModelTooLong
from stores.records.sources import LadderStage

CHUNK_ERRORS = (ModelCut, ModelRefused, ModelRejected, ModelTooLong)
"""Errors of a model that are of one chunk: after any other, the next chunk would meet the same."""

FINALIZE = "finalize"
"""The last step, among the durations of the stages."""


@dataclass(slots=True)
class _Reading:
    """One chunk while it is read."""

    chunk: Chunk
    context: ChunkContext
    staging: ChunkStaging
    stage: LadderStage = LadderStage.PRIMARY
    """The latest stage that ran."""
    message: str = ""
    model_problem: str = ""
    is_timed_out: bool = False
    is_model_unavailable: bool = False
    is_emergency: bool = False
    seconds_by_step: dict[str, float] = field(default_factory=dict)


@dataclass(slots=True)
class ChunkLadder:
    """Reads chunks with one model, or without one, and learns how long the model takes."""

    find_in_chunk: FindInChunk
    model: ChunkModel | None = None
    timeouts: AdaptiveTimeout = field(default_factory=AdaptiveTimeout)
    timer: Callable[[], float] = time.perf_counter

    async def process_chunk(self, chunk: Chunk, context: ChunkContext) -> ChunkOutcome:
        """Return what a chunk gives: always its evidence, and at least one anchor."""
        reading = _Reading(chunk, context, ChunkStaging(chunk, context.known_names))
        try:
            await self._run_stages(reading)
        except Exception:  # noqa: BLE001  (the one broad catch of the ladder)
            # Whatever fails on one chunk, neither the chunk nor the rest of the document is lost.
            log.exception("[ingest] chunk %d %s: failed", chunk.ordinal, reading.stage.value)
            reading.is_emergency = True
            if not reading.staging.has_written:
                self._force(reading)
        with self._timed(reading, FINALIZE):
            return _finalize(reading)

    # --- stages --------------------------------------------------------------------------------------

    async def _run_stages(self, reading: _Reading) -> None:
        if self.model is not None:
            with self._timed(reading, LadderStage.PRIMARY):
                answer = await self._ask_model(self.model, reading)
                self._execute(reading, answer.tool_calls)
            if reading.staging.has_written:
                return
            with self._timed(reading, LadderStage.SUGGESTED):
                self._execute(reading, find_tool_calls(reading.message))
            if reading.staging.has_written:
                return
        with self._timed(reading, LadderStage.GENERATED):
            self._execute(
                reading, generate_tool_calls(reading.message, reading.chunk.text, self.find_in_chunk)
            )
        if not reading.staging.has_written:
            self._force(reading)

    def _force(self, reading: _Reading) -> None:
        with self._timed(reading, LadderStage.FORCED):
            self._execute(reading, forced_minimal(reading.chunk.text))

    async def _ask_model(self, model: ChunkModel, reading: _Reading) -> ChunkAnswer:
        """Return the model's answer, logged; an empty one if it takes too long or there is none."""
        characters = len(reading.chunk.text)
        seconds = self.timeouts.seconds_for(characters)
        started_at = self.timer()
        answer = ChunkAnswer()
        try:
            async with asyncio.timeout(seconds):
                answer = await model.read_chunk(reading.chunk, reading.context)
        except (TimeoutError, ModelTimeout):
            reading.is_timed_out = True
            reading.model_problem = f"The model took longer than {seconds:.0f} seconds."
        except ModelError as error:
            reading.model_problem = error.what
            reading.is_model_unavailable = not isinstance(error, CHUNK_ERRORS)
        else:
            reading.message = answer.message
        if reading.is_timed_out or not reading.model_problem:
            self.timeouts.record(characters, self.timer() - started_at, is_timed_out=reading.is_timed_out)
        log_stage(
            reading.chunk,
            LadderStage.PRIMARY,
            "last message: %s",
            preview(reading.message) or reading.model_problem or "(empty)",
        )
        return answer

    def _execute(self, reading: _Reading, calls: Iterable[ToolCall]) -> None:
        for call in order_tool_calls(calls):
            invoke_tool(call, reading.staging)

    @contextmanager
    def _timed(self, reading: _Reading, step: str) -> Iterator[None]:
        """Measure a step, and note the stage that runs."""
        if step != FINALIZE:
            reading.stage = LadderStage(step)
        started_at = self.timer()
        try:
            yield
        finally:
            reading.seconds_by_step[str(step)] = self.timer() - started_at


def _finalize(reading: _Reading) -> ChunkOutcome:
    """Retry deferred relations, make sure of an anchor and the evidence, and link every touched name to it."""
    staging = reading.staging
    retry_relations(staging)
    findings: tuple[Finding, ...] = tuple(staging.findings)
    if not findings:
        # A chunk without one word has no words that an observation could quote.
        findings = (Observation("", NOTHING_TO_READ),)
        reading.stage = LadderStage.FORCED
    evidence = build_evidence(reading.chunk, reading.context)
    links = tuple(EvidenceLink(name, evidence.name) for name in staging.touched_names())
    log_stage(
        reading.chunk,
        FINALIZE,
        "%s: %d findings, %d names linked to %s",
        reading.stage.value,
        len(findings),
        len(links),
        evidence.name,
    )
    return ChunkOutcome(
        chunk=reading.chunk,
        evidence=evidence,
        stage=reading.stage,
        findings=findings,
        links=links,
        dropped=tuple(staging.dropped),
        warnings=tuple(staging.warnings),
        model_problem=reading.model_problem,
        is_timed_out=reading.is_timed_out,
        is_model_unavailable=reading.is_model_unavailable,
        is_emergency=reading.is_emergency,
        seconds_by_step=reading.seconds_by_step,
    )
