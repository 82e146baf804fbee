"""Importing a log by keyboard: looked at, brought in beside play, stopped and gone on with."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.events import Event, ImportProgressed
from screens.ingest.import_screen import ImportScreen
from tests.agents.importers.test_importer import log_bytes
from tests.screens.screen_driver import NARROW, ROOMY, Table, real_desk, seated


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A log with a line that cannot be read, in the current folder."""
    monkeypatch.chdir(tmp_path)
    log = Path("road.jsonl")
    log.write_bytes(log_bytes() + b"\nnot json")
    return log


@pytest.fixture(params=[NARROW, pytest.param(ROOMY, marks=pytest.mark.slow)], ids=["80x24", "120x40"])
async def table(log: Path, request: pytest.FixtureRequest) -> AsyncIterator[Table]:
    """The screen that imports a log, in a new library."""
    async with seated(real_desk(Path("home")), request.param) as table:
        await table.press("2", "i")
        yield table


async def count_turns(table: Table) -> int:
    """Return how many turns the one story has, in all its scenes."""
    (card,) = await table.services.stories.stories()
    record = await table.services.stories.story_record(card.story.id)
    return sum(len(scene.rows) for scene in record.scenes)


async def test_import_previews_a_file_before_it_is_brought_in(table: Table, log: Path) -> None:
    assert table.screen == "ImportScreen"
    await table.type(str(log))
    assert table.shows("120 turns in 6 scenes, 13 notes out of character", "as “Road” in Road (new)")
    assert table.shows("Mira (player) 40", "Session of 1 May 2023", "line 122: it is not whole JSON")
    assert table.shows("Enter imports it. None of it becomes canon.")
    assert not await table.services.stories.universes()
    await table.press("enter")
    assert await count_turns(table) == 120
    assert table.shows("Imported. None of it is canon yet.")
    (universe,) = await table.services.stories.universes()
    assert universe.name == "Road"
    assert (await table.services.stories.menu()).fact_count == 0


async def test_import_error_keeps_the_words(table: Table) -> None:
    await table.type("nowhere.txt")
    assert table.shows("nowhere.txt cannot be read: No such file or directory.")
    assert table.shows("file", "nowhere.txt")


async def test_import_previews_anew_when_the_form_changes(table: Table, log: Path) -> None:
    await table.type(str(log))
    await table.press("down")
    await table.type("Elsewhere", enter=False)
    assert not table.shows("Enter brings it in.")
    await table.press("enter")
    assert table.shows("in Elsewhere (new)")
    assert not await table.services.stories.universes()


async def test_import_is_stopped_and_goes_on_while_the_screen_is_left(tmp_path: Path) -> None:
    log = tmp_path / "road.jsonl"
    log.write_bytes(log_bytes(3_000))
    async with seated(real_desk(tmp_path / "home"), ROOMY) as table:
        await table.press("2", "i")
        await table.type(str(log))

        def stop(event: Event) -> None:
            """Press the key as soon as a part of it is in, and before the next part is."""
            if isinstance(event, ImportProgressed) and 0 < event.imported_turns < event.total_turns:
                table.app.simulate_key("ctrl+x")
                stop_no_more()

        screen = table.app.screen
        assert isinstance(screen, ImportScreen)
        stop_no_more = screen.services.events.subscribe(stop)
        await table.press("enter")
        assert table.shows("Stopped. Enter reads the file again and continues.")
        assert [note.message[:10] for note in table.app._notifications] == ["Cancelled:"]
        await table.press("enter")
        assert table.shows("turns were imported already. Enter continues from there.")
        await table.pilot.press("enter")
        await table.pilot.press("escape")
        await table.settle()
        assert table.screen == "StoriesScreen"
        assert table.shows("Road", "Words 2999.")
        await table.press("enter")
        assert table.screen == "SceneScreen"
        assert table.shows("Words 2999.")


async def test_scene_header_shows_how_far_an_import_is(played_home: Path) -> None:
    async with seated(real_desk(played_home, 8), ROOMY) as table:
        await table.press("2", "enter")
        table.services.events.publish(ImportProgressed(1_200, 20_000))
        await table.settle()
        assert table.shows("importing 1,200 of 20,000")
        table.services.events.publish(ImportProgressed())
        await table.settle()
        assert not table.shows("importing")
