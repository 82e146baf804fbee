"""A name of digits or signs alone is refused wherever somebody or something is made known; others are names."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from agents.story_outline import NewCharacter
from agents.views.world_views import NewEntityFields
from stores.errors import InputError
from stores.records.world import EntityKind
from tests.played_scene import PlayedScene
from tests.program import begin, opened


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[PlayedScene]:
    async with opened(tmp_path) as program:
        yield PlayedScene(program, await begin(program))


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("/npc 3", "3"),
        ("/npc here 3", "3"),
        ("/npc 3: a man", "3"),
        ("/npc ...", "..."),
        ("/place 12", "12"),
        ("/place here > 3", "3"),
        ("/creature 4", "4"),
        ("/thing 5", "5"),
        ("/item 5", "5"),
        ("/faction 6", "6"),
        ("/zero friend 3", "3"),
        ("/zero rival 3: a captain", "3"),
    ],
)
async def test_name_without_a_letter_is_refused(scene: PlayedScene, line: str, name: str) -> None:
    with pytest.raises(InputError) as refused:
        await scene.say(line)
    assert refused.value.what == f"“{name}” is no name: a name has a letter in it."
    assert (await scene.view()).proposals == ()


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("/place Pier 9", "Pier 9"),
        ("/npc 7 of Nine: a drone", "7 of Nine"),
        ("/npc Ö", "Ö"),
        ("/npc 王: a smith", "王"),
        ("/thing 5th Crown", "5th Crown"),
        ("/zero friend R2: a droid", "R2"),
    ],
)
async def test_name_with_digits_and_letters_is_proposed(scene: PlayedScene, line: str, title: str) -> None:
    await scene.say(line)
    assert title in [row.title for row in (await scene.view()).proposals]


async def test_forms_and_set_up_refuse_a_name_without_a_letter(scene: PlayedScene) -> None:
    services = scene.program.services
    universe = (await scene.view()).universe
    edits = services.world.edits
    with pytest.raises(InputError, match="a name has a letter in it"):
        await edits.propose_entity(universe.id, NewEntityFields(EntityKind.CHARACTER, "3"))
    await edits.propose_entity(universe.id, NewEntityFields(EntityKind.PLACE, "Pier 9"))
    outline = await services.stories.sample_outline()
    for wrong in (
        replace(outline, universe_id=universe.id, pc=NewCharacter("3"), place=None),
        replace(outline, universe_id=universe.id, pc=None, place="12: a cellar"),
    ):
        with pytest.raises(InputError, match="a name has a letter in it"):
            await services.stories.start_story(wrong)
