"""The Indexer with every store on a server: after each step of a session words and vectors are what ones made
anew would be, on this machine and on another that opens the same library."""

from __future__ import annotations

from pathlib import Path

import pytest

from monitor_tui.background_jobs import rebuild_word_index
from stores.authority import Role
from tests.agents.indexer.index_sequences import MODEL, as_made_anew, bring_and_find, follow, followed, marks

pytestmark = [
    pytest.mark.servers,
    pytest.mark.xdist_group("neo4j"),
    pytest.mark.timeout(300),
]


async def test_server_indexes_match_a_rebuild_after_every_step(
    tmp_path: Path, on_all_servers: dict[str, str]
) -> None:
    async with followed(tmp_path / "one") as program:
        world = await follow(program)
        found, snippets = await bring_and_find(program, world.id)
    async with followed(tmp_path / "other") as program:
        # What the first one left on the servers is right: there is nothing to do.
        assert await marks(program.stores) == found
        await as_made_anew(program, "opened elsewhere")
        # What is lost there is found missing at the next start; `reindex` makes the same again.
        words, vectors = program.stores.words(Role.INDEXER), program.stores.vectors(Role.INDEXER)
        await words.delete("turns", list(found["words"]["turns"]))
        await vectors.delete("snippets", snippets[:20], model=MODEL)
    async with followed(tmp_path / "other") as program:
        assert await marks(program.stores) != found
        assert await as_made_anew(program, "opened again") == found
        done = await rebuild_word_index(program.stores, say=lambda _: None)
        assert done == {name: len(items) for name, items in found["words"].items()}
        assert await marks(program.stores) == found
