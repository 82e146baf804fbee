"""System by keyboard: what is shown of stores and background jobs, and a job that gave up tried again."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.events import BackgroundProgressed
from tests.agents.indexer.fake_embedder import FakeEmbedder
from tests.screens.job_backlog import build_backlog, open_with_backlog
from tests.screens.libraries import CopyLibrary
from tests.screens.screen_driver import NARROW, ROOMY, ScreenDriver, real_services, started_app
from widgets.status_bar import MIN_SHOWN_BACKLOG


@pytest.fixture
def embedder() -> FakeEmbedder:
    """A model that does not answer before `awake` is set."""
    embedder = FakeEmbedder("all-MiniLM-L6-v2-int8")
    embedder.is_awake.clear()
    return embedder


@pytest.fixture
def backlog_home(copy_library: CopyLibrary) -> Path:
    """A library with one job given up, and vectors to be made."""
    return copy_library(build_backlog)


@pytest.fixture(params=[NARROW, pytest.param(ROOMY, marks=pytest.mark.slow)], ids=["80x24", "120x40"])
async def ui(
    backlog_home: Path, embedder: FakeEmbedder, request: pytest.FixtureRequest
) -> AsyncIterator[ScreenDriver]:
    async with started_app(open_with_backlog(backlog_home, embedder), request.param) as ui:
        await ui.press("7")
        yield ui


async def until_shown_no_more(ui: ScreenDriver, words: str) -> None:
    for _ in range(1_000):
        if not ui.shows(words):
            return
        await ui.pilot.pause(0.01)
    raise AssertionError(f"{words} is still shown: {ui}")


@pytest.mark.slow
async def test_system_screen_shows_stores_and_jobs(ui: ScreenDriver) -> None:
    assert ui.screen == "SystemScreen"
    await ui.until("Storage")  # on a busy machine it is read after the first frame
    status = ui.services.jobs.current_status()
    left = status.items_left
    assert left > 0
    assert ui.shows(f"indexing: {left} left", "Storage", "✓", "Background work", f"meaning {left} to do")
    assert ui.shows("words up to date · 1 failed", "embedding model all-MiniLM-L6-v2-int8")
    await ui.press("end")
    assert ui.shows(
        "Word index of scene 1 “Before the Third Stroke”",
        "tried 5 times: OSError: the [bold]disk[/] is gone",
    )
    main = (await ui.services.stories.menu()).resume_story
    assert main is not None
    await ui.press("escape")
    assert ui.screen == "MenuScreen"


@pytest.mark.slow
async def test_system_screen_tries_a_job_again(ui: ScreenDriver, embedder: FakeEmbedder) -> None:
    assert ui.shows("▸")
    await ui.press("enter")
    await until_shown_no_more(ui, "tried 5 times")
    assert not (await ui.services.jobs.read_status()).poisoned
    assert ui.shows("indexing")
    embedder.is_awake.set()
    await ui.services.jobs.wait_until_idle()
    await until_shown_no_more(ui, "indexing")
    assert embedder.embedded_texts


@pytest.mark.slow
async def test_system_screen_shows_why_a_job_is_not_tried_again(ui: ScreenDriver) -> None:
    (job,) = (await ui.services.jobs.read_status()).poisoned
    await ui.services.jobs.retry(job.id)
    await ui.press("enter")
    assert ui.shows("That job does not wait for a retry any more.", "Nothing was changed.")
    await ui.press("escape")
    assert ui.screen == "SystemScreen"


@pytest.mark.slow
async def test_scene_header_hides_a_small_backlog(backlog_home: Path, embedder: FakeEmbedder) -> None:
    async with started_app(open_with_backlog(backlog_home, embedder), ROOMY) as ui:
        await ui.press("enter")
        assert 0 < ui.services.jobs.current_status().items_left < MIN_SHOWN_BACKLOG
        assert "indexing" not in ui.text


@pytest.mark.slow
async def test_scene_header_shows_the_backlog_while_there_is_one(played_home: Path) -> None:
    async with started_app(real_services(played_home, 8), ROOMY) as ui:
        await ui.press("enter")
        ui.services.events.publish(BackgroundProgressed(MIN_SHOWN_BACKLOG, "indexing"))
        await ui.settle()
        assert ui.shows(f"indexing: {MIN_SHOWN_BACKLOG} left")
        before = ui.text
        ui.services.events.publish(BackgroundProgressed(0))
        await ui.settle()
        assert "indexing" not in ui.text
        ui.services.events.publish(BackgroundProgressed(1_240, "indexing"))
        await ui.settle()
        assert ui.shows("indexing: 1,240 left")
        ui.services.events.publish(BackgroundProgressed(MIN_SHOWN_BACKLOG, "indexing"))
        await ui.settle()
        assert ui.text == before


@pytest.mark.slow
async def test_system_screen_of_a_new_library(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), NARROW) as ui:
        await ui.press("7")
        assert ui.shows("words up to date", "embedding model asleep")
        await ui.press("b")
        assert ui.screen == "BillScreen"
        await ui.press("escape", "escape")
        assert ui.screen == "MenuScreen"


@pytest.mark.slow
async def test_system_screen_shows_how_fast_the_lines_were_and_where_the_scene_stands(
    played_home: Path,
) -> None:
    async with started_app(real_services(played_home, 8), (120, 70)) as ui:
        await ui.press("enter")
        await ui.type("I wait for the tide.")
        await ui.press("escape")
        if ui.screen != "MenuScreen":  # something waits at the gate: Enter leaves it there
            await ui.press("enter")
        await ui.press("7")
        assert ui.shows("line, without a model", "1 · 95 % within", "(aim: 2.0 s)")
        assert ui.shows("change of mode", "(aim: 100 ms)", "failures", "none")
        assert ui.shows("┃ executing ┃", "▸system◂", "┃ active ┃", "│ finalizing │")


@pytest.mark.slow
async def test_system_screen_says_what_waits_for_a_model(played_home: Path) -> None:
    """I have no model, and narrate myself: System says that what I wrote is read once I have one."""
    async with started_app(real_services(played_home, 8), ROOMY) as ui:
        played_count = await ui.services.stories.count_waiting_prose()
        await ui.press("enter")
        await ui.type("> The lamp over the bar gutters and goes out at once.")
        await ui.type("> Somebody laughs in the dark, and nobody joins in.")
    async with started_app(real_services(played_home, 9), ROOMY) as ui:
        await ui.press("7")
        assert ui.shows("your own prose", f"{played_count + 2} lines wait: read once a model is set")
