"""The turn graph on LangGraph, with its checkpoints in the campaign's own store.

The only module that imports LangGraph; it is loaded with the first exchange that a model tells (1.2 CPU
seconds). A node that is done is never done again: LangGraph saves after each, before the next begins.
Source: LANGGRAPH_AGENTS; design/loops.md, "One turn"; docs/decisions/0013.
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

from agents.orchestrator.telling import PAUSES_BEFORE, Nodes, left_of
from agents.orchestrator.turn_state import NODES, RESOLVED, TurnState
from stores.ports import OrchestratorLog
from stores.records.ids import Clock
from stores.records.ledger import Checkpoint


class _Channels(TypedDict):
    """What flows along the graph. `turn` is a `TurnState` as JSON, so that a checkpoint outlives the code
    that wrote it."""

    turn: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Run:
    """What one run brings with it: the graph itself is made once."""

    nodes: Nodes
    pause: bool


class LangGraphEngine:
    """See `agents.orchestrator.telling.Engine`. Compiling the graph takes 5 ms, so it is kept."""

    def __init__(self, log: OrchestratorLog, clock: Clock) -> None:
        self._log = log
        self._clock = clock
        self._graph = _graph().compile()

    async def run(self, checkpoint: Checkpoint, nodes: Nodes, *, pause: bool) -> TurnState:
        saver = LogSaver(self._log, self._clock, checkpoint)
        graph = self._graph.copy(update={"checkpointer": saver})
        config: RunnableConfig = {"configurable": {"thread_id": checkpoint.exchange_id}}
        begin: Any = None if saver.begun else {"turn": checkpoint.state["turn"]}
        # "sync": a checkpoint is durable before the next node begins, so that no call is paid for twice.
        left = await graph.ainvoke(begin, config, context=_Run(nodes, pause), durability="sync")
        return TurnState.model_validate(left["turn"])


def _graph() -> StateGraph[_Channels, _Run]:
    graph = StateGraph(_Channels, context_schema=_Run)
    for name in NODES:
        graph.add_node(name, _step(name))
    graph.add_conditional_edges(START, _first, [*NODES, END])
    for name, following in pairwise(NODES):
        graph.add_edge(name, following)
    graph.add_edge(NODES[-1], END)
    return graph


def _first(channels: _Channels) -> str:
    """Where to begin: after what another engine, or an earlier run, has done."""
    left = left_of(TurnState.model_validate(channels["turn"]))
    return left[0] if left else END


def _step(name: str) -> Any:
    async def step(channels: _Channels, runtime: Runtime[_Run]) -> dict[str, Any]:
        if runtime.context.pause and name == PAUSES_BEFORE:
            interrupt("MONITOR_COPILOT_PAUSE")
        state = await runtime.context.nodes[name](TurnState.model_validate(channels["turn"]))
        return {"turn": state.model_copy(update={"done": name}).model_dump(mode="json")}

    return step


class LogSaver(BaseCheckpointSaver[str]):
    """LangGraph's checkpoints of one exchange, kept in its `Checkpoint` record: the newest one alone.

    Beside LangGraph's own bytes the record holds the state in plain JSON, so that the plain engine (or a
    newer LangGraph that cannot read the bytes) goes on from there as well.
    """

    def __init__(self, log: OrchestratorLog, clock: Clock, found: Checkpoint) -> None:
        super().__init__()
        self._log = log
        self._clock = clock
        self._kept = found
        self._graph: dict[str, Any] = dict(found.state.get("langgraph") or {})

    @property
    def begun(self) -> bool:
        """Whether LangGraph has run here before, and so knows where to go on."""
        return bool(self._graph)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        if not self._graph:
            return None
        checkpoint: GraphCheckpoint = self._read(self._graph["checkpoint"])
        writes = [(task, channel, self._read(value)) for task, channel, value in self._graph["writes"]]
        return CheckpointTuple(
            self._config(config, checkpoint["id"]),
            checkpoint,
            self._read(self._graph["metadata"]),
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
            self._graph = {
                "checkpoint": self._bytes(checkpoint),
                "metadata": self._bytes(metadata),
                "writes": [],
            }
            await self._keep(turn)
        return self._config(config, checkpoint["id"])

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Keep an interrupt and its answer. What a node wrote needs no keeping: the checkpoint after it
        follows at once, and every node may be done again."""
        special = [
            (channel, value) for channel, value in writes if channel in ("__interrupt__", "__resume__")
        ]
        if special and self._graph:
            self._graph["writes"] += [[task_id, channel, self._bytes(value)] for channel, value in special]
            await self._keep(self._kept.state["turn"])

    async def _keep(self, turn: dict[str, Any]) -> None:
        node = str(turn.get("done", RESOLVED))
        state = {"turn": turn, "langgraph": self._graph}
        self._kept = self._kept.model_copy(update={"node": node, "state": state, "at": self._clock()})
        await self._log.save_checkpoint(self._kept)

    def _bytes(self, value: Any) -> list[str]:
        kind, data = self.serde.dumps_typed(value)
        return [kind, base64.b64encode(data).decode()]

    def _read(self, kept: Sequence[str]) -> Any:
        return self.serde.loads_typed((kept[0], base64.b64decode(kept[1])))

    def _config(self, config: RunnableConfig, checkpoint_id: str) -> RunnableConfig:
        place = config["configurable"]
        return {
            "configurable": {
                "thread_id": place["thread_id"],
                "checkpoint_ns": place.get("checkpoint_ns", ""),
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
        found = await self.aget_tuple(config) if config else None
        if found is not None:
            yield found

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        raise NotImplementedError("LogSaver is asynchronous: use aget_tuple")

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        raise NotImplementedError("LogSaver is asynchronous: use alist")
