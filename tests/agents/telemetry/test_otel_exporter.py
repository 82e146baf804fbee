"""What OpenTelemetry and Prometheus are sent of spans and events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode
from prometheus_client import CollectorRegistry

from agents.events import ChunkFigures, ChunksServed
from agents.telemetry.otel_exporter import OtelExporter
from agents.telemetry.spans import MeasuredOperation, Span, SpanOutcome
from stores.records.sources import LadderStage
from tests.agents.telemetry.measured import SCENE, UNIVERSE, job, narrated_exchange, scene_end


class Sent:
    """An exporter, and what it has sent by now."""

    def __init__(self, waits: Mapping[str, float]) -> None:
        self._registry = CollectorRegistry()
        self._spans = InMemorySpanExporter()
        self.exporter = OtelExporter(
            lambda: waits,
            metric_readers=[PrometheusMetricReader(scope_info_enabled=False, registry=self._registry)],
            span_exporters=[self._spans],
        )

    def value(self, name: str, **labels: str) -> float | None:
        return self._registry.get_sample_value(name, labels)

    def end(self) -> dict[str, ReadableSpan]:
        """Return the spans that were sent, by name."""
        self.exporter.close()
        return {span.name: span for span in self._spans.get_finished_spans()}


@contextmanager
def sending(**waits: float) -> Iterator[Sent]:
    sent = Sent(waits)
    try:
        yield sent
    finally:
        sent.end()


def test_exporter_sends_an_exchange_as_one_trace_with_the_times_that_were_measured() -> None:
    with sending() as sent:
        sent.exporter.note_trace(narrated_exchange())
        spans = sent.end()
    exchange, call = spans["exchange"], spans["llm.call"]
    assert spans.keys() == {"exchange", "resolver.seal", "narration.step", "llm.call"}
    assert {span.get_span_context().trace_id for span in spans.values()} == {  # type: ignore[union-attr]
        exchange.get_span_context().trace_id  # type: ignore[union-attr]
    }
    assert call.parent is not None
    assert call.parent.span_id == spans["narration.step"].get_span_context().span_id  # type: ignore[union-attr]
    assert (exchange.start_time, exchange.end_time) == (1_000 * 10**9, 1_003_200_000_000)
    assert exchange.attributes == {
        "monitor.universe_id": UNIVERSE,
        "monitor.scene_id": SCENE,
        "monitor.run_id": exchange.attributes["monitor.run_id"] if exchange.attributes else "",
        "monitor.outcome": "done",
        "monitor.kind": "narrated",
    }


def test_exporter_marks_a_failure_by_its_class_alone() -> None:
    failed = Span(MeasuredOperation.COMMIT, "scene", outcome=SpanOutcome.FAILED, error_type="StoreFull")
    with sending() as sent:
        sent.exporter.note_trace(failed)
        span = sent.end()["canon_keeper.commit"]
    assert span.status.status_code is StatusCode.ERROR
    assert span.status.description is None
    assert not span.events
    assert span.attributes is not None
    assert span.attributes["error.type"] == "StoreFull"


def test_exporter_names_the_metrics_of_the_design() -> None:
    with sending() as sent:
        for trace in (narrated_exchange(), scene_end(), job(400.0), job(2.0)):
            sent.exporter.note_trace(trace)
        assert sent.value("scheduler_lag_seconds_count", project_id=UNIVERSE) == 2
        assert sent.value("scheduler_lag_seconds_bucket", project_id=UNIVERSE, le="300") == 1
        assert sent.value("tokens_consumed_total", agent="narrator") == 1_200
        assert sent.value("canonization_batch_size_sum", kind="scene_end") == 7
        assert sent.value("operation_seconds_count", operation="narration.step", kind="narrate") == 1


def test_exporter_counts_loops_and_failures() -> None:
    with sending() as sent:
        sent.exporter.note_trace(Span(MeasuredOperation.LOOP, "turn", seconds=1.5))
        sent.exporter.note_trace(job(0.0, SpanOutcome.FAILED))
        sent.exporter.note_trace(job(0.0))
        assert sent.value("loop_cycle_seconds_sum", loop="turn") == 1.5
        job_labels = {"operation": "job", "kind": "remember"}
        assert sent.value("operations_total", **job_labels, outcome="failed") == 1
        assert sent.value("operations_total", **job_labels, outcome="done") == 1


def test_exporter_counts_how_passages_were_served() -> None:
    served = ChunkFigures(LadderStage.GENERATED, {"primary": 2.0, "generated": 0.1}, is_timed_out=True)
    with sending() as sent:
        sent.exporter.note_event(ChunksServed((served,)))
        assert sent.value("ladder_passages_total", stage="generated") == 1
        assert sent.value("ladder_stage_seconds_sum", stage="primary") == 2.0
        assert sent.value("ladder_fallbacks_total", reason="model") == 1
        assert sent.value("ladder_fallbacks_total", reason="timeout") == 1


def test_exporter_says_how_long_a_job_waits_that_is_not_done_yet() -> None:
    """A queue that stands still dispatches nothing, so the lag of what was dispatched says nothing."""
    with sending(**{UNIVERSE: 412.0}) as sent:
        assert sent.value("scheduler_longest_wait_seconds", project_id=UNIVERSE) == 412.0
