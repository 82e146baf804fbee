"""`monitor mirror`, as it is typed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from stores.authority import Store
from tests.replication.fake_servers import FakeServers, ManualSleep, open_copy, wait_until_healthy
from tests.replication.test_degraded import begin, play, seen
from tests.test_worked_examples import monitor

pytestmark = pytest.mark.slow


async def test_mirror_command_reports_pending_writes_and_sets_aside(
    far: FakeServers, naps: ManualSleep, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    async with open_copy(far, home, sleep=naps) as stores:
        scene, turn = await begin(stores)
        far.down.add(Store.CANON)
        await play(stores, scene, turn, "Waits.")
    told = await asyncio.to_thread(monitor, home, "mirror")
    assert "joined to: canon, log" in told.stdout
    assert "1 for canon" in told.stdout
    refused = await asyncio.to_thread(monitor, home, "story", "The Lamp", expect=1)
    assert "copy of a library" in refused.stderr
    aside = await asyncio.to_thread(monitor, home, "mirror", "--set-aside")
    assert "library.set-aside-1.db" in aside.stdout
    far.down.clear()
    async with open_copy(far, home, sleep=naps) as stores:
        await wait_until_healthy(stores, naps)
        lines, _, people = await seen(stores, scene)
        assert lines == ["I go on.", "Waits."], "the log's server had that before canon's went"
        assert people == []


def test_mirror_command_without_a_copy_reports_it(tmp_path: Path) -> None:
    assert "There is no library" in monitor(tmp_path, "mirror", expect=1).stderr
    monitor(tmp_path, "play", "--script", "-", stdin="universe: Here\n---\nI wait.\n")
    assert "a library of its own" in monitor(tmp_path, "mirror").stdout
