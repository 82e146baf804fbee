"""The worked examples with canon on Neo4j and the log on MongoDB: the same bytes as in the home folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.test_worked_examples import SCRIPTS, monitor

pytestmark = [pytest.mark.servers, pytest.mark.xdist_group("neo4j"), pytest.mark.timeout(300)]


@pytest.mark.parametrize(("script", "seed"), [("orc.play", 5), ("hidden_door.play", 1)])
def test_play_on_servers_gives_the_same_story(
    tmp_path: Path,
    on_servers: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    script: str,
    seed: int,
) -> None:
    words = ("play", "--script", str(SCRIPTS / script), "--seed", str(seed), "--json")
    there = monitor(tmp_path / "on servers", *words).stdout
    for name in ("MONITOR_CANON", "MONITOR_LOG"):
        monkeypatch.delenv(name)
    assert monitor(tmp_path / "at home", *words).stdout == there


def test_play_continues_on_another_machine(tmp_path: Path, on_servers: dict[str, str]) -> None:
    monitor(tmp_path / "one", "play", "--script", str(SCRIPTS / "orc.play"), "--seed", "5")
    told = monitor(tmp_path / "other", "story", "The Ford").stdout
    assert "I finish him." in told
    assert "Orc died." in told


def test_play_with_a_wrong_password_is_sent_later(
    tmp_path: Path, on_servers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("play", "--script", str(SCRIPTS / "orc.play"), "--seed", "5")
    with monkeypatch.context() as wrong:
        wrong.setenv("MONITOR_SERVERS_SECRET", "another")
        told = monitor(tmp_path / "one", *words).stderr
    assert "refuses this user or password" in told
    assert "kept and sent later" in told
    assert "Orc died." in monitor(tmp_path / "one", "story", "The Ford").stdout
