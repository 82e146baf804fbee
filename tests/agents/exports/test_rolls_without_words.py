"""A number that a roll changed rests on the roll and on what was tried, never on a whisper or on another roll."""

from __future__ import annotations

from collections.abc import AsyncIterator
from html import unescape
from pathlib import Path

import pytest

from agents.exports.story_form import StoryForm
from tests.played_scene import PlayedScene
from tests.program import begin, opened

ROLL = "/check 2d6-9 vs 9; fail: Mara.hp -1"


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[PlayedScene]:
    async with opened(tmp_path) as program:
        scene = PlayedScene(program, await begin(program))
        await scene.say("/npc here Teodor: a ferryman", "I sneak past the ferryman.")
        yield scene


async def read_citation(scene: PlayedScene) -> str:
    """Commit, and return what the export says that the number rests on."""
    await scene.say("/accept all", "/commit")
    story_id = (await scene.view()).story.id
    data = await scene.program.services.stories.write_story(story_id, StoryForm.MARKDOWN)
    (citation,) = [line for line in unescape(data.decode()).splitlines() if "]: Mara's HP is 9." in line]
    return citation


@pytest.mark.parametrize(
    "before",
    [
        "/whisper Teodor: I do not trust you.",
        "I whisper to Teodor that I do not trust him.",
        "/roll 2d6",
        "? Is it dark",
    ],
)
async def test_roll_rests_on_no_whisper_and_no_other_roll(scene: PlayedScene, before: str) -> None:
    await scene.say(before, ROLL)
    (row,) = [row for row in (await scene.view()).proposals if "HP" in row.title]
    assert "trust" not in row.quote
    citation = await read_citation(scene)
    assert "the roll" in citation
    assert "(scene 1, turn " in citation
    assert citation.count("(scene 1, turn ") == 1, citation
    assert "trust" not in citation


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ((ROLL,), "“I sneak past the ferryman.” (scene 1, turn 1)"),
        (("> The ferryman turns round.", ROLL), "“The ferryman turns round.” (scene 1, turn 2)"),
        ((f"I run. {ROLL}",), "“I run.” (scene 1, turn 2)"),
        (("/whisper Teodor: Go.", f"I run. {ROLL}"), "“I run.” (scene 1, turn 3)"),
    ],
)
async def test_roll_rests_on_what_was_tried(scene: PlayedScene, lines: tuple[str, ...], words: str) -> None:
    await scene.say(*lines)
    citation = await read_citation(scene)
    assert "the roll" in citation
    assert words in citation


@pytest.mark.parametrize(
    ("before", "is_of_it"),
    [
        ("> Something scratches at the window glass.", False),
        ("I ask Teodor about the bell.", False),
        ("> The hound snarls at me.", True),
        ("I run at the hound.", True),
        ("I swing my axe.", True),
    ],
)
async def test_move_without_words_rests_on_no_line_about_something_else(
    scene: PlayedScene, before: str, is_of_it: bool
) -> None:
    await scene.say("/system lantern_twos", "/creature here Pane-Hound: a dog of glass (hp 5)")
    await scene.say(before, "/move strike Pane-Hound = 6 6", "/accept all", "/commit")
    story_id = (await scene.view()).story.id
    data = await scene.program.services.stories.write_story(story_id, StoryForm.MARKDOWN)
    lines = unescape(data.decode()).splitlines()
    (citation,) = [line for line in lines if "]: Pane-Hound's HP is " in line]
    assert "the roll" in citation
    assert ("“" + before.removeprefix("> ") + "”" in citation) is is_of_it, citation
