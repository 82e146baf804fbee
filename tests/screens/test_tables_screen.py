"""The Tables screen by keyboard: rows are shown, a table of one's own is written, checked and rolled on."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import TextArea

from tests.screens.screen_driver import ROOMY, real_services, started_app

pytestmark = pytest.mark.slow

OMENS = """\
title: Omens
licence: CC0
attribution: Me.
rows:
  - "a raven, and {weather}"
"""


async def test_table_of_my_own_is_written_checked_and_rolled_on(played_home: Path) -> None:
    """I write a table that calls another; my slip is named with its line; then the scene rolls on it."""
    async with started_app(real_services(played_home, 8), ROOMY) as ui:
        await ui.press("7", "Y")
        assert ui.screen == "TablesScreen"
        assert ui.shows("The program's", "actions")
        await ui.press("space")
        assert ui.shows("1 ")
        await ui.press("n")
        await ui.type("Bad omens!")
        assert ui.shows("cannot be the name of a table")
        await ui.press("ctrl+u")
        await ui.type("omens")
        assert ui.screen == "TableEditScreen"
        area = ui.app.screen.query_one(TextArea)
        area.text = OMENS.replace("rows:", "die: d6\nrows:")
        await ui.press("ctrl+s")
        assert ui.shows("The table 'omens' cannot be used: line 4", "d6 has 6 faces, and the rows come to 1")
        assert area.cursor_location[0] == 3
        assert not (played_home / "tables").exists()
        area.text = OMENS
        await ui.press("ctrl+s")
        assert ui.shows("Saved: Omens, 1 row. /table omens rolls on it.")
        await ui.press("escape")
        assert ui.shows("omens", "Omens · 1 row")
        await ui.press("escape", "escape", "enter")
        await ui.type("/table omens")
        assert ui.shows("Omens · d1 1 · a raven, and")
        assert not ui.shows("{weather}")
