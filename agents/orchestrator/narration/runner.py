"""Runs the narration steps of an exchange in order, with a checkpoint after each.

The steps are in `steps.py`; an engine runs them: LangGraph by default, or a plain loop
(`MONITOR_ENGINE_BACKEND=inmemory`).
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Final, Protocol

from agents.loop_transitions import LoopTransitions
from agents.orchestrator.arbiter import arbitrate
from agents.orchestrator.narration.state import (
    FIRST_RECORD_STEP,
    NARRATION_STEPS,
    NarrationState,
    read_unrecorded_state,
)
from stores.ports import OrchestratorLog
from stores.queries import LlmCallQuery
from stores.records.ids import Clock, Id
from stores.records.llm import LlmCall
from stores.records.workflow import Checkpoint, Loop

StepFunction = Callable[[NarrationState], Awaitable[NarrationState]]
StepFunctions = Mapping[str, StepFunction]

_OPENTELEMETRY_SDK: Final = "opentelemetry.sdk.trace"

PAUSE_BEFORE_STEP = "stage"
"""The step that `MONITOR_COPILOT_PAUSE` waits before."""


class NarrationEngine(Protocol):
    async def run(
        self, checkpoint: Checkpoint, steps: StepFunctions, *, stop_before: str = ""
    ) -> NarrationState:
        """Run the steps that the checkpoint has not done yet, up to `stop_before`; return the state they leave.

        A checkpoint is written after each step.
        """
        ...


class PlainNarrationEngine:
    """Runs the steps one after another, without LangGraph."""

    def __init__(self, log: OrchestratorLog, clock: Clock) -> None:
        self._log = log
        self._clock = clock

    async def run(
        self, checkpoint: Checkpoint, steps: StepFunctions, *, stop_before: str = ""
    ) -> NarrationState:
        state = NarrationState.from_checkpoint(checkpoint)
        for step_name in remaining_steps(state):
            if step_name == stop_before:
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

    async def run(
        self, checkpoint: Checkpoint, steps: StepFunctions, *, stop_before: str = ""
    ) -> NarrationState:
        if self._engine is None:
            module = await asyncio.to_thread(_import_engine)
            self._engine = module.LangGraphEngine(self._log, self._clock)
        return await self._engine.run(checkpoint, steps, stop_before=stop_before)


def _import_engine() -> ModuleType:
    """Import the engine without OpenTelemetry, unless it is loaded already.

    LangSmith, which LangGraph needs, loads the SDK wherever it is installed, for a class that it does without.
    """
    is_blocked = _OPENTELEMETRY_SDK not in sys.modules
    if is_blocked:
        sys.modules[_OPENTELEMETRY_SDK] = None  # type: ignore[assignment] # an import raises ImportError
    try:
        return import_module("agents.orchestrator.narration.langgraph_engine")
    finally:
        if is_blocked:
            del sys.modules[_OPENTELEMETRY_SDK]


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
        self._steps_by_run: dict[Id, StepFunctions] = {}
        """The steps of runs that are not at their end, with what they have read."""

    async def narrate(self, scene_id: Id, run_id: Id, *, stop_before: str = "") -> NarrationState | None:
        """Have the model narrate a played exchange; None if there is nothing to narrate.

        From `stop_before` on, the exchange waits until it is run again.
        """
        for checkpoint in await self._log.checkpoints(scene_id):
            if checkpoint.run_id == run_id:
                return await self.run(checkpoint, stop_before=stop_before)
        return None

    async def find_unnarrated_run(self, scene_id: Id, *, with_unrecorded: bool) -> Id | None:
        """Return the run of an exchange that was rolled and whose narration is not complete.

        One that only awaits its record counts `with_unrecorded`, while its words are on the line.
        """
        for checkpoint in await self._log.checkpoints(scene_id):
            if not NarrationState.is_stored_in(checkpoint):
                continue
            state = read_unrecorded_state(checkpoint)
            if state is None or (with_unrecorded and await self.is_on_line(state)):
                return checkpoint.run_id
        return None

    async def find_unrecorded(self, scene_id: Id) -> list[Checkpoint]:
        """Return the checkpoints of the narrations on the scene's line that await their record, oldest first."""
        turn_id_by_run: dict[Id, Id] = {}
        checkpoints = {}
        for checkpoint in await self._log.checkpoints(scene_id):
            state = read_unrecorded_state(checkpoint)
            if state is not None and state.gm_turn_id is not None:
                turn_id_by_run[checkpoint.run_id] = state.gm_turn_id
                checkpoints[checkpoint.run_id] = checkpoint
        if not turn_id_by_run:
            return []
        ids_on_line = await self._log.on_line(scene_id, turn_id_by_run.values())
        turns = await self._log.turns(ids_on_line)
        runs = [run_id for run_id, turn_id in turn_id_by_run.items() if turn_id in turns]
        return [checkpoints[run] for run in sorted(runs, key=lambda run: turns[turn_id_by_run[run]].depth)]

    def forget(self, run_id: Id) -> None:
        """Forget what was read for a run: its narration has left the line."""
        self._steps_by_run.pop(run_id, None)

    async def is_on_line(self, state: NarrationState) -> bool:
        """Return whether the words of a narration are on the line of their scene."""
        turn_id = state.gm_turn_id
        return turn_id is not None and bool(await self._log.on_line(state.exchange.scene_id, [turn_id]))

    async def run(self, checkpoint: Checkpoint, *, stop_before: str = "") -> NarrationState:
        """Narrate the exchange to its end, or up to the step `stop_before`.

        Raises StoreError; whatever was half done then, running it again finishes.
        """
        steps = self._steps_by_run.setdefault(checkpoint.run_id, self._build_steps())
        try:
            state = await self._engine.run(checkpoint, steps, stop_before=stop_before)
        except BaseException:
            self._steps_by_run.pop(checkpoint.run_id, None)  # read anew, when it is run again
            raise
        if stop_before == FIRST_RECORD_STEP and state.last_step != NARRATION_STEPS[-1]:
            if state.gm_turn_id is not None:
                return state
            # There is nothing to record: the rest takes no time.
            rest = await self.narrate(checkpoint.scene_id, checkpoint.run_id)
            return rest or state
        if state.last_step == NARRATION_STEPS[-1]:
            self._steps_by_run.pop(checkpoint.run_id, None)
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
