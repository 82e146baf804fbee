"""The indexes after every step of a session on the embedded stores."""

from __future__ import annotations

from pathlib import Path

from stores.authority import Role
from tests.agents.indexer.following import as_made_anew, bring_a_source, follow, followed


async def test_after_every_step_the_indexes_are_as_made_anew(tmp_path: Path) -> None:
    async with followed(tmp_path) as desktop:
        world = await follow(desktop)
        snippets = await bring_a_source(desktop.stores, desktop.desk.events, world.id)
        found = await as_made_anew(desktop, "a source came")
        assert found["words"]["snippets"].keys() == set(snippets)
        hits = await desktop.stores.words(Role.NARRATOR).search("snippets", "heron", k=99)
        assert {hit.id for hit in hits} == set(snippets)
    async with followed(tmp_path) as desktop:
        await as_made_anew(desktop, "opened again")
