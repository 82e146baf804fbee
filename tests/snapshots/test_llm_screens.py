"""A picture of play with a model, its X-ray, bill and settings, at 80x24 and 120x40, and what goes wrong."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from textual.pilot import Pilot

from agents.llm.errors import ModelKeyRefused
from monitor_tui.app import MonitorApp
from stores.records.llm import Persona
from tests.screens.screen_driver import ROOMY, ScreenDriver, real_services
from tests.screens.scripted_llm import ScriptedLlm, priced, write_settings
from tests.snapshots.steps import SIZES, Compare, Steps, typed, walk

pytestmark = pytest.mark.slow

DOWN = ("down",)
CALL_SECTION = (*DOWN * 3, "enter")
"""To the first part of what the Narrator was sent."""

NARRATED: dict[str, Steps] = {
    "scene_narrated": ("enter", *typed("I wait for the tide.")),
    "scene_over_budget": ("enter", *typed("/budget story 0.03", "I wait for the tide.")),
    "scene_retake_note": ("enter", "ctrl+r", "type:less gore"),
    "xray": ("enter", "f6"),
    "xray_end": ("enter", "f6", "end"),
    "xray_text": ("enter", "f6", *CALL_SECTION, "enter"),
    "xray_stopped": ("enter", "shift+tab", "end", "up", "up", "f6", *CALL_SECTION),
    "bill": ("enter", *typed("/bill")),
    "charts_model": ("percent_sign", "3"),
    "bill_calls": ("b", "1"),
    "bill_budget_refused": ("enter", *typed("/bill"), "enter", "backspace", *typed("x")),
    "llm_setup": ("M",),
    "llm_setup_persona": ("M", *DOWN * 5, "space"),
    "llm_setup_key": ("M", *DOWN * 2, "enter", "type:sk-secret"),
    "llm_setup_trial": ("M", "f7"),
    "prompts": ("M", "e"),
    "prompt_edit": ("M", "e", "down", "enter"),
    "llm_setup_trial_refused": ("M", "f7"),
}
WITHOUT_MODEL: dict[str, Steps] = {
    "llm_setup_none": ("M",),
    "bill_none": ("b",),
    "scene_ideas": ("enter", "ctrl+n"),
    "xray_none": ("enter", "shift+tab", "f6"),
}
IDEA: Steps = ("1", "enter", "enter", "f7", *typed("a keeper who owes the sea, grim"))
STORY_IDEA: dict[str, Steps] = {
    "story_idea": ("1", "enter", "enter", *DOWN * 3, "enter", "type:a keeper who owes the sea, grim"),
    "story_idea_hero": IDEA,
    "story_idea_opening": (*IDEA, "enter", "enter", "tab", "tab", "tab", "tab"),
    "story_idea_refused": IDEA,
}


@SIZES
@pytest.mark.parametrize("name", NARRATED)
def test_narrated_story(snap_compare: Compare, narrated_home: Path, name: str, size: tuple[int, int]) -> None:
    model = ScriptedLlm()
    if name == "llm_setup_trial_refused":
        todo = "Press Enter on Key and type it, or set OPENAI_API_KEY."
        model.script[Persona.NARRATOR] = ModelKeyRefused("OpenAI does not take the key.", kept="", todo=todo)
    app = MonitorApp(real_services(narrated_home, 8, model=model))
    assert snap_compare(app, terminal_size=size, run_before=walk(*NARRATED[name]))


@SIZES
@pytest.mark.parametrize("name", WITHOUT_MODEL)
def test_played_story_without_model(
    snap_compare: Compare, played_home: Path, name: str, size: tuple[int, int]
) -> None:
    app = MonitorApp(real_services(played_home, 8))
    assert snap_compare(app, terminal_size=size, run_before=walk(*WITHOUT_MODEL[name]))


@SIZES
@pytest.mark.parametrize("name", STORY_IDEA)
def test_story_idea(snap_compare: Compare, tmp_path: Path, name: str, size: tuple[int, int]) -> None:
    write_settings(tmp_path)
    if name == "story_idea_refused":
        asyncio.run(_spend_day_budget(tmp_path))
    app = MonitorApp(real_services(tmp_path, 8, model=ScriptedLlm()))
    assert snap_compare(app, terminal_size=size, run_before=walk(*STORY_IDEA[name]))


async def _spend_day_budget(home: Path) -> None:
    """Ask for one story idea, which costs all that the day allows."""
    model = ScriptedLlm({Persona.MONITOR: priced('{"title": "The Lamp"}', 50_000)})
    services, close = await real_services(home, 7, model=model)()
    await services.stories.add_sample()
    (universe,) = await services.stories.universes()
    await services.llm.suggest_story(universe.id, "a keeper")
    await services.llm.set_budget("day", 50_000)
    await close()


@SIZES
def test_scene_to_be_opened(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    """A new scene that the model can open: the prompt says by which key."""
    write_settings(tmp_path)
    app = MonitorApp(real_services(tmp_path, 8, model=ScriptedLlm()))
    steps = ("1", "down", "enter", *typed("Ash Reach"), "enter", "enter", *typed("Sel"), "enter", "enter")
    assert snap_compare(app, terminal_size=size, run_before=walk(*steps))


@SIZES
def test_scene_while_narrating(
    snap_compare: Compare, narrated_home: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    """In the middle of a narration; the clock that the steps are timed by stands still."""
    monkeypatch.setattr("screens.play.narration_status.time", SimpleNamespace(monotonic=lambda: 0.0))
    shown = "The tide answers before anyone else does: a long breath, [bold]drawn[/] in"
    pieces = asyncio.Semaphore(len(shown.split()))
    model = ScriptedLlm({Persona.NARRATOR: priced(f"{shown} and held", gate=pieces)})

    async def run(pilot: Pilot[Any]) -> None:
        assert isinstance(pilot.app, MonitorApp)
        ui = ScreenDriver(pilot.app, pilot)
        await ui.settle()
        await ui.press("enter")
        await ui.type("I wait for the tide.", enter=False)
        await pilot.press("enter")
        while not ui.shows("drawn[/] in", "narrator …"):
            await pilot.pause(0.01)
        await pilot.press(*"then")

    app = MonitorApp(real_services(narrated_home, 8, model=model))
    assert snap_compare(app, terminal_size=size, run_before=run)


@pytest.mark.parametrize("name", ["xray", "bill", "llm_setup"])
def test_light_theme(snap_compare: Compare, narrated_home: Path, name: str) -> None:
    app = MonitorApp(real_services(narrated_home, 8, model=ScriptedLlm()))
    app.theme = "monitor-light"
    assert snap_compare(app, terminal_size=ROOMY, run_before=walk(*NARRATED[name]))
