"""A picture of the screen that imports a log: the preview, the end, and a file that is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from monitor_tui.app import MonitorApp
from tests.agents.importers.test_importer import log_bytes
from tests.screens.screen_driver import real_services
from tests.snapshots.steps import SIZES, Compare, Steps, walk

pytestmark = pytest.mark.slow

STEPS: dict[str, Steps] = {
    "import_preview": ("2", "i", "type:road.jsonl", "enter"),
    "import_done": ("2", "i", "type:road.jsonl", "enter", "enter"),
    "import_refused": ("2", "i", "type:page.html", "enter"),
}


@SIZES
@pytest.mark.parametrize("name", STEPS)
def test_import(
    name: str, size: tuple[int, int], snap_compare: Compare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("road.jsonl").write_bytes(log_bytes() + b"\nnot json")
    Path("page.html").write_bytes(b"<!DOCTYPE html><p>GM: hi")
    app = MonitorApp(real_services(tmp_path / "home"))
    assert snap_compare(app, terminal_size=size, run_before=walk(*STEPS[name]))
