"""A picture of the System screen with a job given up, and of a scene's header while much is indexed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from monitor_tui import compose_services
from monitor_tui.app import MonitorApp
from tests.agents.indexer.fake_embedder import FakeEmbedder
from tests.agents.telemetry.measured import FixedFigures
from tests.screens.job_backlog import build_backlog, open_with_backlog
from tests.snapshots.steps import SIZES, Compare, walk

pytestmark = pytest.mark.slow


@SIZES
@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("system", "7"),
        ("system_embedder_away", "7"),
        ("system_figures", "7 end end"),
        ("scene_backlog", "enter"),
    ],
)
def test_background_jobs(
    snap_compare: Compare,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    key: str,
    size: tuple[int, int],
) -> None:
    monkeypatch.setattr(compose_services, "OperationFigures", FixedFigures)
    asyncio.run(build_backlog(tmp_path))
    embedder = FakeEmbedder("all-MiniLM-L6-v2-int8")
    if name == "system_embedder_away":
        embedder.max_texts = 0
    else:
        embedder.is_awake.clear()
    app = MonitorApp(open_with_backlog(tmp_path, embedder))
    assert snap_compare(app, terminal_size=size, run_before=walk(*key.split()))
