"""A process that works in a load of the scheduler with workers: `benchmarks.load_distributed` starts and kills it."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agents.events import Event
from agents.jobs.broker_link import BrokerLink
from agents.jobs.job_store import JobStore
from agents.jobs.piece_server import PieceServer, WorkerIdentity
from agents.jobs.worker import MODEL_QUEUE, Cursors, JobSubject
from agents.jobs.worker_pool import Timing, worker_queue
from agents.jobs.worker_server import PipedCursors
from benchmarks.load_agents import CALL_TOKENS, Agent, make_agents
from benchmarks.load_result import LoadShape
from stores.authority import Role
from stores.open import open_stores_beside
from stores.records.ids import Id, utc_now
from stores.records.jobs import JobKind

KIND: Final = JobKind.DOUBT
LIBRARY: Final = "load"
VERSION: Final = "load"
TIMING: Final = Timing(heartbeat=0.5, lease=3.0)


@dataclass(frozen=True, slots=True)
class AgentWorker:
    """Knows how many loops each agent has done, by its cursor; see `agents.jobs.worker.Worker`.

    With `call_seconds` it does one: the model takes so long, and what it took is written with the cursor.
    """

    agents: Mapping[Id, Agent]
    cursors: Cursors
    call_seconds: float | None = None

    kind = KIND
    queue = MODEL_QUEUE
    priority = 5

    async def subjects(self) -> Collection[JobSubject]:
        return [
            JobSubject(agent.id, agent.universe_id, agent.loops, CALL_TOKENS)
            for agent in self.agents.values()
        ]

    async def on_event(self, event: Event) -> Collection[JobSubject]:
        return ()

    async def confirm_complete(self) -> Collection[JobSubject]:
        return ()

    async def reconcile(self, subject_id: Id) -> int:
        agent = self.agents[subject_id]
        done = int(await self.cursors.read_cursor(KIND, agent.id) or 0)
        if self.call_seconds is not None and done < agent.loops:
            await asyncio.sleep(self.call_seconds)
            done += 1
            subject = JobSubject(agent.id, agent.universe_id)
            await self.cursors.write_cursor(KIND, subject, str(done))
        return agent.loops - done


async def _serve(home: Path, broker_url: str, name: str, shape: LoadShape) -> None:
    """Work as one of the processes, until it is killed."""
    stores = await open_stores_beside(home)
    identity = WorkerIdentity(LIBRARY, name, f"key of {name}", VERSION)
    link = BrokerLink(broker_url, worker_queue(LIBRARY, name), lambda text: server.take(text))
    server = PieceServer(identity, link, timing=TIMING)
    cursors = PipedCursors(JobStore(stores.log(Role.ORCHESTRATOR), utc_now), server.program)
    server.workers = {str(KIND): AgentWorker(make_agents(shape), cursors, shape.call_seconds)}
    link.start()
    serving = asyncio.create_task(server.run())
    # Whoever started it may be killed as well: then it ends.
    reading = asyncio.create_task(asyncio.to_thread(sys.stdin.read))
    await asyncio.wait([serving, reading], return_when=asyncio.FIRST_COMPLETED)


if __name__ == "__main__":
    _, home_text, broker_address, worker_name, shape_text = sys.argv
    asyncio.run(_serve(Path(home_text), broker_address, worker_name, LoadShape(**json.loads(shape_text))))
