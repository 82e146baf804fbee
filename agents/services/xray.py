"""The X-ray of a turn: why it says what it says, from what the log keeps of its exchange.

Read only.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from agents.views.llm_views import StepView, XrayView
from stores.ports import LogReader
from stores.records.ids import Id
from stores.records.llm import CallOutcome, FallbackStep, LlmCall, Persona
from stores.records.play import Resolution, Speaker, Turn
from stores.records.workflow import ExchangeStep, Loop, Transition

MOVES = 20
"""Transitions of one exchange that are looked through for its steps: it makes four, or a few more if it was
resumed."""

ASKED_BY = {
    "assemble": Persona.LIBRARIAN,
    "direct": Persona.DIRECTOR,
    "validate": Persona.STEWARD,
    "narrate": Persona.NARRATOR,
    "critique": Persona.CRITIC,
    "extract": Persona.ARCHIVIST,
}
"""The persona that a step asks."""


class Xrays:
    """Builds X-rays. Stateless."""

    def __init__(self, log: LogReader) -> None:
        self._log = log

    async def view(self, turn_id: Id) -> XrayView:
        """Return the X-ray of a turn of any kind. Raises NotFound."""
        turn = await self._log.turn(turn_id)
        own = await self._log.llm_calls(turn_ids=[turn_id])
        beats = dict.fromkeys(call.beat_id for call in own if call.beat_id) or _beats(turn)
        moves = [move for beat in beats if (move := await self._ended(beat)) is not None]
        calls = await self._calls(own, beats)
        steps = moves[0].steps if moves else ()
        return XrayView(
            turn=turn,
            steps=tuple(_step(step, calls) for step in steps),
            calls=tuple(calls),
            resolution=await self._sealed(turn),
            warnings=tuple(_warnings(steps, calls)),
        )

    async def _ended(self, beat_id: Id) -> Transition | None:
        """Return the transition that ended an exchange, with its steps, if it kept any."""
        moves = await self._log.transitions(loop=Loop.TURN, subject_id=beat_id, limit=MOVES)
        return next((move for move in reversed(moves) if move.steps), None)

    async def _calls(self, own: Sequence[LlmCall], beats: Collection[Id]) -> list[LlmCall]:
        """Return the calls of the turn and of its exchange, in the order they were made."""
        found = {call.id: call for call in own}
        for beat_id in dict.fromkeys(beats):
            for call in await self._log.llm_calls(run_id=beat_id):
                found.setdefault(call.id, call)
        return sorted(found.values(), key=lambda call: call.at)

    async def _sealed(self, turn: Turn) -> Resolution | None:
        """Return the result that the turn shows, or else the one that its exchange rolled before it."""
        tail = [turn.id]
        before: Turn | None = turn
        while before is not None and before.parent_id and len(tail) < MOVES:
            before = (await self._log.turns([before.parent_id])).get(before.parent_id)
            if before is None or before.exchange_id != turn.exchange_id:
                break
            tail.append(before.id)
        sealed = {result.turn_id: result for result in await self._log.resolutions(tail)}
        return next((sealed[turn_id] for turn_id in tail if turn_id in sealed), None)


def _beats(turn: Turn) -> tuple[Id, ...]:
    """Return the exchanges that may have made a turn which no call names: it begins one, or joined one. What
    the GM told by hand joined nobody's."""
    by_hand = turn.speaker in (Speaker.GM, Speaker.NPC)
    return (turn.id,) if by_hand else tuple(dict.fromkeys((turn.id, turn.exchange_id)))


def _step(step: ExchangeStep, calls: Sequence[LlmCall]) -> StepView:
    persona = ASKED_BY.get(step.step)
    call = next((call for call in calls if call.persona is persona), None)
    match step.state:
        case "done" | "skipped" | "failed" | "waiting":
            state = step.state
        case _:
            state = "done"
    return StepView(step.step, step.agent, state, step.line, step.ms / 1_000, call.id if call else None)


def _warnings(steps: Sequence[ExchangeStep], calls: Sequence[LlmCall]) -> Iterator[str]:
    """Yield what went otherwise than it should have: steps that failed, words cut off, answers unread."""
    for step in steps:
        if step.state == "failed":
            yield f"{step.agent}: {step.line or 'failed'}"
    for call in calls:
        who = call.persona.value
        if call.outcome is CallOutcome.CUT:
            yield f"The {who} was cut off: {call.error or 'the stream broke'}. What had come was kept."
        elif call.outcome is CallOutcome.REFUSED:
            yield f"The {who} was refused: {call.error or 'the model declined'}."
        elif call.rung is FallbackStep.NONE and call.outcome is CallOutcome.DONE:
            yield f"Nothing could be read of what the {who} answered."
