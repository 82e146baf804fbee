"""Importing a log by keyboard: looked at, brought in beside play, stopped and gone on with."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.events import Event, ImportProgressed
from screens.ingest.import_screen import ImportScreen
from tests.agents.importers.test_importer import log_bytes
from tests.screens.table import NARROW, ROOMY, Table, real_desk, seated, twin_desk
from tests.screens.twin import TwinDesk


@pytest.fixture
def twin() -> TwinDesk:
    return TwinDesk()


@pytest.fixture(params=[NARROW, pytest.param(ROOMY, marks=pytest.mark.slow)], ids=["80x24", "120x40"])
async def table(twin: TwinDesk, request: pytest.FixtureRequest) -> AsyncIterator[Table]:
    async with seated(twin_desk(twin), request.param) as table:
        await table.press("2", "i")
        yield table


async def test_a_file_is_looked_at_before_it_is_brought_in(table: Table, twin: TwinDesk) -> None:
    assert table.screen == "ImportScreen"
    await table.type("log.jsonl")
    assert table.shows("300 turns in 3 scenes, 2 notes out of character", "as “Log” in Log (new)")
    assert table.shows("Mara (player) 120", "Session of 8 May 2023", "line 14: it is not whole JSON")
    assert table.shows("Enter imports it. None of it becomes canon.")
    assert twin.imports.begun == 0
    twin.imports.go.set()
    await table.press("enter")
    assert twin.imports.begun == 3
    assert table.shows("It is in, and nothing of it is canon.")


async def test_what_cannot_be_read_is_said_and_the_words_stay(table: Table) -> None:
    await table.type("nowhere.txt")
    assert table.shows("nowhere.txt cannot be read: No such file or directory.")
    assert table.shows("file", "nowhere.txt")


async def test_other_words_in_the_form_are_looked_at_anew(table: Table, twin: TwinDesk) -> None:
    await table.type("log.jsonl")
    await table.press("down")
    await table.type("Elsewhere", enter=False)
    assert not table.shows("Enter brings it in.")
    await table.press("enter")
    assert table.shows("in Elsewhere (new)")
    assert twin.imports.begun == 0


async def test_it_goes_on_when_the_screen_is_left_and_can_be_stopped_there_again(tmp_path: Path) -> None:
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
        assert table.shows("turns of it are in: Enter goes on from there.")
        await table.pilot.press("enter")
        await table.pilot.press("escape")
        await table.settle()
        assert table.screen == "StoriesScreen"
        assert table.shows("Road", "Words 2999.")
        await table.press("enter")
        assert table.screen == "SceneScreen"
        assert table.shows("Words 2999.")


async def test_play_shows_how_far_an_import_is(twin: TwinDesk) -> None:
    async with seated(twin_desk(twin), ROOMY) as table:
        await table.press("2", "enter")
        twin.events.publish(ImportProgressed(1_200, 20_000))
        await table.settle()
        assert table.shows("importing 1,200 of 20,000")
        twin.events.publish(ImportProgressed())
        await table.settle()
        assert not table.shows("importing")
