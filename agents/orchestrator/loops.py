"""The only hand that moves loops: a transition is checked, persisted, published, and only then acted on.

Source: design/loops.md ("Every transition is written before its effects").
"""

from __future__ import annotations

from agents.messages import EventBus, LoopMoved
from agents.orchestrator.charts import first, step
from stores.ports import OrchestratorLog
from stores.records.ids import Clock, Id
from stores.records.ledger import Loop, Transition


class Loops:
    """Moves the four loops. Stateless: where a loop stands is its last transition in the log."""

    def __init__(self, log: OrchestratorLog, clock: Clock, events: EventBus) -> None:
        self._log = log
        self._clock = clock
        self._events = events

    async def state(self, loop: Loop, subject_id: Id) -> str:
        """Return the state that the loop stands in."""
        last = await self._log.loop_state(loop, subject_id)
        return last.target if last else first(loop)

    async def plan(self, loop: Loop, subject_id: Id, event: str, *, detail: str = "") -> Transition:
        """Return the transition that `event` would make now, unwritten. Raises IllegalTransition."""
        last = await self._log.loop_state(loop, subject_id)
        return self.after(last, loop, subject_id, event, detail=detail)

    def after(
        self, last: Transition | None, loop: Loop, subject_id: Id, event: str, *, detail: str = ""
    ) -> Transition:
        """Return the transition that `event` makes after `last`, unwritten. Raises IllegalTransition."""
        source = last.target if last else first(loop)
        # A history state goes back to where the loop was when it was suspended.
        remembered = last.source if last and event == "resume" else None
        return Transition(
            loop=loop,
            subject_id=subject_id,
            seq=last.seq + 1 if last else 1,
            source=source,
            event=event,
            target=step(loop, source, event, remembered=remembered),
            detail=detail,
            at=self._clock(),
        )

    async def fire(self, loop: Loop, subject_id: Id, event: str, *, detail: str = "") -> Transition:
        """Make the transition: persisted when this returns. Raises IllegalTransition."""
        transition = await self.plan(loop, subject_id, event, detail=detail)
        await self._log.record_transition(transition)
        self.published(transition)
        return transition

    def published(self, *transitions: Transition) -> None:
        """Tell listeners of transitions that were persisted along with something else."""
        for transition in transitions:
            self._events.publish(LoopMoved(transition))
