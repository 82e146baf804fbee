"""Plays at random with all background jobs until killed, while the processes behind it are killed repeatedly.

Between two lines the GM edits the world: names, merges, retcons.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from agents.indexer.minilm_embedder import MiniLmEmbedder
from agents.views.world_views import NewEntityFields
from monitor_tui.background_mode import BackgroundMode
from monitor_tui.compose import Program, open_program
from stores.authority import Role
from stores.errors import MonitorError
from stores.queries import FactQuery
from stores.records.workflow import Verdict
from stores.records.world import EntityKind
from tests.agents.indexer.index_sequences import add_source
from tests.agents.orchestrator.test_world_edits import as_is
from tests.chaos.player import play_on


def run(home: str, notes: str, seed: int) -> None:
    """Play until killed."""
    asyncio.run(_play(Path(home), Path(notes), random.Random(seed)))


async def _play(home: Path, notes: Path, dice: random.Random) -> None:
    embedder = MiniLmEmbedder()
    open_programs: list[Program] = []

    async def open_() -> Program:
        open_programs[:] = [await open_program(home, mode=BackgroundMode.PLAY, embedder=embedder)]
        return open_programs[0]

    def running_pids() -> list[int]:
        processes = [p.background_jobs.process for p in open_programs if p.background_jobs]
        pids = [embedder.pid, *(process.pid for process in processes if process)]
        return [pid for pid in pids if pid is not None]

    killing = asyncio.create_task(_kill_now_and_then(running_pids, dice))
    try:
        await play_on(open_, notes, dice, edit_world)
    finally:
        killing.cancel()


async def edit_world(program: Program, dice: random.Random) -> None:
    """Sometimes make a random edit of the world, or add a source."""
    if dice.random() < 0.5:
        return
    services, canon = program.services, program.stores.canon(Role.INDEXER)
    (universe, *_) = await services.stories.universes()
    people = await services.world.list_entities(universe.id)
    facts = await canon.facts(universe.id, FactQuery(history=True))
    one, other = dice.choice(people), dice.choice(people)
    match dice.choice(
        ("create", "create", "rename", "describe", "merge", "split", "retcon", "end", "source")
    ):
        case "create":
            work = services.world.edits.propose_entity(
                universe.id, NewEntityFields(EntityKind.CHARACTER, f"Soul {dice.random()}")
            )
        case "rename":
            work = services.world.edits.propose_entity_edit(
                one.id, as_is(one, name=f"{one.name[:4]} {dice.randrange(99)}")
            )
        case "describe":
            work = services.world.edits.propose_entity_edit(
                one.id, as_is(one, description=f"Wet {dice.randrange(99)} times.")
            )
        case "merge" if not other.is_pc and one.kind is other.kind:
            work = services.world.edits.propose_merge(one.id, other.id)
        case "split" if gone := await services.world.previews.list_absorbed(one.id):
            work = services.world.edits.propose_split(gone[0].id)
        case "retcon" if facts:
            work = services.world.edits.propose_retcon(dice.choice(facts).id)
        case "end" if facts:
            work = services.world.edits.propose_end(dice.choice(facts).id)
        case "source":
            await add_source(program.stores, services.events, universe.id)
            return
        case _:
            return
    with suppress(MonitorError):
        staged = await work
        await services.gate.decide(staged.proposal_ids, Verdict.ACCEPT)
        await services.gate.commit_universe(universe.id, staged.proposal_ids)


async def _kill_now_and_then(running_pids: Callable[[], list[int]], dice: random.Random) -> None:
    while True:
        await asyncio.sleep(dice.uniform(0.2, 2.0))
        if pids := running_pids():
            with suppress(ProcessLookupError):
                os.kill(dice.choice(pids), signal.SIGKILL)
