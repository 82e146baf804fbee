"""The palette leads to whatever has a name, from every screen, by a few of its letters."""

from __future__ import annotations

from pathlib import Path

import pytest

from stores.errors import StoreError
from tests.screens.faults import fail_once
from tests.screens.screen_driver import ROOMY, ScreenDriver, real_services, started_app
from widgets.proposal_list import ProposalList

pytestmark = pytest.mark.slow


async def jump(ui: ScreenDriver, letters: str) -> None:
    await ui.press("ctrl+p")
    await ui.type(letters)


async def test_palette_leads_from_a_world_to_cards_and_settings(played_home: Path) -> None:
    async with started_app(real_services(played_home, 8), ROOMY) as ui:
        await ui.press("3", "T")
        await jump(ui, "wenna")
        assert ui.screen == "UniverseScreen"
        assert ui.shows("Wenna Pike")
        await jump(ui, "settings")
        assert ui.screen == "SettingsScreen"


async def test_palette_finds_by_letters_from_the_menu_and_over_a_screen_about_no_world(
    played_home: Path,
) -> None:
    """I know roughly what it is called: `wnpk` is Wenna Pike, wherever I am."""
    async with started_app(real_services(played_home, 8), ROOMY) as ui:
        await jump(ui, "wnpk")
        assert ui.screen == "UniverseScreen"
        assert ui.shows("Wenna Pike")
        await ui.press("escape")
        assert ui.screen == "MenuScreen"
        await ui.press("7")
        await jump(ui, "wnpk")
        assert ui.screen == "UniverseScreen"
        await ui.press("escape")
        assert ui.screen == "SystemScreen"


async def test_palette_lists_the_screens_though_names_could_not_be_read(
    played_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The names of my world cannot be read just now: I still get to System."""
    async with started_app(real_services(played_home, 8), ROOMY) as ui:
        await ui.press("3")
        fail_once(monkeypatch, ui.services.stories, "universes", StoreError("The library is busy."))
        await ui.press("ctrl+p")
        await ui.type("wenna", enter=False)
        assert ui.shows("The library is busy.")
        await ui.press("enter", *["backspace"] * 5)
        await ui.type("failed jobs")
        assert ui.screen == "SystemScreen"


async def test_palette_finds_a_theme_by_its_name(tmp_path: Path) -> None:
    """README: Ctrl+P finds any theme by a few of its letters."""
    async with started_app(real_services(tmp_path), ROOMY) as ui:
        await jump(ui, "monitor-light")
        assert ui.app.theme == "monitor-light"
        await ui.press("ctrl+p")
        assert not ui.shows("dracula")  # there are many: found, and not listed
        await ui.type("dracu")
        assert ui.app.theme == "dracula"


async def test_palette_leads_to_scenes_threads_settings_and_stories(played_home: Path) -> None:
    async with started_app(real_services(played_home, 8), ROOMY) as ui:
        await ui.press("enter")
        await jump(ui, "stint promised")
        assert ui.screen == "CommitmentsScreen"
        await ui.press("escape")
        assert ui.screen == "SceneScreen"
        await jump(ui, "each day (budg")
        assert ui.screen == "SettingsScreen"
        assert ui.shows("with “Each day”")
        await ui.press("escape", "escape")
        await ui.type("/end Mara found the wet sleeves")
        await ui.press("A", "enter", "enter")
        assert ui.screen == "SceneScreen"
        await jump(ui, "before the third")
        assert ui.screen == "ReadingScreen"
        assert ui.shows("I look at the cut rope.")


async def test_name_in_brackets_is_no_markup_in_the_palette(played_home: Path) -> None:
    """A player calls a thing what they like, and the palette still opens."""
    async with started_app(real_services(played_home, 8), ROOMY) as ui:
        await ui.press("enter")
        await ui.type("/thing Vault [/b] of [red]ink: odd")
        await ui.type("/commit")
        await ui.press("ctrl+p")
        await ui.type("vault", enter=False)
        assert ui.shows("Vault [/b] of [red]ink")
        await ui.press("enter")
        assert ui.screen == "UniverseScreen"


async def test_palette_leads_to_what_is_only_proposed_at_its_row(played_home: Path) -> None:
    """I made a place known this scene: I find it by its name, and it says that it is only proposed."""
    async with started_app(real_services(played_home, 8), ROOMY) as ui:
        await ui.press("enter")
        for line in (
            "/npc Dorrit Pell: a tanner",
            "/place Copper Steps: a stair of old coins",
            "/thing red ledger",
        ):
            await ui.type(line)
        await ui.press("ctrl+p")
        await ui.type("copper st", enter=False)
        assert ui.shows("Copper Steps")
        assert ui.shows("Proposed: this place waits at the gate")
        await ui.press("enter")
        assert ui.screen == "GateScreen"
        row = ui.app.screen.query_one(ProposalList).current
        assert row is not None
        assert row.title == "Copper Steps"
        await ui.press("escape")
        assert ui.screen == "SceneScreen"
        await ui.type("/reject Copper Steps")
        await ui.press("ctrl+p")
        await ui.type("copper st", enter=False)
        assert not ui.shows("Proposed: this place waits at the gate")


@pytest.mark.parametrize("words", ["dice", "dice tray", "tray"])
async def test_palette_finds_the_dice_tray_from_play(played_home: Path, words: str) -> None:
    async with started_app(real_services(played_home, 8), ROOMY) as ui:
        await ui.press("enter")
        await jump(ui, words)
        assert ui.screen == "DiceTray"
