"""Measures a commit of twenty facts to canon: as the player triggers it, and the CanonKeeper's write alone."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.fill import BATCH
from benchmarks.libraries import Libraries, OpenScene, open_scene, time_call
from benchmarks.table import Row, make_times_row, percentile
from stores.authority import Role
from stores.open import Stores
from stores.records.ids import Id, SystemIdGenerator
from stores.records.workflow import Canonization, CanonizationState

COUNT = 15
AIM = 15

DECLARED = (
    "/fact Mara met a ferryman who owed her nothing on night {0}",
    "/fact Mara owes the ferryman of night {0} a coin",
    "/fact The lamps on the sea wall were out on night {0}",
    "/state Mara +seen-{0}",
)
"""Two facts about the hero, one about nobody, and a tag; five times over they make twenty."""


def run(libraries: Libraries) -> Iterator[Row]:
    for name, home in (("fresh library", libraries.fresh), (libraries.big_name, libraries.big)):
        commit_seconds, cpu, write_seconds = asyncio.run(_time_commits(home, libraries.often(COUNT)))
        yield make_times_row(f"commit of {BATCH} facts, asked for: {name}", commit_seconds, AIM, cpu)
        yield make_times_row(f"commit of {BATCH} facts, its write alone: {name}", write_seconds, AIM)


async def _time_commits(home: Path, count: int) -> tuple[list[float], float, list[float]]:
    """Time whole commits, the processor time of one, and the write of the last of them under new identifiers."""
    commit_seconds: list[float] = []
    cpu_seconds: list[float] = []
    night_numbers = itertools.count(1)
    async with open_scene(home) as scene_in_play:
        for _ in range(count):
            for line in DECLARED * (BATCH // len(DECLARED)):
                await scene_in_play.services.play.submit(
                    scene_in_play.scene_id, line.format(next(night_numbers))
                )
            await scene_in_play.services.play.scene(scene_in_play.scene_id)  # as the screen does after a line
            cpu_before = time.process_time()
            commit_seconds.append(
                await time_call(partial(scene_in_play.services.gate.commit, scene_in_play.scene_id))
            )
            cpu_seconds.append(time.process_time() - cpu_before)
        last_commit = await _last_commit(scene_in_play)
        write_seconds = [
            await time_call(partial(_write, scene_in_play.stores, _with_new_ids(last_commit)))
            for _ in range(count)
        ]
    return commit_seconds, percentile(cpu_seconds, 50), write_seconds


async def _last_commit(scene_in_play: OpenScene) -> Canonization:
    log = scene_in_play.stores.log(Role.CANON_KEEPER)
    scene = await log.scene(scene_in_play.scene_id)
    closed_canonizations = await log.canonizations(
        universe_id=scene.universe_id, states=[CanonizationState.CLOSED]
    )
    return closed_canonizations[-1]


async def _write(stores: Stores, canonization: Canonization) -> None:
    """Write a commit, as the CanonKeeper does once it knows what to write."""
    assert stores.commits is not None, "the benchmark's library is a file"
    fact_ids = [fact.id for fact in canonization.batch.facts]
    await stores.commits(Role.CANON_KEEPER).write_commit(canonization, fact_ids)


def _with_new_ids(canonization: Canonization) -> Canonization:
    """Return the same commit under new identifiers, not yet written."""
    ids, batch = SystemIdGenerator(), canonization.batch
    old_ids = (*(fact.id for fact in batch.facts), *(piece.id for piece in batch.evidence))
    new_ids: dict[Id, Id] = {record_id: ids.new() for record_id in old_ids}
    renamed_batch = batch.model_copy(
        update={
            "id": ids.new(),
            "facts": tuple(fact.model_copy(update={"id": new_ids[fact.id]}) for fact in batch.facts),
            "evidence": tuple(piece.model_copy(update={"id": new_ids[piece.id]}) for piece in batch.evidence),
            "supports": tuple(
                edge.model_copy(
                    update={
                        "subject_id": new_ids.get(edge.subject_id, edge.subject_id),
                        "evidence_id": new_ids.get(edge.evidence_id, edge.evidence_id),
                    }
                )
                for edge in batch.supports
            ),
        }
    )
    return canonization.model_copy(
        update={"id": renamed_batch.id, "batch": renamed_batch, "state": CanonizationState.PLANNED}
    )
