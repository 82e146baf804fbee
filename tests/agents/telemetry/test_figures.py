"""What the System screen says of speed and failures, from spans that were measured."""

from __future__ import annotations

import pytest

from agents.telemetry.figures import FigureRow, OperationFigures
from agents.telemetry.spans import ExchangeKind, MeasuredOperation, Span, SpanOutcome
from tests.agents.telemetry.measured import busy_evening, scene_end


def figures_of(*spans: Span) -> dict[str, FigureRow]:
    figures = OperationFigures()
    for span in spans:
        figures.note_trace(span)
    return {row.label: row for row in (*figures.speed_rows(), *figures.work_rows())}


def test_figures_of_an_evening_stand_beside_their_aims() -> None:
    rows = figures_of(*busy_evening())
    assert [(row.label, row.value) for row in rows.values()] == [
        ("change of mode", "12 · 95 % within 8 ms (aim: 100 ms)"),
        ("line, without a model", "40 · 95 % within 31 ms (aim: 2.0 s)"),
        (
            "line that a model answers",
            "1 · 95 % within 3.2 s (aim: 2.0 s) · 3.0 s of it the model, on average",
        ),
        ("wait of a background job", "44 · 95 % within 20 ms (aim: 300 s)"),
        ("scene, from start to end", "1 · 25 min each (meant to take 5 to 30 min)"),
        ("batches written to canon", "1 commit · 7.0 changes each, 7 at most"),
        ("writes at a scene's end", "1 for 1 (aim: one each)"),
        ("tokens of the Narrator", "1,200"),
        ("failures", "1 of 45 background jobs"),
    ]
    assert [row.is_within_aim for row in rows.values()] == [
        True,
        True,
        False,
        True,
        None,
        None,
        True,
        None,
        False,
    ]


def test_figures_before_anything_was_done_say_so() -> None:
    rows = figures_of()
    assert rows["change of mode"] == FigureRow("change of mode", "none yet (aim: 100 ms)")
    assert rows["failures"].value == "none"


def test_figures_mark_a_scene_that_took_two_writes() -> None:
    row = figures_of(scene_end(writes=2))["writes at a scene's end"]
    assert row == FigureRow("writes at a scene's end", "2 for 1 (aim: one each)", is_within_aim=False)


@pytest.mark.parametrize("outcome", [SpanOutcome.REFUSED, SpanOutcome.POSTPONED, SpanOutcome.CANCELLED])
def test_figures_count_no_failure_where_nothing_is_wrong(outcome: SpanOutcome) -> None:
    """A command that does not exist, a budget that is used up, and Esc are no faults of the program."""
    rows = figures_of(Span(MeasuredOperation.EXCHANGE, ExchangeKind.PLAIN, seconds=9.0, outcome=outcome))
    assert rows["failures"].value == "none"
    assert rows["line, without a model"].value.startswith("none yet")
