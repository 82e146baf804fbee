"""Spans as the program would have measured them, for tests of what is made of them."""

from __future__ import annotations

from agents.telemetry.figures import OperationFigures
from agents.telemetry.spans import ExchangeKind, MeasuredOperation, Span, SpanOutcome, SpanRecords

UNIVERSE = "0190aaaa-0000-7000-8000-000000000001"
SCENE = "0190aaaa-0000-7000-8000-000000000002"
RUN = "0190aaaa-0000-7000-8000-000000000003"


def narrated_exchange() -> Span:
    """A line that a model answers: the Narrator in 3 s and 1,200 tokens, and a check that is rolled before."""
    records = SpanRecords(UNIVERSE, scene_id=SCENE, run_id=RUN)
    call = Span(MeasuredOperation.MODEL_CALL, "narrator", records, 1_000.1, 3.0, amount=1_200)
    step = Span(MeasuredOperation.STEP, "narrate", SpanRecords(scene_id=SCENE), 1_000.1, 3.1, children=[call])
    seal = Span(MeasuredOperation.SEAL, "check", records, 1_000.0, 0.004)
    return Span(
        MeasuredOperation.EXCHANGE, ExchangeKind.NARRATED, records, 1_000.0, 3.2, children=[seal, step]
    )


def scene_end(*, writes: int = 1) -> Span:
    """The commit at a scene's end, of seven changes."""
    canon_writes = [
        Span(MeasuredOperation.CANON_WRITE, "", SpanRecords(UNIVERSE), 2_000.0, 0.02, amount=9)
    ] * writes
    return Span(
        MeasuredOperation.COMMIT,
        "scene_end",
        SpanRecords(UNIVERSE),
        2_000.0,
        0.05,
        amount=7,
        children=canon_writes,
    )


def job(
    waited_seconds: float,
    outcome: SpanOutcome = SpanOutcome.DONE,
    kind: str = "remember",
    universe: str = UNIVERSE,
) -> Span:
    """A piece of a background job that waited so long for its turn."""
    return Span(
        MeasuredOperation.JOB,
        kind,
        SpanRecords(universe),
        3_000.0,
        0.2,
        outcome,
        waited_seconds=waited_seconds,
    )


def busy_evening() -> list[Span]:
    """What an evening of play leaves: modes, lines, an ended scene, jobs, one of which failed."""
    return [
        *(Span(MeasuredOperation.MODE, "system", started_at=10.0, seconds=0.008) for _ in range(12)),
        *(
            Span(MeasuredOperation.EXCHANGE, ExchangeKind.PLAIN, started_at=20.0, seconds=0.031)
            for _ in range(40)
        ),
        narrated_exchange(),
        scene_end(),
        Span(MeasuredOperation.LOOP, "scene", SpanRecords(scene_id=SCENE), 0.0, 1_500.0),
        *(job(0.02) for _ in range(44)),
        job(0.0, SpanOutcome.FAILED),
    ]


class FixedFigures(OperationFigures):
    """The figures of a busy evening, to which nothing is added: pictures of them stay the same."""

    def __init__(self) -> None:
        super().__init__()
        for span in busy_evening():
            OperationFigures.note_trace(self, span)

    def note_trace(self, trace: Span) -> None:
        return
