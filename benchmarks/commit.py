"""A commit of twenty facts to canon: as the player asks for it, and the keeper's writes alone."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.fill import BATCH
from benchmarks.libraries import Libraries, Table, at_table, timed
from benchmarks.table import Row, times
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
"""Two facts about the hero, one about nobody, and a tag: five times over they are twenty."""


def run(libraries: Libraries) -> Iterator[Row]:
    for name, home in (("fresh library", libraries.fresh), (libraries.big_name, libraries.big)):
        asked, written = asyncio.run(_commits(home, libraries.often(COUNT)))
        yield times(f"commit of {BATCH} facts, asked for: {name}", asked, AIM)
        yield times(f"commit of {BATCH} facts, its writes alone: {name}", written, AIM)


async def _commits(home: Path, count: int) -> tuple[list[float], list[float]]:
    """Time whole commits, and then the three steps of the last of them under new identifiers."""
    asked: list[float] = []
    nights = itertools.count(1)
    async with at_table(home) as table:
        for _ in range(count):
            for line in DECLARED * (BATCH // len(DECLARED)):
                await table.services.play.submit(table.scene_id, line.format(next(nights)))
            asked.append(await timed(partial(table.services.gate.commit, table.scene_id)))
        done = await _last_commit(table)
        written = [await timed(partial(_write, table.stores, _again(done))) for _ in range(count)]
    return asked, written


async def _last_commit(table: Table) -> Canonization:
    log = table.stores.log(Role.CANON_KEEPER)
    scene = await log.scene(table.scene_id)
    closed = await log.canonizations(universe_id=scene.universe_id, states=[CanonizationState.CLOSED])
    return closed[-1]


async def _write(stores: Stores, canonization: Canonization) -> None:
    """Plan, write and close, as the CanonKeeper does once it knows what is to be written."""
    log, canon = stores.log(Role.CANON_KEEPER), stores.canon(Role.CANON_KEEPER)
    await log.plan_canonization(canonization)
    await canon.commit(canonization.batch)
    await log.mark_written(canonization.id)
    await log.close_canonization(canonization, [fact.id for fact in canonization.batch.facts])


def _again(done: Canonization) -> Canonization:
    """Return the same commit as one that is still to be done, under new identifiers."""
    ids, batch = SystemIdGenerator(), done.batch
    old = (*(fact.id for fact in batch.facts), *(piece.id for piece in batch.evidence))
    new: dict[Id, Id] = {record_id: ids.new() for record_id in old}
    renamed = batch.model_copy(
        update={
            "id": ids.new(),
            "facts": tuple(fact.model_copy(update={"id": new[fact.id]}) for fact in batch.facts),
            "evidence": tuple(piece.model_copy(update={"id": new[piece.id]}) for piece in batch.evidence),
            "supports": tuple(
                edge.model_copy(
                    update={
                        "subject_id": new.get(edge.subject_id, edge.subject_id),
                        "evidence_id": new.get(edge.evidence_id, edge.evidence_id),
                    }
                )
                for edge in batch.supports
            ),
        }
    )
    return done.model_copy(update={"id": renamed.id, "batch": renamed, "state": CanonizationState.PLANNED})
