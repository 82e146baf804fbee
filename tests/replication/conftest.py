"""Servers far away for every test here, and time that passes when the test says so."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.replication.far import Far, Naps, far_away


@pytest.fixture
async def far(tmp_path: Path) -> AsyncIterator[Far]:
    async with far_away(tmp_path / "far") as opened:
        yield opened


@pytest.fixture
def naps() -> Naps:
    return Naps()
