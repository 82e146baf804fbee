"""Theme, width of the panels and keys: remembered over restarts, and as settings.toml says."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from monitor_tui.app import MonitorApp
from monitor_tui.interface_memory import InterfaceMemory
from monitor_tui.key_names import read_bindings
from screens.navigation import import_screens
from tests.screens.screen_driver import NARROW, ScreenDriver, real_services, started_app
from widgets.transcript.transcript import Transcript

pytestmark = pytest.mark.slow

SETTINGS_PAGE = Path(__file__).parents[2] / "docs" / "settings.md"
HUNDRED_COLUMNS = (100, 30)


@asynccontextmanager
async def started_at(home: Path, size: tuple[int, int] = HUNDRED_COLUMNS) -> AsyncIterator[ScreenDriver]:
    async with started_app(real_services(home, 8), size, home=home) as ui:
        yield ui


async def pick_theme(ui: ScreenDriver, theme: str) -> None:
    await ui.press("ctrl+p")
    await ui.type("change theme")
    await ui.type(theme)


async def quit_program(ui: ScreenDriver) -> None:
    await ui.pilot.press("ctrl+q")
    await ui.pilot.pause()


def story_columns(ui: ScreenDriver) -> int:
    return ui.app.screen.query_one(Transcript).scrollable_content_region.width


async def test_theme_picked_in_the_palette_is_there_at_the_next_start(tmp_path: Path) -> None:
    async with started_at(tmp_path) as ui:
        assert ui.app.theme == "monitor-dark"
        await pick_theme(ui, "monitor-light")
        assert ui.app.theme == "monitor-light"
        await quit_program(ui)
    async with started_at(tmp_path) as ui:
        assert ui.app.theme == "monitor-light"
    assert not (tmp_path / "settings.toml").exists()


async def test_theme_that_settings_name_wins_and_the_program_says_so(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text('[ui]\ntheme = "nord" # mine\n')
    async with started_at(tmp_path) as ui:
        assert ui.app.theme == "nord"
        await pick_theme(ui, "monitor-light")
        assert ui.shows("settings.toml names the theme nord")
    async with started_at(tmp_path) as ui:
        assert ui.app.theme == "nord"
    assert (tmp_path / "settings.toml").read_text() == '[ui]\ntheme = "nord" # mine\n'


async def test_theme_that_is_none_is_warned_of_with_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text('[ui]\ntheme = "monitor-lihgt"\n')
    async with started_at(tmp_path) as ui:
        assert ui.app.theme == "monitor-dark"
        assert ui.shows("“monitor-lihgt” in settings.toml is no theme", "Did you mean monitor-light?")


async def test_choices_that_cannot_be_read_are_forgotten(tmp_path: Path) -> None:
    (tmp_path / "interface.json").write_text('{"theme": 7, "panel": "huge"')
    async with started_at(tmp_path) as ui:
        assert ui.app.theme == "monitor-dark"


async def test_choices_of_a_strange_home_reach_no_other_file(tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear Wenna")
    home = tmp_path / "home"
    home.mkdir()
    (home / "interface.json").symlink_to(letter)
    os.mkfifo(home / "settings.toml")
    assert InterfaceMemory(home).theme == ""  # and nobody waits for the pipe
    (home / "settings.toml").unlink()
    async with started_at(home) as ui:
        await pick_theme(ui, "monitor-light")
        await quit_program(ui)
    assert letter.read_text() == "Dear Wenna"
    assert InterfaceMemory(home).theme == "monitor-light"


async def test_panels_beside_the_story_are_resized_by_a_key_and_stay_so(played_home: Path) -> None:
    async with started_at(played_home) as ui:
        await ui.press("enter")
        usual_columns = story_columns(ui)
        await ui.press("f9")
        assert story_columns(ui) < usual_columns
        assert ui.shows("proposals", "cast")
        await ui.press("f9")
        hidden_columns = story_columns(ui)
        assert hidden_columns > 90
        assert not ui.shows("╭─ cast")
        await ui.press("f2")
        assert ui.shows("proposals")  # over the story, as on a narrow terminal
        await ui.press("escape")
        await quit_program(ui)
    async with started_at(played_home) as ui:
        await ui.press("enter")
        assert story_columns(ui) == hidden_columns
        await ui.press("f9")
        assert usual_columns < story_columns(ui) < hidden_columns
        await ui.press("f9")
        assert story_columns(ui) == usual_columns


async def test_panel_width_is_no_key_where_the_panels_have_no_room(played_home: Path) -> None:
    async with started_at(played_home, NARROW) as ui:
        await ui.press("enter", "f9")
    assert not (played_home / "interface.json").exists()


@pytest.mark.parametrize("line", ['scene.gate = "f10"', '"scene.gate" = "f10"'])
async def test_keymap_in_settings_gives_a_key_another_place(line: str, played_home: Path) -> None:
    (played_home / "settings.toml").write_text(f"[keymap]\n{line}\n")
    async with started_at(played_home) as ui:
        await ui.press("enter", "f3")
        assert ui.screen == "SceneScreen"
        assert ui.shows("F10 Gate") or ui.shows("f10 Gate")
        await ui.press("f10")
        assert ui.screen == "GateScreen"


async def test_help_shows_the_keys_of_the_keymap(played_home: Path) -> None:
    (played_home / "settings.toml").write_text('[keymap]\nscene.sheet = "f10, ctrl+b"\n')
    async with started_at(played_home, (120, 60)) as ui:
        await ui.press("enter", "ctrl+b")
        assert ui.screen == "SheetScreen"
        await ui.press("escape", "f1")
        assert ui.screen == "HelpScreen"
        assert ui.shows("f10 ^b Character sheets")
        assert not ui.shows("f5 Character sheets")


async def test_keymap_leaves_what_else_was_on_the_key(played_home: Path) -> None:
    (played_home / "settings.toml").write_text('[keymap]\nscene.stop = "f10"\n')
    async with started_at(played_home) as ui:
        await ui.press("enter", "escape")
        assert ui.screen == "ConfirmDialog"


async def test_keymap_with_an_unknown_name_is_warned_of_with_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text('[keymap]\nscene.gatte = "f10"\n')
    async with started_at(tmp_path) as ui:
        assert ui.shows("“keymap.scene.gatte” in settings.toml names no key", "Did you mean scene.gate?")


def test_settings_page_lists_every_key_name() -> None:
    import_screens()
    names = {b.id for bindings in read_bindings(MonitorApp) for b in bindings}
    rows = [line.split("|") for line in SETTINGS_PAGE.read_text().splitlines() if line.startswith("| `")]
    listed_names = {row[1].strip().strip("`") for row in rows}
    assert names <= listed_names, names - listed_names
    assert {name for name in listed_names if not name.startswith("[")} <= names, listed_names - names
