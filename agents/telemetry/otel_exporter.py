"""Sends what was measured to OpenTelemetry: traces and metrics by OTLP, metrics to Prometheus.

The only module that imports OpenTelemetry, which the extra `telemetry` installs; it is loaded when settings.toml asks
for it. A trace is made when its outermost span has ended, so nothing of this runs inside what is measured. Attributes
are identifiers, kinds and counts; what an error says is left out.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import version
from typing import Final
from wsgiref.simple_server import WSGIServer

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.metrics import Observation
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricReader, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.trace import Status, StatusCode, set_span_in_context
from opentelemetry.trace import Tracer as OtelTracer
from opentelemetry.util.types import AttributeValue
from prometheus_client import CollectorRegistry, start_http_server

from agents.events import ChunkFigures, ChunksServed, Event
from agents.telemetry.spans import MeasuredOperation, Span, SpanOutcome
from stores.records.ids import Id
from stores.records.sources import LadderStage

SECONDS_BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 3_600)
LAG_BUCKETS: Final = (0.01, 0.1, 1, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600)
BATCH_BUCKETS: Final = (0, 1, 2, 5, 10, 20, 50, 100, 500)

EXPORT_TIMEOUT_SECONDS: Final = 5.0
CLOSE_SECONDS: Final = 2.0
"""The longest that closing waits for what is still to be sent."""

ReadWaits = Callable[[], Mapping[Id, float]]
"""Returns by universe how long its job that is ready and waits longest has waited; called in another thread."""


class OtelExporter:
    """Takes in traces and events, and sends what they say on."""

    def __init__(
        self,
        read_waits: ReadWaits,
        *,
        metric_readers: Sequence[MetricReader] = (),
        span_exporters: Sequence[SpanExporter] = (),
    ) -> None:
        resource = Resource({"service.name": "monitor", "service.version": version("monitor-tui")})
        self._meters = MeterProvider(metric_readers, resource, shutdown_on_exit=False)
        self._traces = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._sends_traces = bool(span_exporters)
        for exporter in span_exporters:
            self._traces.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer: OtelTracer = self._traces.get_tracer("monitor")
        self._server: WSGIServer | None = None
        meter = self._meters.get_meter("monitor")
        self._lag = meter.create_histogram(
            "scheduler_lag_seconds",
            "s",
            "How long a background job that was ready waited for its turn.",
            explicit_bucket_boundaries_advisory=LAG_BUCKETS,
        )
        self._seconds = meter.create_histogram(
            "operation_seconds",
            "s",
            "How long the program's operations took.",
            explicit_bucket_boundaries_advisory=SECONDS_BUCKETS,
        )
        self._loop_seconds = meter.create_histogram(
            "loop_cycle_seconds",
            "s",
            "How long loops ran from their beginning to their end.",
            explicit_bucket_boundaries_advisory=SECONDS_BUCKETS,
        )
        self._batch_sizes = meter.create_histogram(
            "canonization_batch_size",
            description="How many changes the CanonKeeper's commits accepted.",
            explicit_bucket_boundaries_advisory=BATCH_BUCKETS,
        )
        self._tokens = meter.create_counter(
            "tokens_consumed", description="Tokens that models took in and gave."
        )
        self._operations = meter.create_counter("operations", description="Operations, by how they ended.")
        self._stage_seconds = meter.create_histogram(
            "ladder_stage_seconds",
            "s",
            "How long each stage took that reads a passage of a document.",
            explicit_bucket_boundaries_advisory=SECONDS_BUCKETS,
        )
        self._passages = meter.create_counter(
            "ladder_passages", description="Passages of documents, by their stage."
        )
        self._fallbacks = meter.create_counter(
            "ladder_fallbacks",
            description="Passages that a later stage served than the model's, by the reason.",
        )
        meter.create_observable_gauge(
            "scheduler_longest_wait_seconds",
            [lambda _: _observe_waits(read_waits)],
            "s",
            "How long the job has waited that is ready and waits longest for its turn.",
        )

    def serve_prometheus(self, registry: CollectorRegistry, host: str, port: int) -> int:
        """Answer Prometheus at this address from now on; returns the port. Raises OSError if it is taken."""
        self._server, _ = start_http_server(port, host, registry)
        return int(self._server.server_port)

    def note_trace(self, trace: Span) -> None:
        """Count a tree of spans, and send it if traces are sent."""
        for span in trace.walk():
            self._count_span(span)
        if self._sends_traces:
            self._send_span(trace, None)

    def note_event(self, event: Event) -> None:
        """Count the passages that an event reports."""
        if isinstance(event, ChunksServed):
            for figures in event.chunks:
                self._count_passage(figures)

    def close(self) -> None:
        """Send what is left, and stop; what cannot be sent in time is lost."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
        # A collector that does not answer must not hold up the end of the program.
        threads = [
            threading.Thread(target=shut_down, daemon=True)
            for shut_down in (self._traces.shutdown, self._meters.shutdown)
        ]
        for thread in threads:
            thread.start()
        ends_at = time.monotonic() + CLOSE_SECONDS
        for thread in threads:
            thread.join(max(0.0, ends_at - time.monotonic()))

    # --- metrics -----------------------------------------------------------------------------------

    def _count_span(self, span: Span) -> None:
        if span.operation is MeasuredOperation.LOOP:
            self._loop_seconds.record(span.seconds, {"loop": span.kind})
            return
        labels = {"operation": span.operation.value, "kind": span.kind}
        self._seconds.record(span.seconds, labels)
        self._operations.add(1, {**labels, "outcome": span.outcome.value})
        if span.waited_seconds is not None:
            self._lag.record(span.waited_seconds, {"project_id": span.records.universe_id})
        if span.operation is MeasuredOperation.MODEL_CALL:
            self._tokens.add(span.amount, {"agent": span.kind})
        if span.operation is MeasuredOperation.COMMIT and span.outcome is SpanOutcome.DONE:
            self._batch_sizes.record(span.amount, {"kind": span.kind})

    def _count_passage(self, figures: ChunkFigures) -> None:
        self._passages.add(1, {"stage": figures.stage.value})
        for step, seconds in figures.seconds_by_step.items():
            self._stage_seconds.record(seconds, {"stage": step})
        for reason in _fallback_reasons(figures):
            self._fallbacks.add(1, {"reason": reason})

    # --- traces ------------------------------------------------------------------------------------

    def _send_span(self, span: Span, outer_context: Context | None) -> None:
        """Send a span, and all below it, with the times that were measured."""
        started_at = round(span.started_at * 1e9)
        otel_span = self._tracer.start_span(
            span.operation.value,
            context=outer_context,
            attributes=attributes_of(span),
            start_time=started_at,
        )
        if span.outcome is SpanOutcome.FAILED:
            otel_span.set_status(Status(StatusCode.ERROR))
        inner_context = set_span_in_context(otel_span)
        for child in span.children:
            self._send_span(child, inner_context)
        otel_span.end(started_at + round(span.seconds * 1e9))


def attributes_of(span: Span) -> dict[str, AttributeValue]:
    """Return what a span says of itself: identifiers, kinds and counts."""
    attributes: dict[str, AttributeValue] = {
        f"monitor.{name}": record_id for name, record_id in span.records._asdict().items() if record_id
    }
    attributes["monitor.outcome"] = span.outcome.value
    if span.kind:
        attributes["monitor.kind"] = str(span.kind)
    if span.error_type:
        attributes["error.type"] = span.error_type
    if span.amount:
        attributes["monitor.amount"] = span.amount
    if span.waited_seconds is not None:
        attributes["monitor.waited_seconds"] = span.waited_seconds
    return attributes


def open_exporter(
    read_waits: ReadWaits,
    *,
    prometheus_host: str,
    prometheus_port: int,
    otlp_endpoint: str,
    otlp_seconds: float,
) -> OtelExporter:
    """Start sending; `prometheus_port` 0 and `otlp_endpoint` empty: not there. Raises OSError if the port is taken."""
    readers: list[MetricReader] = []
    exporters: list[SpanExporter] = []
    registry = CollectorRegistry()
    if prometheus_port:
        readers.append(PrometheusMetricReader(scope_info_enabled=False, registry=registry))
    if otlp_endpoint:
        metric_exporter = OTLPMetricExporter(f"{otlp_endpoint}/v1/metrics", timeout=EXPORT_TIMEOUT_SECONDS)
        readers.append(PeriodicExportingMetricReader(metric_exporter, otlp_seconds * 1_000))
        exporters.append(OTLPSpanExporter(f"{otlp_endpoint}/v1/traces", timeout=EXPORT_TIMEOUT_SECONDS))
    exporter = OtelExporter(read_waits, metric_readers=readers, span_exporters=exporters)
    if prometheus_port:
        try:
            exporter.serve_prometheus(registry, prometheus_host, prometheus_port)
        except OSError:
            exporter.close()
            raise
    return exporter


def _observe_waits(read_waits: ReadWaits) -> Iterable[Observation]:
    return [
        Observation(seconds, {"project_id": universe_id}) for universe_id, seconds in read_waits().items()
    ]


def _fallback_reasons(figures: ChunkFigures) -> list[str]:
    reasons = []
    if LadderStage.PRIMARY in figures.seconds_by_step and figures.stage is not LadderStage.PRIMARY:
        reasons.append("model")
    if figures.is_timed_out:
        reasons.append("timeout")
    if figures.is_emergency:
        reasons.append("emergency")
    return reasons
