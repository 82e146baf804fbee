"""Moves of the hero by `/go`: the last one is where they are, and what came before it is history."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.views.proposal_views import ProposalView
from monitor_tui.compose import Program
from stores.records.ids import Id
from tests.program import begin, opened

PLACES = ("I look.", "/place Boat House: a shed", "/place Net Loft: high", "/commit")


async def say(program: Program, scene_id: Id, *lines: str) -> tuple[str, ...]:
    replies = [await program.services.play.submit(scene_id, line) for line in lines]
    return replies[-1].lines


async def read_open_rows(program: Program, scene_id: Id) -> list[ProposalView]:
    rows = (await program.services.gate.gate(scene_id)).proposals
    return [row for row in rows if row.status == "pending"]


async def read_places(program: Program, scene_id: Id) -> list[str]:
    """Return where canon has the hero now."""
    scene = await program.services.play.scene(scene_id)
    card = await program.services.world.entity_cards.read_card(scene.story.pc_id or "")
    return [view.fact.statement for _, _, view in card.relations if " is in " in view.fact.statement]


@pytest.mark.parametrize(
    ("moves", "place"),
    [
        (("/go Boat House", "/go Net Loft"), "Net Loft"),
        (("/go Boat House", "/go Net Loft", "/go Boat House"), "Boat House"),
        (("/go Boat House", "/go Net Loft", "/go Boat House", "/go Yard"), "Yard"),
        (("/go Boat House", "/commit", "/go Net Loft"), "Net Loft"),
        (("/go Boat House", "/commit", "/go Net Loft", "/commit", "/go Boat House"), "Boat House"),
        (("/fact Mara is in Boat House", "/go Net Loft"), "Net Loft"),
    ],
)
async def test_move_takes_the_place_of_the_moves_before_it(
    tmp_path: Path, moves: tuple[str, ...], place: str
) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, *PLACES, *moves)
        assert [row.conflicts for row in await read_open_rows(program, scene_id) if row.conflicts] == []
        assert (await say(program, scene_id, "/commit"))[0] == f"Canon: Mara is in {place}."
        assert await read_places(program, scene_id) == [f"Mara is in {place}."]
        assert (await program.services.play.scene(scene_id)).place == place


async def test_move_that_is_rejected_leaves_the_move_before_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, *PLACES, "/go Boat House", "/go Net Loft", "/reject 4", "/commit")
        assert await read_places(program, scene_id) == ["Mara is in Boat House."]


async def test_move_that_is_undone_leaves_the_move_before_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(
            program, scene_id, *PLACES, "/go Boat House", "/go Net Loft", "/undo", "/go Yard", "/commit"
        )
        assert await read_places(program, scene_id) == ["Mara is in Yard."]


async def test_fact_that_says_another_place_than_a_move_is_in_conflict(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, *PLACES, "/go Boat House", "/fact Mara is in Net Loft")
        assert [bool(row.conflicts) for row in await read_open_rows(program, scene_id)] == [True, True]
