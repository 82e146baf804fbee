"""Runs the narration steps of an exchange in order, with a checkpoint after each.

The steps are in `steps.py`; an engine runs them: LangGraph by default, or a plain loop
(`MONITOR_ENGINE_BACKEND=inmemory`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from importlib import import_module
from typing import Protocol

from agents.loop_transitions import LoopTransitions
from agents.orchestrator.arbiter import arbitrate
from agents.orchestrator.narration.state import NARRATION_STEPS, NarrationState
from stores.ports import OrchestratorLog
from stores.queries import LlmCallQuery
from stores.records.ids import Clock, Id
from stores.records.llm import LlmCall
from stores.records.workflow import Checkpoint, Loop

StepFunction = Callable[[NarrationState], Awaitable[NarrationState]]
StepFunctions = Mapping[str, StepFunction]

PAUSE_BEFORE_STEP = "stage"
"""The step that `MONITOR_COPILOT_PAUSE` waits before."""


class NarrationEngine(Protocol):
    async def run(self, checkpoint: Checkpoint, steps: StepFunctions, *, pause: bool) -> NarrationState:
        """Run the steps that the checkpoint has not done yet, and return the state they leave.

        A checkpoint is written after each step. With `pause`, stop before `stage` the first time it is
        reached.
        """
        ...


class PlainNarrationEngine:
    """Runs the steps one after another, without LangGraph."""

    def __init__(self, log: OrchestratorLog, clock: Clock) -> None:
        self._log = log
        self._clock = clock

    async def run(self, checkpoint: Checkpoint, steps: StepFunctions, *, pause: bool) -> NarrationState:
        state = NarrationState.from_checkpoint(checkpoint)
        for step_name in remaining_steps(state):
            if pause and step_name == PAUSE_BEFORE_STEP:
                return state
            state = (await steps[step_name](state)).model_copy(update={"last_step": step_name})
            await self._log.save_checkpoint(state.to_checkpoint(self._clock()))
        return state


class LazyLangGraphEngine:
    """Loads LangGraph when the first exchange is narrated: its import takes 1.2 CPU seconds."""

    def __init__(self, log: OrchestratorLog, clock: Clock) -> None:
        self._log = log
        self._clock = clock
        self._engine: NarrationEngine | None = None

    async def run(self, checkpoint: Checkpoint, steps: StepFunctions, *, pause: bool) -> NarrationState:
        if self._engine is None:
            module = await asyncio.to_thread(import_module, "agents.orchestrator.narration.langgraph_engine")
            self._engine = module.LangGraphEngine(self._log, self._clock)
        return await self._engine.run(checkpoint, steps, pause=pause)


class NarrationRunner:
    """Runs the narration steps and ends the exchange; the checkpoint says which steps are done."""

    def __init__(
        self,
        log: OrchestratorLog,
        build_steps: Callable[[], StepFunctions],
        engine: NarrationEngine,
        loops: LoopTransitions,
    ) -> None:
        self._log = log
        self._build_steps = build_steps
        self._engine = engine
        self._loops = loops

    async def narrate(self, scene_id: Id, run_id: Id, *, pause: bool = False) -> NarrationState | None:
        """Have the model narrate a played exchange; None if there is nothing to narrate.

        With `pause`, what it would stage waits until the exchange is run again.
        """
        for checkpoint in await self._log.checkpoints(scene_id):
            if checkpoint.run_id == run_id:
                return await self.run(checkpoint, pause=pause)
        return None

    async def find_unnarrated_run(self, scene_id: Id) -> Id | None:
        """Return the run of an exchange that was rolled and whose narration is not complete."""
        return next(
            (
                checkpoint.run_id
                for checkpoint in await self._log.checkpoints(scene_id)
                if NarrationState.is_stored_in(checkpoint)
            ),
            None,
        )

    async def run(self, checkpoint: Checkpoint, *, pause: bool = False) -> NarrationState:
        """Narrate the exchange to its end, or (with `pause`) up to the step `stage`.

        Raises StoreError; whatever was half done then, running it again finishes.
        """
        state = await self._engine.run(checkpoint, self._build_steps(), pause=pause)
        if state.last_step == NARRATION_STEPS[-1]:
            await self._finish_exchange(state)
        return state

    async def _finish_exchange(self, state: NarrationState) -> None:
        run_id = state.exchange.run_id
        last_transition = await self._log.loop_state(Loop.TURN, run_id)
        ready_transition = self._loops.build_transition(last_transition, Loop.TURN, run_id, "response_ready")
        staged_transition = self._loops.build_transition(
            ready_transition, Loop.TURN, run_id, "proposals_staged"
        )
        arbitration = arbitrate(state.transition_proposals)
        staged_transition = arbitration.record_on(staged_transition).model_copy(
            update={"steps": state.steps, "cost": await self._read_cost(run_id)}
        )
        await self._log.finish_exchange(run_id, [ready_transition, staged_transition])
        self._loops.publish_transitions(ready_transition, staged_transition)

    async def _read_cost(self, run_id: Id) -> float | None:
        return total_cost(await self._log.llm_calls(LlmCallQuery(run_id=run_id)))


def total_cost(calls: Iterable[LlmCall]) -> float | None:
    """Return what the calls cost in US dollars; None if there are none, or the price of one is unknown."""
    costs = [call.cost for call in calls]
    if not costs or not all(cost.known for cost in costs):
        return None
    return sum(cost.micros for cost in costs) / 1_000_000


def remaining_steps(state: NarrationState) -> tuple[str, ...]:
    """Return the steps that are still to be run."""
    return (
        NARRATION_STEPS[NARRATION_STEPS.index(state.last_step) + 1 :]
        if state.last_step in NARRATION_STEPS
        else NARRATION_STEPS
    )
