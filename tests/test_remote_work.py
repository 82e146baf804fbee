"""Tests of what a user meets who sets up workers on other machines, without any server."""

from __future__ import annotations

import sys

import pytest

from agents.jobs.worker_pipe import Done, TextEmbeddings, WriteRequest
from monitor_tui import remote_work
from monitor_tui.cli import app as cli
from monitor_tui.remote_work import build_remote_workers
from stores.errors import InputError
from stores.servers.server_settings import ServerSettings
from stores.servers.worker_stores import add_worker, read_worker_settings

ON_SERVERS = {
    "MONITOR_STORES": "servers",
    "MONITOR_SERVERS_SECRET": "secret",
    "MONITOR_NEO4J_URL": "bolt://127.0.0.1:1",
    "MONITOR_NEO4J_PASSWORD": "p",
    "MONITOR_MONGO_URL": "mongodb://root:p@127.0.0.1:1/?authSource=admin",
    "MONITOR_QDRANT_URL": "http://127.0.0.1:1",
    "MONITOR_OPENSEARCH_URL": "http://127.0.0.1:1",
    "MONITOR_MINIO_ENDPOINT": "127.0.0.1:1",
}


async def write(request: WriteRequest) -> Done | TextEmbeddings:
    return Done()


def test_no_broker_means_no_workers() -> None:
    assert build_remote_workers(ON_SERVERS, write) is None


def test_workers_need_stores_on_servers() -> None:
    environ = {**ON_SERVERS, "MONITOR_BROKER": "redis://127.0.0.1:1", "MONITOR_LOG": "embedded"}
    with pytest.raises(InputError, match="need all five stores on servers") as refusal:
        build_remote_workers(environ, write)
    assert refusal.value.todo


def test_address_of_another_broker_is_refused_in_words() -> None:
    with pytest.raises(InputError, match="begins with kafka:, and there is no such broker"):
        build_remote_workers({**ON_SERVERS, "MONITOR_BROKER": "kafka://127.0.0.1"}, write)


def test_missing_package_is_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_work, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="taskiq") as refusal:
        build_remote_workers({**ON_SERVERS, "MONITOR_BROKER": "redis://127.0.0.1:1"}, write)
    assert "monitor-tui[workers,servers]" in refusal.value.todo


def test_worker_is_refused_without_its_environment(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("MONITOR_WORKER", raising=False)
    monkeypatch.setattr(sys, "argv", ["monitor", "worker"])
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == 1
    assert "monitor worker add NAME > worker.env" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["", "Attic", "a b", "../x", "a" * 40])
async def test_worker_names_that_cannot_be_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="cannot be a worker's name"):
        await add_worker(ON_SERVERS, name)


def test_each_worker_has_secrets_of_its_own() -> None:
    program = ServerSettings(ON_SERVERS)
    attic, cellar = program.of_worker("attic"), program.of_worker("cellar")
    keys = {program.message_key, attic.message_key, cellar.message_key}
    assert len(keys) == 3
    own = read_worker_settings({**attic.values, "MONITOR_WORKER": "attic"})
    assert own.message_key == attic.message_key, (
        "what the worker's environment gives is what the program expects"
    )
