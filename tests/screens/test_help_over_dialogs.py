"""F1 shows the keys of a dialog, and Esc leads back to it with what was typed."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input

from tests.screens.screen_driver import ROOMY, real_services, started_app


@pytest.mark.slow
async def test_help_over_a_dialog_shows_its_keys_and_keeps_what_is_typed(played_home: Path) -> None:
    """I correct a name, do not know how to send the form, and look it up."""
    async with started_app(real_services(played_home, 8), ROOMY) as ui:
        await ui.press("3", "e")
        form = ui.app.screen
        await ui.type("zz", enter=False)
        typed = [field.value for field in form.query(Input)]
        assert any("zz" in value for value in typed)
        focused = form.focused
        await ui.press("f1")
        assert ui.screen == "HelpScreen"
        assert ui.shows(
            "Keys in this dialog", "Propose it: it waits at the gate", "The screen beneath: its keys"
        )
        await ui.press("escape")
        assert ui.app.screen is form
        assert form.focused is focused
        assert [field.value for field in form.query(Input)] == typed


@pytest.mark.slow
async def test_help_over_a_question_leads_back_to_it(played_home: Path) -> None:
    async with started_app(real_services(played_home, 8), ROOMY) as ui:
        await ui.press("2", "delete")
        question = ui.app.screen
        assert ui.screen == "ConfirmDialog"
        await ui.press("f1")
        assert ui.shows("Keys in this dialog")
        await ui.press("f1")
        assert ui.app.screen is question
        await ui.press("escape")
        assert ui.screen == "StoriesScreen"


@pytest.mark.slow
async def test_help_over_a_line_that_is_asked_for_keeps_it(played_home: Path) -> None:
    async with started_app(real_services(played_home, 8), ROOMY) as ui:
        await ui.press("3", "v", "9", "f2")
        assert ui.app.screen is not None
        dialog = ui.app.screen
        await ui.type("Harl, rooms", enter=False)
        await ui.press("f1", "escape")
        assert ui.app.screen is dialog
        assert ui.shows("Harl, rooms")
