"""Moves the four loops: a transition is checked, stored and published before anything acts on it."""

from __future__ import annotations

from agents.events import EventBus, LoopStateChanged
from agents.loop_states import state_after
from agents.state_machines import next_state
from stores.ports import OrchestratorLog
from stores.records.ids import Clock, Id
from stores.records.workflow import Loop, Transition


class LoopTransitions:
    """Moves the four loops. A loop's state is that of its last transition in the log."""

    def __init__(self, log: OrchestratorLog, clock: Clock, events: EventBus) -> None:
        self._log = log
        self._clock = clock
        self._events = events

    async def read_state(self, loop: Loop, subject_id: Id) -> str:
        """Return the loop's present state."""
        return state_after(loop, await self.read_last_transition(loop, subject_id))

    async def read_last_transition(self, loop: Loop, subject_id: Id) -> Transition | None:
        """Return the loop's last transition; None if it has none yet."""
        return await self._log.loop_state(loop, subject_id)

    async def plan_transition(
        self, loop: Loop, subject_id: Id, event: str, *, detail: str = ""
    ) -> Transition:
        """Return the transition that `event` would make now, unwritten. Raises IllegalTransition."""
        last_transition = await self._log.loop_state(loop, subject_id)
        return self.build_transition(last_transition, loop, subject_id, event, detail=detail)

    def build_transition(
        self, last_transition: Transition | None, loop: Loop, subject_id: Id, event: str, *, detail: str = ""
    ) -> Transition:
        """Return the transition that `event` makes after `last_transition`, unwritten. Raises IllegalTransition."""
        source = state_after(loop, last_transition)
        # A history state goes back to where the loop was when it was suspended.
        history_state = last_transition.source if last_transition and event == "resume" else None
        return Transition(
            loop=loop,
            subject_id=subject_id,
            seq=last_transition.seq + 1 if last_transition else 1,
            source=source,
            event=event,
            target=next_state(loop, source, event, history_state=history_state),
            detail=detail,
            at=self._clock(),
        )

    async def fire(
        self,
        loop: Loop,
        subject_id: Id,
        event: str,
        *,
        detail: str = "",
        proposer: str = "orchestrator",
        score: float | None = None,
    ) -> Transition:
        """Make the transition; it is stored when this returns. Raises IllegalTransition.

        `proposer` is who brought it about, `score` that of the proposal which it follows.
        """
        last_transition = await self._log.loop_state(loop, subject_id)
        transition = self.build_transition(last_transition, loop, subject_id, event, detail=detail)
        return await self._record(transition.model_copy(update={"proposer": proposer, "score": score}))

    async def fire_after(
        self, last_transition: Transition | None, loop: Loop, subject_id: Id, event: str, *, detail: str = ""
    ) -> Transition:
        """Make the transition as `fire`, from a last transition that was read under the session lock."""
        return await self._record(
            self.build_transition(last_transition, loop, subject_id, event, detail=detail)
        )

    async def _record(self, transition: Transition) -> Transition:
        await self._log.record_transition(transition)
        self.publish_transitions(transition)
        return transition

    def publish_transitions(self, *transitions: Transition) -> None:
        """Publish transitions that were stored together with something else."""
        for transition in transitions:
            self._events.publish(LoopStateChanged(transition))
