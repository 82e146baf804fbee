"""A picture of the System screen with something given up, and of a scene's header while much is indexed."""

from __future__ import annotations

import pytest

from agents.jobs.job_status import BackgroundView
from monitor_tui.app import MonitorApp
from tests.screens.table import twin_desk
from tests.screens.test_system import SCENE, given_up
from tests.screens.twin import TwinDesk
from tests.snapshots.test_screens import SIZES, Compare, walk

pytestmark = pytest.mark.slow


@SIZES
@pytest.mark.parametrize(("name", "key"), [("system", "7"), ("backlog", "enter")])
def test_behind_play(snap_compare: Compare, name: str, key: str, size: tuple[int, int]) -> None:
    twin = TwinDesk()
    twin.background.view = BackgroundView(
        items_left=1_240,
        current_work="indexing",
        rows=(
            ("words", "up to date · 1 gave up"),
            ("meaning", "1,240 to do · The vectors' server at 127.0.0.1:6333 does not answer."),
            ("memories", "up to date"),
            ("embedding model", "all-MiniLM-L6-v2-int8"),
        ),
        poisoned=(given_up(),),
        names={SCENE: "scene 1 “The ford”"},
    )
    assert snap_compare(MonitorApp(twin_desk(twin)), terminal_size=size, run_before=walk(key))
