"""Counts what the stages did and how long they took, as rows that a screen or a command can show."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from agents.ingest.ladder.chunk_context import ChunkOutcome
from stores.records.sources import LadderStage

MAX_DURATIONS: Final = 1_000
"""Latest durations of each step that the percentile is of."""


@dataclass(frozen=True, slots=True)
class MetricRow:
    """One figure, with its unit in the label."""

    label: str
    value: str


@dataclass(slots=True)
class StepDurations:
    count: int = 0
    total: float = 0.0
    latest: deque[float] = field(default_factory=lambda: deque(maxlen=MAX_DURATIONS))

    def add(self, seconds: float) -> None:
        self.count += 1
        self.total += seconds
        self.latest.append(seconds)

    @property
    def p95(self) -> float:
        return sorted(self.latest)[int(len(self.latest) * 0.95)] if self.latest else 0.0


@dataclass(slots=True)
class LadderMetrics:
    """The figures of all chunks that one ladder read."""

    chunks_by_stage: Counter[LadderStage] = field(default_factory=Counter)
    durations: defaultdict[str, StepDurations] = field(default_factory=lambda: defaultdict(StepDurations))
    """By step: the stages, and `finalize`."""
    timeout_count: int = 0
    emergency_count: int = 0
    dropped_count: int = 0
    warning_count: int = 0

    @property
    def chunk_count(self) -> int:
        return self.chunks_by_stage.total()

    @property
    def fallback_count(self) -> int:
        """Chunks that a later stage than the first served."""
        return self.chunk_count - self.chunks_by_stage[LadderStage.PRIMARY]

    def record(self, outcome: ChunkOutcome) -> None:
        """Count one chunk."""
        self.chunks_by_stage[outcome.stage] += 1
        self.timeout_count += outcome.is_timed_out
        self.emergency_count += outcome.is_emergency
        self.dropped_count += len(outcome.dropped)
        self.warning_count += len(outcome.warnings)
        for step, seconds in outcome.seconds_by_step.items():
            self.durations[step].add(seconds)

    def as_counts(self) -> Mapping[str, int]:
        """Return the counts by name, for telemetry."""
        return {
            **{f"chunks_{stage.value}": self.chunks_by_stage[stage] for stage in LadderStage},
            "fallbacks": self.fallback_count,
            "timeouts": self.timeout_count,
            "emergencies": self.emergency_count,
            "dropped_findings": self.dropped_count,
            "failed_relations": self.warning_count,
        }

    def rows(self) -> tuple[MetricRow, ...]:
        """Return the figures as a screen shows them."""
        served = (
            MetricRow(f"Served by {stage.value}", f"{self.chunks_by_stage[stage]:,}") for stage in LadderStage
        )
        times = (
            MetricRow(
                f"{step.capitalize()}, milliseconds a chunk",
                f"{1_000 * times.total / times.count:,.1f} (95 %: {1_000 * times.p95:,.1f})",
            )
            for step, times in self.durations.items()
        )
        return (
            MetricRow("Chunks read", f"{self.chunk_count:,}"),
            *served,
            MetricRow("Fall-backs", f"{self.fallback_count:,}"),
            MetricRow("Time-outs of the model", f"{self.timeout_count:,}"),
            MetricRow("Emergency minimum", f"{self.emergency_count:,}"),
            MetricRow("Findings without words in the chunk", f"{self.dropped_count:,}"),
            MetricRow("Relations that led nowhere", f"{self.warning_count:,}"),
            *times,
        )
