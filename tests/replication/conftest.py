"""Fake servers for every test here, and a sleep that the test controls."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.replication.fake_servers import FakeServers, ManualSleep, open_fake_servers


@pytest.fixture
async def far(tmp_path: Path) -> AsyncIterator[FakeServers]:
    async with open_fake_servers(tmp_path / "far") as opened:
        yield opened


@pytest.fixture
def naps() -> ManualSleep:
    return ManualSleep()
