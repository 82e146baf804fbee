"""A campaign played once by the real Orchestrator, all of it seeded, and copied for each picture."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest
from textual.widgets import Input, TextArea

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
        await services.stories.recover()
        await services.stories.add_sample()
        scene_id = await services.stories.start_story(await services.stories.sample_outline())
        for line in PLAYED:
            await services.play.submit(scene_id, line)
        await services.stories.suspend()
        await close()

    asyncio.run(play())
    return home


@pytest.fixture
def home(played: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed at will."""
    return Path(shutil.copytree(played, tmp_path / "home"))


@pytest.fixture(autouse=True)
def _still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TextArea, "_toggle_cursor_blink_visible", lambda self: None)
    monkeypatch.setattr(Input, "_toggle_cursor", lambda self: None)
