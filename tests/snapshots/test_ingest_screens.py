"""Pictures of the documents of a world, of one that is read in, its review and its page."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from agents.story_outline import NewUniverse
from monitor_tui.app import MonitorApp
from tests.agents.ingest.reading_in import read_in
from tests.program import opened
from tests.screens.ingest_library import ladder_server, write_rulebook
from tests.screens.screen_driver import NIGHT, real_services
from tests.snapshots.steps import SIZES, Compare, Steps, walk

pytestmark = pytest.mark.slow

STEPS: dict[str, Steps] = {
    "sources": ("5",),
    "document_estimate": ("5", "n", "type:rules.md", "enter"),
    "document_refused": ("5", "n", "type:gone.pdf", "enter"),
    "review": ("5", "enter", "a", "r"),
    "review_rows": ("5", "enter", "a", "right"),
    "review_committed": ("5", "enter", "down", "a", "enter"),
    "page": ("5", "enter", "end", "right", "x"),
    "withdrawal": ("5", "enter", "down", "a", "enter", "escape", "R"),
}


async def build_library(home: Path) -> None:
    """Read a rulebook into a world."""
    async with opened(home) as program:
        universe = await program.services.stories.create_universe(NewUniverse("Salt"))
        await program.services.ingest.start(write_rulebook(Path()), universe.id)
        await read_in(program, ladder_server(program))


@SIZES
@pytest.mark.parametrize("name", STEPS)
def test_ingest(
    name: str, size: tuple[int, int], snap_compare: Compare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    asyncio.run(build_library(Path("home")))
    app = MonitorApp(real_services(Path("home"), start=NIGHT))
    assert snap_compare(app, terminal_size=size, run_before=walk(*STEPS[name]))
