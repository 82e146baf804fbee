"""Who came in by mistake and was sent out again, or whose coming is undone, stands in no export of the story."""

from __future__ import annotations

from collections.abc import AsyncIterator
from html import unescape
from pathlib import Path

import pytest

from agents.exports.story_form import StoryForm
from tests.played_scene import PlayedScene
from tests.program import begin, opened

FORMS_WITH_PRESENCE = [StoryForm.MARKDOWN, StoryForm.JOURNAL, StoryForm.HTML]
TEXT_FORMS = [*FORMS_WITH_PRESENCE, StoryForm.LONELOG]


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[PlayedScene]:
    async with opened(tmp_path) as program:
        scene = PlayedScene(program, await begin(program))
        await scene.say("/npc Dob: a smith", "/npc here Vess: a captain", "/commit", "I look round.")
        yield scene


async def read_export(scene: PlayedScene, form: StoryForm) -> str:
    story_id = (await scene.view()).story.id
    data = await scene.program.services.stories.write_story(story_id, form, with_mechanics=True)
    return unescape(data.decode("utf-8", "replace"))


@pytest.mark.parametrize("form", TEXT_FORMS)
@pytest.mark.parametrize("ends_scene", [False, True])
@pytest.mark.parametrize(
    "lines",
    [
        ("/cast + Dob", "/cast - Dob"),
        ("/cast + Dob", "/undo"),
        ("/cast + Dob", "/cast - Dob", "/cast + Dob", "/cast - Dob"),
        ("/cast + Dob", "> Rain falls.", "/undo", "/cast - Dob"),
    ],
)
async def test_who_was_never_there_stands_in_no_export(
    scene: PlayedScene, form: StoryForm, lines: tuple[str, ...], ends_scene: bool
) -> None:
    await scene.say(*lines, "I wait.", *(("/end", "/commit") if ends_scene else ()))
    text = await read_export(scene, form)
    assert "I wait." in text
    assert "Dob" not in text


@pytest.mark.parametrize("form", FORMS_WITH_PRESENCE)
async def test_who_left_by_mistake_and_was_brought_back_has_not_left(
    scene: PlayedScene, form: StoryForm
) -> None:
    await scene.say("/cast - Vess", "/cast + Vess", "I wait.")
    text = await read_export(scene, form)
    assert "Vess leaves" not in text
    assert text.count("Vess comes in") == 1, "she came in before the first line"


@pytest.mark.parametrize("form", FORMS_WITH_PRESENCE)
async def test_who_was_there_for_a_line_comes_in_and_leaves(scene: PlayedScene, form: StoryForm) -> None:
    await scene.say("/cast + Dob", "I nod to Dob.", "/cast - Dob", "I wait.")
    text = await read_export(scene, form)
    assert "Dob comes in" in text
    assert "Dob leaves" in text


@pytest.mark.parametrize("form", FORMS_WITH_PRESENCE)
async def test_who_was_there_before_and_is_sent_out_leaves(scene: PlayedScene, form: StoryForm) -> None:
    await scene.say("> Vess falls asleep.", "/cast - Vess", "I wait.")
    assert "Vess leaves" in await read_export(scene, form)
