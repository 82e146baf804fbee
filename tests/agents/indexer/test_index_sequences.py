"""The indexes after every step of a session on the embedded stores."""

from __future__ import annotations

from pathlib import Path

from tests.agents.indexer.index_sequences import as_made_anew, bring_and_find, follow, followed


async def test_index_equals_rebuilt_index_after_every_step(tmp_path: Path) -> None:
    async with followed(tmp_path) as program:
        world = await follow(program)
        await bring_and_find(program, world.id)
    async with followed(tmp_path) as program:
        await as_made_anew(program, "opened again")
