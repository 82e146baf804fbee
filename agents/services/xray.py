"""Builds the X-ray of a turn from what the log has of its exchange. Read-only."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from agents.llm.prompt_builder import INSTRUCTIONS_SECTION, Prompts, system_text
from agents.personas.prompt_files import load_prompts
from agents.views.llm_views import ExchangeStepView, XrayView
from stores.ports import LogReader
from stores.queries import LlmCallQuery
from stores.records.ids import Id
from stores.records.llm import CallOutcome, FallbackStep, LlmCall, Persona
from stores.records.play import GM_SPEAKERS, Resolution, Turn
from stores.records.workflow import ExchangeStep, Loop, Transition

MAX_TRANSITIONS = 20
"""Transitions of one exchange that are read for its steps: it has four, or a few more if it was resumed."""

PERSONA_BY_STEP = {
    "direct": Persona.DIRECTOR,
    "narrate": Persona.NARRATOR,
    "critique": Persona.CRITIC,
    "extract": Persona.ARCHIVIST,
}
"""The persona that a step asks."""


class XrayReader:
    """Builds X-rays."""

    def __init__(self, log: LogReader, read_prompts: Callable[[], Prompts]) -> None:
        self._log = log
        self._read_prompts = read_prompts

    async def read_xray(self, turn_id: Id) -> XrayView:
        """Return the X-ray of a turn of any kind. Raises NotFound."""
        turn = await self._log.turn(turn_id)
        turn_calls = await self._log.llm_calls(LlmCallQuery(turn_ids=[turn_id]))
        run_ids = dict.fromkeys(call.run_id for call in turn_calls if call.run_id) or _find_run_ids(turn)
        end_transitions = [
            end_transition
            for run_id in run_ids
            if (end_transition := await self._read_end_transition(run_id)) is not None
        ]
        calls = await self._read_calls(turn_calls, run_ids)
        steps = end_transitions[0].steps if end_transitions else ()
        weighing = next((transition for transition in end_transitions if transition.weighed), None)
        return XrayView(
            turn=turn,
            steps=tuple(_build_step_view(step, calls) for step in steps),
            calls=tuple(calls),
            resolution=await self._read_resolution(turn),
            warnings=tuple(_list_warnings(steps, calls)),
            weighed=weighing.weighed if weighing else (),
            is_first_offered=weighing is not None and weighing.score is not None,
            prompt_notes=tuple(describe_prompts(calls, self._read_prompts(), load_prompts())),
        )

    async def _read_end_transition(self, run_id: Id) -> Transition | None:
        """Return the transition that ended an exchange, if it holds the steps or what was weighed."""
        transitions = await self._log.transitions(loop=Loop.TURN, subject_id=run_id, limit=MAX_TRANSITIONS)
        return next(
            (transition for transition in reversed(transitions) if transition.steps or transition.weighed),
            None,
        )

    async def _read_calls(self, turn_calls: Sequence[LlmCall], run_ids: Collection[Id]) -> list[LlmCall]:
        """Return the calls of the turn and of its exchange, in the order they were made."""
        calls_by_id = {call.id: call for call in turn_calls}
        for run_id in dict.fromkeys(run_ids):
            for call in await self._log.llm_calls(LlmCallQuery(run_id=run_id)):
                calls_by_id.setdefault(call.id, call)
        return sorted(calls_by_id.values(), key=lambda call: call.at)

    async def _read_resolution(self, turn: Turn) -> Resolution | None:
        """Return the result that the turn shows, or else the last one of its exchange before it."""
        turn_ids = [turn.id]
        earlier_turn: Turn | None = turn
        while earlier_turn is not None and earlier_turn.parent_id and len(turn_ids) < MAX_TRANSITIONS:
            earlier_turn = (await self._log.turns([earlier_turn.parent_id])).get(earlier_turn.parent_id)
            if earlier_turn is None or earlier_turn.exchange_id != turn.exchange_id:
                break
            turn_ids.append(earlier_turn.id)
        resolutions_by_turn = {result.turn_id: result for result in await self._log.resolutions(turn_ids)}
        return next(
            (resolutions_by_turn[turn_id] for turn_id in turn_ids if turn_id in resolutions_by_turn), None
        )


def _find_run_ids(turn: Turn) -> tuple[Id, ...]:
    """Return the exchanges that may have made a turn which no call names.

    It begins one or joined one. The GM's own narration belongs to no other exchange.
    """
    is_gm_authored = turn.speaker in GM_SPEAKERS
    return (turn.id,) if is_gm_authored else tuple(dict.fromkeys((turn.id, turn.exchange_id)))


def _build_step_view(step: ExchangeStep, calls: Sequence[LlmCall]) -> ExchangeStepView:
    persona = PERSONA_BY_STEP.get(step.step)
    call = next((call for call in calls if call.persona is persona), None)
    match step.state:
        case "done" | "skipped" | "failed" | "waiting":
            state = step.state
        case _:
            state = "done"
    return ExchangeStepView(
        step.step, step.agent, state, step.line, step.ms / 1_000, call.id if call else None
    )


def describe_prompts(calls: Sequence[LlmCall], current: Prompts, bundled: Prompts) -> Iterator[str]:
    """Yield, once for each persona, that it was asked with the user's own prompt, or with one that changed since."""
    for call in {call.persona: call for call in calls}.values():
        sent = next((s.text for s in call.sections if s.name == INSTRUCTIONS_SECTION and not s.dropped), "")
        if not sent:
            continue
        name = call.persona.value
        is_current = sent in _instructions_of(current, call.persona)
        is_bundled = sent in _instructions_of(bundled, call.persona)
        if is_bundled and not is_current:
            yield f"The {name} was asked with the bundled prompt; your own is used since."
        elif is_current and not is_bundled:
            yield f"The {name} was asked with your own prompt."
        elif not is_current:
            yield f"The {name} was asked with an earlier prompt; it has changed since."


def _instructions_of(prompts: Prompts, persona: Persona) -> frozenset[str]:
    """Return the instructions of a persona for all its tasks, as they are recorded."""
    tasks = (prompt for (owner, _), prompt in prompts.by_task.items() if owner is persona)
    return frozenset(system_text(prompt) for prompt in (prompts[persona], *tasks))


def _list_warnings(steps: Sequence[ExchangeStep], calls: Sequence[LlmCall]) -> Iterator[str]:
    """Yield what went wrong: failed steps, cut narrations, unreadable answers."""
    for step in steps:
        if step.state == "failed":
            yield f"{step.agent}: {step.line or 'failed'}"
    for call in calls:
        persona_name = call.persona.value
        if call.outcome is CallOutcome.CUT:
            reason = (call.error or "the stream broke").rstrip(".")
            yield f"The {persona_name} was cut off: {reason}. What had come was kept."
        elif call.outcome is CallOutcome.REFUSED:
            yield f"The {persona_name} was refused: {(call.error or 'the model declined').rstrip('.')}."
        elif call.fallback_step is FallbackStep.NONE and call.outcome is CallOutcome.DONE:
            yield f"Nothing could be read of what the {persona_name} answered."
