"""Starting, crashing and stopping servers, with a small real one in place of the five."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tools.servers import probe
from tools.servers.base import Command, Kind, Place
from tools.servers.fetch import Cache, ServerMissing
from tools.servers.process import OwnedProcess
from tools.servers.run import Run

_LISTEN = """
import http.server, sys
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), http.server.SimpleHTTPRequestHandler).serve_forever()
"""
_FAIL = "import sys; sys.exit('the disk is full')"
_DEAF = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + _LISTEN


class FakeServer:
    """A small HTTP server that runs the given code."""

    name = "fake"
    product = "a fake server"
    kind = Kind.REAL
    ports: Sequence[str] = ("http",)
    secrets: Sequence[str] = ("password",)
    patience = 60.0

    def __init__(self, code: str = _LISTEN) -> None:
        self._code = code

    def fetch(self, cache: Cache) -> Sequence[Path]:
        return []

    def prepare(self, fetched: Sequence[Path], place: Place) -> Command:
        return Command([sys.executable, "-c", self._code, str(place.ports["http"])])

    def healthy(self, place: Place) -> bool:
        return probe.http_status(place.ports["http"], "/") == 200

    def env(self, place: Place) -> dict[str, str]:
        return {"FAKE_URL": self.address(place), "FAKE_PASSWORD": place.secrets["password"] + " it's"}

    def address(self, place: Place) -> str:
        return f"http://127.0.0.1:{place.ports['http']}"


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    run = Run(tmp_path / "run", [FakeServer()])
    yield run
    if run.folder.exists():
        run.stop(FakeServer(), by_force=True)


def test_server_run_answers_and_keeps_secrets_private(run: Run, cache: Cache) -> None:
    place = run.start(FakeServer(), cache)
    assert FakeServer().healthy(place)
    assert stat.S_IMODE(run.env_file.stat().st_mode) == 0o600
    assert stat.S_IMODE(run.folder.stat().st_mode) == 0o700
    script = f". {run.env_file} && printf '%s' \"$FAKE_PASSWORD\""
    output = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True).stdout
    assert output == place.secrets["password"] + " it's"


def test_server_run_restarts_on_same_port(run: Run, cache: Cache) -> None:
    before = run.start(FakeServer(), cache)
    assert run.stop(FakeServer(), by_force=True)
    assert not FakeServer().healthy(before)
    assert "FAKE_URL" not in run.env()
    assert run.start(FakeServer(), cache) == before
    assert FakeServer().healthy(before)


def test_server_run_started_twice_runs_once(run: Run, cache: Cache) -> None:
    run.start(FakeServer(), cache)
    first = run.find_process(FakeServer())
    run.start(FakeServer(), cache)
    assert run.find_process(FakeServer()) == first


def test_server_run_reports_server_that_dies_at_once(run: Run, cache: Cache) -> None:
    with pytest.raises(ServerMissing, match=r"status 1: the disk is full"):
        run.start(FakeServer(_FAIL), cache)
    assert run.find_process(FakeServer()) is None


def test_server_run_kills_server_that_does_not_stop(run: Run, cache: Cache) -> None:
    place = run.start(FakeServer(_DEAF), cache)
    running = run.find_process(FakeServer())
    assert running is not None
    running.stop(patience=0.2)
    assert not running.alive()
    assert not FakeServer().healthy(place)


def test_server_run_spares_other_process_with_same_id() -> None:
    stranger = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        OwnedProcess(stranger.pid, "Thu Jan 1 00:00:00 1970").stop()
        assert stranger.poll() is None
    finally:
        os.kill(stranger.pid, signal.SIGKILL)
        stranger.communicate()


def test_server_run_makes_new_secrets(run: Run, cache: Cache) -> None:
    old = run.start(FakeServer(), cache).secrets
    run.stop(FakeServer())
    run.forget()
    assert not run.folder.exists()
    second_run = Run(run.folder, [FakeServer()])
    assert second_run.place(FakeServer()).secrets != old


def test_server_fetch_failure_leaves_nothing_and_is_reported(cache: Cache, tmp_path: Path) -> None:
    def make(folder: Path) -> None:
        cache.run(
            "thing", ["sh", "-c", "echo working; echo 'ERROR: no such artifact' >&2; exit 3"], cwd=folder
        )

    with pytest.raises(ServerMissing, match="thing: ERROR: no such artifact"):
        cache.get("thing-1", make)
    assert not (tmp_path / "cache" / "thing-1").exists()

    def make_whole(folder: Path) -> None:
        (folder / "file").write_text("whole")

    folder = cache.get("thing-1", make_whole)
    assert (folder / "file").read_text() == "whole"


def test_server_run_reports_missing_client(cache: Cache, tmp_path: Path) -> None:
    with pytest.raises(ServerMissing, match="`no-such-client` is not on this machine"):
        cache.run("thing", ["no-such-client"], cwd=tmp_path)
