"""What became of a thing without a name, told as the outcome of a scene, leaves the hero where they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.story_outline import NewCharacter, NewUniverse, StoryOutline
from monitor_tui.compose import Program
from stores.records.ids import Id
from tests.program import opened

IN_COVE = "Iselin Quay is in Cove."


async def begin_with_iselin_in_cove(program: Program) -> Id:
    universe = await program.services.stories.create_universe(NewUniverse("Ribs"))
    outline = StoryOutline(universe.id, "A story", NewCharacter("Iselin Quay"), scene_title="Shore")
    scene_id = await program.services.stories.start_story(outline)
    for line in ("/place Cove", "/go Cove"):
        await program.services.play.submit(scene_id, line)
    return scene_id


async def list_replaced(program: Program, scene_id: Id, outcome: str) -> list[str]:
    """End the scene with an outcome, and return the rows of the gate that it would replace."""
    await program.services.play.submit(scene_id, f"/end {outcome}")
    view = await program.services.play.scene(scene_id)
    assert IN_COVE in [row.title for row in view.proposals]
    return [row.title for row in view.proposals if row.is_replaced]


@pytest.mark.parametrize(
    "outcome",
    [
        "We found the bell and lost it again",
        "She found a key and dropped it",
        "We took it",
        "We found the letter and burned it",
        "I stole the bell and threw it away",
        "We lost the bell",
    ],
)
async def test_hero_stays_in_the_place_whatever_became_of_a_thing(tmp_path: Path, outcome: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin_with_iselin_in_cove(program)
        assert await list_replaced(program, scene_id, outcome) == []


async def test_outcome_by_which_the_hero_left_the_place_replaces_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin_with_iselin_in_cove(program)
        assert await list_replaced(program, scene_id, "I left Cove") == [IN_COVE]
