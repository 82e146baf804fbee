"""An index whose vectors an earlier version made: it is searched meanwhile, and extended by token codes beside play."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.indexer.minilm_embedder import EARLIER_MODEL, MODEL, MiniLmEmbedder
from agents.indexer.question_vectors import STARTING_NOTE
from monitor_tui.background_mode import BackgroundMode
from monitor_tui.compose import open_program
from stores.authority import Role
from stores.ports import VectorItem
from stores.records.play import Turn
from tests.program import begin, opened

LINES = ("The bell was stolen at night.", "> Tam saw a lantern in the yard.", "I count the coins again.")

pytestmark = pytest.mark.slow


async def play_with_vectors_of_earlier_version(home: Path) -> list[Turn]:
    embedder = MiniLmEmbedder()
    async with opened(home) as program:
        scene_id = await begin(program)
        for line in LINES:
            await program.services.play.submit(scene_id, line)
        turns = [turn for turn in await program.stores.log(Role.INDEXER).all_turns(scene_id) if turn.text]
        embeddings = await embedder.embed([turn.text for turn in turns])
        scope = {"universe": (await program.stores.log(Role.INDEXER).scene(scene_id)).universe_id}
        await program.stores.vectors(Role.INDEXER).put(
            "turns",
            [VectorItem(t.id, e.vector, scope) for t, e in zip(turns, embeddings, strict=True)],
            model=EARLIER_MODEL,
        )
    await embedder.close()
    return turns


async def test_index_of_earlier_version_is_searched_and_then_has_token_codes(tmp_path: Path) -> None:
    turns = await play_with_vectors_of_earlier_version(tmp_path)
    program = await open_program(tmp_path, mode=BackgroundMode.PLAY)
    try:
        vectors = program.stores.vectors(Role.INDEXER)
        (universe, *_) = await program.stores.canon(Role.INDEXER).universes()
        notes = [STARTING_NOTE]
        while any(STARTING_NOTE in note for note in notes):
            found = await program.services.query.recall_turns("Who took the bell?", universe_id=universe.id)
            notes = list(found.notes)
        assert notes == []
        assert any(way == "meaning" for turn in found.turns for way, _ in turn.by)
        program.services.jobs.start()
        await program.services.jobs.wait_until_idle()
        assert set(await vectors.models("turns")) == {MODEL}
        codes_by_id = await vectors.token_codes("turns", [turn.id for turn in turns], model=MODEL)
        assert set(codes_by_id) == {turn.id for turn in turns}
        assert not await vectors.token_codes("turns", [turn.id for turn in turns], model=EARLIER_MODEL)
    finally:
        await program.close()
