"""Measures how long loops run, from the transitions that are published of them."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from agents.events import Event, LoopStateChanged
from agents.telemetry.span_recorder import TakeTrace
from agents.telemetry.spans import MeasuredOperation, Span, SpanOutcome, SpanRecords
from stores.records.ids import Id
from stores.records.workflow import Loop, Transition

_END_STATES: Final = {
    Loop.STORY: {"completed": SpanOutcome.DONE, "abandoned": SpanOutcome.CANCELLED},
    Loop.SCENE: {"completed": SpanOutcome.DONE},
    Loop.TURN: {"persisted": SpanOutcome.DONE, "dropped": SpanOutcome.CANCELLED},
}
"""How a loop has ended in its last states. The Main Loop has none."""


class LoopCycles:
    """Passes on a span for each loop that began and ended since the program was opened."""

    def __init__(self, take_trace: TakeTrace) -> None:
        self._take_trace = take_trace
        self._began_at: dict[tuple[Loop, Id], datetime] = {}

    def note_event(self, event: Event) -> None:
        if isinstance(event, LoopStateChanged):
            self._note_transition(event.transition)

    def _note_transition(self, transition: Transition) -> None:
        loop, subject_id = transition.loop, transition.subject_id
        end_states = _END_STATES.get(loop)
        if end_states is None:
            return
        if transition.seq == 1:
            self._began_at[loop, subject_id] = transition.at
        outcome = end_states.get(transition.target)
        if outcome is None:
            return
        began_at = self._began_at.pop((loop, subject_id), None)
        if began_at is None:
            return  # it began before the program was opened
        records = SpanRecords(
            story_id=subject_id if loop is Loop.STORY else "",
            scene_id=subject_id if loop is Loop.SCENE else "",
            run_id=subject_id if loop is Loop.TURN else "",
        )
        seconds = max(0.0, (transition.at - began_at).total_seconds())
        self._take_trace(
            Span(
                MeasuredOperation.LOOP, loop, records, began_at.timestamp(), seconds, outcome, has_ended=True
            )
        )
