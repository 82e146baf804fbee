"""An export says where the scene goes on by a fact, and who was left behind comes in there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from html import unescape
from pathlib import Path

import pytest

from agents.exports.story_form import StoryForm
from tests.played_scene import PlayedScene
from tests.program import begin, opened

FORMS = [StoryForm.MARKDOWN, StoryForm.JOURNAL, StoryForm.HTML]


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[PlayedScene]:
    async with opened(tmp_path) as program:
        scene = PlayedScene(program, await begin(program))
        await scene.say(
            "/npc here Teodor: a ferryman", "/place Crow Tower", "/place Mill", "/commit", "I nod."
        )
        yield scene


async def read_export(scene: PlayedScene, form: StoryForm = StoryForm.MARKDOWN) -> str:
    story_id = (await scene.view()).story.id
    data = await scene.program.services.stories.write_story(story_id, form, with_mechanics=True)
    return unescape(data.decode("utf-8", "replace"))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("line", ["/fact Mara is in Crow Tower", "/go Crow Tower"])
@pytest.mark.parametrize("then", [(), ("/commit",), ("/end", "/commit", "I look around.")])
async def test_export_says_where_a_fact_has_the_scene_go_on(
    scene: PlayedScene, form: StoryForm, line: str, then: tuple[str, ...]
) -> None:
    await scene.say(line, "I wait.", *then)
    text = await read_export(scene, form)
    assert text.count("The scene goes on in Crow Tower. Teodor stays behind.") == 1
    assert text.index("I nod.") < text.index("The scene goes on") < text.index("I wait.")


@pytest.mark.parametrize(
    "line", ["/fact Mara is in the Yard", "/fact Teodor is in Crow Tower", "I look at Crow Tower."]
)
async def test_export_has_the_scene_go_on_nowhere_where_the_hero_stays(scene: PlayedScene, line: str) -> None:
    await scene.say(line, "I wait.", "/commit")
    assert "goes on" not in await read_export(scene)


@pytest.mark.parametrize("takes_back", ["/undo", "/reject Mara is in Crow Tower"])
async def test_export_has_no_place_that_was_taken_back(scene: PlayedScene, takes_back: str) -> None:
    await scene.say("/fact Mara is in Crow Tower", takes_back, "I wait.")
    assert "goes on" not in await read_export(scene)


async def test_export_has_a_place_of_plain_words_once(scene: PlayedScene) -> None:
    await scene.say(
        "I go to the Mill.", "I wait.", "/commit", "/go Crow Tower", "/commit", "/go Mill", "I nod."
    )
    text = await read_export(scene)
    assert (text.count("goes on in Mill"), text.count("goes on in Crow Tower")) == (2, 1)


async def test_who_was_left_behind_comes_in_where_a_fact_has_the_hero(scene: PlayedScene) -> None:
    await scene.say("I go to the Mill.", "/fact Mara is in Crow Tower", "/commit")
    assert await scene.say("/cast + Teodor") == ("Teodor comes in.",)
    text = await read_export(scene)
    assert text.index("goes on in Crow Tower") < text.rindex("Teodor comes in.")
    assert "comes along" not in text


@pytest.mark.parametrize("lines", [("I look around.",), ("/go Yard",), ("I nod.", "/go Yard", "I wait.")])
async def test_who_was_left_behind_comes_in_once_more_was_played(
    scene: PlayedScene, lines: tuple[str, ...]
) -> None:
    await scene.say("I go to the Mill.", *lines)
    assert await scene.say("/cast + Teodor") == ("Teodor comes in.",)
    assert "comes along" not in await read_export(scene)


@pytest.mark.parametrize("line", ["I go to the Mill.", "I walk out to the road."])
async def test_who_was_left_behind_by_the_last_words_comes_along_after_all(
    scene: PlayedScene, line: str
) -> None:
    assert "Teodor stays behind: /cast + Teodor brings them along." in await scene.say(line)
    assert await scene.say("/cast + Teodor") == ("Teodor comes along.",)
    await scene.say("I walk down to the river.")
    assert await scene.cast_names() == {"Teodor"}
