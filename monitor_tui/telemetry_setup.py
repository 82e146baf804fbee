"""Starts sending what is measured, if settings.toml asks for it; without that, nothing of OpenTelemetry is loaded."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import TYPE_CHECKING, Final, NamedTuple

from agents.events import EventBus
from agents.telemetry.span_recorder import TraceFeed

if TYPE_CHECKING:
    from agents.telemetry.otel_exporter import ReadWaits
    from monitor_tui.settings import TelemetrySettings

_EXPORTER_MODULE: Final = "agents.telemetry.otel_exporter"

log = logging.getLogger("monitor.telemetry")


class StartedTelemetry(NamedTuple):
    """What was started: how to stop it, and why nothing was, in words for the menu."""

    close: Callable[[], Awaitable[None]]
    note: str = ""


async def start_telemetry(
    settings: TelemetrySettings, traces: TraceFeed, events: EventBus, read_waits: ReadWaits
) -> StartedTelemetry:
    """Send traces and figures from now on. Nothing that fails here keeps the program from running."""
    if not settings.is_on:
        return StartedTelemetry(_close_nothing)
    try:
        module = await asyncio.to_thread(import_module, _EXPORTER_MODULE)
    except ModuleNotFoundError as error:
        log.warning("telemetry: %s", error)
        return StartedTelemetry(
            _close_nothing,
            "Telemetry is set up in settings.toml, but its packages are missing: no figures are sent. "
            "pip install 'monitor-tui[telemetry]' adds them.",
        )
    try:
        exporter = await asyncio.to_thread(
            module.open_exporter,
            read_waits,
            prometheus_host=settings.prometheus_host,
            prometheus_port=settings.prometheus_port,
            otlp_endpoint=settings.otlp_endpoint,
            otlp_seconds=settings.otlp_seconds,
        )
    except OSError as error:
        log.warning("telemetry: %s", error)
        address = f"{settings.prometheus_host} port {settings.prometheus_port}"
        return StartedTelemetry(
            _close_nothing,
            f"{address} cannot be used: no figures are sent. "
            "Change prometheus_port under [telemetry] in settings.toml.",
        )
    unsubscribers = (traces.subscribe(exporter.note_trace), events.subscribe(exporter.note_event))

    async def close() -> None:
        for unsubscribe in unsubscribers:
            unsubscribe()
        await asyncio.to_thread(exporter.close)

    return StartedTelemetry(close)


async def _close_nothing() -> None:
    return
