"""One key shows letters at the panes, and a letter goes there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from screens.dialogs.confirm_dialog import ConfirmDialog
from screens.dialogs.jump_screen import JumpScreen, list_panes
from tests.screens.screen_driver import ROOMY, ScreenDriver, real_services, started_app
from widgets.prompt import PlayPrompt
from widgets.proposal_list import ProposalList
from widgets.transcript.transcript import Transcript

pytestmark = pytest.mark.slow


def letter_of(ui: ScreenDriver, name: str) -> str:
    """The letter that the screen shows at the pane of a name."""
    match = re.search(rf"(\w) {name}", ui.text)
    assert match is not None
    return match[1]


async def test_letter_focuses_its_pane_and_what_is_typed_stays(played_home: Path) -> None:
    """I am writing a line, look at the proposals and the story without a Tab, and write on."""
    async with started_app(real_services(played_home, 8), ROOMY) as ui:
        await ui.press("enter")
        await ui.type("I ask", enter=False)
        await ui.press("f12")
        assert isinstance(ui.app.screen, JumpScreen)
        await ui.press(letter_of(ui, "transcript"))
        assert ui.app.screen.query_one(Transcript).has_focus
        await ui.press("f12")
        await ui.press(letter_of(ui, "proposals"))
        assert ui.app.screen.query_one(ProposalList).has_focus
        await ui.press("f12", "escape")
        assert ui.app.screen.query_one(ProposalList).has_focus
        await ui.press("f12", "exclamation_mark")
        assert isinstance(ui.app.screen, JumpScreen)
        await ui.press(letter_of(ui, "the prompt"))
        assert ui.app.screen.query_one(PlayPrompt).input_has_focus
        await ui.type(" nobody.")
        assert ui.shows("I ask nobody.")


@pytest.mark.parametrize("keys", [("enter",), ("3",), ("enter", "f3"), ("1",)])
async def test_every_letter_leads_to_what_can_have_the_focus(
    keys: tuple[str, ...], played_home: Path
) -> None:
    async with started_app(real_services(played_home, 8), (80, 24)) as ui:
        await ui.press(*keys)
        below = ui.app.screen
        await ui.press("f12")
        assert isinstance(ui.app.screen, JumpScreen)
        for letter in [pane.letter for pane in list_panes(below)]:
            if ui.app.screen is below:
                await ui.press("f12")
            (pane,) = [pane for pane in list_panes(below) if pane.letter == letter]
            await ui.press(letter)
            assert below.focused is pane.widget


async def test_letters_stand_over_dialogs_too(played_home: Path) -> None:
    """I correct somebody's name in a form of many fields, and go to the last one without ten Tabs."""
    async with started_app(real_services(played_home, 8), ROOMY) as ui:
        await ui.press("3", "e")
        form = ui.app.screen
        await ui.press("f12")
        assert isinstance(ui.app.screen, JumpScreen)
        last = list_panes(form)[-1]
        await ui.press(last.letter)
        assert ui.app.screen is form
        assert form.focused is last.widget
        # A question has nothing to jump to: no letters cover it.
        await ui.press("escape", "escape", "2", "delete")
        question = ui.app.screen
        assert isinstance(question, ConfirmDialog)
        await ui.press("f12")
        assert ui.app.screen is question
