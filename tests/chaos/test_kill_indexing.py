"""Tests that the indexes equal rebuilt ones after kills of the program and of the processes behind it."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import random
import signal
from pathlib import Path

import pytest

from agents.indexer.index_texts import TurnNeighbours
from agents.indexer.minilm_embedder import MODEL
from agents.indexer.source_reader import SourceReader
from monitor_tui.background_mode import BackgroundMode
from monitor_tui.compose import open_program
from stores.authority import COLLECTIONS, Role, Store
from stores.open import Stores
from stores.records.ids import Id
from tests.agents.indexer.rebuilt_index import rebuild_index
from tests.chaos import indexing_player
from tests.chaos.test_kill import entries_of, look_at_everything, wait_for_more

KILLS = int(os.environ.get("MONITOR_CHAOS_INDEX_KILLS", "40"))
MAX_SECONDS = 4.0
"""Seconds from a process's first note to its end, at most."""

KILLS_PER_CHECK = 5
"""Kills between two checks: sometimes the next process inherits unfinished work unchecked."""

NEIGHBOURS_BY_INDEX = {"words": TurnNeighbours.BOTH, "vectors": TurnNeighbours.PREVIOUS}

pytestmark = pytest.mark.chaos

Fingerprints = dict[str, dict[Id, str]]


def test_indexing_kills_leave_indexes_like_a_rebuild(tmp_path: Path) -> None:
    home, notes = tmp_path / "home", tmp_path / "notes"
    dice = random.Random(20_261_122)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.chaos.indexing_player"])
    check_results = []
    for round_number in range(1, KILLS + 1):
        began = notes.stat().st_size if notes.exists() else 0
        arguments = (str(home), str(notes), dice.getrandbits(32))
        process = context.Process(target=indexing_player.run, args=arguments)
        process.start()
        try:
            wait_for_more(notes, began)
            process.join(dice.uniform(0.0, MAX_SECONDS))
            assert process.is_alive(), "the player ended by itself: see its error above"
        finally:
            if process.pid is not None and process.is_alive():
                os.kill(process.pid, signal.SIGKILL)
            process.join()
        if round_number % KILLS_PER_CHECK == 0 or round_number == KILLS:
            check_results.append(asyncio.run(_check(home, notes), debug=False))
    print(f"{KILLS} kills; missing or surplus at the restarts, and items then: {check_results}")
    assert any(outdated_count for outdated_count, _ in check_results), (
        "no kill left anything to catch up with"
    )
    assert check_results[-1][1] > KILLS


async def _check(home: Path, notes: Path) -> tuple[int, int]:
    """Restart and wait until idle; returns how many items were out of date before, and how many there are."""
    program = await open_program(home, mode=BackgroundMode.QUERY)
    try:
        await look_at_everything(program, entries_of(notes))
        before = await _read_fingerprints(program.stores)
        jobs = program.services.jobs
        await jobs.wait_until_idle()
        # Work during which the process behind play was killed five times waits for the GM to try it again.
        for job in jobs.current_status().poisoned:
            await jobs.retry(job.id)
        await jobs.wait_until_idle()
        view = jobs.current_status()
        assert (view.items_left, view.poisoned) == (0, ())
        truth = SourceReader(program.stores.canon(Role.INDEXER), program.stores.log(Role.INDEXER))
        after = await _read_fingerprints(program.stores)
        for index_name, neighbours in NEIGHBOURS_BY_INDEX.items():
            rebuilt = {
                name: {id: item.fingerprint for id, item in items.items()}
                for name, items in (await rebuild_index(truth, neighbours)).items()
            }
            assert not _find_differences(after[index_name], rebuilt), index_name
        outdated_count = sum(
            len(set(rebuilt[name].items()) ^ set(before["vectors"].get(name, {}).items())) for name in rebuilt
        )
        return outdated_count, sum(map(len, rebuilt.values()))
    finally:
        await program.close()


def _find_differences(
    fingerprints: Fingerprints, rebuilt: Fingerprints
) -> list[tuple[str, Id, str | None, str | None]]:
    """Return what the index and the rebuilt one hold otherwise: collection, item, and its two fingerprints."""
    return [
        (name, id, fingerprints.get(name, {}).get(id), rebuilt.get(name, {}).get(id))
        for name in sorted(fingerprints.keys() | rebuilt.keys())
        for id in sorted(fingerprints.get(name, {}).keys() | rebuilt.get(name, {}).keys())
        if fingerprints.get(name, {}).get(id) != rebuilt.get(name, {}).get(id)
    ]


async def _read_fingerprints(stores: Stores) -> dict[str, Fingerprints]:
    words, vectors = stores.words(Role.INDEXER), stores.vectors(Role.INDEXER)
    fingerprints: dict[str, Fingerprints] = {"words": {}, "vectors": {}}
    for name in COLLECTIONS[Store.VECTORS]:
        if word_fingerprints := await words.fingerprints(name):
            fingerprints["words"][name] = word_fingerprints
        if vector_fingerprints := await vectors.fingerprints(name, model=MODEL):
            fingerprints["vectors"][name] = vector_fingerprints
    return fingerprints
