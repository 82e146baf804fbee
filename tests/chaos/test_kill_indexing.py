"""A real process that plays with its workers is killed at random, and its embedding model at random under it:
after a restart the indexes hold what ones made anew would hold, mark for mark.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import random
import signal
from pathlib import Path

import pytest

from agents.indexer.minilm_embedder import MODEL
from agents.indexer.source_reader import SourceReader
from monitor_tui.background_jobs import BackgroundMode
from monitor_tui.compose import open_program
from stores.authority import COLLECTIONS, Role, Store
from stores.open import Stores
from stores.records.ids import Id
from tests.agents.indexer.rebuilt_index import rebuild_index
from tests.chaos import indexing_player
from tests.chaos.test_kill import entries_of, look_at_everything, wait_for_more

KILLS = int(os.environ.get("MONITOR_CHAOS_INDEX_KILLS", "40"))
LONGEST = 4.0
"""Seconds from a process's first note to its end, at most."""

LOOKED_AT_EVERY = 5
"""Kills between two looks: what one leaves half done is now and then left to the next, too."""

pytestmark = pytest.mark.chaos

Marks = dict[str, dict[Id, str]]


def test_indexing_kills_leave_indexes_like_a_rebuild(tmp_path: Path) -> None:
    home, notes = tmp_path / "home", tmp_path / "notes"
    dice = random.Random(20_261_122)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.chaos.indexing_player"])
    told = []
    for round_number in range(1, KILLS + 1):
        began = notes.stat().st_size if notes.exists() else 0
        arguments = (str(home), str(notes), dice.getrandbits(32))
        process = context.Process(target=indexing_player.run, args=arguments)
        process.start()
        try:
            wait_for_more(notes, began)
            process.join(dice.uniform(0.0, LONGEST))
            assert process.is_alive(), "the player ended by itself: see its error above"
        finally:
            if process.pid is not None and process.is_alive():
                os.kill(process.pid, signal.SIGKILL)
            process.join()
        if round_number % LOOKED_AT_EVERY == 0 or round_number == KILLS:
            told.append(asyncio.run(_check(home, notes), debug=False))
    print(f"{KILLS} kills; missing or surplus at the restarts, and items then: {told}")
    assert any(behind for behind, _ in told), "no kill left anything to catch up with"
    assert told[-1][1] > KILLS


async def _check(home: Path, notes: Path) -> tuple[int, int]:
    """Restart and settle; returns how many items were behind before, and how many there are."""
    program = await open_program(home, mode=BackgroundMode.QUERY)
    try:
        await look_at_everything(program, entries_of(notes))
        before = await _marks(program.stores)
        await program.services.jobs.wait_until_idle()
        view = program.services.jobs.current_status()
        assert (view.items_left, view.poisoned) == (0, ())
        truth = SourceReader(program.stores.canon(Role.INDEXER), program.stores.log(Role.INDEXER))
        wanted = {
            name: {id: item.fingerprint for id, item in items.items()}
            for name, items in (await rebuild_index(truth)).items()
        }
        after = await _marks(program.stores)
        assert after["words"] == wanted
        assert after["vectors"] == wanted
        behind = sum(
            len(set(wanted[name].items()) ^ set(before["vectors"].get(name, {}).items())) for name in wanted
        )
        return behind, sum(map(len, wanted.values()))
    finally:
        await program.close()


async def _marks(stores: Stores) -> dict[str, Marks]:
    words, vectors = stores.words(Role.INDEXER), stores.vectors(Role.INDEXER)
    found: dict[str, Marks] = {"words": {}, "vectors": {}}
    for name in COLLECTIONS[Store.VECTORS]:
        if marks := await words.fingerprints(name):
            found["words"][name] = marks
        if marks := await vectors.fingerprints(name, model=MODEL):
            found["vectors"][name] = marks
    return found
