"""Prometheus itself reads the figures of a real run, and its alert fires when the background stands still."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from agents.jobs.job_runner import JobRunner
from agents.jobs.worker import JobSubject
from agents.jobs.worker_process import WorkerProcess
from monitor_tui.background_mode import BackgroundMode
from monitor_tui.compose import open_program
from stores.records.jobs import JobKind
from tests.screens.scripted_llm import start_sample_story
from tools.prometheus import find_program
from tools.servers.fetch import ServerMissing

pytestmark = [pytest.mark.servers, pytest.mark.xdist_group("prometheus")]

RULES = Path(__file__).parents[2] / "docs" / "telemetry" / "monitor.rules.yml"
PATIENCE = 60.0


class Prometheus:
    """A running Prometheus."""

    def __init__(self, port: int) -> None:
        self._address = f"http://127.0.0.1:{port}"

    def ask(self, path: str, **query: str) -> Any:
        address = f"{self._address}/api/v1/{path}?{urllib.parse.urlencode(query)}"
        with urllib.request.urlopen(address, timeout=10) as answer:
            return json.load(answer)["data"]

    def is_ready(self) -> bool:
        try:
            return bool(self.ask("status/buildinfo"))
        except OSError:
            return False

    def value(self, expression: str) -> float:
        """Return the first value of an expression; 0 if it has none."""
        result = self.ask("query", query=expression)["result"]
        return float(result[0]["value"][1]) if result else 0.0

    def firing(self) -> set[tuple[str, str]]:
        """Return the names of the alerts that fire, with their universes."""
        return {
            (alert["labels"]["alertname"], alert["labels"].get("project_id", ""))
            for alert in self.ask("alerts")["alerts"]
            if alert["state"] == "firing"
        }


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def hasty_rules() -> str:
    """Return the rules that are shipped, with seconds in the place of minutes."""
    rules = RULES.read_text(encoding="utf-8")
    rules = re.sub(r"\[1[05]m\]", "[30s]", rules).replace("> 300\n", "> 1\n")
    return re.sub(r"for: \d+m", "for: 0s", rules)


@contextmanager
def running_prometheus(folder: Path, target_port: int) -> Iterator[Prometheus]:
    try:
        program = find_program("prometheus", fetch=True)
    except ServerMissing as error:
        pytest.skip(str(error))
    (folder / "monitor.rules.yml").write_text(hasty_rules(), encoding="utf-8")
    (folder / "prometheus.yml").write_text(
        "global: {scrape_interval: 1s, evaluation_interval: 1s}\n"
        "rule_files: [monitor.rules.yml]\n"
        "scrape_configs:\n"
        "  - job_name: monitor\n"
        f"    static_configs: [{{targets: ['127.0.0.1:{target_port}']}}]\n",
        encoding="utf-8",
    )
    port = free_port()
    with (folder / "log.txt").open("wb") as log:
        process = subprocess.Popen(
            [
                program,
                "--config.file=prometheus.yml",
                f"--storage.tsdb.path={folder / 'data'}",
                f"--web.listen-address=127.0.0.1:{port}",
            ],
            cwd=folder,
            stdout=log,
            stderr=log,
        )
        try:
            yield Prometheus(port)
        finally:
            process.terminate()
            process.wait(timeout=PATIENCE)


async def until(question: Callable[[], bool]) -> None:
    """Ask until the answer is yes."""
    ends_at = time.monotonic() + PATIENCE
    while not await asyncio.to_thread(question):
        assert time.monotonic() < ends_at, "it did not come about"
        await asyncio.sleep(0.2)


@pytest.mark.timeout(300)
async def test_prometheus_reads_a_real_run_and_its_alert_fires(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "prometheus"
    home.mkdir()
    folder.mkdir()
    port = free_port()
    (home / "settings.toml").write_text(
        f'[telemetry]\nprometheus_port = {port}\n[embedding]\nmodel = "none"\n', encoding="utf-8"
    )
    program = await open_program(home, mode=BackgroundMode.PLAY)
    services = program.services
    try:
        with running_prometheus(folder, port) as prometheus:
            services.jobs.start()
            scene_id = await start_sample_story(services, "I wait for the tide.")
            await services.jobs.wait_until_idle()
            (universe,) = await services.stories.universes()
            await until(prometheus.is_ready)
            await until(lambda: prometheus.value('operations_total{operation="exchange"}') == 1)
            await until(lambda: prometheus.value("sum(scheduler_lag_seconds_count)") > 0)
            await until(lambda: prometheus.value('sum(operation_seconds_count{operation="job.work"})') > 0)
            assert not prometheus.firing()

            assert program.background_jobs is not None
            assert program.background_jobs.process is not None
            subject = JobSubject(scene_id, universe.id)
            await _stall_background(program.background_jobs.process, services.jobs, subject, prometheus)

            await services.jobs.wait_until_idle()
            lag = ("MonitorSchedulerLag", universe.id)
            await until(lambda: lag in prometheus.firing())
            await until(lambda: ("MonitorSchedulerStalled", universe.id) not in prometheus.firing())
    finally:
        await program.close()


async def _stall_background(
    process: WorkerProcess, jobs: JobRunner, subject: JobSubject, prometheus: Prometheus
) -> None:
    """Have the process behind play stand still, with work before it, until Prometheus says that a job waits."""
    assert process.pid is not None
    os.kill(process.pid, signal.SIGSTOP)
    try:
        for kind in (JobKind.REMEMBER, JobKind.SUMMARISE, JobKind.ARCHIVE):
            jobs.request(kind, subject)
        await until(lambda: ("MonitorSchedulerStalled", subject.universe_id) in prometheus.firing())
    finally:
        os.kill(process.pid, signal.SIGCONT)
