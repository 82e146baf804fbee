"""Loads the scheduler with universes of agents that ask a scripted model (`make load`), and prints what became of it.

Everything but the model is the program's own: stores in files, the job queue and its shares, budgets, the calls and
their records. An agent is the subject of a job, and a loop is one piece of it: one call of the model. One universe is
greedy and asks for several times as much as the others, first; in another run one universe has a cap of tokens.
Half way through, the program is closed and opened again.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
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
from agents.telemetry.spans import Operation, Span, SpanOutcome
from benchmarks import table
from monitor_tui.background_jobs import build_hold_finder, build_shares_reader
from stores.authority import Role
from stores.open import open_stores
from stores.queries import LlmCallQuery
from stores.records.ids import Id, SystemIdGenerator, derive_id, utc_now
from stores.records.jobs import JobKind
from stores.records.llm import CallOutcome, LlmCall
from stores.stores import Stores

MIN_FAIRNESS: Final = 0.95
CALL_TOKENS: Final = 1_500
"""Tokens that a piece is expected to take; the scripted model takes some hundred."""
GREED: Final = 5
"""How many times as much the greedy universe asks for."""
BUDGET_SECONDS: Final = 3_600.0


@dataclass(frozen=True, slots=True)
class LoadShape:
    """How much is asked of the scheduler."""

    universes: int = 5
    agents: int = 50
    loops: int = 10
    greed: int = GREED
    """How many times as many loops the agents of the first universe ask for."""
    weekly_cap: int | None = None
    """Tokens that the last universe may use in a week."""
    restarts: bool = True
    """Whether the program is closed and opened again half way."""

    @property
    def pieces(self) -> int:
        return self.agents * self.loops * (self.universes - 1 + self.greed)


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent that asks a model so many times."""

    id: Id
    universe_id: Id
    loops: int


@dataclass(slots=True)
class LoadResult:
    """What became of a load."""

    shape: LoadShape
    seconds: float
    cpu_seconds: float
    served: Sequence[Id]
    """The universe of each piece, in the order in which they were done."""
    lag_seconds: Sequence[float]
    calls: Sequence[LlmCall]
    request_count: int
    """How often the model was asked."""
    counted_tokens: int
    """Tokens that the program's own figures have counted."""
    universe_ids: Sequence[Id]

    @property
    def answers(self) -> Counter[Id | None]:
        """How many answers are on record for each loop of each agent."""
        return Counter(call.run_id for call in self.calls if call.outcome is CallOutcome.DONE)

    @property
    def doubled(self) -> int:
        return sum(count - 1 for count in self.answers.values())

    @property
    def lost(self) -> int:
        """Return how many pieces are neither done nor held back by the cap."""
        expected = self.shape.pieces
        if self.shape.weekly_cap is not None:
            expected -= self.shape.agents * self.shape.loops
            return expected - sum(call.universe_id != self.universe_ids[-1] for call in self._done_calls())
        return expected - len(self._done_calls())

    @property
    def given(self) -> list[int]:
        """Return the pieces that each universe was given while all of them had work, without one that has a cap."""
        competing = self.universe_ids if self.shape.weekly_cap is None else self.universe_ids[:-1]
        share = self.shape.agents * self.shape.loops
        counts = Counter[Id]()
        for universe_id in self.served:
            counts[universe_id] += 1
            if any(counts[other] >= share for other in competing[1:]):
                break
        return [counts[universe_id] for universe_id in competing]

    @property
    def fairness(self) -> float:
        """Return Jain's index of what universes were given."""
        return jains_index(self.given)

    @property
    def capped_tokens(self) -> int:
        return sum(
            call.tokens_in + call.tokens_out
            for call in self.calls
            if call.universe_id == self.universe_ids[-1]
        )

    def _done_calls(self) -> list[LlmCall]:
        return [call for call in self.calls if call.outcome is CallOutcome.DONE]


def jains_index(amounts: Sequence[float]) -> float:
    """Return how evenly amounts are spread: 1 if all are equal, 1/n if one has everything (Jain et al., 1984)."""
    total, squares = sum(amounts), sum(amount * amount for amount in amounts)
    return total * total / (len(amounts) * squares) if squares else 1.0


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
            self._done[agent.id] = sum(_run_id(agent, loop) in answered for loop in range(agent.loops))
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
        context = CallContext(agent.universe_id, None, None, _run_id(agent, self._done[agent.id]))
        try:
            await self.doubter.find_doubts(
                "The bridge over the Ribs still stands.", ["The bridge fell."], context
            )
        except BudgetExhausted as error:
            raise RetryLater(error.what, seconds=BUDGET_SECONDS) from error
        self._done[agent.id] += 1
        return agent.loops - self._done[agent.id]


def _run_id(agent: Agent, loop: int) -> Id:
    return derive_id("load", agent.id, loop)


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
    model = ScriptedModel(lambda _: '{"doubts": []}')
    traces, figures = TraceFeed(), OperationFigures()
    traces.subscribe(figures.note_trace)
    served, lags, is_half_done = list[Id](), list[float](), asyncio.Event()

    def note_trace(trace: Span) -> None:
        if trace.operation is Operation.JOB and trace.outcome is SpanOutcome.DONE:
            served.append(trace.records.universe_id)
            lags.append(trace.waited_seconds or 0.0)
            if len(served) >= shape.pieces // 2:
                is_half_done.set()

    traces.subscribe(note_trace)
    started_at, cpu_started_at = time.perf_counter(), time.process_time()
    if shape.restarts:
        await _work(home, shape, model, agents, traces, stop=is_half_done)
    await _work(home, shape, model, agents, traces)
    seconds, cpu_seconds = time.perf_counter() - started_at, time.process_time() - cpu_started_at
    stores = await open_stores(home)
    try:
        calls = await stores.log(Role.CONTEXT_ASSEMBLY).llm_calls(LlmCallQuery())
    finally:
        await stores.close()
    counted = sum(figures.tokens_by_persona.values())
    return LoadResult(
        shape, seconds, cpu_seconds, served, lags, calls, len(model.requests), counted, universe_ids
    )


async def _work(
    home: Path,
    shape: LoadShape,
    model: ScriptedModel,
    agents: Mapping[Id, Agent],
    traces: TraceFeed,
    *,
    stop: asyncio.Event | None = None,
) -> None:
    """Open the program, work until nothing is left to do or `stop` is set, and close it."""
    stores = await open_stores(home)
    session = _Session(stores, model, agents, traces)
    try:
        if shape.weekly_cap is not None:
            universe_id = list(agents.values())[-1].universe_id
            policies = PolicyStore(stores.log(Role.CANON_KEEPER), load_catalogue(), utc_now)
            await policies.set_weekly_tokens(universe_id, shape.weekly_cap)
        waits: set[asyncio.Task[object]] = {asyncio.create_task(session.runner.wait_until_idle())}
        if stop is not None:
            waits.add(asyncio.create_task(stop.wait()))
        _, pending = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for task in pending:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
    finally:
        await session.runner.close()
        await stores.close()


def make_agents(shape: LoadShape) -> dict[Id, Agent]:
    """Return the agents by identifier, those of the greedy universe first."""
    ids = SystemIdGenerator()
    agents = {}
    for number in range(shape.universes):
        universe_id = ids.new()
        loops = shape.loops * (shape.greed if number == 0 else 1)
        for _ in range(shape.agents):
            agent = Agent(ids.new(), universe_id, loops)
            agents[agent.id] = agent
    return agents


def format_result(title: str, result: LoadResult) -> list[str]:
    """Return the lines of a run's table."""
    shape, lags = result.shape, result.lag_seconds
    done = len(result.served)
    is_whole = not result.lost and not result.doubled
    rows = [
        ("pieces done", f"{done:,} in {result.seconds:,.1f} s", ""),
        (
            "cost of a piece",
            f"{1_000 * result.seconds / done:,.1f} ms, {1_000 * result.cpu_seconds / done:,.1f} ms of CPU",
            "",
        ),
        (
            "wait for a turn",
            f"p50 {table.percentile(lags, 50):,.2f} s, p95 {table.percentile(lags, 95):,.2f} s (aim 300 s)",
            verdict(table.percentile(lags, 95) <= 300),
        ),
        (
            "fairness (Jain's index)",
            f"{result.fairness:.4f} (aim {MIN_FAIRNESS})",
            verdict(result.fairness >= MIN_FAIRNESS),
        ),
        ("given to each meanwhile", ", ".join(f"{count:,}" for count in result.given), ""),
        ("lost, done twice", f"{result.lost:,}, {result.doubled:,}", verdict(is_whole)),
    ]
    if shape.weekly_cap is not None:
        pieces = sum(universe_id == result.universe_ids[-1] for universe_id in result.served)
        asked = shape.agents * shape.loops
        used = f"{result.capped_tokens:,} of {shape.weekly_cap:,} tokens, {pieces:,} of {asked:,} pieces"
        is_held = result.capped_tokens <= shape.weekly_cap and 0 < pieces < asked
        rows.append(("universe with a cap", used, verdict(is_held)))
    recorded = sum(call.tokens_in + call.tokens_out for call in result.calls)
    tokens = f"{result.counted_tokens:,}, {recorded:,}"
    rows.append(("tokens counted, on record", tokens, verdict(result.counted_tokens == recorded)))
    size = f"{shape.universes} universes x {shape.agents} agents x {shape.loops} loops"
    return [
        f"{title}: {size}",
        *(f"  {name:<26} {value:<48} {word}".rstrip() for name, value, word in rows),
        "",
    ]


def verdict(is_met: bool) -> str:
    return "ok" if is_met else "NOT MET"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the loops")
    loops = 1 if parser.parse_args().quick else 10
    print(table.machine(), end="\n\n")
    runs = (
        ("One universe", LoadShape(universes=1, loops=loops, greed=1, restarts=False)),
        ("One of five greedy, closed and opened half way", LoadShape(loops=loops)),
        # About two fifths of what the universe asks for: a call takes some 190 tokens.
        ("One of five with a cap of tokens", LoadShape(loops=loops, greed=1, weekly_cap=4_000 * loops)),
    )
    for title, shape in runs:
        with tempfile.TemporaryDirectory(prefix="monitor-load-") as folder:
            print("\n".join(format_result(title, asyncio.run(run_load(Path(folder), shape)))), flush=True)


if __name__ == "__main__":
    main()
