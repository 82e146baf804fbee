"""A key pressed twice does its thing once, however slow the library is."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from textual import events

from tests.screens.table import NARROW, Table, seated, twin_desk
from tests.screens.twin import TwinDesk


class SlowDesk(TwinDesk):
    """A desk whose changes wait until they are let go."""

    def __init__(self, **rest: Any) -> None:
        super().__init__(**rest)
        self.go = asyncio.Event()

    async def start_story(self, *args: Any) -> Any:
        self.calls.append(("asked to start", args))
        await self.go.wait()
        return await super().start_story(*args)

    async def commit(self, *args: Any) -> Any:
        self.calls.append(("asked to commit", args))
        await self.go.wait()
        return await super().commit(*args)

    async def suspend(self) -> None:
        self.calls.append(("asked to suspend", ()))
        await self.go.wait()
        await super().suspend()


@pytest.fixture
def services() -> SlowDesk:
    return SlowDesk()


async def let_go(table: Table, services: SlowDesk) -> None:
    services.go.set()
    await table.settle()


async def test_a_story_begins_once(services: SlowDesk) -> None:
    async with seated(twin_desk(services), NARROW) as table:
        await table.press("1", "enter", "enter", "enter", "enter")
        await table.pilot.press("enter", "enter", "enter")
        await let_go(table, services)
        assert table.screen == "SceneScreen"
        assert len(services.called("asked to start")) == 1


async def test_a_scene_is_committed_once(services: SlowDesk) -> None:
    async with seated(twin_desk(services), NARROW) as table:
        await table.press("enter")
        await table.type("/end")
        await table.press("r")
        await table.pilot.press("enter", "enter")
        await let_go(table, services)
        assert len(services.called("asked to commit")) == 1


async def test_back_leads_back_once(services: SlowDesk) -> None:
    async with seated(twin_desk(services), NARROW) as table:
        await table.press("enter", "f3")
        gate = table.app.screen
        gate.action_escape()  # type: ignore[attr-defined]
        gate.action_escape()  # type: ignore[attr-defined]
        await table.settle()
        assert table.screen == "SceneScreen"


async def test_where_one_goes_from_the_menu_waits_for_the_way_home(services: SlowDesk) -> None:
    async with seated(twin_desk(services), NARROW) as table:
        await table.press("enter", "escape")
        await table.pilot.press("enter")
        await table.pilot.press("2")
        assert table.screen == "MenuScreen"  # at once, though the story is still being suspended
        await let_go(table, services)
        assert table.screen == "StoriesScreen"
        names = [name for name, _ in services.calls if name in ("suspend", "enter")]
        assert names == ["suspend", "enter"]


async def test_quitting_twice_closes_once(services: SlowDesk) -> None:
    async with seated(twin_desk(services), NARROW) as table:
        await table.press("enter")
        await table.pilot.press("ctrl+q", "ctrl+q")
        await let_go(table, services)
        assert len(services.called("close")) == 1


@pytest.mark.parametrize("keys", [("6", "tab", "t"), ("enter", "ctrl+r"), ("4", "n")])
async def test_enter_behind_fast_keys_loses_none_of_them(services: SlowDesk, keys: tuple[str, ...]) -> None:
    """Enter is heard before the field has taken in what was typed before it."""
    async with seated(twin_desk(services), NARROW) as table:
        await table.press(*keys)
        for character in "abcdefghijklmnopqrstuvwxyz":
            table.app.post_message(events.Key(character, character))
        for _ in range(2):
            table.app.post_message(events.Key("enter", "\r"))
        await table.settle()
        said = [
            *services.called("make_true"),
            *services.called("retake"),
            *services.called("create_character"),
        ]
        assert len(said) == 1
        assert any(str(told).endswith("abcdefghijklmnopqrstuvwxyz") for told in said[0])


async def test_enter_behind_a_path_typed_fast_reads_that_file(services: SlowDesk) -> None:
    """Enter is heard before the field has taken in what was typed before it."""
    async with seated(twin_desk(services), NARROW) as table:
        await table.press("2", "i")
        for character in "abcdefghijklmnopqrstuvwxyz.jsonl":
            table.app.post_message(events.Key(character, character))
        table.app.post_message(events.Key("enter", "\r"))
        await table.settle()
        assert "abcdefghijklmnopqrstuvwxyz.jsonl cannot be read" in " ".join(table.text.split())
