"""Runs the calls of personas: checks the budget, builds the prompt, streams with retries, records the call.

A finished call is stored under an identifier derived from its context, so a step that is repeated after a
crash finds the answer and does not pay again; replaying a session finds all of them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractContextManager, aclosing, suppress
from dataclasses import dataclass
from typing import Final, TypeVar

from pydantic import BaseModel

from agents.events import EventBus, LlmCallRecorded
from agents.llm.budget import BudgetGuard
from agents.llm.call_context import CallContext, OnText, PromptParts, ProseAnswer, StructuredAnswer
from agents.llm.cancellations import Cancellations
from agents.llm.errors import BudgetExhausted, ModelCut, ModelError, ModelRefused, ModelTimeout, ModelUnset
from agents.llm.fallback_ladder import MAX_REQUESTS, FallbackOutcome, ask_with_fallbacks
from agents.llm.llm_port import LanguageModel, LlmRequest, ModelFacts, TextChunk, Usage
from agents.llm.llm_settings import AppSettings
from agents.llm.model_names import ModelTarget
from agents.llm.prompt_builder import (
    BuiltPrompt,
    Prompts,
    build_prompt,
    countable_texts,
    counter_from_table,
    estimate_tokens,
)
from agents.llm.retry import AttemptLog, stream_with_retries
from agents.llm.usage_estimate import estimate_usage, is_plausible, price_tokens
from agents.sanitize import clean
from agents.telemetry.spans import NO_TELEMETRY, MeasuredOperation, Span, SpanOutcome, SpanRecords, Telemetry
from stores.ports import NarratorLog
from stores.queries import LlmCallQuery
from stores.records.ids import Clock, Id, derive_id
from stores.records.llm import CallOutcome, FallbackStep, LlmCall, Money, Persona

T = TypeVar("T", bound=BaseModel)

MAX_CHARACTERS = 60_000
"""Characters after which a stream is cut off: a model that loops must not fill the log."""

REUSABLE_OUTCOMES = (CallOutcome.DONE, CallOutcome.CUT, CallOutcome.STOPPED)
"""Outcomes of calls whose text is used again when their step is repeated."""


_SPAN_OUTCOMES: Final = {
    CallOutcome.DONE: SpanOutcome.DONE,
    CallOutcome.CUT: SpanOutcome.DONE,
    CallOutcome.STOPPED: SpanOutcome.CANCELLED,
    CallOutcome.REFUSED: SpanOutcome.FAILED,
    CallOutcome.FAILED: SpanOutcome.FAILED,
}


@dataclass(slots=True)
class _ReceivedAnswer:
    """What has arrived of a call so far."""

    started_at: float
    text: str = ""
    usage: Usage | None = None
    first_text_seconds: float | None = None
    """Seconds from the request to the first text."""


@dataclass(frozen=True, slots=True)
class _PreparedCall:
    """One call, ready to be sent."""

    request: LlmRequest
    prompt: BuiltPrompt
    targets: tuple[ModelTarget, ...]
    facts: Mapping[str, ModelFacts]
    """What is known of each target's model, by its name."""

    def estimate(self, model: str, text: str) -> Usage:
        """Return what a request to `model` used that was answered with `text`, by our own count."""
        finish = "length" if text else "stop"
        return estimate_usage(self.facts[model], self.prompt.tokens, estimate_tokens(text), finish=finish)

    @property
    def highest_cost(self) -> int:
        """The most that one request to the first target can cost, in millionths of a dollar; 0 if unknown."""
        return price_tokens(
            self.facts[self.request.model], self.prompt.tokens, self.request.max_tokens
        ).micros


class ModelCalls:
    """Implements `agents.llm.call_context.PersonaCalls`; its only state is the streams that are running."""

    def __init__(
        self,
        model: LanguageModel,
        log: NarratorLog,
        settings: Callable[[], AppSettings],
        prompts: Callable[[], Prompts],
        budget_guard: BudgetGuard,
        cancellations: Cancellations,
        clock: Clock,
        events: EventBus,
        *,
        timer: Callable[[], float] = time.perf_counter,
        telemetry: Telemetry = NO_TELEMETRY,
    ) -> None:
        self._telemetry = telemetry
        self._model = model
        self._log = log
        self._settings = settings
        self._prompts = prompts
        self._budget_guard = budget_guard
        self._cancellations = cancellations
        self._clock = clock
        self._events = events
        self._timer = timer

    def is_on(self, persona: Persona) -> bool:
        return self._settings().is_on(persona)

    async def ask_prose(
        self,
        persona: Persona,
        parts: PromptParts,
        call_context: CallContext,
        on_text: OnText,
        task: str = "",
        pictures: tuple[str, ...] = (),
    ) -> ProseAnswer:
        if earlier_call := await self._find_earlier_call(persona, call_context):
            on_text(earlier_call.answer)
            return _prose_answer(earlier_call)
        prepared = await self._prepare(persona, parts, call_context, task, pictures)
        received, attempts = _ReceivedAnswer(self._timer()), AttemptLog(model=prepared.request.model)
        error: ModelError | None = None
        outcome = CallOutcome.DONE
        try:
            with self._watch(call_context) as stop_event:
                was_stopped = await self._receive(
                    prepared.request, prepared.targets, attempts, received, on_text, stop_event
                )
            outcome = CallOutcome.STOPPED if was_stopped else _outcome_of(received)
        except ModelError as model_error:
            error, outcome = model_error, _failure_outcome(model_error, received)
        except asyncio.CancelledError:
            # The program is closing: the text is stored, and found when the step is repeated.
            call = self._build_record(
                persona, call_context, prepared, received, attempts, CallOutcome.STOPPED
            )
            await asyncio.shield(self._record(call))
            raise
        call = self._build_record(persona, call_context, prepared, received, attempts, outcome, error)
        await self._record(await self._with_free_id(call, call_context))
        if not call.answer.strip() and outcome is not CallOutcome.STOPPED:
            raise error or ModelRefused(
                "The model sent an empty answer.", todo="Ctrl+R asks again, or narrate yourself with >."
            )
        return _prose_answer(call)

    async def ask_structured(
        self,
        persona: Persona,
        parts: PromptParts,
        call_context: CallContext,
        output_type: type[T],
        task: str = "",
        max_answers: int = MAX_REQUESTS,
    ) -> StructuredAnswer[T]:
        if earlier_call := await self._find_earlier_call(persona, call_context):
            reread = await _reread_answer(earlier_call, output_type)
            return StructuredAnswer(reread.value, earlier_call.fallback_step, earlier_call, reread.note)
        prepared = await self._prepare(persona, parts, call_context, task)
        facts = prepared.facts[prepared.request.model]
        received, attempts = _ReceivedAnswer(self._timer()), AttemptLog(model=prepared.request.model)

        was_stopped = False

        async def send(step_request: LlmRequest) -> tuple[str, Usage]:
            nonlocal was_stopped
            if (earlier_usage := received.usage) is not None:
                # The first request is not on record yet, and the second is held to the budget too.
                await self._budget_guard.check_allowed(
                    persona,
                    call_context,
                    unrecorded_micros=earlier_usage.cost.micros,
                    upcoming_micros=prepared.highest_cost,
                )
            received.text, received.usage = "", None
            try:
                with self._watch(call_context) as stop_event:
                    try:
                        was_stopped = await self._receive(
                            step_request, prepared.targets, attempts, received, _ignore_text, stop_event
                        )
                    except ModelCut:
                        # A partial answer can often be parsed after repair.
                        if not received.text.strip():
                            raise
                if was_stopped:
                    # A player who stops the call wants no second request either.
                    raise ModelCut("You stopped it.")
            finally:
                if received.usage is None and received.text:
                    received.usage = prepared.estimate(attempts.model, received.text)
                usage = received.usage or Usage()
                received.usage = earlier_usage.plus(usage) if earlier_usage else received.usage
            return received.text, usage

        try:
            structured = await ask_with_fallbacks(send, prepared.request, output_type, facts, max_answers)
        except ModelError as error:
            outcome = CallOutcome.STOPPED if was_stopped else _failure_outcome(error, received)
            call = self._build_record(
                persona,
                call_context,
                prepared,
                received,
                attempts,
                outcome,
                error,
                fallback_step=FallbackStep.NONE,
            )
            await self._record(await self._with_free_id(call, call_context))
            raise
        except asyncio.CancelledError:
            # The caller is gone, but the cost is recorded all the same.
            failed_call = self._build_record(
                persona,
                call_context,
                prepared,
                received,
                attempts,
                CallOutcome.FAILED,
                fallback_step=FallbackStep.NONE,
            )
            await asyncio.shield(self._record(await self._with_free_id(failed_call, call_context)))
            raise
        call = self._build_record(
            persona,
            call_context,
            prepared,
            received,
            attempts,
            _outcome_of(received),
            fallback_step=structured.fallback_step,
            result=_summary_line(structured),
        ).model_copy(update={"answer": structured.answer})
        await self._record(call)
        return StructuredAnswer(structured.value, structured.fallback_step, call, structured.note)

    # --- inside --------------------------------------------------------------------------------------

    async def _prepare(
        self,
        persona: Persona,
        parts: PromptParts,
        call_context: CallContext,
        task: str = "",
        pictures: tuple[str, ...] = (),
    ) -> _PreparedCall:
        """Build the request: to the cheaper model, if there is one and a budget holds back the persona's own.

        Raises BudgetExhausted or ModelUnset before anything is sent.
        """
        settings = self._settings()
        other_model = call_context.narrator_model if persona is Persona.NARRATOR else ""
        targets, cheaper_target = settings.targets(persona, other_model), settings.cheaper_target()
        if not targets:
            raise ModelUnset(
                f"No model is set up for the {persona.value}.",
                todo="Model on the menu sets one up; > narrates without one.",
            )
        try:
            return await self._prepare_for(targets, persona, parts, call_context, task, pictures)
        except BudgetExhausted:
            if cheaper_target is None or cheaper_target == targets[0]:
                raise
        return await self._prepare_for(
            (cheaper_target,), persona, parts, call_context, task, pictures, is_cheaper=True
        )

    async def _prepare_for(
        self,
        targets: tuple[ModelTarget, ...],
        persona: Persona,
        parts: PromptParts,
        call_context: CallContext,
        task: str,
        pictures: tuple[str, ...],
        *,
        is_cheaper: bool = False,
    ) -> _PreparedCall:
        """Build the request to these models. Raises BudgetExhausted."""
        settings = self._settings()
        await self._budget_guard.check_allowed(persona, call_context, is_cheaper=is_cheaper)
        prompt, model = self._prompts().get(persona, task), targets[0].model
        facts = {target.model: await self._model.read_facts(target.model) for target in targets}
        texts = countable_texts(prompt, parts)
        numbers, exact = await self._model.count_tokens(model, texts)
        answer_tokens = settings.max_tokens(persona, prompt.max_tokens)
        built_prompt = build_prompt(
            prompt,
            parts,
            counter_from_table(texts, numbers),
            facts[model].window,
            exact=exact,
            answer=answer_tokens,
        ).with_pictures(pictures)
        request = LlmRequest(
            model=model,
            messages=built_prompt.messages,
            max_tokens=answer_tokens,
            temperature=settings.temperature(persona, prompt.temperature),
            top_p=settings.persona(persona).top_p,
            stop=tuple(settings.persona(persona).stop),
            seconds=settings.model.seconds,
            api_base=targets[0].api_base,
        )
        prepared = _PreparedCall(request, built_prompt, targets, facts)
        await self._budget_guard.check_allowed(
            persona,
            call_context,
            upcoming_micros=prepared.highest_cost,
            upcoming_tokens=built_prompt.tokens + answer_tokens,
            is_cheaper=is_cheaper,
        )
        return prepared

    async def _receive(
        self,
        request: LlmRequest,
        targets: tuple[ModelTarget, ...],
        attempts: AttemptLog,
        received: _ReceivedAnswer,
        on_text: OnText,
        stop_event: asyncio.Event,
    ) -> bool:
        """Receive a stream to its end. Returns whether the player stopped it."""
        async with aclosing(stream_with_retries(self._model, request, targets, attempts)) as stream:
            async for part in _until_stopped(stream, stop_event):
                if isinstance(part, Usage):
                    received.usage = part if is_plausible(part) else None
                    continue
                if received.first_text_seconds is None:
                    received.first_text_seconds = self._timer() - received.started_at
                new_text = part.text[: MAX_CHARACTERS - len(received.text)]
                received.text += new_text
                on_text(new_text)
                if len(new_text) < len(part.text):
                    raise ModelCut(f"The model went on past {MAX_CHARACTERS:,} characters and was cut off.")
        return stop_event.is_set()

    def _watch(self, call_context: CallContext) -> AbstractContextManager[asyncio.Event]:
        return self._cancellations.watch_scene(
            call_context.scene_id, is_beside_play=call_context.is_beside_play
        )

    async def _find_earlier_call(self, persona: Persona, call_context: CallContext) -> LlmCall | None:
        """Return the call that was already made in this context, if it has text."""
        earlier_calls = await self._log.llm_calls(LlmCallQuery(ids=[_call_id(persona, call_context)]))
        return next((call for call in earlier_calls if call.outcome in REUSABLE_OUTCOMES), None)

    async def _with_free_id(self, call: LlmCall, call_context: CallContext) -> LlmCall:
        """Return a failed call under another identifier, so that its repetition can use the derived one."""
        if call.outcome in REUSABLE_OUTCOMES:
            return call
        run_calls = await self._log.llm_calls(LlmCallQuery(run_id=call_context.run_id))
        return call.model_copy(update={"id": derive_id("llm_call", call.id, "failed", len(run_calls))})

    async def _record(self, call: LlmCall) -> None:
        await self._log.record_call(call)
        self._telemetry.record(span_of_call(call))
        self._events.publish(LlmCallRecorded(call.id, call.story_id))

    def _build_record(
        self,
        persona: Persona,
        call_context: CallContext,
        prepared: _PreparedCall,
        received: _ReceivedAnswer,
        attempts: AttemptLog,
        outcome: CallOutcome,
        error: ModelError | None = None,
        *,
        fallback_step: FallbackStep = FallbackStep.PLAIN,
        result: str = "",
    ) -> LlmCall:
        """Return the record of a call: what was asked, and the answer."""
        usage = received.usage
        if usage is None:
            was_sent = bool(received.text) or (outcome is CallOutcome.STOPPED and attempts.tries > 0)
            usage = prepared.estimate(attempts.model, received.text) if was_sent else Usage(cost=Money())
        # What was sent and timed out is billed by most providers, and counted by none.
        for model in (model for model, failure in attempts.failures if isinstance(failure, ModelTimeout)):
            usage = prepared.estimate(model, "").plus(usage)
        return LlmCall(
            id=_call_id(persona, call_context),
            universe_id=call_context.universe_id,
            story_id=call_context.story_id,
            scene_id=call_context.scene_id,
            turn_id=call_context.turn_id,
            run_id=call_context.run_id,
            persona=persona,
            model=attempts.model,
            sections=prepared.prompt.sections,
            tokens_in=usage.tokens_in or (prepared.prompt.tokens if received.text else 0),
            tokens_out=usage.tokens_out or estimate_tokens(received.text),
            tokens_cached=usage.tokens_cached,
            counted=usage.counted,
            cost=usage.cost,
            seconds=self._timer() - received.started_at,
            first_seconds=received.first_text_seconds,
            tries=max(1, attempts.tries),
            fallback_step=fallback_step,
            outcome=outcome,
            answer=clean(received.text),
            result=result,
            error=" ".join(part for part in (str(error) if error else "", attempts.failure_summary) if part),
            at=self._clock(),
        )


async def _until_stopped(
    stream: AsyncGenerator[TextChunk | Usage, None], stop_event: asyncio.Event
) -> AsyncGenerator[TextChunk | Usage, None]:
    """Yield the parts of a stream until it ends or the player stops it, even while nothing arrives."""
    if stop_event.is_set():
        return  # before it is sent: it costs nothing
    stop_wait = asyncio.ensure_future(stop_event.wait())
    try:
        while True:
            next_part = asyncio.ensure_future(anext(stream))
            try:
                await asyncio.wait((next_part, stop_wait), return_when=asyncio.FIRST_COMPLETED)
            finally:
                if not next_part.done():
                    next_part.cancel()
                    with suppress(asyncio.CancelledError, StopAsyncIteration):
                        await next_part
            if next_part.cancelled():
                return
            try:
                yield next_part.result()
            except StopAsyncIteration:
                return
    finally:
        stop_wait.cancel()


async def _reread_answer(call: LlmCall, output_type: type[T]) -> FallbackOutcome[T]:
    """Parse the stored answer of an earlier call again, without asking the model."""

    async def earlier_answer(_: LlmRequest) -> tuple[str, Usage]:
        return call.answer, Usage()

    facts = ModelFacts(call.model, takes_schema=True)
    return await ask_with_fallbacks(earlier_answer, LlmRequest(call.model, (), 1), output_type, facts)


def span_of_call(call: LlmCall) -> Span:
    """Return what a call's record says of its time, its tokens and its end."""
    return Span(
        MeasuredOperation.MODEL_CALL,
        call.persona,
        SpanRecords(call.universe_id, call.story_id or "", call.scene_id or "", call.run_id or ""),
        started_at=call.at.timestamp() - call.seconds,
        seconds=call.seconds,
        outcome=_SPAN_OUTCOMES[call.outcome],
        amount=call.tokens_in + call.tokens_out,
        has_ended=True,
    )


def _call_id(persona: Persona, call_context: CallContext) -> Id:
    return derive_id("llm_call", call_context.run_id, persona.value, call_context.nth)


def _prose_answer(call: LlmCall) -> ProseAnswer:
    is_complete = call.outcome is CallOutcome.DONE
    reason = "" if is_complete else "you stopped it" if call.outcome is CallOutcome.STOPPED else call.error
    return ProseAnswer(call.answer, call, is_complete, reason or "it was cut off")


def _outcome_of(received: _ReceivedAnswer) -> CallOutcome:
    """Return the outcome of a stream that ended without an error."""
    finish = received.usage.finish if received.usage else "stop"
    if finish == "length":
        return CallOutcome.CUT
    return CallOutcome.REFUSED if finish == "content_filter" and not received.text else CallOutcome.DONE


def _failure_outcome(error: ModelError, received: _ReceivedAnswer) -> CallOutcome:
    if isinstance(error, ModelRefused):
        return CallOutcome.REFUSED
    return CallOutcome.CUT if received.text else CallOutcome.FAILED


def _summary_line(structured: FallbackOutcome[T]) -> str:
    """Return one line on a structured answer, for the X-ray."""
    in_short = getattr(structured.value, "in_short", None)
    return str(in_short()) if in_short else structured.note


def _ignore_text(text: str) -> None:
    """Ignore streamed text: structured answers are not shown while they arrive."""
