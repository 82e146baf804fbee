"""Sums up what was measured since the program was opened, as the System screen shows it."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from agents.telemetry.durations import Durations
from agents.telemetry.spans import ExchangeKind, MeasuredOperation, Span, SpanOutcome
from stores.records.workflow import Loop

MODE_AIM_SECONDS: Final = 0.1
EXCHANGE_AIM_SECONDS: Final = 2.0
WAIT_AIM_SECONDS: Final = 300.0
"""What the 95th percentile of each should stay below."""

_ERROR_WORDS: Final = {
    MeasuredOperation.MODE: "changes of mode",
    MeasuredOperation.EXCHANGE: "lines",
    MeasuredOperation.COMMAND: "commands",
    MeasuredOperation.STEP: "steps of a narration",
    MeasuredOperation.COMMIT: "commits",
    MeasuredOperation.MODEL_CALL: "calls of a model",
    MeasuredOperation.JOB: "background jobs",
}
"""Of what failures are counted, and what it is called."""


class FigureRow(NamedTuple):
    """One figure as a screen shows it, with its unit."""

    label: str
    value: str
    is_within_aim: bool | None = None
    """None: it has no aim, or there is nothing yet to hold against it."""


@dataclass(slots=True)
class OperationFigures:
    """The figures of all that was measured since the program was opened."""

    durations: defaultdict[tuple[MeasuredOperation, str], Durations] = field(
        default_factory=lambda: defaultdict(Durations)
    )
    """Of what did not fail, by operation and kind."""
    outcomes: Counter[tuple[MeasuredOperation, SpanOutcome]] = field(default_factory=Counter)
    waits: Durations = field(default_factory=Durations)
    """How long jobs waited for their turn."""
    model_seconds: Durations = field(default_factory=Durations)
    """How much of each narrated line was the model's own time."""
    commits_by_kind: Counter[str] = field(default_factory=Counter)
    writes_by_kind: Counter[str] = field(default_factory=Counter)
    """Writes to canon in the commits of each kind."""
    commit_changes: Durations = field(default_factory=Durations)
    """How many changes each commit accepted."""
    largest_commit: int = 0
    tokens_by_persona: Counter[str] = field(default_factory=Counter)

    def note_trace(self, trace: Span) -> None:
        """Count a tree of spans."""
        for span in trace.walk():
            self._note_span(span)

    def _note_span(self, span: Span) -> None:
        self.outcomes[span.operation, span.outcome] += 1
        if span.operation is MeasuredOperation.MODEL_CALL:
            self.tokens_by_persona[span.kind] += span.amount
        if span.outcome is not SpanOutcome.DONE:
            return
        self.durations[span.operation, span.kind].add(span.seconds)
        if span.waited_seconds is not None:
            self.waits.add(span.waited_seconds)
        if span.operation is MeasuredOperation.EXCHANGE and span.kind == ExchangeKind.NARRATED:
            calls = [one for one in span.walk() if one.operation is MeasuredOperation.MODEL_CALL]
            self.model_seconds.add(sum(call.seconds for call in calls))
        if span.operation is MeasuredOperation.COMMIT:
            self.commits_by_kind[span.kind] += 1
            self.writes_by_kind[span.kind] += sum(
                one.operation is MeasuredOperation.CANON_WRITE for one in span.children
            )
            self.commit_changes.add(span.amount)
            self.largest_commit = max(self.largest_commit, span.amount)

    def speed_rows(self) -> tuple[FigureRow, ...]:
        """Return how fast the loops are beside what is aimed at; rows of which nothing was measured say so."""
        modes = Durations()
        for (operation, _), durations in self.durations.items():
            if operation is MeasuredOperation.MODE:
                modes.add_all(durations)
        plain = self.durations[MeasuredOperation.EXCHANGE, ExchangeKind.PLAIN]
        narrated = self.durations[MeasuredOperation.EXCHANGE, ExchangeKind.NARRATED]
        rows = [
            _timed_row("change of mode", modes, MODE_AIM_SECONDS),
            _timed_row("line, without a model", plain, EXCHANGE_AIM_SECONDS),
        ]
        if narrated.count:
            row = _timed_row("line that a model answers", narrated, EXCHANGE_AIM_SECONDS)
            model_text = f" · {describe_seconds(self.model_seconds.mean)} of it the model, on average"
            rows.append(row._replace(value=row.value + model_text))
        rows.append(_timed_row("wait of a background job", self.waits, WAIT_AIM_SECONDS))
        for loop, label, aim_text in (
            (Loop.SCENE, "scene, from start to end", " (meant to take 5 to 30 min)"),
            (Loop.STORY, "story, from start to end", ""),
        ):
            if (cycles := self.durations.get((MeasuredOperation.LOOP, loop))) is not None:
                mean_text = describe_seconds(cycles.mean)
                rows.append(FigureRow(label, f"{cycles.count:,} · {mean_text} each{aim_text}"))
        return tuple(rows)

    def work_rows(self) -> tuple[FigureRow, ...]:
        """Return what was committed, what models took, and what failed."""
        rows = []
        if self.commit_changes.count:
            count, mean = self.commit_changes.count, self.commit_changes.mean
            noun = "commit" if count == 1 else "commits"
            size = f"{count:,} {noun} · {mean:,.1f} changes each, {self.largest_commit:,} at most"
            rows.append(FigureRow("batches written to canon", size))
        for kind, label in (
            ("scene_end", "writes at a scene's end"),
            ("story_end", "writes at a story's end"),
        ):
            if ends := self.commits_by_kind[kind]:
                writes = self.writes_by_kind[kind]
                rows.append(FigureRow(label, f"{writes:,} for {ends:,} (aim: one each)", writes <= ends))
        for persona, tokens in sorted(self.tokens_by_persona.items()):
            rows.append(FigureRow(f"tokens of the {persona.capitalize()}", f"{tokens:,}"))
        rows.append(self._error_row())
        return tuple(rows)

    def _error_row(self) -> FigureRow:
        parts = []
        for operation, words in _ERROR_WORDS.items():
            if failed := self.outcomes[operation, SpanOutcome.FAILED]:
                total = sum(self.outcomes[operation, outcome] for outcome in SpanOutcome)
                parts.append(f"{failed:,} of {total:,} {words}")
        return FigureRow("failures", ", ".join(parts) or "none", not parts)


def describe_seconds(seconds: float) -> str:
    """Return a duration with its unit: `8 ms`, `1.4 s`, `12 min`."""
    if seconds < 1:
        return f"{1_000 * seconds:,.0f} ms"
    if seconds < 120:
        return f"{seconds:,.1f} s"
    return f"{seconds / 60:,.0f} min"


def _timed_row(label: str, durations: Durations, aim: float) -> FigureRow:
    aim_text = f"(aim: {describe_seconds(aim) if aim < 120 else f'{aim:,.0f} s'})"
    if not durations.count:
        return FigureRow(label, f"none yet {aim_text}")
    text = f"{durations.count:,} · 95 % within {describe_seconds(durations.p95)} {aim_text}"
    return FigureRow(label, text, durations.p95 < aim)
