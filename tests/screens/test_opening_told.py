"""A new scene with a model: what the prompt says of it, F7, and autopilot, by keyboard."""

from __future__ import annotations

import pytest

from stores.records.play import StoryMode
from tests.screens.table import NARROW, seated, twin_desk
from tests.screens.twin import TwinDesk

THROUGH_THE_GATE = ("A", "enter", "enter", "enter")
"""Accept, commit though something is held, and leave the outcome."""


async def narrated(turns: int = 0) -> TwinDesk:
    twin = TwinDesk(turns=turns)
    await twin.model.choose_model(model="openai/gpt-4o-mini")
    twin.opening = "/start rolls how it begins · /scene names it"
    return twin


async def test_an_untold_scene_says_that_the_model_can_open_it() -> None:
    twin = await narrated()
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("enter")
        assert table.shows("F7: the GM opens it · /start rolls how it begins · /scene names it")
        await table.press("f7")
        assert table.shows("The tide answers before anyone else does.", "what do you do?")
        assert not table.shows("F7: the GM opens it")
    assert len(twin.called("continue_narration")) == 1


async def test_without_a_model_nobody_opens_it_but_you() -> None:
    twin = TwinDesk(turns=0)
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("enter")
        assert not table.shows("F7: the GM opens it")


@pytest.mark.parametrize(("mode", "told"), [(StoryMode.AUTOPILOT, 1), (StoryMode.COPILOT, 0)])
async def test_from_the_gate_the_next_scene_is_told_at_once_in_autopilot(mode: StoryMode, told: int) -> None:
    twin = await narrated(turns=4)
    twin._stories = [story.model_copy(update={"mode": mode}) for story in twin._stories]
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("enter")
        await table.type("/end")
        await table.press(*THROUGH_THE_GATE)
        assert table.screen == "SceneScreen"
        assert list(twin.states.values()) == ["completed", "active"]
        assert table.shows("The tide answers") is bool(told)
        assert table.shows("F7: the GM opens it") is not bool(told)
    assert len(twin.called("continue_narration")) == told


async def test_an_untold_scene_that_is_come_back_to_costs_nothing_unasked() -> None:
    twin = await narrated()
    twin._stories = [story.model_copy(update={"mode": StoryMode.AUTOPILOT}) for story in twin._stories]
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("enter")
        assert table.shows("F7: the GM opens it")
    assert twin.called("continue_narration") == []
