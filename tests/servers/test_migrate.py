"""`monitor migrate` as it is typed, onto the real servers and back: compared, and going on after a kill."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.campaign import play_campaign
from tests.libraries import everything, fill, in_words, library, objects
from tests.test_worked_examples import monitor

pytestmark = [pytest.mark.servers, pytest.mark.xdist_group("neo4j"), pytest.mark.timeout(600)]


@pytest.fixture
async def filled(tmp_path: Path) -> Path:
    async with library(tmp_path / "filled") as stores:
        await fill(stores)
        await play_campaign(stores, name="A Third Coast")
    return tmp_path / "filled"


def migrated(source: Path, from_: str, to: str, target: Path) -> dict[str, Any]:
    words = ("migrate", "--from", from_, "--to", to, "--to-home", str(target), "--json")
    told: dict[str, Any] = json.loads(monitor(source, *words).stdout)
    return told


def fates(told: dict[str, Any]) -> list[str]:
    assert told["complete"]
    for universe in told["universes"]:
        assert universe["source"] == universe["target"], "counts and checksums of every collection"
        assert all(one["records"] for one in universe["source"].values())
    return [universe["fate"] for universe in told["universes"]]


async def test_migrate_to_servers_and_back(
    filled: Path, tmp_path: Path, on_all_servers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    served, back = tmp_path / "served", tmp_path / "back"
    assert fates(migrated(filled, "embedded", "servers", served)) == ["copied"] * 3
    assert fates(migrated(filled, "embedded", "servers", served)) == ["equal"] * 3
    assert fates(migrated(served, "servers", "embedded", back)) == ["copied"] * 3
    for name in ("MONITOR_CANON", "MONITOR_LOG", "MONITOR_STORES"):
        monkeypatch.delenv(name, raising=False)
    async with library(filled) as before, library(back) as after:
        there, here = await everything(before), await everything(after)
        assert there.keys() == here.keys()
        assert all(in_words(there, universe) == in_words(here, universe) for universe in there)
        assert await objects(before) == await objects(after)


def test_migrate_to_servers_resumes_after_a_kill(
    filled: Path, tmp_path: Path, on_all_servers: dict[str, str]
) -> None:
    served = tmp_path / "served"
    words = ["--home", str(filled), "migrate", "--from", "embedded", "--to", "servers"]
    process = subprocess.Popen(
        [sys.executable, "-m", "monitor_tui", *words, "--to-home", str(served)],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        env={**os.environ},
    )
    assert process.stderr is not None
    told = []
    for line in process.stderr:
        told.append(line)
        if line.startswith("The Other Coast ..."):  # the second has begun
            break
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stderr.close()
    assert any("copied" in line for line in told), told
    found = fates(migrated(filled, "embedded", "servers", served))
    assert found[0] == "equal"
    assert set(found) <= {"equal", "copied", "finished"}
    assert len(found) == 3
