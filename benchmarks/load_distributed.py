"""Loads the scheduler with workers in processes of their own, over a real broker (`make load`; docs/scale.md).

The program schedules, holds back and records; workers ask the scripted model, which takes its time. Workers and broker
are killed on the way. The workers' pool, its leases, the broker and its messages are the program's own; what the
workers read is the library in files, in place of the servers that `make test-integration` tries them on.
"""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from agents.canon_keeper.predicates import load_catalogue
from agents.canon_keeper.universe_policy import PolicyStore
from agents.events import EventBus
from agents.jobs.broker_link import BrokerLink
from agents.jobs.job_runner import JobRunner
from agents.jobs.job_store import JobStore
from agents.jobs.remote_worker import RemoteWorker
from agents.jobs.worker import MODEL_QUEUE
from agents.jobs.worker_pipe import Done, TextEmbeddings, WriteCursor, WriteRequest
from agents.jobs.worker_pool import WorkerPool, program_queue
from agents.llm.budget import BudgetGuard
from agents.llm.llm_settings import AppSettings
from agents.telemetry.span_recorder import SpanRecorder, TraceFeed
from agents.telemetry.spans import MeasuredOperation, Span, SpanOutcome
from benchmarks.load_agents import make_agents, run_id_of
from benchmarks.load_result import LoadResult, LoadShape
from benchmarks.load_worker import KIND, LIBRARY, TIMING, VERSION, AgentWorker
from monitor_tui.background_jobs import build_hold_finder, build_shares_reader
from stores.authority import Role
from stores.open import open_stores
from stores.queries import LlmCallQuery
from stores.records.ids import derive_id, utc_now
from stores.records.llm import CallOutcome, LlmCall, Persona
from stores.stores import Stores
from tools.brokers import Broker

TOKENS_IN, TOKENS_OUT = 180, 10
"""Tokens that it takes."""
MAX_SECONDS: Final = 1_200.0


@dataclass(slots=True)
class Recorder:
    """Writes for workers: for each loop that they say is done, the call on record, then the cursor."""

    stores: Stores
    job_store: JobStore
    tokens: int = 0

    async def write(self, request: WriteRequest) -> Done | TextEmbeddings:
        assert isinstance(request, WriteCursor)
        subject = request.subject
        call = LlmCall(
            id=derive_id("load", "call", subject.id, request.cursor, self.tokens),
            universe_id=subject.universe_id,
            run_id=run_id_of(subject.id, int(request.cursor)),
            persona=Persona.STEWARD,
            model="scripted/model",
            tokens_in=TOKENS_IN,
            tokens_out=TOKENS_OUT,
            counted=True,
            outcome=CallOutcome.DONE,
            at=utc_now(),
        )
        await self.stores.log(Role.NARRATOR).record_call(call)
        await self.job_store.write_cursor(request.kind, subject, request.cursor)
        self.tokens += TOKENS_IN + TOKENS_OUT
        return Done()


@dataclass(slots=True)
class WorkerProcesses:
    """Processes that work, each with its name; one that was killed is started again."""

    home: Path
    broker_url: str
    shape: LoadShape
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    kill_count: int = 0

    def start(self, name: str) -> None:
        arguments = [str(self.home), self.broker_url, name, json.dumps(asdict(self.shape))]
        command = [sys.executable, "-m", "benchmarks.load_worker", *arguments]
        self.running[name] = subprocess.Popen(command, stdin=subprocess.PIPE)

    def kill(self, name: str) -> None:
        process = self.running.pop(name)
        assert process.poll() is None, "a worker ended by itself"
        _end(process)
        self.kill_count += 1

    def end(self) -> None:
        for process in self.running.values():
            _end(process)
        self.running.clear()


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    with process:  # waits, and closes what it reads
        pass


async def run_distributed_load(home: Path, shape: LoadShape, broker: Broker) -> LoadResult:
    """Do all the work of a load in a new library by `shape.workers` processes; the broker runs."""
    agents = make_agents(shape)
    universe_ids = list(dict.fromkeys(agent.universe_id for agent in agents.values()))
    stores, traces, lags = await open_stores(home), TraceFeed(), list[float]()
    traces.subscribe(lambda trace: lags.append(trace.waited_seconds or 0.0) if _is_piece(trace) else None)
    log, settings = stores.log(Role.ORCHESTRATOR), AppSettings()
    recorder = Recorder(stores, JobStore(log, utc_now))
    link = BrokerLink(broker.url, program_queue(LIBRARY), lambda text: pool.take(text))
    pool = WorkerPool(
        LIBRARY, link, lambda name: f"key of {name}", recorder.write, version=VERSION, timing=TIMING
    )
    runner = JobRunner(
        recorder.job_store,
        EventBus(),
        find_hold=build_hold_finder(settings, BudgetGuard(log, lambda: settings.budget, utc_now)),
        read_shares=build_shares_reader(stores),
        telemetry=SpanRecorder(traces.publish),
    )
    runner.register(RemoteWorker(AgentWorker(agents, recorder.job_store), pool))
    pool.on_change = lambda: runner.set_slots(MODEL_QUEUE, pool.count_slots(frozenset({str(KIND)})))
    if shape.weekly_cap is not None:
        policies = PolicyStore(stores.log(Role.CANON_KEEPER), load_catalogue(), utc_now)
        await policies.set_weekly_tokens(universe_ids[-1], shape.weekly_cap)
    processes = WorkerProcesses(home, broker.url, shape)
    try:
        link.start()
        pool.start()
        for number in range(shape.workers):
            processes.start(f"worker-{number + 1}")
        async with asyncio.timeout(MAX_SECONDS):
            while len(pool.view()) < shape.workers:  # noqa: ASYNC110 - nothing tells of a worker that comes
                await asyncio.sleep(0.05)
            started_at, cpu_started_at = time.perf_counter(), time.process_time()
            trouble = asyncio.create_task(_make_trouble(shape, recorder, processes, broker))
            await _wait_until_done(runner, recorder, shape)
            seconds, cpu_seconds = time.perf_counter() - started_at, time.process_time() - cpu_started_at
            await trouble  # it is made over the first four fifths of the work
        calls = await stores.log(Role.CONTEXT_ASSEMBLY).llm_calls(LlmCallQuery())
    finally:
        await runner.close()
        await pool.close()
        await link.close()
        processes.end()
        await stores.close()
    return LoadResult(
        shape,
        seconds,
        cpu_seconds,
        lags,
        calls,
        recorder.tokens,
        universe_ids,
        pool.lost_count,
        processes.kill_count,
    )


async def _wait_until_done(runner: JobRunner, recorder: Recorder, shape: LoadShape) -> None:
    """Wait until nothing is left but what a cap holds back; what was given up after five kills is tried again."""
    await runner.wait_until_idle()
    while True:
        for job in runner.current_status().poisoned:
            await runner.retry(job.id)
        if _has_only_held_back(runner):
            return
        await asyncio.sleep(0.1)
        await runner.wait_until_idle()


def _has_only_held_back(runner: JobRunner) -> bool:
    status = dict(runner.current_status().rows)
    text = " ".join(status.values())
    return not runner.current_status().poisoned and ("to do" not in text or "tokens" in text)


async def _make_trouble(
    shape: LoadShape, recorder: Recorder, processes: WorkerProcesses, broker: Broker
) -> None:
    """Kill workers and the broker, evenly over the work that is to be done."""
    dice = random.Random(17)
    events = ["worker"] * shape.kills + ["broker"] * shape.broker_restarts
    dice.shuffle(events)
    piece_tokens = TOKENS_IN + TOKENS_OUT
    for number, what in enumerate(events):
        due = shape.pieces * 0.8 * (number + 1) / (len(events) + 1)
        while recorder.tokens / piece_tokens < due:  # noqa: ASYNC110 - what is written tells nobody
            await asyncio.sleep(0.01)
        if what == "broker":
            await asyncio.to_thread(broker.kill)
            await asyncio.to_thread(broker.start)
        else:
            name = dice.choice(sorted(processes.running))
            await asyncio.to_thread(processes.kill, name)
            processes.start(name)


def _is_piece(trace: Span) -> bool:
    return trace.operation is MeasuredOperation.JOB and trace.outcome is SpanOutcome.DONE
