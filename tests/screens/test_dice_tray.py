"""The dice tray: rolls by keys, with their faces, and all of them in the story."""

from __future__ import annotations

from pathlib import Path

import pytest

from screens.play.dice_tray import DiceTray, read_roll_line
from stores.errors import InputError
from stores.records.play import Die
from tests.screens.screen_driver import ROOMY, real_services, started_app
from widgets.ink import Ink
from widgets.prompt import PlayPrompt
from widgets.roll_list import draw_dice


def test_dice_are_drawn_with_their_faces_and_those_that_do_not_count_muted() -> None:
    lines = draw_dice(
        (Die(sides="6", face=5), Die(sides="6", face=2, dropped=True), Die(sides="100", face=64)), 40
    )
    assert ["".join(text for text, _ in line) for line in lines] == [
        "╭───╮ ╭───╮ ╭────╮ ",
        "│ 5 │ │ 2 │ │ 64 │ ",
        "╰d6─╯ ╰d6─╯ ╰d100╯ ",
    ]
    assert [ink for text, ink in lines[1] if text.strip()] == [Ink.STRONG, Ink.MUTED, Ink.STRONG]
    assert draw_dice((), 40) == []
    assert [len(line) for line in draw_dice((Die(sides="6", face=5),) * 9, 20)] == [6, 6, 6]


def test_tray_takes_dice_and_commands_that_roll_alone() -> None:
    assert read_roll_line(" 2d6+1 ") == "/roll 2d6+1"
    assert read_roll_line("/oracle likely: Is it locked?") == "/oracle likely: Is it locked?"
    with pytest.raises(InputError, match="Only rolls"):
        read_roll_line("/end")


@pytest.mark.slow
async def test_rolls_are_made_by_keys_and_stand_in_the_story_and_what_is_typed_stays(
    played_home: Path,
) -> None:
    """I want to see what I threw, throw again with one key, and go on with my line."""
    async with started_app(real_services(played_home, 8), ROOMY) as ui:
        await ui.press("enter")
        await ui.type("I ask", enter=False)
        await ui.press("alt+d")
        assert isinstance(ui.app.screen, DiceTray)
        assert ui.shows("2d6+2", "╰d6─╯ ╰d6─╯")  # of the check that was played before
        await ui.type("3d8")
        assert ui.shows("/roll 3d8", "╰d8─╯ ╰d8─╯ ╰d8─╯")
        await ui.type("/oracle likely: Is the door locked?")
        assert ui.shows("/oracle likely: Is the door locked?", "╰─d%─╯")
        await ui.press("enter")  # ask again
        assert ui.text.count("/oracle likely: Is the door locked?") == 2
        await ui.press("tab", "down", "down", "enter")
        assert ui.shows("▸ /roll 3d8", "╰d8─╯ ╰d8─╯ ╰d8─╯")
        await ui.press("shift+tab")
        await ui.type("seven dice")
        assert isinstance(ui.app.screen, DiceTray)
        assert ui.shows("Cannot roll 'seven dice': expected a number or dice", "Nothing was rolled.")
        await ui.press("alt+d")
        assert ui.screen == "SceneScreen"
        assert ui.app.screen.query_one(PlayPrompt).text == "I ask"
        assert ui.text.count("3d8") >= 2
