"""A death that was told and then rejected did not happen: who was said to die is there and hears."""

from __future__ import annotations

from pathlib import Path

import pytest

from monitor_tui.compose import Program
from stores.records.ids import Id
from tests.program import begin, opened

DEATH = ("/npc here Gorm: a thug", "/npc here Pip: a girl", "> Gorm dies.")


async def say(program: Program, scene_id: Id, *lines: str) -> tuple[str, ...]:
    """Play the lines, and return what the last one replied."""
    return [await program.services.play.submit(scene_id, line) for line in lines][-1].lines


async def find_row(program: Program, scene_id: Id) -> int:
    rows = (await program.services.play.scene(scene_id)).proposals
    return next(number for number, row in enumerate(rows, start=1) if row.title == "Gorm dies.")


async def test_who_was_said_to_die_lives_where_the_death_is_rejected(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        assert "Gorm is dead in this scene." in await say(program, scene_id, *DEATH)
        assert await say(program, scene_id, "> Gorm groans.") == ("⚠ Gorm is dead.",)
        await say(program, scene_id, f"/reject {await find_row(program, scene_id)}")
        assert "Gorm" in await say(program, scene_id, "/cast")
        assert await say(program, scene_id, "> Gorm groans.") == ()
        assert await say(program, scene_id, 'Gorm says: "Help me up."') == ()


async def test_who_was_said_to_die_lives_in_the_next_scene(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, *DEATH)
        await say(program, scene_id, f"/reject {await find_row(program, scene_id)}", "/end We got away.")
        next_scene = (await program.services.play.submit(scene_id, "/commit")).subject
        assert next_scene is not None
        assert await say(program, next_scene, "/cast + Gorm") == ("Gorm comes in.",)
        assert await say(program, next_scene, "> Gorm groans.") == ()


@pytest.mark.parametrize("verdict", ["accept", "defer"])
async def test_who_died_stays_dead_where_the_death_is_not_rejected(tmp_path: Path, verdict: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, *DEATH)
        await say(program, scene_id, f"/{verdict} {await find_row(program, scene_id)}")
        assert "Gorm · dead" in await say(program, scene_id, "/cast")
        assert await say(program, scene_id, "> Gorm groans.") == ("⚠ Gorm is dead.",)


async def test_death_that_is_undecided_again_counts_again(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, *DEATH)
        await say(program, scene_id, f"/reject {await find_row(program, scene_id)}", "/undo")
        assert "Gorm · dead" in await say(program, scene_id, "/cast")
