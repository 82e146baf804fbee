"""A key pressed twice does its thing once, however slow the library is."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual import events

from agents.services.services import Services
from tests.screens.faults import hold, record_calls
from tests.screens.screen_driver import NARROW, ScreenDriver, real_services, started_app

pytestmark = pytest.mark.slow

LETTERS = "abcdefghijklmnopqrstuvwxyz"


async def release(ui: ScreenDriver, go: asyncio.Event) -> None:
    """Let go what is held back, and wait for all that comes of it."""
    go.set()
    await ui.settle()


async def test_start_story_pressed_twice_begins_one(
    sample_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with started_app(real_services(sample_home), NARROW) as ui:
        go = asyncio.Event()
        hold(monkeypatch, ui.services.stories, "start_story", go)
        asked = record_calls(monkeypatch, ui.services.stories, "start_story")
        await ui.press("1", "enter", "enter", "enter", "enter")
        await ui.pilot.press("enter", "enter", "enter")
        await release(ui, go)
        assert ui.screen == "SceneScreen"
        assert len(asked) == 1
        assert len(await ui.services.stories.stories()) == 1


async def test_commit_pressed_twice_commits_once(played_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with started_app(real_services(played_home, 8), NARROW) as ui:
        go = asyncio.Event()
        hold(monkeypatch, ui.services.gate, "commit", go)
        asked = record_calls(monkeypatch, ui.services.gate, "commit")
        await ui.press("enter")
        await ui.type("/end")
        await ui.press("r")
        await ui.pilot.press("enter", "enter")
        await release(ui, go)
        assert len(asked) == 1


async def test_escape_pressed_twice_leads_back_once(played_home: Path) -> None:
    async with started_app(real_services(played_home, 8), NARROW) as ui:
        await ui.press("enter", "f3")
        gate = ui.app.screen
        gate.action_escape()  # type: ignore[attr-defined]
        gate.action_escape()  # type: ignore[attr-defined]
        await ui.settle()
        assert ui.screen == "SceneScreen"


async def test_menu_waits_for_a_slow_suspend_before_it_leads_on(
    played_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with started_app(real_services(played_home, 8), NARROW) as ui:
        go = asyncio.Event()
        hold(monkeypatch, ui.services.stories, "suspend", go)
        entered = record_calls(monkeypatch, ui.services.stories, "enter")
        await ui.press("enter", "escape")
        await ui.pilot.press("enter")
        await ui.pilot.press("2")
        assert ui.screen == "MenuScreen"  # at once, though the story is still being suspended
        assert not entered
        await release(ui, go)
        assert ui.screen == "StoriesScreen"
        assert len(entered) == 1
        assert ui.shows("paused")


async def test_quit_pressed_twice_closes_once(played_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = 0

    async def open_and_count(show_menu: object = None) -> tuple[Services, Callable[[], Awaitable[None]]]:
        services, close = await real_services(played_home, 8)()

        async def count_and_close() -> None:
            nonlocal closed
            closed += 1
            await close()

        return services, count_and_close

    async with started_app(open_and_count, NARROW) as ui:
        go = asyncio.Event()
        hold(monkeypatch, ui.services.stories, "suspend", go)
        await ui.press("enter")
        await ui.pilot.press("ctrl+q", "ctrl+q")
        await release(ui, go)
        assert closed == 1


@pytest.mark.parametrize(
    ("keys", "method"),
    [
        (("6", "tab", "n"), "propose_statement"),
        (("enter", "ctrl+r"), "retake"),
        (("4", "n"), "create_character"),
    ],
)
async def test_enter_behind_fast_keys_loses_none_of_them(
    played_home: Path, monkeypatch: pytest.MonkeyPatch, keys: tuple[str, ...], method: str
) -> None:
    """Enter is heard before the field has taken in what was typed before it."""
    async with started_app(real_services(played_home, 8), NARROW) as ui:
        services = ui.services
        calls = [
            call
            for service, name in (
                (services.query, "propose_statement"),
                (services.play, "retake"),
                (services.characters, "create_character"),
            )
            for call in [(name, record_calls(monkeypatch, service, name))]
        ]
        await ui.press(*keys)
        for character in LETTERS:
            ui.app.post_message(events.Key(character, character))
        for _ in range(2):
            ui.app.post_message(events.Key("enter", "\r"))
        await ui.settle()
        ((name, arguments),) = ((name, made[0][0]) for name, made in calls if made)
        assert name == method
        assert sum(len(made) for _, made in calls) == 1
        assert any(str(argument).endswith(LETTERS) for argument in arguments)


async def test_enter_behind_a_path_typed_fast_reads_that_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Enter is heard before the field has taken in what was typed before it."""
    monkeypatch.chdir(tmp_path)
    async with started_app(real_services(tmp_path / "home"), NARROW) as ui:
        await ui.press("2", "i")
        for character in f"{LETTERS}.jsonl":
            ui.app.post_message(events.Key(character, character))
        ui.app.post_message(events.Key("enter", "\r"))
        await ui.settle()
        assert f"{LETTERS}.jsonl cannot be read" in " ".join(ui.text.split())


async def test_setup_keeps_enters_pressed_while_a_page_loads(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), NARROW) as ui:
        # As fast as a terminal sends them: no page is there before all are pressed.
        for key in ("1", *["enter"] * 5):
            ui.app.post_message(events.Key(key, key if key == "1" else "\r"))
        # The program may rest between two pages, while a module is imported in a thread.
        await ui.until("what do you do?")
        assert ui.screen == "SceneScreen"
        assert len(await ui.services.stories.stories()) == 1


async def test_setup_acts_on_keys_pressed_while_a_world_is_read_on_the_page_that_comes(
    sample_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with started_app(real_services(sample_home), NARROW) as ui:
        await ui.press("1")
        go = asyncio.Event()
        hold(monkeypatch, ui.services.stories, "characters", go)
        read = record_calls(monkeypatch, ui.services.stories, "characters")
        await ui.pilot.press("enter", "enter", "end", "enter")  # the world, the rules, nobody as the hero
        assert ui.shows("● World")
        await release(ui, go)
        assert len(read) == 1
        assert ui.shows("✓ Hero", "● Story")


async def test_setup_keeps_enters_from_skipping_a_name_that_is_required(sample_home: Path) -> None:
    async with started_app(real_services(sample_home), NARROW) as ui:
        await ui.press("1", "down")
        await ui.pilot.press("enter", "enter", "enter")
        await ui.settle()
        assert ui.shows("● World", "The world needs a name.")
        await ui.type("Mudlark")
        assert ui.shows("✓ World", "● Rules")
