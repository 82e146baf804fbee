"""The Settings screen by keyboard: every change is in settings.toml, and counts at once where it can."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from agents.views.conflict_views import PolicyView
from monitor_tui.settings import read_settings
from stores.records.ids import Id
from stores.records.workflow import KindRule
from tests.screens.screen_driver import ROOMY, ScreenDriver, real_services, started_app

pytestmark = pytest.mark.slow

MY_FILE = '# mine\n[ui]\npanel = "wide" # I read with glasses\n'


async def find_setting(ui: ScreenDriver, words: str) -> None:
    await ui.press("slash", "ctrl+u")
    await ui.type(words)


async def test_settings_are_changed_by_keyboard_and_my_comments_stay(played_home: Path) -> None:
    """I set a theme, a budget and a key without opening a file; what I wrote in that file is still there."""
    file = played_home / "settings.toml"
    file.write_text(MY_FILE)
    async with started_app(real_services(played_home, 8), ROOMY, home=played_home) as ui:
        await ui.press("comma")
        assert ui.screen == "SettingsScreen"
        assert ui.shows("Theme as last chosen in the palette", "Panels wide", "yours")
        await ui.press("enter", "down", "enter")
        assert ui.app.theme == "monitor-light"
        await find_setting(ui, "each day")
        await ui.press("enter")
        await ui.type("a lot")
        assert ui.screen == "LineDialog"
        assert ui.shows("Each day: a number should stand here. Nothing was changed.")
        await ui.press("ctrl+u")
        await ui.type("2,50")
        assert ui.shows("Each day 2.5")
        await find_setting(ui, "scene.gate")
        await ui.press("enter", "f9")
        assert ui.shows("f9 is Panel width there", "Choose another key")
        await ui.press("f11")
        assert ui.shows("f11 Gate: Review everything at the canon gate (usually f3 g)")
        await ui.press("escape", "escape")
        assert ui.screen == "MenuScreen"
        await ui.press("enter", "f3")
        assert ui.screen == "SceneScreen"
        await ui.press("f11")
        assert ui.screen == "GateScreen"
    text = file.read_text()
    assert text.startswith(MY_FILE)
    assert 'theme = "monitor-light"' in text
    assert read_settings(played_home).budget.day == 2.5
    async with started_app(real_services(played_home, 8), ROOMY, home=played_home) as ui:
        assert ui.app.theme == "monitor-light"
        await ui.press("comma")
        await find_setting(ui, "scene.gate")
        await ui.press("delete")
        assert ui.shows("f3 g Gate: Review everything at the canon gate")
        await ui.press("escape", "escape", "enter", "f3")
        assert ui.screen == "GateScreen"


async def test_settings_that_the_environment_holds_are_refused_at_the_field(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MONITOR_BUDGET_DAY", "3")
    async with started_app(real_services(tmp_path, 8), ROOMY, home=tmp_path) as ui:
        await ui.press("comma")
        await find_setting(ui, "each day")
        assert ui.shows("Each day 3", "set in the environment")
        await ui.press("enter", "ctrl+u")
        await ui.type("2")
        assert ui.shows("MONITOR_BUDGET_DAY is set in the environment, and wins over the settings file.")
    assert not (tmp_path / "settings.toml").exists()


async def test_what_the_gate_decides_by_itself_is_set_among_the_settings(played_home: Path) -> None:
    """I am tired of being asked about clocks, and look for it where all else is set."""
    async with started_app(real_services(played_home, 8), ROOMY) as ui:
        await ui.press("enter")
        await ui.press("shift+tab", "comma")
        assert ui.shows("What the gate decides by itself, in Salt Coast")
        await find_setting(ui, "numbers and tags")
        assert ui.shows("Numbers and tags by confidence")
        await ui.press("enter", "down", "down", "enter")
        assert ui.shows("Numbers and tags auto-reject")
        await ui.press("P")
        assert ui.screen == "PolicyScreen"
        assert ui.shows("✗ auto-reject numbers and tags")
        await ui.press("escape", "delete")
        assert ui.shows("Numbers and tags by confidence")
        await ui.press("enter", "enter")
        assert ui.shows("Numbers and tags auto-accept")
        (universe,) = await ui.services.stories.universes()
        policy = await ui.services.policy.read_policy(universe.id)
        assert [(rule.kind, rule.rule) for rule in policy.rules] == [("state_change", KindRule.ACCEPT)]


async def test_a_slow_read_does_not_hide_the_rule_that_i_set_meanwhile(
    played_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is slow when a dialog closes: what was read before my answer comes after it."""
    async with started_app(real_services(played_home, 8), ROOMY) as ui:
        await ui.press("enter")
        await ui.press("shift+tab", "comma")
        await find_setting(ui, "numbers and tags")
        policies = ui.services.policy
        read_policy, is_written, is_held = policies.read_policy, asyncio.Event(), asyncio.Event()

        async def read_slowly(universe_id: Id) -> PolicyView:
            policy = await read_policy(universe_id)
            if not is_held.is_set():
                is_held.set()
                await is_written.wait()
            return policy

        async def set_rule(universe_id: Id, kind: str, rule: KindRule | None) -> None:
            await is_held.wait()
            await write_rule(universe_id, kind, rule)

        write_rule = policies.set_rule
        monkeypatch.setattr(policies, "read_policy", read_slowly)
        monkeypatch.setattr(policies, "set_rule", set_rule)
        await ui.press("enter")
        await ui.pilot.press("enter")
        await ui.until("Numbers and tags auto-accept")
        is_written.set()
        await ui.settle()
        assert ui.shows("Numbers and tags auto-accept")
