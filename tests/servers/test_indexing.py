"""Tests of the Indexer with every store on a server: after each step the indexes equal rebuilt ones.

That holds on this machine, and on another that opens the same library.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from monitor_tui.background_jobs import rebuild_word_index
from stores.authority import Role
from tests.agents.indexer.index_sequences import (
    MODEL,
    add_and_find_source,
    assert_index_equals_rebuild,
    open_with_fake_vectors,
    play_every_kind_of_change,
    read_fingerprints,
)

pytestmark = [
    pytest.mark.servers,
    pytest.mark.xdist_group("neo4j"),
    pytest.mark.timeout(300),
]


async def test_server_indexes_match_a_rebuild_after_every_step(
    tmp_path: Path, on_all_servers: dict[str, str]
) -> None:
    async with open_with_fake_vectors(tmp_path / "one") as program:
        world = await play_every_kind_of_change(program)
        found, snippets = await add_and_find_source(program, world.id)
    async with open_with_fake_vectors(tmp_path / "other") as program:
        # The indexes that the first machine left on the servers are complete.
        assert await read_fingerprints(program.stores) == found
        await assert_index_equals_rebuild(program, "opened elsewhere")
        # Lost items are found at the next start, and `reindex` gives the same index.
        words, vectors = program.stores.words(Role.INDEXER), program.stores.vectors(Role.INDEXER)
        await words.delete("turns", list(found["words"]["turns"]))
        await vectors.delete("snippets", snippets[:20], model=MODEL)
    async with open_with_fake_vectors(tmp_path / "other") as program:
        assert await read_fingerprints(program.stores) != found
        assert await assert_index_equals_rebuild(program, "opened again") == found
        counts = await rebuild_word_index(program.stores, say=lambda _: None)
        assert counts == {name: len(items) for name, items in found["words"].items()}
        assert await read_fingerprints(program.stores) == found
