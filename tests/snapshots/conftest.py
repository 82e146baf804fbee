"""A campaign played once by the real Orchestrator, all of it seeded, and copied for each picture."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest
from keyring.backends import fail
from textual.widgets import Input, TextArea

from tests.screens.remembered_story import build_remembered_story
from tests.screens.scripted_llm import build_narrated_story, start_sample_story
from tests.screens.table import real_desk

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


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home folder of a campaign in its first scene."""
    home = tmp_path_factory.mktemp("played")

    async def play() -> None:
        services, close = await real_desk(home)()
        await start_sample_story(services, *PLAYED)
        await services.stories.suspend()
        await close()

    asyncio.run(play())
    return home


@pytest.fixture
def home(played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the played campaign, to be changed at will, with a path that is the same in every run."""
    shutil.copytree(played, tmp_path / "home")
    monkeypatch.chdir(tmp_path)
    return Path("home")


@pytest.fixture(scope="session")
def narrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home folder of a story that a model narrated."""
    home = tmp_path_factory.mktemp("narrated")
    asyncio.run(build_narrated_story(home))
    return home


@pytest.fixture
def narrated_home(narrated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the narrated story, to be changed at will, with a path that is the same in every run."""
    shutil.copytree(narrated, tmp_path / "home")
    monkeypatch.chdir(tmp_path)
    return Path("home")


@pytest.fixture(scope="session")
def remembered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home folder of a story that its people remember in many ways."""
    home = tmp_path_factory.mktemp("remembered")
    asyncio.run(build_remembered_story(home))
    return home


@pytest.fixture
def remembered_home(remembered: Path, tmp_path: Path) -> Path:
    """A copy of the remembered story, to be changed at will."""
    return Path(shutil.copytree(remembered, tmp_path / "home"))


@pytest.fixture(autouse=True)
def _empty_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key of this machine's user is found."""
    monkeypatch.setattr("keyring.get_keyring", fail.Keyring)


@pytest.fixture(autouse=True)
def _still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TextArea, "_toggle_cursor_blink_visible", lambda self: None)
    monkeypatch.setattr(Input, "_toggle_cursor", lambda self: None)
