"""A new entity that is renamed at the gate has its new name in all that is proposed of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from monitor_tui.compose import Program
from stores.records.ids import Id
from tests.program import begin, opened

PROPOSED = (
    "I look.",
    "/npc Tom: the keeper",
    "/fact Tom ally_of Mara",
    "/fact Tom is tall and Tom's coat is red",
    "/promise Tom will pay Mara",
)


async def propose_and_rename(program: Program, new_name: str) -> Id:
    scene_id = await begin(program)
    for line in PROPOSED:
        await program.services.play.submit(scene_id, line)
    (row, *_) = (await program.services.gate.gate(scene_id)).proposals
    await program.services.gate.edit_text(row.proposal.id, f"{new_name}: the keeper")
    return scene_id


async def read_titles(program: Program, scene_id: Id) -> list[str]:
    return [row.title for row in (await program.services.gate.gate(scene_id)).proposals]


@pytest.mark.parametrize("name", ["Thom", "Tom Weaver", "Old Tom", "Marlin"])
async def test_edited_name_is_in_every_row(tmp_path: Path, name: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await propose_and_rename(program, name)
        titles = [
            name,
            f"{name} and Mara are allies.",
            f"{name} is tall and {name}'s coat is red.",
            f"{name} will pay Mara.",
        ]
        assert await read_titles(program, scene_id) == titles
        lines = (await program.services.play.submit(scene_id, "/commit")).lines
        assert lines == (f"Canon: {name} (character)", *(f"Canon: {title}" for title in titles[1:]))
        assert await read_titles(program, scene_id) == titles, "closed rows, too"


async def test_edited_name_that_is_undecided_again_is_the_former_one(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await propose_and_rename(program, "Thom")
        await program.services.play.submit(scene_id, "/undecide 1")
        assert (await read_titles(program, scene_id))[:2] == ["Tom", "Tom and Mara are allies."]
