"""A picture of play with a model, its X-ray, bill and settings, at 80x24 and 120x40, and what goes wrong."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from textual.pilot import Pilot

from agents.llm.errors import BudgetExhausted, ModelKeyRefused
from monitor_tui.app import MonitorApp
from tests.screens.table import ROOMY, Table, twin_desk
from tests.screens.twin import TwinDesk
from tests.screens.twin_model import HOLD, calls_of
from tests.snapshots.test_screens import SIZES, Compare, Steps, walk

pytestmark = pytest.mark.slow

DOWN = ("down",)
SENT = (*DOWN * 4, "enter")
"""To the first part of what the Narrator was sent."""

STEPS: dict[str, Steps] = {
    "told": ("enter", "type:I wait for the tide.", "enter"),
    "over_budget": ("enter", "type:I wait for the tide.", "enter"),
    "retake_note": ("enter", "ctrl+r", "type:less gore"),
    "xray": ("enter", "f6"),
    "xray_end": ("enter", "f6", "end"),
    "xray_text": ("enter", "f6", *SENT, "enter"),
    "bill": ("enter", "type:/bill", "enter"),
    "bill_calls": ("b", "1"),
    "bill_budget": ("b", "enter", "backspace", "type:x", "enter"),
    "model": ("m",),
    "model_persona": ("m", *DOWN * 4, "space"),
    "model_key": ("m", *DOWN * 2, "enter", "type:sk-secret"),
    "model_tried": ("m", "t"),
    "model_refused": ("m", "t"),
}
UNSET: dict[str, Steps] = {
    "model_none": ("m",),
    "bill_none": ("b",),
    "xray_none": ("enter", "shift+tab", "X"),
}
IN_WORDS: dict[str, Steps] = {
    "setup_words": ("1", "enter", "enter", *DOWN * 2, "enter", "type:a keeper who owes the sea, grim"),
    "setup_words_hero": ("1", "enter", "enter", "f7", "type:a keeper", "enter"),
    "setup_words_opening": (
        *("1", "enter", "enter", "f7", "type:a keeper", "enter", "enter", "enter"),
        *("tab", "tab", "tab", "tab"),
    ),
    "setup_words_refused": ("1", "enter", "enter", "f7", "type:a keeper", "enter"),
}


async def narrated() -> TwinDesk:
    """A twin whose model is set up and has been paid."""
    twin = TwinDesk()
    await twin.model.choose_model(model="openai/gpt-4o-mini")
    turn = twin.lines[next(iter(twin.lines))][-1].turn
    twin.model.called = list(calls_of(turn, twin.story_id))
    twin.calls.clear()
    return twin


@SIZES
@pytest.mark.parametrize("name", STEPS)
def test_model(snap_compare: Compare, name: str, size: tuple[int, int]) -> None:
    twin = asyncio.run(narrated())
    if name == "over_budget":
        what = "$0.05 is spent: this story's budget of $0.05 is used up. Nothing was sent."
        todo = "Raise it: /budget story 5 (in dollars), or tell it yourself with >."
        twin.fail("submit", BudgetExhausted(what, todo=todo))
    if name == "model_refused":
        todo = "Press Enter on Key and type it, or set OPENAI_API_KEY."
        twin.fail("try_out", ModelKeyRefused("OpenAI does not take the key.", kept="", todo=todo))
    assert snap_compare(MonitorApp(twin_desk(twin)), terminal_size=size, run_before=walk(*STEPS[name]))


@SIZES
@pytest.mark.parametrize("name", UNSET)
def test_without_a_model(snap_compare: Compare, name: str, size: tuple[int, int]) -> None:
    app = MonitorApp(twin_desk(TwinDesk()))
    assert snap_compare(app, terminal_size=size, run_before=walk(*UNSET[name]))


@SIZES
@pytest.mark.parametrize("name", IN_WORDS)
def test_in_words(snap_compare: Compare, name: str, size: tuple[int, int]) -> None:
    twin = TwinDesk(story=False)
    asyncio.run(twin.model.choose_model(model="openai/gpt-4o-mini"))
    if name == "setup_words_refused":
        todo = "Bill on the menu raises it; or fill the form in yourself."
        what = "$0.05 is spent: today's budget of $0.05 is used up. Nothing was sent."
        twin.fail("imagine", BudgetExhausted(what, kept="The form is as it was.", todo=todo))
    assert snap_compare(MonitorApp(twin_desk(twin)), terminal_size=size, run_before=walk(*IN_WORDS[name]))


@SIZES
def test_untold_scene(snap_compare: Compare, size: tuple[int, int]) -> None:
    """A new scene that the model can open: the prompt says by which key."""
    twin = TwinDesk(turns=0)
    asyncio.run(twin.model.choose_model(model="openai/gpt-4o-mini"))
    twin.opening = "/start rolls how it begins · /scene names it"
    assert snap_compare(MonitorApp(twin_desk(twin)), terminal_size=size, run_before=walk("enter"))


@SIZES
def test_telling(snap_compare: Compare, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]) -> None:
    """In the middle of a telling; the clock that the steps are timed by stands still."""
    monkeypatch.setattr("screens.play.narration_screen.time", SimpleNamespace(monotonic=lambda: 0.0))
    twin = asyncio.run(narrated())
    twin.model.script = (
        "The tide answers before anyone else does: ",
        "a long breath, [bold]drawn[/] in",
        HOLD,
    )

    async def run(pilot: Pilot[Any]) -> None:
        assert isinstance(pilot.app, MonitorApp)
        table = Table(pilot.app, pilot)
        await table.settle()
        await table.press("enter")
        await table.type("I wait for the tide.", enter=False)
        await pilot.press("enter")
        while not table.shows("drawn[/] in", "narrator …"):
            await pilot.pause(0.01)
        await pilot.press(*"then")

    assert snap_compare(MonitorApp(twin_desk(twin)), terminal_size=size, run_before=run)


@pytest.mark.parametrize("name", ["xray", "bill", "model"])
def test_by_day(snap_compare: Compare, name: str) -> None:
    app = MonitorApp(twin_desk(asyncio.run(narrated())))
    app.theme = "monitor-light"
    assert snap_compare(app, terminal_size=ROOMY, run_before=walk(*STEPS[name]))
