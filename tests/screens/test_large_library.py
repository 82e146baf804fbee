"""With 20,000 entities and 2,000 open proposals, no screen holds the event loop for long."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from benchmarks.crowd import make_crowd
from screens.play.scene_screen import SceneScreen
from tests.loop_watchdog import LoopWatchdog, watched_loop
from tests.screens.screen_driver import NIGHT, ScreenDriver, real_services, started_app

MAX_MILLISECONDS = 120
"""The aim is 50 (docs/benchmarks.md), and some 40 is measured: caches that others share make it more."""

pytestmark = [pytest.mark.timed, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def built_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("crowded") / "home"
    asyncio.run(make_crowd(home))
    return home


@pytest.fixture
def crowded_home(built_home: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built_home, tmp_path / "home"))


async def press(driver: ScreenDriver, watchdog: LoopWatchdog, key: str, screen: str, words: str = "") -> None:
    """Press a key, and see that the screen is there and that nothing held the loop meanwhile."""
    if words:
        await driver.type(words, enter=False)
    await driver.press(key)
    assert driver.screen == screen, key
    assert watchdog.take_steps_over(MAX_MILLISECONDS) == [], key


async def commit_one(driver: ScreenDriver, title: str) -> None:
    """Have one of the thousands that wait committed, and see that it was."""
    services, screen = driver.services, driver.app.screen
    assert isinstance(screen, SceneScreen)
    view = await services.play.scene(screen.scene_id)
    (row,) = [row for row in view.proposals if row.title == title]
    await services.gate.commit(view.scene.id, row.member_ids)
    (committed,) = await services.world.list_entities(view.universe.id, title)
    assert committed.name == title


async def test_loop_is_never_held_in_play_and_at_a_gate_of_2000(crowded_home: Path) -> None:
    async with started_app(real_services(crowded_home, start=NIGHT)) as driver:
        with watched_loop() as watchdog:
            await press(driver, watchdog, "enter", "SceneScreen")
            await press(driver, watchdog, "enter", "SceneScreen", "I look at the sea.")
            assert driver.shows("I look at the sea.")
            await press(driver, watchdog, "enter", "SceneScreen", "/fact The ferry is late at roof 900")
            await press(driver, watchdog, "f3", "GateScreen")
            assert driver.shows("Canon gate")
            await press(driver, watchdog, "down", "GateScreen")
            await press(driver, watchdog, "a", "GateScreen")
            await press(driver, watchdog, "r", "GateScreen")
            await press(driver, watchdog, "g", "GateScreen", "/")
            await press(driver, watchdog, "escape", "GateScreen")
            await press(driver, watchdog, "escape", "SceneScreen")
            # What is committed changes canon's version, and so all that is remembered of it.
            await press(driver, watchdog, "enter", "SceneScreen", "/npc Corvin Ferrant!: a guard")
            assert driver.shows("Corvin Ferrant")
            await commit_one(driver, "Corvin Ferrant")
            assert watchdog.take_steps_over(MAX_MILLISECONDS) == []
            await press(driver, watchdog, "enter", "SceneScreen", "I call Corvin over.")
            assert driver.shows("I call Corvin over.")


async def test_loop_is_never_held_on_screens_of_a_world_of_20000(crowded_home: Path) -> None:
    async with started_app(real_services(crowded_home, start=NIGHT)) as driver:
        with watched_loop() as watchdog:
            await press(driver, watchdog, "3", "UniverseScreen")
            await press(driver, watchdog, "enter", "UniverseScreen", "/Ada")
            await press(driver, watchdog, "enter", "UniverseScreen")
            for key, screen in (
                ("v", "RelationMapScreen"),
                ("t", "MomentScreen"),
                ("p", "CommitmentsScreen"),
                ("T", "LanesScreen"),
                ("m", "LookalikesScreen"),
                ("g", "GateScreen"),
            ):
                await press(driver, watchdog, key, screen)
                await press(driver, watchdog, "escape", "UniverseScreen")
            await driver.press("escape", "escape")
            await press(driver, watchdog, "4", "CharactersScreen")
            await driver.press("escape")
            await press(driver, watchdog, "6", "QueryScreen")
            await press(driver, watchdog, "enter", "QueryScreen", "Where is Mara?")


async def test_palette_over_20000_names_never_holds_the_loop(crowded_home: Path) -> None:
    async with started_app(real_services(crowded_home, start=NIGHT)) as driver:
        await driver.press("enter", "ctrl+p")
        with watched_loop() as watchdog:
            for letter in "ada":
                await driver.press(letter)
            assert driver.shows("The card of this")
            await driver.press("enter")
            assert driver.screen == "UniverseScreen"
        steps = watchdog.take_steps_over(MAX_MILLISECONDS)
        assert steps == []
