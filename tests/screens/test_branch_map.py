"""The map of branches, by keyboard: see where play stands, branch, name, compare, merge, and go there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.screens.screen_driver import NARROW, ROOMY, ScreenDriver, real_services, started_app

NAME = "The quiet way"


async def open_scene(ui: ScreenDriver) -> None:
    await ui.press("enter")
    await ui.until("what do you do?")


@pytest.mark.slow
async def test_branch_is_made_by_name_and_play_goes_on_there(played_home: Path) -> None:
    async with started_app(real_services(played_home, 8), NARROW) as ui:
        await open_scene(ui)
        await ui.type(f"/branch {NAME}")
        await ui.until(f"The Drowned Bell ({NAME})")
        await ui.type("I slip past the door.")
        await ui.type("/map")
        assert ui.screen == "BranchMapScreen"
        assert ui.shows("main line", NAME, "● here")


@pytest.mark.slow
async def test_map_makes_names_compares_and_merges_a_branch(played_home: Path) -> None:
    async with started_app(real_services(played_home, 8), NARROW) as ui:
        await open_scene(ui)
        await ui.type("/map")
        await ui.press("B")
        await ui.type(NAME)
        await ui.until(f"“{NAME}” begins at")
        await ui.press("escape", "down")
        await ui.press("e")
        await ui.press(*["backspace"] * len(NAME))
        await ui.type("The loud way")
        await ui.until("◆ The loud way")
        await ui.press("enter")
        await ui.until("The Drowned Bell (The loud way)")
        await ui.type("/fact event: The chapel bell broke")
        await ui.type("/commit")
        await ui.type("/branches main line")
        await ui.until("what do you do?")
        await ui.type("/map")
        await ui.press("down", "V")
        await ui.until("Only on The loud way", "The chapel bell broke", "Only on main line")
        await ui.press("m")
        await ui.until("Proposed: The chapel bell broke")
        await ui.press("g")
        assert ui.screen == "GateScreen"
        assert ui.shows("The chapel bell broke")


@pytest.mark.slow
async def test_map_has_the_cursor_on_the_branch_that_was_made(played_home: Path) -> None:
    async with started_app(real_services(played_home, 8), NARROW) as ui:
        await open_scene(ui)
        await ui.type("/map")
        await ui.press("B")
        await ui.type(NAME)
        await ui.until(f"“{NAME}” begins at", f"◆ {NAME}")
        await ui.press("enter")
        await ui.until(f"The Drowned Bell ({NAME})")


@pytest.mark.slow
async def test_map_says_when_there_is_nothing_to_merge_or_a_name_is_taken(played_home: Path) -> None:
    async with started_app(real_services(played_home, 8), NARROW) as ui:
        await open_scene(ui)
        await ui.type("/map")
        await ui.press("B")
        await ui.type(NAME)
        await ui.until(f"“{NAME}” begins at")
        await ui.press("escape", "B")
        await ui.type(NAME)
        await ui.until(f"There is a branch called “{NAME}” already.")
        await ui.press("escape", "down", "m")
        await ui.until("is in canon here")


@pytest.mark.slow
async def test_edit_of_a_highlighted_turn_puts_it_in_other_words_in_place(played_home: Path) -> None:
    async with started_app(real_services(played_home, 8), ROOMY) as ui:
        await open_scene(ui)
        await ui.type("> The lamp goes out.")
        await ui.type("I wait.")
        await ui.press("shift+tab", "end", "up")
        await ui.press("e")
        await ui.until("Edit turn")
        await ui.press("ctrl+u")
        await ui.type("The lamp burns on.")
        await ui.until("in other words; the turns after it stand", "The lamp burns on.", "I wait.")


@pytest.mark.slow
@pytest.mark.parametrize("key", ["B"])
async def test_story_is_forked_from_the_list_of_stories(played_home: Path, key: str) -> None:
    async with started_app(real_services(played_home, 8), NARROW) as ui:
        await ui.press("2")
        await ui.press(key)
        await ui.type(NAME)
        await ui.until(f"Salt Coast · {NAME}")
        await ui.press("l")
        await ui.until("1 branch", NAME)


@pytest.mark.slow
async def test_ended_scene_is_read_from_the_map_and_branched_at_a_turn(played_home: Path) -> None:
    async with started_app(real_services(played_home, 8), NARROW) as ui:
        await open_scene(ui)
        await ui.type("/end Mara left the Slack Tide")
        await ui.until("Canon gate")
        await ui.press("enter", "enter")
        await ui.until("scene 2")
        await ui.type("/map")
        await ui.press("home", "down", "enter")
        assert ui.screen == "ReadingScreen"
        await ui.press("home", "down", "B")
        await ui.type(NAME)
        await ui.until(f"The Drowned Bell ({NAME})", "scene 1")


@pytest.mark.slow
async def test_low_screen_lists_proposals_behind_f2_and_map_begins_at_the_scene_before(
    played_home: Path,
) -> None:
    async with started_app(real_services(played_home, 8), (80, 24)) as ui:
        await open_scene(ui)
        for name in ("Anna", "Bert", "Cleo", "Dido", "Emil", "Fred"):
            await ui.type(f"/npc here {name} Moor: a person")
        await ui.press("f2")
        await ui.until("Fred Moor")
        assert ui.shows("Cleo Moor", "Dido Moor", "Emil Moor"), "more than the one under the cursor"
        await ui.press("escape")
        await ui.type("/end Done")
        await ui.press("A", "enter", "enter")
        await ui.until("scene 2")
        await ui.type("/map")
        await ui.press("B")
        await ui.until("Name the branch.")
        assert ui.shows("Branch after Scene 1"), "scene 2 has no turns yet"
