"""`monitor replay`: the log gives the canon that the library holds, and says where it does not."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agents.llm.scripted_model import ScriptedModel
from monitor_tui.cli.replay import replay_story
from stores.authority import Role
from stores.open import open_stores
from stores.records.canon import CanonBatch
from tests.program import begin, opened

LINES = (
    "I look around.",
    "/npc Tom: the well's keeper",
    "I lift the lid. /check might vs 3; success: Mara +wet; fail: Mara.hp -1",
    "/fact Tom knows Mara",
    "/accept all",
    "/commit",
    "/undo yes",
    "/end Mara opened the well",
    "/accept all",
    "/commit",
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A library with one story that was played and committed."""

    async def play() -> None:
        async with opened(tmp_path / "home") as program:
            scene_id = await begin(program)
            for line in LINES:
                reply = await program.services.play.submit(scene_id, line)
                scene_id = reply.subject if reply.goto == "scene" and reply.subject else scene_id

    asyncio.run(play())
    return tmp_path / "home"


def replay(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": ".", "MONITOR_EMBEDDING_MODEL": "none"}
    command = [sys.executable, "-m", "monitor_tui", "replay", *arguments, "--home", str(home)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, check=False)


@pytest.mark.slow
def test_replay_gives_the_same_canon(home: Path) -> None:
    completed = replay(home, "A story")
    assert completed.returncode == 0, completed.stderr
    assert "The same canon:" in completed.stdout


@pytest.mark.slow
async def test_replay_with_another_model_leaves_canon_as_it_is(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in (*LINES[:6], "> The well is deep."):
            await program.services.play.submit(scene_id, line)
    report = await replay_story(tmp_path, "A story", "test/other", ScriptedModel(["A cold wind rises."]))
    assert report.narrated_text == "A cold wind rises."
    assert report.differences == ()
    async with opened(tmp_path) as program:
        rows = await program.services.play.transcript(scene_id, 0, 9)
    assert rows[-1].turn.text == "The well is deep.", "the library itself keeps its own words"


@pytest.mark.slow
def test_replay_reports_canon_that_the_log_does_not_give(home: Path) -> None:
    async def tamper() -> None:
        stores = await open_stores(home)
        try:
            canon = stores.canon(Role.CANON_KEEPER)
            universe = (await canon.universes())[0]
            entity = (await canon.entities(universe.id))[0].model_copy(update={"description": "Tampered."})
            await canon.commit(CanonBatch(id="tampered", universe_id=universe.id, entities=(entity,)))
        finally:
            await stores.close()

    asyncio.run(tamper())
    completed = replay(home, "A story")
    assert completed.returncode == 1
    assert "not the same: entity" in completed.stdout
    assert "The replay differs in 1 record." in completed.stderr


@pytest.mark.slow
def test_replay_names_the_stories_there_are(home: Path) -> None:
    completed = replay(home, "Another story")
    assert completed.returncode == 1
    assert "A story" in completed.stderr
