"""Loads the scheduler with universes of agents that ask a scripted model (`make load`), and prints what became of it.

Everything but the model is the program's own: stores in files, the job queue and its shares, budgets, the calls and
their records. An agent is the subject of a job, and a loop is one piece of it: one call of the model. One universe is
greedy and asks for several times as much as the others, first; in another run one universe has a cap of tokens.
In the first of these the process that works is killed on its way, again and again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from agents.canon_keeper.predicates import load_catalogue
from agents.canon_keeper.universe_policy import PolicyStore
from agents.events import Event, EventBus
from agents.jobs.job_runner import JobRunner
from agents.jobs.job_store import JobStore
from agents.jobs.worker import MODEL_QUEUE, JobSubject, RetryLater
from agents.llm.budget import BudgetGuard
from agents.llm.call_context import CallContext
from agents.llm.cancellations import Cancellations
from agents.llm.errors import BudgetExhausted
from agents.llm.llm_settings import AppSettings, ModelSettings
from agents.llm.model_calls import ModelCalls
from agents.llm.prompt_builder import Prompts
from agents.llm.scripted_model import ScriptedModel
from agents.personas.prompt_files import load_prompts
from agents.personas.sentence_doubts import SentenceDoubter
from agents.telemetry.figures import OperationFigures
from agents.telemetry.span_recorder import SpanRecorder, TraceFeed
from agents.telemetry.spans import MeasuredOperation, Span, SpanOutcome
from benchmarks import table
from benchmarks.load_agents import CALL_TOKENS, Agent, make_agents, run_id_of
from benchmarks.load_distributed import run_distributed_load
from benchmarks.load_result import LoadResult, LoadShape, format_result
from monitor_tui.background_jobs import build_hold_finder, build_shares_reader
from monitor_tui.cli.common import count_text
from stores.authority import Role
from stores.open import open_stores
from stores.queries import LlmCallQuery
from stores.records.ids import Id, utc_now
from stores.records.jobs import JobKind
from stores.records.llm import CallOutcome
from stores.stores import Stores
from tools.brokers import Redis
from tools.servers.fetch import ServerMissing

KILLS: Final = 5
CALL_SECONDS: Final = 0.02
"""How long a call of the scripted model takes a worker."""
BUDGET_SECONDS: Final = 3_600.0


@dataclass(slots=True)
class AgentWorker:
    """Has each agent ask the model until it has done its loops; see `agents.jobs.worker.Worker`."""

    doubter: SentenceDoubter
    stores: Stores
    agents: Mapping[Id, Agent]
    _done: Counter[Id] = field(default_factory=Counter)

    kind = JobKind.DOUBT
    queue = MODEL_QUEUE
    priority = 5

    async def subjects(self) -> Collection[JobSubject]:
        """Return who has loops left, by the calls on record."""
        calls = await self.stores.log(Role.CONTEXT_ASSEMBLY).llm_calls(LlmCallQuery())
        answered = {call.run_id for call in calls if call.outcome is CallOutcome.DONE}
        for agent in self.agents.values():
            self._done[agent.id] = sum(run_id_of(agent.id, loop) in answered for loop in range(agent.loops))
        return [
            JobSubject(agent.id, agent.universe_id, agent.loops - self._done[agent.id], CALL_TOKENS)
            for agent in self.agents.values()
            if self._done[agent.id] < agent.loops
        ]

    async def on_event(self, event: Event) -> Collection[JobSubject]:
        return ()

    async def confirm_complete(self) -> Collection[JobSubject]:
        return ()

    async def reconcile(self, subject_id: Id) -> int:
        agent = self.agents[subject_id]
        if self._done[agent.id] >= agent.loops:
            return 0
        context = CallContext(agent.universe_id, None, None, run_id_of(agent.id, self._done[agent.id]))
        try:
            await self.doubter.find_doubts(
                "The bridge over the Ribs still stands.", ["The bridge fell."], context
            )
        except BudgetExhausted as error:
            raise RetryLater(error.what, seconds=BUDGET_SECONDS) from error
        self._done[agent.id] += 1
        return agent.loops - self._done[agent.id]


class _Session:
    """The program from one opening to its close."""

    def __init__(
        self, stores: Stores, model: ScriptedModel, agents: Mapping[Id, Agent], traces: TraceFeed
    ) -> None:
        settings = AppSettings(model=ModelSettings(name="scripted/model"))
        events, recorder = EventBus(), SpanRecorder(traces.publish)
        log = stores.log(Role.ORCHESTRATOR)
        guard = BudgetGuard(log, lambda: settings.budget, utc_now)
        prompts: Prompts = load_prompts()
        calls = ModelCalls(
            model,
            stores.log(Role.NARRATOR),
            lambda: settings,
            lambda: prompts,
            guard,
            Cancellations(),
            utc_now,
            events,
            telemetry=recorder,
        )
        self.runner = JobRunner(
            JobStore(log, utc_now),
            events,
            find_hold=build_hold_finder(settings, guard),
            read_shares=build_shares_reader(stores),
            telemetry=recorder,
        )
        self.runner.register(AgentWorker(SentenceDoubter(calls), stores, agents))


async def run_load(home: Path, shape: LoadShape) -> LoadResult:
    """Do all the work of a load in a new library."""
    agents = make_agents(shape)
    universe_ids = list(dict.fromkeys(agent.universe_id for agent in agents.values()))
    traces, figures, lags = TraceFeed(), OperationFigures(), list[float]()
    traces.subscribe(figures.note_trace)

    def note_lag(trace: Span) -> None:
        if _is_piece(trace):
            lags.append(trace.waited_seconds or 0.0)

    traces.subscribe(note_lag)
    started_at, cpu_started_at = time.perf_counter(), time.process_time()
    for _ in range(shape.kills):
        pieces = shape.pieces // (shape.kills + 1)
        lags += await asyncio.to_thread(_work_and_be_killed, home, shape, pieces)
    await _work(home, shape, traces)
    seconds, cpu_seconds = time.perf_counter() - started_at, time.process_time() - cpu_started_at
    stores = await open_stores(home)
    try:
        calls = await stores.log(Role.CONTEXT_ASSEMBLY).llm_calls(LlmCallQuery())
    finally:
        await stores.close()
    counted_tokens = sum(figures.tokens_by_persona.values())
    return LoadResult(shape, seconds, cpu_seconds, lags, calls, counted_tokens, universe_ids)


def _is_piece(trace: Span) -> bool:
    return trace.operation is MeasuredOperation.JOB and trace.outcome is SpanOutcome.DONE


def _work_and_be_killed(home: Path, shape: LoadShape, pieces: int) -> list[float]:
    """Have another process work, kill it once it has done so many pieces, and return how long they waited."""
    lags = list[float]()
    arguments = ["-m", "benchmarks.load", "--work", str(home), json.dumps(asdict(shape))]
    with subprocess.Popen([sys.executable, *arguments], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        for line in process.stdout:
            lags.append(float(line))
            if len(lags) >= pieces:
                break
        process.kill()
    return lags


async def _work_until_killed(home: Path, shape: LoadShape) -> None:
    """Work as the process that is killed: for each piece a line says how long it waited."""
    traces = TraceFeed()
    traces.subscribe(lambda trace: print(trace.waited_seconds, flush=True) if _is_piece(trace) else None)
    await _work(home, shape, traces)


async def _work(home: Path, shape: LoadShape, traces: TraceFeed) -> None:
    """Open the program, work until nothing is left to do, and close it."""
    stores = await open_stores(home)
    agents = make_agents(shape)
    session = _Session(stores, ScriptedModel(lambda _: '{"doubts": []}'), agents, traces)
    try:
        if shape.weekly_cap is not None:
            universe_id = list(agents.values())[-1].universe_id
            policies = PolicyStore(stores.log(Role.CANON_KEEPER), load_catalogue(), utc_now)
            await policies.set_weekly_tokens(universe_id, shape.weekly_cap)
        await session.runner.wait_until_idle()
    finally:
        await session.runner.close()
        await stores.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the loops")
    parser.add_argument("--work", nargs=2, metavar=("HOME", "SHAPE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        home, shape = options.work
        asyncio.run(_work_until_killed(Path(home), LoadShape(**json.loads(shape))))
        return
    loops = 1 if options.quick else 10
    print(table.machine(), end="\n\n")
    runs = (
        ("One universe", LoadShape(universes=1, loops=loops, greed=1)),
        (f"One of five greedy, killed {KILLS} times", LoadShape(loops=loops, kills=KILLS)),
        # About two fifths of what the universe asks for: a call takes some 190 tokens.
        ("One of five with a cap of tokens", LoadShape(loops=loops, greed=1, weekly_cap=4_000 * loops)),
    )
    for title, shape in runs:
        with tempfile.TemporaryDirectory(prefix="monitor-load-") as folder:
            print("\n".join(format_result(title, asyncio.run(run_load(Path(folder), shape)))), flush=True)
    _run_distributed(loops)


def _run_distributed(loops: int) -> None:
    """Do the same with 1, 2 and 4 workers over Redis, which are killed on the way, as Redis is."""
    for workers in (1, 2, 4):
        shape = LoadShape(
            loops=loops,
            weekly_cap=4_000 * loops,
            workers=workers,
            call_seconds=CALL_SECONDS,
            kills=2 * loops,
            broker_restarts=max(1, loops // 5),
        )
        with tempfile.TemporaryDirectory(prefix="monitor-load-") as folder:
            home, broker_folder = Path(folder) / "home", Path(folder) / "broker"
            broker_folder.mkdir()
            try:
                broker = Redis(broker_folder, fetch=True)
                broker.start()
            except ServerMissing as error:
                print(f"Without workers: {error}.")
                return
            try:
                result = asyncio.run(run_distributed_load(home, shape, broker))
            finally:
                broker.kill()
        title = (
            f"{count_text(workers, 'worker')} over Redis, killed {count_text(shape.kills, 'time')}, "
            f"Redis {count_text(shape.broker_restarts, 'time')}"
        )
        print("\n".join(format_result(title, result)), flush=True)


if __name__ == "__main__":
    main()
