"""Importing a log by keyboard: looked at, brought in beside play, stopped and gone on with."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.events import Event, ImportProgressed
from screens.ingest.import_screen import ImportScreen
from tests.agents.importers.card_files import card_v2, png, text_chunk
from tests.agents.importers.test_importer import log_bytes
from tests.screens.screen_driver import NARROW, ROOMY, ScreenDriver, real_services, started_app


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A log with a line that cannot be read, in the current folder."""
    monkeypatch.chdir(tmp_path)
    log = Path("road.jsonl")
    log.write_bytes(log_bytes() + b"\nnot json")
    return log


@pytest.fixture
def card(log: Path) -> Path:
    """A character card as a picture, beside the log."""
    card = log.with_name("ila.png")
    card.write_bytes(png(text_chunk("chara", card_v2())))
    return card


@pytest.fixture(params=[NARROW, pytest.param(ROOMY, marks=pytest.mark.slow)], ids=["80x24", "120x40"])
async def ui(log: Path, request: pytest.FixtureRequest) -> AsyncIterator[ScreenDriver]:
    """The screen that imports a log, in a new library."""
    async with started_app(real_services(Path("home")), request.param) as ui:
        await ui.press("2", "i")
        yield ui


async def count_turns(ui: ScreenDriver) -> int:
    """Return how many turns the one story has, in all its scenes."""
    (card,) = await ui.services.stories.stories()
    record = await ui.services.stories.story_record(card.story.id)
    return sum(len(scene.rows) for scene in record.scenes)


@pytest.mark.slow
async def test_import_previews_a_file_before_it_is_brought_in(ui: ScreenDriver, log: Path) -> None:
    assert ui.screen == "ImportScreen"
    await ui.type(str(log))
    assert ui.shows("120 turns in 6 scenes, 13 notes out of character", "as “Road” in Road (new)")
    assert ui.shows("Mira (player) 40", "Session of 1 May 2023", "line 122: it is not whole JSON")
    assert ui.shows("Enter imports it. None of it becomes canon.")
    assert not await ui.services.stories.universes()
    await ui.press("enter")
    assert await count_turns(ui) == 120
    assert ui.shows("Imported. None of it is canon yet.")
    (universe,) = await ui.services.stories.universes()
    assert universe.name == "Road"
    assert (await ui.services.stories.menu()).fact_count == 0


@pytest.mark.slow
async def test_import_of_a_character_card_leads_to_its_gate(ui: ScreenDriver, card: Path) -> None:
    await ui.type(str(card))
    assert ui.shows("1 character, 2 facts and 1 lore entry proposed in The Salt Coast (new).")
    assert ui.shows("{{user}} stands for the player character", "1 lore entry left out: it is switched off")
    assert not await ui.services.stories.universes()
    await ui.press("enter")
    assert ui.shows("Enter opens the gate, where you decide on it.")
    await ui.press("enter")
    assert ui.screen == "GateScreen"
    assert ui.shows("1 character Ila Rook", "4 lore      salt house")


async def test_import_error_keeps_the_words(ui: ScreenDriver) -> None:
    await ui.type("nowhere.txt")
    assert ui.shows("nowhere.txt cannot be read: No such file or directory.")
    assert ui.shows("file", "nowhere.txt")


async def test_import_previews_anew_when_the_form_changes(ui: ScreenDriver, log: Path) -> None:
    await ui.type(str(log))
    await ui.press("down")
    await ui.type("Elsewhere", enter=False)
    assert not ui.shows("Enter brings it in.")
    await ui.press("enter")
    assert ui.shows("in Elsewhere (new)")
    assert not await ui.services.stories.universes()


@pytest.mark.slow
async def test_import_is_stopped_and_goes_on_while_the_screen_is_left(tmp_path: Path) -> None:
    log = tmp_path / "road.jsonl"
    log.write_bytes(log_bytes(3_000))
    async with started_app(real_services(tmp_path / "home"), ROOMY) as ui:
        await ui.press("2", "i")
        await ui.type(str(log))

        def stop(event: Event) -> None:
            """Press the key as soon as a part of it is in, and before the next part is."""
            if isinstance(event, ImportProgressed) and 0 < event.imported_turns < event.total_turns:
                ui.app.simulate_key("ctrl+x")
                stop_no_more()

        screen = ui.app.screen
        assert isinstance(screen, ImportScreen)
        stop_no_more = screen.services.events.subscribe(stop)
        await ui.press("enter")
        assert ui.shows("Stopped. Enter reads the file again and continues.")
        assert [note.message[:10] for note in ui.app._notifications] == ["Cancelled:"]
        await ui.press("enter")
        assert ui.shows("turns were imported already. Enter continues from there.")
        await ui.pilot.press("enter")
        await ui.pilot.press("escape")
        await ui.settle()
        assert ui.screen == "StoriesScreen"
        assert ui.shows("Road", "Words 2999.")
        await ui.press("enter")
        assert ui.screen == "SceneScreen"
        assert ui.shows("Words 2999.")


@pytest.mark.slow
async def test_scene_header_shows_how_far_an_import_is(played_home: Path) -> None:
    async with started_app(real_services(played_home, 8), ROOMY) as ui:
        await ui.press("2", "enter")
        ui.services.events.publish(ImportProgressed(1_200, 20_000))
        await ui.settle()
        assert ui.shows("importing 1,200 of 20,000")
        ui.services.events.publish(ImportProgressed())
        await ui.settle()
        assert not ui.shows("importing")
