"""The fields of dialogs whose words take several rows."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult

from screens.dialogs.form_fields import TextField
from screens.dialogs.text_dialog import TextDialog
from widgets.wrapped_area import WrappedArea

LONG = "Tess Callow promised Jory Pell that she will bring back his brother's ring. " * 3


class FormApp(App[None]):
    def compose(self) -> ComposeResult:
        yield TextField("Text", "statement", value=LONG)


@pytest.mark.parametrize("app", [FormApp(), App()])
async def test_wrapped_field_is_cleared_as_a_whole(app: App[None]) -> None:
    async with app.run_test(size=(60, 20)) as pilot:
        if not isinstance(app, FormApp):
            app.push_screen(TextDialog("Edit and accept", LONG))
            await pilot.pause()
        area = app.screen.query_one(WrappedArea)
        area.focus()
        await pilot.press("ctrl+u", *"new")
        assert area.text == "new"
        await pilot.press("ctrl+z", "ctrl+z")
        assert area.text == LONG
