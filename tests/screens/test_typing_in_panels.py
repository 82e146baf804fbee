"""Letters typed one by one while a panel beside the story has the focus: a line is a line, and a key is a key."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.views.proposal_views import ProposalView
from monitor_tui import typed_on, typed_run
from tests.screens.screen_driver import NIGHT, ROOMY, ScreenDriver, real_services, started_app
from widgets.prompt import PlayPrompt
from widgets.transcript.transcript import Transcript

LONG = 2.0
"""Seconds that a letter waits in these tests: longer than the next one takes on a busy machine."""


@pytest.fixture
async def ui(played_home: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ScreenDriver]:
    """A scene that is being played, in which letters wait."""
    async with started_app(real_services(played_home, 8, start=NIGHT), ROOMY) as ui:
        await ui.press("enter")
        monkeypatch.setattr(typed_run, "TYPING_SECONDS", LONG)
        monkeypatch.setattr(typed_on, "PAUSE_SECONDS", LONG)
        yield ui


def prompt(ui: ScreenDriver) -> PlayPrompt:
    return ui.app.screen.query_one(PlayPrompt)


async def type_slowly(ui: ScreenDriver, words: str) -> None:
    for character in words:
        await ui.pilot.press("space" if character == " " else character)


async def read_verdicts(ui: ScreenDriver) -> list[object]:
    (card,) = await ui.services.stories.stories()
    assert card.scene is not None
    proposals: tuple[ProposalView, ...] = (await ui.services.play.scene(card.scene.id)).proposals
    return [(p.proposal.id, p.verdict, p.status) for p in proposals]


@pytest.mark.slow
@pytest.mark.parametrize("words", ["arrows fly", "Ada waits", "card games bore me"])
async def test_typing_letter_by_letter_on_the_proposals_goes_to_the_prompt(
    ui: ScreenDriver, words: str
) -> None:
    before = await read_verdicts(ui)
    await ui.press("f2")
    assert not prompt(ui).input_has_focus
    await type_slowly(ui, words)
    await ui.settle()
    assert (prompt(ui).text, prompt(ui).input_has_focus) == (words, True)
    assert await read_verdicts(ui) == before


@pytest.mark.slow
async def test_letter_of_the_proposals_decides_when_no_other_follows(ui: ScreenDriver) -> None:
    before = await read_verdicts(ui)

    async def count_changed() -> int:
        return sum(one != other for one, other in zip(before, await read_verdicts(ui), strict=True))

    await ui.press("f2", "down", "down")  # those before are in canon
    await type_slowly(ui, "r")
    assert await count_changed() == 0
    await asyncio.sleep(1.2 * LONG)
    await ui.settle()
    assert await count_changed() == 1
    await type_slowly(ui, "d")
    await ui.press("down")  # any other key ends the wait
    assert await count_changed() == 2
    assert prompt(ui).text == ""


@pytest.mark.slow
async def test_typing_letter_by_letter_on_the_story_branches_nowhere(ui: ScreenDriver) -> None:
    await ui.type("I wait.")
    transcript = ui.app.screen.query_one(Transcript)
    transcript.focus()
    await ui.press("up")
    turn_count = ui.text.count("I wait.")
    await type_slowly(ui, "Bela walks")
    await ui.settle()
    assert prompt(ui).text == "Bela walks"
    assert not ui.shows("Going on from")
    assert ui.text.count("I wait.") == turn_count


@pytest.mark.slow
async def test_typing_letter_by_letter_on_the_offers_goes_to_the_prompt(ui: ScreenDriver) -> None:
    await ui.type("> Three days pass.")
    await ui.press("ctrl+u", "ctrl+l")
    assert not prompt(ui).input_has_focus
    await type_slowly(ui, "eels bite")
    assert prompt(ui).text == "eels bite"
    assert not ui.shows("nothing to retake")


@pytest.mark.slow
async def test_letter_that_only_moves_the_cursor_acts_at_once(ui: ScreenDriver) -> None:
    await ui.type("I wait.")
    transcript = ui.app.screen.query_one(Transcript)
    transcript.focus()
    await ui.press("up")
    before = transcript.cursor
    await type_slowly(ui, "k")
    assert transcript.cursor != before
    await type_slowly(ui, "ate waves")
    assert prompt(ui).text == "kate waves"


@pytest.mark.slow
async def test_line_typed_on_behind_the_end_decides_nothing_at_the_gate(ui: ScreenDriver) -> None:
    await ui.type("/npc Ketty: a maid")
    await ui.press("ctrl+u")
    before = await read_verdicts(ui)
    await ui.type("/end Mara knocked")
    await ui.until("Commit")
    assert ui.screen == "GateScreen"
    await type_slowly(ui, "Anna walks on.")
    await ui.pilot.press("enter")
    await ui.settle()
    assert ui.screen == "GateScreen"
    assert (await read_verdicts(ui))[: len(before)] == before
    await asyncio.sleep(1.2 * LONG)
    await ui.settle()
    assert any("“Anna walks on.” was typed on" in note.message for note in ui.app._notifications)
    await ui.press("enter")  # behind a pause it is meant
    assert ui.screen != "GateScreen" or ui.shows("in canon")
