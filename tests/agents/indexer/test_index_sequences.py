"""The indexes after every step of a session on the embedded stores."""

from __future__ import annotations

from pathlib import Path

from tests.agents.indexer.index_sequences import (
    add_and_find_source,
    assert_index_equals_rebuild,
    open_with_fake_vectors,
    play_every_kind_of_change,
)


async def test_index_equals_rebuilt_index_after_every_step(tmp_path: Path) -> None:
    async with open_with_fake_vectors(tmp_path) as program:
        world = await play_every_kind_of_change(program)
        await add_and_find_source(program, world.id)
    async with open_with_fake_vectors(tmp_path) as program:
        await assert_index_equals_rebuild(program, "opened again")
