"""Runs the narration steps on LangGraph, with its checkpoints in the campaign's own store.

The only module that imports LangGraph, loaded with the first exchange that a model narrates (1.2 CPU seconds).
A finished step is never run again: LangGraph saves after each, before the next begins. See docs/decisions/0013.
"""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypedDict

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.base import Checkpoint as GraphCheckpoint
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import interrupt
from langsmith import tracing_context

from agents.orchestrator.narration.runner import StepFunctions, remaining_steps
from agents.orchestrator.narration.state import LAST_EXCHANGE_STEP, NARRATION_STEPS, NarrationState
from stores.ports import OrchestratorLog
from stores.records.ids import Clock
from stores.records.workflow import Checkpoint


class _Channels(TypedDict):
    """The values that the graph passes on. `turn` is a `NarrationState` as JSON, which later versions can read."""

    turn: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _RunContext:
    """What one run adds to the graph, which is compiled only once."""

    steps: StepFunctions
    stop_before: str


class LangGraphEngine:
    """See `agents.orchestrator.narration.runner.NarrationEngine`. Compiling the graph takes 5 ms, so it is kept."""

    def __init__(self, log: OrchestratorLog, clock: Clock) -> None:
        self._log = log
        self._clock = clock
        self._graph = _build_graph().compile()

    async def run(
        self, checkpoint: Checkpoint, steps: StepFunctions, *, stop_before: str = ""
    ) -> NarrationState:
        saver = LogCheckpointSaver(self._log, self._clock, checkpoint)
        graph = self._graph.copy(update={"checkpointer": saver})
        config: RunnableConfig = {"configurable": {"thread_id": checkpoint.run_id}}
        initial_channels: Any = None if saver.has_begun else {"turn": checkpoint.state["turn"]}
        # "sync": a checkpoint is durable before the next node begins, so that no call is paid for twice.
        # A LANGSMITH_TRACING of the developer's environment would send the story to LangSmith.
        with tracing_context(enabled=False):
            final_channels = await graph.ainvoke(
                initial_channels, config, context=_RunContext(steps, stop_before), durability="sync"
            )
        return NarrationState.model_validate(final_channels["turn"])


def _build_graph() -> StateGraph[_Channels, _RunContext]:
    graph = StateGraph(_Channels, context_schema=_RunContext)
    for step_name in NARRATION_STEPS:
        graph.add_node(step_name, _build_graph_step(step_name))
    graph.add_conditional_edges(START, _first_step, [*NARRATION_STEPS, END])
    for step_name, next_step in pairwise(NARRATION_STEPS):
        graph.add_edge(step_name, next_step)
    graph.add_edge(NARRATION_STEPS[-1], END)
    return graph


def _first_step(channels: _Channels) -> str:
    """Return the step to begin at: after those that another engine or an earlier run has done."""
    steps_left = remaining_steps(NarrationState.model_validate(channels["turn"]))
    return steps_left[0] if steps_left else END


def _build_graph_step(step_name: str) -> Any:
    async def run_step(channels: _Channels, runtime: Runtime[_RunContext]) -> dict[str, Any]:
        if step_name == runtime.context.stop_before:
            interrupt("the rest of the exchange waits")
        state = await runtime.context.steps[step_name](NarrationState.model_validate(channels["turn"]))
        return {"turn": state.model_copy(update={"last_step": step_name}).model_dump(mode="json")}

    return run_step


class LogCheckpointSaver(BaseCheckpointSaver[str]):
    """Keeps LangGraph's newest checkpoint of one exchange in its `Checkpoint` record.

    Beside LangGraph's own bytes the record holds the state in plain JSON, so that the plain engine, or a newer
    LangGraph that cannot read the bytes, can go on from there.
    """

    def __init__(self, log: OrchestratorLog, clock: Clock, saved_checkpoint: Checkpoint) -> None:
        super().__init__()
        self._log = log
        self._clock = clock
        self._saved_checkpoint = saved_checkpoint
        self._langgraph_data: dict[str, Any] = dict(saved_checkpoint.state.get("langgraph") or {})

    @property
    def has_begun(self) -> bool:
        """Whether LangGraph has run this exchange before."""
        return bool(self._langgraph_data)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        if not self._langgraph_data:
            return None
        checkpoint: GraphCheckpoint = self._decode(self._langgraph_data["checkpoint"])
        writes = [
            (task, channel, self._decode(value)) for task, channel, value in self._langgraph_data["writes"]
        ]
        return CheckpointTuple(
            self._build_config(config, checkpoint["id"]),
            checkpoint,
            self._decode(self._langgraph_data["metadata"]),
            None,
            writes,
        )

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: GraphCheckpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        values = checkpoint["channel_values"]
        turn = values.get("turn")
        if turn is not None:  # before that there is nothing yet that the record does not hold
            self._langgraph_data = {
                "checkpoint": self._encode(checkpoint),
                "metadata": self._encode(metadata),
                "writes": [],
            }
            await self._save_state(turn)
        return self._build_config(config, checkpoint["id"])

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Store an interrupt and its answer.

        What a step wrote is not stored here: the checkpoint after it follows at once, and every step may be run
        again.
        """
        interrupt_writes = [
            (channel, value) for channel, value in writes if channel in ("__interrupt__", "__resume__")
        ]
        if interrupt_writes and self._langgraph_data:
            self._langgraph_data["writes"] += [
                [task_id, channel, self._encode(value)] for channel, value in interrupt_writes
            ]
            await self._save_state(self._saved_checkpoint.state["turn"])

    async def _save_state(self, turn: dict[str, Any]) -> None:
        step = str(turn.get("last_step", LAST_EXCHANGE_STEP))
        state = {"turn": turn, "langgraph": self._langgraph_data}
        self._saved_checkpoint = self._saved_checkpoint.model_copy(
            update={"step": step, "state": state, "at": self._clock()}
        )
        await self._log.save_checkpoint(self._saved_checkpoint)

    def _encode(self, value: Any) -> list[str]:
        kind, data = self.serde.dumps_typed(value)
        return [kind, base64.b64encode(data).decode()]

    def _decode(self, encoded_value: Sequence[str]) -> Any:
        return self.serde.loads_typed((encoded_value[0], base64.b64decode(encoded_value[1])))

    def _build_config(self, config: RunnableConfig, checkpoint_id: str) -> RunnableConfig:
        configurable = config["configurable"]
        return {
            "configurable": {
                "thread_id": configurable["thread_id"],
                "checkpoint_ns": configurable.get("checkpoint_ns", ""),
                "checkpoint_id": checkpoint_id,
            }
        }

    # LangGraph's other doors: this saver has one thread, and is only ever used asynchronously.

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        saved_tuple = await self.aget_tuple(config) if config else None
        if saved_tuple is not None:
            yield saved_tuple

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        raise NotImplementedError("LogCheckpointSaver is asynchronous: use aget_tuple")

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        raise NotImplementedError("LogCheckpointSaver is asynchronous: use alist")
