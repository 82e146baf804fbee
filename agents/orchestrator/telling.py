"""What a model tells of an exchange: its nodes run in order, with a checkpoint after each.

The nodes are in `turn_nodes.py`; an engine runs them: LangGraph by default, or a plain loop
(`MONITOR_ENGINE_BACKEND=inmemory`). Source: design/loops.md, "One turn"; LANGGRAPH_AGENTS.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from importlib import import_module
from typing import Protocol

from agents.orchestrator.loops import Loops
from agents.orchestrator.turn_state import NODES, TurnState
from stores.ports import OrchestratorLog
from stores.records.ids import Clock
from stores.records.ledger import Checkpoint, Loop

Node = Callable[[TurnState], Awaitable[TurnState]]
Nodes = Mapping[str, Node]

PAUSES_BEFORE = "stage"
"""The node that `MONITOR_COPILOT_PAUSE` waits before."""


class Engine(Protocol):
    async def run(self, checkpoint: Checkpoint, nodes: Nodes, *, pause: bool) -> TurnState:
        """Run the nodes that the checkpoint has not done yet, with a checkpoint after each, and return the
        state they leave. With `pause`, stop before `stage` the first time it is come to."""
        ...


class PlainEngine:
    """The nodes in a row, without LangGraph."""

    def __init__(self, log: OrchestratorLog, clock: Clock) -> None:
        self._log = log
        self._clock = clock

    async def run(self, checkpoint: Checkpoint, nodes: Nodes, *, pause: bool) -> TurnState:
        state = TurnState.of(checkpoint)
        for name in left_of(state):
            if pause and name == PAUSES_BEFORE:
                return state
            state = (await nodes[name](state)).model_copy(update={"done": name})
            await self._log.save_checkpoint(state.checkpoint(self._clock()))
        return state


class LazyLangGraph:
    """LangGraph, loaded when the first exchange is told: its import takes 1.2 CPU seconds."""

    def __init__(self, log: OrchestratorLog, clock: Clock) -> None:
        self._log = log
        self._clock = clock
        self._engine: Engine | None = None

    async def run(self, checkpoint: Checkpoint, nodes: Nodes, *, pause: bool) -> TurnState:
        if self._engine is None:
            module = await asyncio.to_thread(import_module, "agents.orchestrator.langgraph_engine")
            self._engine = module.LangGraphEngine(self._log, self._clock)
        return await self._engine.run(checkpoint, nodes, pause=pause)


class Tellings:
    """Runs the nodes and ends the exchange. Stateless: where it stands is its checkpoint."""

    def __init__(
        self,
        log: OrchestratorLog,
        nodes: Callable[[], Nodes],
        engine: Engine,
        loops: Loops,
    ) -> None:
        self._log = log
        self._nodes = nodes
        self._engine = engine
        self._loops = loops

    async def run(self, checkpoint: Checkpoint, *, pause: bool = False) -> TurnState:
        """Tell the exchange to its end, or (with `pause`) to where it waits before `stage`: then it is whole
        once it is run again. Raises StoreError with nothing half done that running it again would not
        finish."""
        state = await self._engine.run(checkpoint, self._nodes(), pause=pause)
        if state.done == NODES[-1]:
            await self._finish(state)
        return state

    async def _finish(self, state: TurnState) -> None:
        beat_id = state.exchange.beat_id
        last = await self._log.loop_state(Loop.TURN, beat_id)
        ready = self._loops.after(last, Loop.TURN, beat_id, "response_ready")
        staged = self._loops.after(ready, Loop.TURN, beat_id, "proposals_staged")
        staged = staged.model_copy(update={"steps": state.steps})
        await self._log.finish_exchange(beat_id, [ready, staged])
        self._loops.published(ready, staged)


def left_of(state: TurnState) -> tuple[str, ...]:
    """Return the nodes that are still to do."""
    return NODES[NODES.index(state.done) + 1 :] if state.done in NODES else NODES
