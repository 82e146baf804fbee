"""System by keyboard: what is shown of stores and background jobs, and a job that gave up tried again."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.events import BackgroundProgressed
from tests.agents.indexer.fake_embedder import FakeEmbedder
from tests.screens.job_backlog import build_backlog, open_with_backlog
from tests.screens.libraries import CopyLibrary
from tests.screens.screen_driver import NARROW, ROOMY, Table, real_desk, seated
from widgets.status_bar import MIN_SHOWN_BACKLOG


@pytest.fixture
def embedder() -> FakeEmbedder:
    """A model that does not answer before `awake` is set."""
    embedder = FakeEmbedder("all-MiniLM-L6-v2-int8")
    embedder.awake.clear()
    return embedder


@pytest.fixture
def backlog_home(copy_library: CopyLibrary) -> Path:
    """A library with one job given up, and vectors to be made."""
    return copy_library(build_backlog)


@pytest.fixture(params=[NARROW, pytest.param(ROOMY, marks=pytest.mark.slow)], ids=["80x24", "120x40"])
async def table(
    backlog_home: Path, embedder: FakeEmbedder, request: pytest.FixtureRequest
) -> AsyncIterator[Table]:
    async with seated(open_with_backlog(backlog_home, embedder), request.param) as table:
        await table.press("7")
        yield table


async def until_shown_no_more(table: Table, words: str) -> None:
    for _ in range(1_000):
        if not table.shows(words):
            return
        await table.pilot.pause(0.01)
    raise AssertionError(f"{words} is still shown: {table}")


async def test_system_screen_shows_stores_and_jobs(table: Table) -> None:
    assert table.screen == "SystemScreen"
    status = table.services.jobs.current_status()
    left = status.items_left
    assert left > 0
    assert table.shows(f"indexing: {left} left", "Storage", "✓", "Background work", f"meaning {left} to do")
    assert table.shows("words up to date · 1 failed", "embedding model all-MiniLM-L6-v2-int8")
    await table.press("end")
    assert table.shows(
        "Failed jobs",
        "Word index of scene 1 “Before the Third Stroke”",
        "tried 5 times: OSError: the [bold]disk[/] is gone",
    )
    main = (await table.services.stories.menu()).resume_story
    assert main is not None
    await table.press("escape")
    assert table.screen == "MenuScreen"


async def test_system_screen_tries_a_job_again(table: Table, embedder: FakeEmbedder) -> None:
    assert table.shows("▸")
    await table.press("r")
    await until_shown_no_more(table, "Failed jobs")
    assert not (await table.services.jobs.read_status()).poisoned
    assert table.shows("indexing")
    embedder.awake.set()
    await table.services.jobs.wait_until_idle()
    await until_shown_no_more(table, "indexing")
    assert embedder.made


async def test_system_screen_shows_why_a_job_is_not_tried_again(table: Table) -> None:
    (job,) = (await table.services.jobs.read_status()).poisoned
    await table.services.jobs.retry(job.id)
    await table.press("r")
    assert table.shows("That job waits for nobody any more.", "Nothing was changed.")
    await table.press("escape")
    assert table.screen == "SystemScreen"


async def test_scene_header_hides_a_small_backlog(backlog_home: Path, embedder: FakeEmbedder) -> None:
    async with seated(open_with_backlog(backlog_home, embedder), ROOMY) as table:
        await table.press("enter")
        assert 0 < table.services.jobs.current_status().items_left < MIN_SHOWN_BACKLOG
        assert "indexing" not in table.text


async def test_scene_header_shows_the_backlog_while_there_is_one(played_home: Path) -> None:
    async with seated(real_desk(played_home, 8), ROOMY) as table:
        await table.press("enter")
        table.services.events.publish(BackgroundProgressed(MIN_SHOWN_BACKLOG, "indexing"))
        await table.settle()
        assert table.shows(f"indexing: {MIN_SHOWN_BACKLOG} left")
        before = table.text
        table.services.events.publish(BackgroundProgressed(0))
        await table.settle()
        assert "indexing" not in table.text
        table.services.events.publish(BackgroundProgressed(1_240, "indexing"))
        await table.settle()
        assert table.shows("indexing: 1,240 left")
        table.services.events.publish(BackgroundProgressed(MIN_SHOWN_BACKLOG, "indexing"))
        await table.settle()
        assert table.text == before


async def test_system_screen_of_a_new_library(tmp_path: Path) -> None:
    async with seated(real_desk(tmp_path), NARROW) as table:
        await table.press("7")
        assert table.shows("words up to date", "embedding model asleep")
        await table.press("b")
        assert table.screen == "BillScreen"
        await table.press("escape", "escape")
        assert table.screen == "MenuScreen"
