"""The indexes after every step of a session on the embedded stores."""

from __future__ import annotations

from pathlib import Path

from tests.agents.indexer.following import as_made_anew, bring_and_find, follow, followed


async def test_after_every_step_the_indexes_are_as_made_anew(tmp_path: Path) -> None:
    async with followed(tmp_path) as program:
        world = await follow(program)
        await bring_and_find(program, world.id)
    async with followed(tmp_path) as program:
        await as_made_anew(program, "opened again")
