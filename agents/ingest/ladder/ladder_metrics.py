"""Counts what the stages of the ladder did and how long they took, as a screen and a command show it."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Final

from agents.events import ChunkFigures, ChunksServed, Event
from agents.ingest.ladder.chunk_context import ChunkOutcome
from agents.telemetry.durations import Durations
from stores.records.sources import LadderStage

STAGE_WORDS: Final = {
    LadderStage.PRIMARY: "by the model",
    LadderStage.SUGGESTED: "from the model's words",
    LadderStage.GENERATED: "by rule",
    LadderStage.FORCED: "names alone",
}
"""What served passages, for a reader who knows no ladder."""


@dataclass(frozen=True, slots=True)
class MetricRow:
    """One figure as a screen shows it, with its unit."""

    label: str
    value: str


@dataclass(slots=True)
class LadderMetrics:
    """The figures of all chunks that were served since the program was opened."""

    chunks_by_stage: Counter[LadderStage] = field(default_factory=Counter)
    durations: defaultdict[str, Durations] = field(default_factory=lambda: defaultdict(Durations))
    """By step: the stages, and `finalize`."""
    fallback_count: int = 0
    """Chunks that a model was asked about, and that a later stage than its own tool calls served."""
    timeout_count: int = 0
    emergency_count: int = 0
    dropped_count: int = 0
    warning_count: int = 0

    @property
    def chunk_count(self) -> int:
        return self.chunks_by_stage.total()

    def note_event(self, event: Event) -> None:
        """Count the chunks that an event reports."""
        if isinstance(event, ChunksServed):
            for figures in event.chunks:
                self.record(figures)

    def record(self, figures: ChunkFigures) -> None:
        """Count one chunk."""
        self.chunks_by_stage[figures.stage] += 1
        was_asked = LadderStage.PRIMARY in figures.seconds_by_step
        self.fallback_count += was_asked and figures.stage is not LadderStage.PRIMARY
        self.timeout_count += figures.is_timed_out
        self.emergency_count += figures.is_emergency
        self.dropped_count += figures.dropped_count
        self.warning_count += figures.warning_count
        for step, seconds in figures.seconds_by_step.items():
            self.durations[step].add(seconds)

    def as_json(self) -> dict[str, object]:
        """Return the figures by name, durations in milliseconds a chunk."""
        return {
            "chunks_by_stage": {stage.value: self.chunks_by_stage[stage] for stage in LadderStage},
            "milliseconds_by_step": {
                step: {
                    "chunks": times.count,
                    "mean": round(1_000 * times.mean, 2),
                    "p95": round(1_000 * times.p95, 2),
                }
                for step, times in self.durations.items()
            },
            "fallbacks": self.fallback_count,
            "timeouts": self.timeout_count,
            "emergencies": self.emergency_count,
            "dropped_findings": self.dropped_count,
            "failed_relations": self.warning_count,
        }

    def rows(self) -> tuple[MetricRow, ...]:
        """Return the figures as a screen shows them; none before a chunk was served."""
        if not self.chunk_count:
            return ()
        stages = (
            MetricRow(STAGE_WORDS[stage], f"{self.chunks_by_stage[stage]:,}{self._describe_times(stage)}")
            for stage in LadderStage
            if self.chunks_by_stage[stage] or stage in self.durations
        )
        problems = (
            ("fell back from the model", self.fallback_count),
            ("model took too long", self.timeout_count),
            ("faults, served by names alone", self.emergency_count),
            ("findings without words in the passage", self.dropped_count),
            ("relations that led nowhere", self.warning_count),
        )
        return (
            MetricRow("passages", f"{self.chunk_count:,}"),
            *stages,
            MetricRow("putting together", self._describe_times("finalize").removeprefix(" · ")),
            *(MetricRow(label, f"{count:,}") for label, count in problems if count),
        )

    def _describe_times(self, step: str) -> str:
        times = self.durations.get(step)
        if times is None:
            return ""
        return f" · {1_000 * times.mean:,.1f} ms each, 95 % under {1_000 * times.p95:,.1f} ms"


def figures_of(outcome: ChunkOutcome) -> ChunkFigures:
    """Return what is counted of an outcome."""
    return ChunkFigures(
        stage=outcome.stage,
        seconds_by_step=dict(outcome.seconds_by_step),
        is_timed_out=outcome.is_timed_out,
        is_emergency=outcome.is_emergency,
        dropped_count=len(outcome.dropped),
        warning_count=len(outcome.warnings),
    )
