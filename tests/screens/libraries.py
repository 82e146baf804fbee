"""Libraries that screen tests and pictures start from: each is built once a session, and copied for each test.

A test's copy is the folder `home` of its current directory, so that no path of this machine is on a screen.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Coroutine
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from agents.story_outline import NewUniverse
from stores.records.ids import Id
from tests.screens.remembered_story import build_remembered_story
from tests.screens.screen_driver import real_services
from tests.screens.scripted_llm import build_narrated_story, start_sample_story

BuildLibrary = Callable[[Path], Coroutine[Any, Any, object]]
CopyLibrary = Callable[[BuildLibrary], Path]

PLAYED = (
    "I look at the cut rope.",
    "> The cut is clean: one stroke of a filleting knife. Wenna will not look at it.",
    '"Who was out on the Ribs last night?" I ask her.',
    "/check 2d6+2 vs 8",
    "> She says nobody was. Her sleeves are wet to the elbow.",
    "/fact Wenna Pike has a filleting knife",
    "/place Net Loft: above the inn, full of tarred rope",
    "/commit",
    "I take the lantern and go out on the timber.",
    "> The wood is slick with weed. Far out, a second lantern goes down behind the chapel.",
    "/fact Wenna Pike is lying about last night",
    "/fact Wenna Pike is in Net Loft",
    "/state Mara.hp -1",
)


async def build_played_story(home: Path) -> Id:
    """Play the first scene of the sample story: something is in canon, something is proposed."""
    services, close = await real_services(home)()
    scene_id = await start_sample_story(services, *PLAYED)
    await services.stories.suspend()
    await close()
    return scene_id


async def build_sample_world(home: Path) -> None:
    """Add the sample world, in which nothing has been played."""
    services, close = await real_services(home)()
    await services.stories.recover()
    await services.stories.add_sample()
    await close()


async def build_bare_world(home: Path) -> None:
    """Create a world of which nothing is known."""
    services, close = await real_services(home)()
    await services.stories.create_universe(NewUniverse("Nowhere"))
    await close()


@pytest.fixture(scope="session")
def built_library(tmp_path_factory: pytest.TempPathFactory) -> CopyLibrary:
    """Build a library, or return the folder where it was built before."""

    @cache
    def build(builder: BuildLibrary) -> Path:
        home = tmp_path_factory.mktemp(builder.__name__)
        asyncio.run(builder(home))
        return home

    return build


@pytest.fixture
def copy_library(built_library: CopyLibrary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CopyLibrary:
    """Copy a library to `home` in the test's own folder, which becomes the current one."""

    def copy(builder: BuildLibrary) -> Path:
        shutil.copytree(built_library(builder), tmp_path / "home")
        monkeypatch.chdir(tmp_path)
        return Path("home")

    return copy


@pytest.fixture
def sample_home(copy_library: CopyLibrary) -> Path:
    """A library with the sample world, in which nothing has been played."""
    return copy_library(build_sample_world)


@pytest.fixture
def played_home(copy_library: CopyLibrary) -> Path:
    """A library with a story in its first scene."""
    return copy_library(build_played_story)


@pytest.fixture
def narrated_home(copy_library: CopyLibrary) -> Path:
    """A library with a story that a model narrated."""
    return copy_library(build_narrated_story)


@pytest.fixture
def remembered_home(copy_library: CopyLibrary) -> Path:
    """A library with a story that its people remember in many ways."""
    return copy_library(build_remembered_story)
