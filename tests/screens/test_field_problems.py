"""What is wrong with a field is said at that field, on its own page, with the cursor in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input

from tests.screens.screen_driver import NARROW, ROOMY, ScreenDriver, real_services, started_app

pytestmark = pytest.mark.slow

LONG_NAME = "Ashfall " * 20 + "!"


def focused_field(ui: ScreenDriver) -> str:
    return str(ui.app.focused.id) if ui.app.focused is not None else ""


def is_under(ui: ScreenDriver, words: str, label: str) -> bool:
    """Whether a message stands on the line under the field with this label."""
    lines = ui.text.splitlines()
    label_line = next(i for i, line in enumerate(lines) if line.strip().startswith(label))
    return words in lines[label_line + 1]


async def go_to_new_world(ui: ScreenDriver) -> None:
    await ui.press("1", "down", "enter")
    assert ui.shows("A new world", "Genre")


async def test_setup_refuses_a_long_world_name_on_its_own_page(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), NARROW) as ui:
        await go_to_new_world(ui)
        await ui.type(LONG_NAME, enter=False)
        await ui.press("tab", "tab", "enter")
        assert ui.shows("● World", "A new world")
        assert is_under(ui, "! That has 161 characters; a name", "Name")
        assert focused_field(ui) == "world-name"
        await ui.press("ctrl+u")
        await ui.type("Ashfall", enter=False)
        assert not ui.shows("161 characters")
        await ui.press("enter")
        assert ui.shows("✓ World", "● Rules")


async def test_setup_says_at_the_style_that_it_is_too_long(sample_home: Path) -> None:
    """I write a page of wishes as the style: it is refused at the field, and a shorter one is what /style shows."""
    async with started_app(real_services(sample_home), ROOMY) as ui:
        await ui.press("1", "enter", "enter", "enter")
        style = ui.app.screen.query_one("#style", Input)
        style.value = "long " * 150
        await ui.press("enter", "enter")
        assert is_under(ui, "! That is 749 characters; a style has 600.", "Style")
        assert focused_field(ui) == "style"
        style.value = "past tense, short"
        await ui.press("enter", "enter")
        await ui.type("/style")
        assert ui.shows("Every narration: past tense, short")
        await ui.press("end")
        await ui.type(", dry", enter=True)
        assert ui.shows("From the next narration on: past tense, short, dry")


async def test_setup_says_at_its_number_what_a_hero_cannot_have(sample_home: Path) -> None:
    async with started_app(real_services(sample_home), ROOMY) as ui:
        await ui.press("1", "enter", "enter", "down", "down", "enter")
        await ui.type("Sel", enter=False)
        await ui.press("tab", "tab", "ctrl+u")
        await ui.type("9", enter=False)
        await ui.press("tab", "tab", "enter")
        assert is_under(ui, "! might is -1 to 3 for a new hero, not 9.", "might")
        assert focused_field(ui) == "hero-0"


async def test_setup_says_at_the_place_that_its_name_is_too_long(sample_home: Path) -> None:
    async with started_app(real_services(sample_home), ROOMY) as ui:
        await ui.press("1", *["enter"] * 4)
        assert ui.shows("How does it open?")
        await ui.press("tab", "tab", "ctrl+u")
        await ui.type(LONG_NAME, enter=False)
        await ui.press("tab", "enter")
        assert is_under(ui, "! That has 161 characters", "Place")
        assert focused_field(ui) == "place"
        assert not await ui.services.stories.stories()


async def test_entity_form_says_at_the_field_what_cannot_be_staged(sample_home: Path) -> None:
    async with started_app(real_services(sample_home), ROOMY) as ui:
        await ui.press("3", "slash")
        await ui.type("Wenna")
        await ui.press("e")
        assert ui.screen == "FormDialog"
        await ui.press("tab", "tab", "tab", "ctrl+u")
        await ui.type("hp lots", enter=False)
        await ui.press("tab", "enter")
        assert ui.screen == "FormDialog"
        assert ui.shows("! “hp lots” is not a number with a name.")
        assert focused_field(ui) == "numbers"
        await ui.press("ctrl+u")
        await ui.type("hp 4", enter=False)
        assert not ui.shows("is not a number with a name")


async def test_canon_at_a_time_says_at_the_field_which_time_it_cannot_read(sample_home: Path) -> None:
    async with started_app(real_services(sample_home), ROOMY) as ui:
        await ui.press("3", "t", "up")
        await ui.type("soonish", enter=False)
        await ui.press("tab", "enter")
        assert focused_field(ui) == "recorded"
        assert is_under(ui, "! ", "Known on")
        await ui.press("ctrl+u", "enter")
        assert "! " not in "\n".join(ui.text.splitlines()[:6])


async def test_import_says_at_the_file_that_it_cannot_be_read(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path / "home"), ROOMY) as ui:
        await ui.press("2", "i")
        await ui.type("nowhere.jsonl", enter=False)
        await ui.press("tab", "tab", "enter")
        assert is_under(ui, "! nowhere.jsonl cannot be read", "file")
        assert focused_field(ui) == "file"
        assert isinstance(ui.app.focused, Input)
