"""Telemetry is off unless settings.toml asks for it, and says nothing of what is played."""

from __future__ import annotations

import asyncio
import re
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from agents.services.services import Services
from monitor_tui.background_mode import BackgroundMode
from monitor_tui.compose import Program, open_program
from stores.errors import InputError
from stores.records.llm import Persona
from tests.screens.scripted_llm import MODEL, ScriptedLlm, priced, start_sample_story

TOLD = "Quillfeather drowns the lanternbook"
"""Words of the player, the model and a failure, of which none may leave the machine."""
TOLD_WORDS = ("uillfeather", "anternbook", "Mara", "Slack Tide")


class Collector(ThreadingHTTPServer):
    """An OpenTelemetry collector that keeps what it is sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _CollectorHandler)
        self.bodies: dict[str, bytes] = {}

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _CollectorHandler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        assert isinstance(self.server, Collector)
        self.server.bodies[self.path] = self.server.bodies.get(self.path, b"") + body
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        return


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def read_metrics(port: int) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        return str(answer.read().decode())


def read_nesting(body: bytes) -> set[tuple[str, str]]:
    """Return the names of the spans that were sent, each with that of the span around it."""
    # Messages that stand one after another are read as one, with all that is in them.
    spans = [
        span
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]
    name_by_id = {span.span_id: span.name for span in spans}
    return {(span.name, name_by_id.get(span.parent_span_id, "")) for span in spans}


async def open_measured(home: Path, settings: str, model: ScriptedLlm | None = None) -> Program:
    more = f'[embedding]\nmodel = "none"\n[engine]\nbackend = "inmemory"\n[model]\nname = "{MODEL}"\n'
    (home / "settings.toml").write_text(f"[telemetry]\n{settings}\n{more}", encoding="utf-8")
    return await open_program(home, mode=BackgroundMode.INGEST, model=model or ScriptedLlm())


async def play_an_evening(services: Services) -> None:
    """Play lines, a roll and a command, fail at one, end the scene, and have the background catch up."""
    scene_id = await start_sample_story(services, f'I say: "{TOLD}."')
    await services.play.submit(scene_id, "/check might vs 8; success: Mara Venn.hp -1")
    with pytest.raises(InputError):
        await services.play.submit(scene_id, f"/quillfeather {TOLD}")
    await services.play.submit(scene_id, f"/fact {TOLD}.")
    await services.play.submit(scene_id, f"/note {TOLD}")
    await services.play.submit(scene_id, f"/end {TOLD}.")
    await services.gate.commit(scene_id)
    await services.jobs.wait_until_idle()


@pytest.mark.slow
async def test_telemetry_sends_figures_and_traces_and_no_word_of_the_story(
    tmp_path: Path, collector: Collector
) -> None:
    port = free_port()
    settings = f'prometheus_port = {port}\notlp_endpoint = "{collector.address}"'
    program = await open_measured(
        tmp_path, settings, ScriptedLlm({Persona.NARRATOR: priced(f"{TOLD}, and sinks.")})
    )
    await play_an_evening(program.services)
    metrics = await asyncio.to_thread(read_metrics, port)
    await program.close()

    assert read_nesting(collector.bodies["/v1/traces"]) >= {
        ("exchange", ""),
        ("resolver.seal", "exchange"),
        ("narration.step", "exchange"),
        ("llm.call", "narration.step"),
        ("canon_keeper.write", "canon_keeper.commit"),
        ("job", ""),
        ("loop", ""),
    }
    traces = collector.bodies["/v1/traces"]
    (universe_id,) = set(re.findall(r'scheduler_lag_seconds_count\{project_id="([^"]+)"\}', metrics))
    assert re.search(r'tokens_consumed_total\{agent="narrator"\} [1-9]', metrics)
    assert re.search(r'canonization_batch_size_count\{kind="scene_end"\} 1', metrics)
    assert 'operations_total{kind="remember",operation="job",outcome="done"}' in metrics
    assert universe_id.encode() in traces

    everything = b"".join([metrics.encode(), *collector.bodies.values()])
    assert collector.bodies.keys() == {"/v1/traces", "/v1/metrics"}
    for word in TOLD_WORDS:
        assert word.encode() not in everything, word
    assert str(tmp_path).encode() not in everything


@pytest.mark.slow
async def test_telemetry_that_is_off_answers_and_loads_nothing(tmp_path: Path) -> None:
    code = (
        "import asyncio, sys; from pathlib import Path\n"
        "from monitor_tui.compose import open_program\n"
        "from monitor_tui.background_mode import BackgroundMode\n"
        "from agents.orchestrator.narration import runner\n"
        "import monitor_tui.background_process\n"
        "async def look():\n"
        "    program = await open_program(Path(sys.argv[1]), mode=BackgroundMode.PLAY)\n"
        "    runner._import_engine()\n"
        "    await program.close()\n"
        "asyncio.run(look())\n"
        "print('langsmith' in sys.modules, [m for m in sys.modules if m.startswith(('opentelemetry', 'prometheus', "
        "'taskiq', 'redis', 'aio_pika', 'monitor_tui.remote_work', 'agents.jobs.worker_pool'))])\n"
        "import opentelemetry.sdk.trace\n"
    )
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", code, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "True []"


async def test_telemetry_port_that_is_taken_is_said_and_keeps_nobody_from_playing(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        program = await open_measured(tmp_path, f"prometheus_port = {port}")
        notes = (await program.services.stories.menu()).notes
        await program.close()
    assert (
        f"127.0.0.1 port {port} cannot be used: no figures are sent. "
        "Change prometheus_port under [telemetry] in settings.toml."
    ) in notes


async def test_telemetry_without_its_packages_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "agents.telemetry.otel_exporter", None)
    program = await open_measured(tmp_path, f"prometheus_port = {free_port()}")
    notes = (await program.services.stories.menu()).notes
    await program.close()
    assert any("its packages are missing: no figures are sent." in note for note in notes)


@pytest.mark.slow
async def test_telemetry_of_a_collector_that_is_away_does_not_hold_up_the_end(tmp_path: Path) -> None:
    program = await open_measured(tmp_path, f'otlp_endpoint = "http://127.0.0.1:{free_port()}"')
    await start_sample_story(program.services, "I wait.")
    async with asyncio.timeout(15):
        await program.close()
