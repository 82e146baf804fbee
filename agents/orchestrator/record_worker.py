"""Has the Archivist record narrations beside play: the next line does not wait for it.

A background worker whose subjects are scenes. What a narration awaits is in its checkpoint, so that a record that was
cut off is made after the next start, once its scene is open. A narration that is off the line is left alone; its
record is made if it comes back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import Final, Protocol

from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.events import Event, EventBus, ExchangeRecorded, HeadMoved, TurnAppended
from agents.jobs.worker import RECORD_QUEUE, JobSubject
from agents.orchestrator.dispatcher import Dispatcher
from agents.orchestrator.narration.runner import PAUSE_BEFORE_STEP, NarrationRunner
from agents.orchestrator.narration.state import NarrationState
from agents.views.replies import Reply
from stores.ports import LogReader
from stores.records.ids import Id
from stores.records.jobs import JobKind
from stores.records.workflow import Checkpoint
from stores.task_ending import end_tasks

RECORD_PRIORITY: Final = 40


class DescribeEffects(Protocol):
    async def __call__(self, before: SceneContext, after: SceneContext) -> Reply:
        """Return what to say of what the record led to: what ran out, what was committed at once."""
        ...


class RecordWorker:
    """Records the narrations of a scene, one at a time; see `agents.jobs.worker.Worker`."""

    kind = JobKind.RECORD
    queue = RECORD_QUEUE
    priority = RECORD_PRIORITY

    def __init__(
        self,
        log: LogReader,
        contexts: SceneContextLoader,
        runner: NarrationRunner,
        dispatcher: Dispatcher,
        describe_effects: DescribeEffects,
        events: EventBus,
    ) -> None:
        self._log = log
        self._contexts = contexts
        self._runner = runner
        self._dispatcher = dispatcher
        self._describe_effects = describe_effects
        self._events = events
        self._lock = asyncio.Lock()
        """One narration is recorded at a time: a later one is read with what the one before changed."""
        self._reading: tuple[NarrationState, asyncio.Task[NarrationState]] | None = None

    async def subjects(self) -> Collection[JobSubject]:
        """Return nothing: a model is paid for a scene only once the player has opened it."""
        return ()

    async def on_event(self, event: Event) -> Collection[JobSubject]:
        match event:
            case HeadMoved(scene_id):
                await self._stop_if_left(scene_id)
                scene = await self._log.scene(scene_id)
                return [JobSubject(scene_id, scene.universe_id)]
            case TurnAppended(turn):
                await self._stop_if_left(turn.scene_id)
            case _:
                pass
        return ()

    async def confirm_complete(self) -> Collection[JobSubject]:
        """Return nothing: the checkpoints say what awaits its record."""
        return ()

    async def reconcile(self, subject_id: Id) -> int:
        """Record the oldest narration of the scene that awaits it, and return how many are left."""
        async with self._lock:
            checkpoints = await self._runner.find_unrecorded(subject_id)
            if not checkpoints:
                return 0
            await self._record(checkpoints[0])
            return len(await self._runner.find_unrecorded(subject_id))

    async def record_all(self, scene_id: Id) -> bool:
        """Record all that the scene awaits now, as its end needs it. Returns whether there was anything."""
        was_any = bool(await self._runner.find_unrecorded(scene_id))
        while await self.reconcile(scene_id):
            pass
        return was_any

    # --- inside --------------------------------------------------------------------------------------

    async def _record(self, checkpoint: Checkpoint) -> None:
        """Have a narration read, which takes a model's time, and then enter what it changes, in one change."""
        state = NarrationState.from_checkpoint(checkpoint)
        if await self._read(checkpoint, state) is None:
            return
        scene_id = checkpoint.scene_id
        async with self._dispatcher.exclusive():
            if not await self._runner.is_on_line(state):
                self._runner.forget(checkpoint.run_id)
                return
            before = await self._contexts.load_context(scene_id)
            recorded_state = await self._runner.narrate(scene_id, checkpoint.run_id)
            if recorded_state is None:
                return
            effects = await self._describe_effects(before, await self._contexts.load_context(scene_id))
        lines = (*recorded_state.player_lines[len(state.player_lines) :], *effects.lines)
        self._events.publish(ExchangeRecorded(scene_id, lines, effects.suggested_line))

    async def _read(self, checkpoint: Checkpoint, state: NarrationState) -> NarrationState | None:
        """Have the Archivist read a narration; None if it left the line meanwhile."""
        task = asyncio.ensure_future(self._runner.run(checkpoint, stop_before=PAUSE_BEFORE_STEP))
        self._reading = state, task
        try:
            await asyncio.wait([task])
        finally:
            self._reading = None
            if not task.done():  # this worker is stopped
                await end_tasks([task])
        return None if task.cancelled() else task.result()

    async def _stop_if_left(self, scene_id: Id) -> None:
        """Stop reading a narration that was undone or narrated again."""
        if self._reading is None:
            return
        state, task = self._reading
        if state.exchange.scene_id == scene_id and not await self._runner.is_on_line(state):
            task.cancel()
