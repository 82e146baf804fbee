"""A new scene with a model: what the prompt says of it, F7, and autopilot, by keyboard."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.story_outline import NewCharacter, NewUniverse, StoryOutline
from stores.records.llm import Persona
from stores.records.play import StoryMode
from tests.screens.screen_driver import NARROW, real_services, started_app
from tests.screens.scripted_llm import PROSE, ScriptedLlm, write_settings

pytestmark = pytest.mark.slow

THROUGH_THE_GATE = ("A", "enter", "enter", "enter")
"""Accept, commit though something is held, and leave the outcome."""
TO_BE_OPENED = "F7: the GM opens it"


async def build_new_scene(home: Path, mode: StoryMode = StoryMode.COPILOT, *lines: str) -> None:
    """Begin a story in a world of its own, whose first scene has only what these lines play."""
    services, close = await real_services(home)()
    await services.stories.recover()
    universe = await services.stories.create_universe(NewUniverse("Ash Reach"))
    outline = StoryOutline(universe.id, "The Glass Well", NewCharacter("Sel"), place="The Well", mode=mode)
    scene_id = await services.stories.start_story(outline)
    for line in lines:
        await services.play.submit(scene_id, line)
    await services.stories.suspend()
    await close()


async def test_unnarrated_scene_says_that_the_model_can_open_it(tmp_path: Path) -> None:
    await build_new_scene(tmp_path)
    write_settings(tmp_path)
    model = ScriptedLlm()
    async with started_app(real_services(tmp_path, 8, model=model), NARROW) as ui:
        await ui.press("enter")
        assert ui.shows(TO_BE_OPENED, "/start rolls how it be")
        await ui.press("f7")
        assert ui.shows(PROSE, "what do you do?")
        assert not ui.shows(TO_BE_OPENED)
    assert len(model.asked(Persona.NARRATOR)) == 1


async def test_unnarrated_scene_is_opened_by_nobody_without_a_model(tmp_path: Path) -> None:
    await build_new_scene(tmp_path)
    async with started_app(real_services(tmp_path, 8), NARROW) as ui:
        await ui.press("enter")
        assert ui.shows("/start rolls how it be")
        assert not ui.shows(TO_BE_OPENED)


@pytest.mark.parametrize(("mode", "narrated"), [(StoryMode.AUTOPILOT, 1), (StoryMode.COPILOT, 0)])
async def test_next_scene_is_narrated_at_once_in_autopilot(
    tmp_path: Path, mode: StoryMode, narrated: int
) -> None:
    await build_new_scene(tmp_path, mode, "I look into the well.", "> It looks back.")
    write_settings(tmp_path)
    model = ScriptedLlm()
    async with started_app(real_services(tmp_path, 8, model=model), NARROW) as ui:
        await ui.press("enter")
        await ui.type("/end")
        await ui.press(*(("enter",) if mode is StoryMode.AUTOPILOT else THROUGH_THE_GATE))
        assert ui.screen == "SceneScreen"
        (card,) = await ui.services.stories.stories()
        assert (card.scene_count, card.scene_state) == (2, "active")
        assert ui.shows(PROSE) is bool(narrated)
        assert ui.shows(TO_BE_OPENED) is not bool(narrated)
    assert len(model.asked(Persona.NARRATOR)) == narrated


async def test_unnarrated_scene_that_is_resumed_costs_nothing_unasked(tmp_path: Path) -> None:
    await build_new_scene(tmp_path, StoryMode.AUTOPILOT)
    write_settings(tmp_path)
    model = ScriptedLlm()
    async with started_app(real_services(tmp_path, 8, model=model), NARROW) as ui:
        await ui.press("enter")
        assert ui.shows(TO_BE_OPENED)
    assert model.requests == []
