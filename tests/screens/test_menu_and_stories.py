"""The menu and the list of stories."""

from __future__ import annotations

from pathlib import Path

import pytest

from stores.errors import StoreFull
from tests.screens.table import NARROW, real_desk, seated, twin_desk
from tests.screens.twin import TwinDesk


async def test_an_empty_library_says_what_to_do() -> None:
    async with seated(twin_desk(TwinDesk(sample=False, story=False)), NARROW) as table:
        assert table.shows("Press 1, then Enter: the sample world is ready")
        assert not table.shows("Go on")


async def test_enter_resumes_at_once() -> None:
    twin = TwinDesk()
    async with seated(twin_desk(twin), NARROW) as table:
        assert table.shows("The Drowned Bell", "Under the chapel", "4 turns", "Nobody answers")
        await table.press("enter")
        assert table.screen == "SceneScreen"
        assert len(twin.called("resume")) == 1


@pytest.mark.parametrize(
    ("key", "screen"),
    [
        ("1", "SetupScreen"),
        ("2", "StoriesScreen"),
        ("3", "UniverseScreen"),
        ("4", "CharactersScreen"),
        ("6", "QueryScreen"),
        ("7", "SystemScreen"),
        ("question_mark", "HelpScreen"),
    ],
)
async def test_each_mode_has_a_key_and_a_way_back(key: str, screen: str) -> None:
    twin = TwinDesk()
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press(key)
        assert table.screen == screen
        await table.press("escape")
        assert table.screen == "MenuScreen"
        if screen != "HelpScreen":
            assert [name for name, _ in twin.calls if name in ("enter", "leave")] == ["enter", "leave"]


async def test_a_resume_that_fails_leaves_the_menu_usable() -> None:
    twin = TwinDesk()
    async with seated(twin_desk(twin)) as table:
        twin.fail("resume", StoreFull("The disk is full.", kept="Nothing is lost.", todo="Free some space."))
        await table.press("enter")
        assert table.shows("The disk is full.", "Nothing is lost.", "Free some space.")
        await table.press("enter")
        assert table.screen == "MenuScreen"
        await table.press("enter")
        assert table.screen == "SceneScreen"


async def test_no_stories_yet() -> None:
    async with seated(twin_desk(TwinDesk(story=False))) as table:
        await table.press("2")
        assert table.shows("No stories yet", "Press s")
        assert not table.shows("Abandon")
        await table.press("s")
        assert table.screen == "SetupScreen"


async def test_giving_a_story_up_asks_first() -> None:
    twin = TwinDesk()
    async with seated(twin_desk(twin)) as table:
        await table.press("2", "x")
        assert table.shows("Abandon “The Drowned Bell”?")
        await table.press("escape")
        assert not twin.called("abandon")
        await table.press("x", "enter")
        assert twin.called("abandon")
        assert table.shows("abandoned")
        assert not table.shows("Abandon")  # it is over: the key is gone
        await table.press("enter")
        assert table.screen == "ReadingScreen"  # it stays readable
        assert not twin.called("resume")


async def test_hostile_titles_are_only_text() -> None:
    twin = TwinDesk()
    story = twin._stories[0].model_copy(update={"title": "[red]Bold[/] \x1b]0;owned\x07[link=x]"})
    twin._stories[0] = story
    twin.story_states[story.id] = "active"
    async with seated(twin_desk(twin)) as table:
        assert table.shows("[red]Bold[/]")
        await table.press("2")
        assert table.shows("[red]Bold[/]", "[link=x]")
        assert "\x1b" not in table.text


async def test_stories_on_real_stores(tmp_path: Path) -> None:
    async with seated(real_desk(tmp_path), NARROW, first="demo") as table:
        await table.type("I look at the rope.")
        await table.press("escape", "enter")
        assert table.screen == "MenuScreen"
        assert table.shows("Go on", "I look at the rope.")
        await table.press("2")
        assert table.shows("The Drowned Bell", "I look at the rope.", "paused")
        await table.press("enter")
        assert table.screen == "SceneScreen"
        await table.press("escape", "enter", "2", "f")
        await table.type("The bell was never found.")
        assert table.shows("The story is finished")
        await table.press("enter")
        assert table.shows("completed")
        assert not table.shows("Finish")


async def test_finishing_a_story_can_be_left_and_needs_no_recap() -> None:
    twin = TwinDesk()
    async with seated(twin_desk(twin)) as table:
        await table.press("2", "f", "escape")
        assert not twin.called("complete_story")
        await table.press("f", "enter")
        assert twin.called("complete_story")


async def test_giving_up_on_real_stores(tmp_path: Path) -> None:
    async with seated(real_desk(tmp_path), NARROW, first="demo") as table:
        await table.press("escape", "enter", "2", "x", "enter")
        assert table.shows("abandoned")
