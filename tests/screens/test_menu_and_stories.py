"""The menu and the list of stories."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from agents.story_outline import NewUniverse
from stores.errors import StoreFull
from tests.screens.faults import fail_once, record_calls
from tests.screens.screen_driver import NARROW, NIGHT, ScreenDriver, real_services, started_app


async def test_menu_of_an_empty_library_says_what_to_do(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), NARROW) as ui:
        assert ui.shows("Press 1, then Enter: the sample world is ready")
        assert not ui.shows("╭─ Continue")


@pytest.mark.slow
async def test_menu_enter_resumes_at_once(played_home: Path) -> None:
    async with started_app(real_services(played_home, 8), NARROW) as ui:
        assert ui.shows("The Drowned Bell", "Before the Third Stroke", "10 turns", "slick with weed")
        await ui.press("enter")
        assert ui.screen == "SceneScreen"
        (card,) = await ui.services.stories.stories()
        assert not card.is_suspended


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "screen"),
    [
        ("1", "SetupScreen"),
        ("2", "StoriesScreen"),
        ("3", "UniverseScreen"),
        ("4", "CharactersScreen"),
        ("5", "SourcesScreen"),
        ("6", "QueryScreen"),
        ("7", "SystemScreen"),
        ("question_mark", "HelpScreen"),
    ],
)
async def test_menu_has_a_key_to_each_mode_and_a_way_back(
    played_home: Path, monkeypatch: pytest.MonkeyPatch, key: str, screen: str
) -> None:
    async with started_app(real_services(played_home, 8), NARROW) as ui:
        entered = record_calls(monkeypatch, ui.services.stories, "enter")
        left = record_calls(monkeypatch, ui.services.stories, "leave")
        await ui.press(key)
        assert ui.screen == screen
        await ui.press("escape")
        assert ui.screen == "MenuScreen"
        if screen != "HelpScreen":
            assert (len(entered), len(left)) == (1, 1)


@pytest.mark.slow
@pytest.mark.parametrize("key", ["3", "4", "5", "6"])
async def test_menu_opens_the_world_of_the_story_that_is_played(played_home: Path, key: str) -> None:
    async with started_app(real_services(played_home, 8)) as ui:
        await ui.services.stories.create_universe(NewUniverse("Ashen March"))
        await ui.services.stories.create_universe(NewUniverse("Zinc Coast"))
        await ui.press(key)
        assert ui.shows("Salt Coast")


@pytest.mark.slow
async def test_menu_stays_usable_when_a_resume_fails(
    played_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with started_app(real_services(played_home, 8)) as ui:
        full = StoreFull("The disk is full.", kept="Nothing is lost.", todo="Free some space.")
        fail_once(monkeypatch, ui.services.stories, "resume", full)
        await ui.press("enter")
        assert ui.shows("The disk is full.", "Nothing is lost.", "Free some space.")
        await ui.press("enter")
        assert ui.screen == "MenuScreen"
        await ui.press("enter")
        assert ui.screen == "SceneScreen"


@pytest.mark.slow
async def test_stories_screen_without_stories_leads_to_set_up(sample_home: Path) -> None:
    async with started_app(real_services(sample_home)) as ui:
        await ui.press("2")
        assert ui.shows("No stories yet", "Press n")
        assert not ui.shows("Abandon")
        await ui.press("n")
        assert ui.screen == "SetupScreen"


async def story_state(ui: ScreenDriver) -> str:
    (card,) = await ui.services.stories.stories()
    return card.state


@pytest.mark.slow
async def test_stories_screen_asks_before_a_story_is_abandoned(played_home: Path) -> None:
    async with started_app(real_services(played_home, 8)) as ui:
        await ui.press("2", "delete")
        assert ui.shows("Abandon “The Drowned Bell”?")
        await ui.press("escape")
        assert await story_state(ui) == "active"
        await ui.press("delete", "enter")
        assert await story_state(ui) == "abandoned"
        assert ui.shows("abandoned")
        assert not ui.shows("Abandon")  # it is over: the key is gone
        await ui.press("enter")
        assert ui.screen == "ReadingScreen"  # it stays readable
        assert ui.shows("Look at turn")
        assert await story_state(ui) == "abandoned"


async def test_menu_and_stories_show_hostile_titles_as_text(sample_home: Path) -> None:
    services, close = await real_services(sample_home, 7)()
    outline = await services.stories.sample_outline()
    hostile = "[red]Bold[/] \x1b]0;owned\x07[link=x]"
    await services.stories.start_story(replace(outline, title=hostile))
    await services.stories.suspend()
    await close()
    async with started_app(real_services(sample_home, 8)) as ui:
        assert ui.shows("[red]Bold[/]")
        await ui.press("2")
        assert ui.shows("[red]Bold[/]", "[link=x]")
        assert "\x1b" not in ui.text


@pytest.mark.slow
async def test_stories_are_paused_resumed_and_finished(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), NARROW, first="demo") as ui:
        await ui.type("I look at the rope.")
        await ui.press("escape", "enter")
        assert ui.screen == "MenuScreen"
        assert ui.shows("╭─ Continue", "I look at the rope.")
        await ui.press("2")
        assert ui.shows("The Drowned Bell", "I look at the rope.", "paused")
        await ui.press("enter")
        assert ui.screen == "SceneScreen"
        await ui.press("escape", "enter", "2", "f")
        await ui.type("The bell was never found.")
        assert ui.shows("The story is finished")
        await ui.press("enter")
        assert ui.shows("completed")
        assert not ui.shows("Finish")


@pytest.mark.slow
async def test_stories_screen_finishes_a_story_without_recap_or_not_at_all(played_home: Path) -> None:
    async with started_app(real_services(played_home, 8)) as ui:
        await ui.press("2", "f", "escape")
        assert await story_state(ui) == "active"
        await ui.press("f", "enter")
        assert await story_state(ui) == "completed"


@pytest.mark.slow
async def test_story_just_begun_can_be_abandoned(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), NARROW, first="demo") as ui:
        await ui.press("escape", "enter", "2", "delete", "enter")
        assert ui.shows("abandoned")


@pytest.mark.slow
async def test_stories_screen_exports_a_story_to_a_file(played_home: Path) -> None:
    async with started_app(real_services(played_home), NARROW) as ui:
        await ui.press("2", "X", "enter")
        (path,) = (played_home / "exports").glob("*.md")
        assert path.read_text(encoding="utf-8").startswith("# ")
        await ui.press("X", "enter")
        assert len(list((played_home / "exports").glob("*.md"))) == 2
        await ui.press("X", "down", "down", "enter")
        (book,) = (played_home / "exports").glob("*.epub")
        assert book.read_bytes().startswith(b"PK")


async def _begin_stories(home: Path, *titles: str) -> None:
    """Begin stories in the sample world one after another, a line in each."""
    services, close = await real_services(home, 7)()
    outline = await services.stories.sample_outline()
    for title in titles:
        scene_id = await services.stories.start_story(replace(outline, title=title))
        await services.play.submit(scene_id, f"I am in {title}.")
        await services.stories.suspend()
    await close()


def _offered_story(ui: ScreenDriver, *titles: str) -> str:
    """Return which of the stories the card of the menu is about."""
    assert ui.screen == "MenuScreen"
    (title,) = (title for title in titles if title in ui.text)
    return title


def _listed_stories(ui: ScreenDriver, *titles: str) -> list[str]:
    """Return the stories in the order that the screen has them in."""
    assert ui.screen == "StoriesScreen"
    return sorted(titles, key=lambda title: ui.text.index(f"{title}  Salt Coast"))


@pytest.mark.slow
async def test_menu_offers_the_story_chosen_from_the_list_after_a_crash(
    sample_home: Path, tmp_path: Path
) -> None:
    await _begin_stories(sample_home, "Alpha", "Beta")
    crashed_home = tmp_path / "crashed"
    async with started_app(real_services(sample_home, 8, start=NIGHT)) as ui:
        assert _offered_story(ui, "Alpha", "Beta") == "Beta"
        await ui.press("2", "down", "enter")
        await ui.type("I am in Alpha now.")
        assert ui.screen == "SceneScreen"
        shutil.copytree(sample_home, crashed_home)  # as the files are when the power goes
    async with started_app(real_services(crashed_home, 9, start=NIGHT)) as ui:
        assert _offered_story(ui, "Alpha", "Beta") == "Alpha"
        assert ui.shows("I am in Alpha now.")
        await ui.press("enter")
        assert ui.shows("I am in Alpha now.")


@pytest.mark.slow
async def test_menu_offers_the_last_story_after_a_crash_in_set_up(sample_home: Path, tmp_path: Path) -> None:
    await _begin_stories(sample_home, "Alpha", "Beta")
    crashed_home = tmp_path / "crashed"
    async with started_app(real_services(sample_home, 8, start=NIGHT)) as ui:
        await ui.press("2", "down", "enter")
        await ui.type("I look at the rope.")
        await ui.press("escape", "enter", "1")
        assert ui.screen == "SetupScreen"
        shutil.copytree(sample_home, crashed_home)
    async with started_app(real_services(crashed_home, 9, start=NIGHT)) as ui:
        assert _offered_story(ui, "Alpha", "Beta") == "Alpha"


async def test_menu_offers_the_story_just_begun_after_a_crash(sample_home: Path) -> None:
    await _begin_stories(sample_home, "Alpha", "Beta")
    services, close = await real_services(sample_home, 8, start=NIGHT)()
    outline = await services.stories.sample_outline()
    await services.stories.start_story(replace(outline, title="Gamma"))
    await close()
    async with started_app(real_services(sample_home, 9, start=NIGHT)) as ui:
        assert _offered_story(ui, "Alpha", "Beta", "Gamma") == "Gamma"


@pytest.mark.slow
async def test_stories_are_listed_with_the_last_played_first(sample_home: Path) -> None:
    titles = ("Alpha", "Beta", "Gamma")
    await _begin_stories(sample_home, *titles)
    async with started_app(real_services(sample_home, 8, start=NIGHT)) as ui:
        await ui.press("2")
        assert _listed_stories(ui, *titles) == ["Gamma", "Beta", "Alpha"]
        await ui.press("down", "down", "enter")
        await ui.type("I look at the rope.")
        await ui.press("escape", "enter")
        assert _offered_story(ui, *titles) == "Alpha"
        await ui.press("2")
        assert _listed_stories(ui, *titles) == ["Alpha", "Gamma", "Beta"]
        await ui.press("down", "down", "enter")
        await ui.type("I look at the rope.")
        await ui.press("escape", "enter", "2")
        assert _listed_stories(ui, *titles) == ["Beta", "Alpha", "Gamma"]
        await ui.press("delete", "enter")
        assert _listed_stories(ui, *titles) == ["Alpha", "Gamma", "Beta"]  # what is over stands last
