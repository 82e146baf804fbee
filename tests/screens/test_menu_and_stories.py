"""The menu and the list of stories."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from stores.errors import StoreFull
from tests.screens.faults import fail_once, record_calls
from tests.screens.screen_driver import NARROW, Table, real_desk, seated


async def test_menu_of_an_empty_library_says_what_to_do(tmp_path: Path) -> None:
    async with seated(real_desk(tmp_path), NARROW) as table:
        assert table.shows("Press 1, then Enter: the sample world is ready")
        assert not table.shows("╭─ Continue")


async def test_menu_enter_resumes_at_once(played_home: Path) -> None:
    async with seated(real_desk(played_home, 8), NARROW) as table:
        assert table.shows("The Drowned Bell", "Before the Third Stroke", "10 turns", "slick with weed")
        await table.press("enter")
        assert table.screen == "SceneScreen"
        (card,) = await table.services.stories.stories()
        assert not card.is_suspended


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
async def test_menu_has_a_key_to_each_mode_and_a_way_back(
    played_home: Path, monkeypatch: pytest.MonkeyPatch, key: str, screen: str
) -> None:
    async with seated(real_desk(played_home, 8), NARROW) as table:
        entered = record_calls(monkeypatch, table.services.stories, "enter")
        left = record_calls(monkeypatch, table.services.stories, "leave")
        await table.press(key)
        assert table.screen == screen
        await table.press("escape")
        assert table.screen == "MenuScreen"
        if screen != "HelpScreen":
            assert (len(entered), len(left)) == (1, 1)


async def test_menu_stays_usable_when_a_resume_fails(
    played_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with seated(real_desk(played_home, 8)) as table:
        full = StoreFull("The disk is full.", kept="Nothing is lost.", todo="Free some space.")
        fail_once(monkeypatch, table.services.stories, "resume", full)
        await table.press("enter")
        assert table.shows("The disk is full.", "Nothing is lost.", "Free some space.")
        await table.press("enter")
        assert table.screen == "MenuScreen"
        await table.press("enter")
        assert table.screen == "SceneScreen"


async def test_stories_screen_without_stories_leads_to_set_up(sample_home: Path) -> None:
    async with seated(real_desk(sample_home)) as table:
        await table.press("2")
        assert table.shows("No stories yet", "Press s")
        assert not table.shows("Abandon")
        await table.press("s")
        assert table.screen == "SetupScreen"


async def story_state(table: Table) -> str:
    (card,) = await table.services.stories.stories()
    return card.state


async def test_stories_screen_asks_before_a_story_is_abandoned(played_home: Path) -> None:
    async with seated(real_desk(played_home, 8)) as table:
        await table.press("2", "x")
        assert table.shows("Abandon “The Drowned Bell”?")
        await table.press("escape")
        assert await story_state(table) == "active"
        await table.press("x", "enter")
        assert await story_state(table) == "abandoned"
        assert table.shows("abandoned")
        assert not table.shows("Abandon")  # it is over: the key is gone
        await table.press("enter")
        assert table.screen == "ReadingScreen"  # it stays readable
        assert await story_state(table) == "abandoned"


async def test_menu_and_stories_show_hostile_titles_as_text(sample_home: Path) -> None:
    services, close = await real_desk(sample_home, 7)()
    outline = await services.stories.sample_outline()
    hostile = "[red]Bold[/] \x1b]0;owned\x07[link=x]"
    await services.stories.start_story(replace(outline, title=hostile))
    await services.stories.suspend()
    await close()
    async with seated(real_desk(sample_home, 8)) as table:
        assert table.shows("[red]Bold[/]")
        await table.press("2")
        assert table.shows("[red]Bold[/]", "[link=x]")
        assert "\x1b" not in table.text


async def test_stories_are_paused_resumed_and_finished(tmp_path: Path) -> None:
    async with seated(real_desk(tmp_path), NARROW, first="demo") as table:
        await table.type("I look at the rope.")
        await table.press("escape", "enter")
        assert table.screen == "MenuScreen"
        assert table.shows("╭─ Continue", "I look at the rope.")
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


async def test_stories_screen_finishes_a_story_without_recap_or_not_at_all(played_home: Path) -> None:
    async with seated(real_desk(played_home, 8)) as table:
        await table.press("2", "f", "escape")
        assert await story_state(table) == "active"
        await table.press("f", "enter")
        assert await story_state(table) == "completed"


async def test_story_just_begun_can_be_abandoned(tmp_path: Path) -> None:
    async with seated(real_desk(tmp_path), NARROW, first="demo") as table:
        await table.press("escape", "enter", "2", "x", "enter")
        assert table.shows("abandoned")
