"""Keys that are pressed again, or typed in the wrong place: Escape in a row, and a number alone, do no harm."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program import begin, opened
from tests.screens.screen_driver import NARROW, ScreenDriver, real_services, started_app
from tests.screens.test_move_offers import LINE, read_turns
from widgets.prompt import PlayPrompt

pytestmark = pytest.mark.slow

ROW = ("escape",) * 5


async def start_story(home: Path) -> None:
    async with opened(home) as program:
        scene_id = await begin(program)
        for line in ("/system lantern_twos", "/creature here Orc (hp 6): big and hungry"):
            await program.services.play.submit(scene_id, line)


def prompt(ui: ScreenDriver) -> PlayPrompt:
    return ui.app.screen.query_one(PlayPrompt)


async def test_escape_in_a_row_keeps_the_text_and_the_story(tmp_path: Path) -> None:
    """Nobody who wants out of a panel may lose what was typed, or find the menu before them."""
    await start_story(tmp_path)
    async with started_app(real_services(tmp_path), NARROW) as ui:
        await ui.press("enter")
        await ui.type("/proposals")
        await ui.type("I reach for", enter=False)
        await ui.press("f2", *ROW)
        assert ui.screen == "SceneScreen"
        assert prompt(ui).input_has_focus
        assert prompt(ui).text == "I reach for"
        assert ui.shows("Esc ends here, at the prompt.")
        await ui.type(" the lamp.")
        assert (await read_turns(ui))[-1][1] == "I reach for the lamp."

        await ui.type(LINE)
        assert ui.shows("esc No roll")
        await ui.press(*ROW)
        assert [text for _, text in await read_turns(ui)] == ["I reach for the lamp.", LINE]
        assert ui.screen == "SceneScreen"

        await ui.type("/state Mara.alive = false")
        assert ui.shows("Esc: decide at scene end")
        await ui.press("f2", *ROW)
        assert ui.screen == "SceneScreen"
        assert prompt(ui).input_has_focus
        assert not ui.shows("Esc: decide at scene end")
        await ui.press("home", "escape")
        assert ui.shows("Leave for the menu?"), "another key was pressed"


async def test_escape_and_enter_lead_to_the_menu_from_a_line_typed_under_a_note(tmp_path: Path) -> None:
    """The note took the Escape, and Enter played half a line."""
    await start_story(tmp_path)
    async with started_app(real_services(tmp_path), NARROW) as ui:
        await ui.press("enter")
        await ui.type("/proposals")
        await ui.type("I put on my boots and go out to loo", enter=False)
        await ui.press("escape")
        assert ui.shows("Leave for the menu?")
        await ui.press("enter")
        assert ui.screen == "MenuScreen"
        assert await read_turns(ui) == []
        await ui.press("enter")
        assert prompt(ui).text == "I put on my boots and go out to loo"
        await ui.press("ctrl+u")
        await ui.type("/proposals")
        await ui.press("escape")
        assert not ui.shows("Leave for the menu?"), "nothing was typed under the note"


async def test_number_alone_chooses_what_was_listed_and_is_never_a_turn(tmp_path: Path) -> None:
    await start_story(tmp_path)
    async with started_app(real_services(tmp_path), NARROW) as ui:
        await ui.press("enter")
        for line in ("/fact The lamp is cracked", "/fact The door is red", "1"):
            await ui.type(line)
        assert ui.shows("“1” alone is no turn of the story.", "/accept 1 or /reject 1 a proposal")
        assert prompt(ui).text == "1"
        await ui.press("ctrl+u")
        for line in ("/reject", "3"):
            await ui.type(line)
        assert ui.shows("Rejected: The door is red")
        await ui.type("a")
        assert ui.shows("“a” alone is no turn of the story.", "F2 goes to the proposals")
        assert await read_turns(ui) == []
