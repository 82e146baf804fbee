"""The one door to the model: what a persona asks is budgeted, sent, tried again, heard, and put on the bill.

A finished call is kept under an identifier that its occasion gives, so that a step done twice after a crash
finds the words again and pays once; a replay of a session finds them all. Source: design/loops.md ("never
pays for the same model call twice"); LANGGRAPH_AGENTS.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel

from agents.clean import clean
from agents.messages import EventBus, ModelCalled
from agents.model.asking import Hear, Occasion, Parts, Shaped, Told
from agents.model.errors import ModelCut, ModelError, ModelRefused, ModelUnset
from agents.model.ladder import Climbed, climb
from agents.model.names import Target
from agents.model.port import Ask, Model, ModelFacts, Usage, Words
from agents.model.prompts import Built, Prompts, build, estimate, from_table, pieces
from agents.model.purse import Purse
from agents.model.retry import Trail, with_retries
from agents.model.settings import HouseSettings
from agents.model.stops import Stops
from stores.ports import NarratorLog
from stores.records.ids import Clock, Id, derived
from stores.records.model import CallOutcome, LlmCall, Money, Persona, Rung

T = TypeVar("T", bound=BaseModel)

MOST_CHARACTERS = 60_000
"""A stream that goes on past this is cut off: a model that loops must not fill the log."""

KEPT = (CallOutcome.DONE, CallOutcome.CUT, CallOutcome.STOPPED)
"""Calls whose words are used again when their step is done again."""


@dataclass(slots=True)
class _Heard:
    """What has come of a call so far. Seconds are since it was sent."""

    began: float
    text: str = ""
    usage: Usage | None = None
    first: float | None = None


class ModelCalls:
    """Implements `agents.model.asking.Calls`. Holds no state but the streams that run (`stops`)."""

    def __init__(
        self,
        model: Model,
        log: NarratorLog,
        settings: Callable[[], HouseSettings],
        prompts: Callable[[], Prompts],
        purse: Purse,
        stops: Stops,
        clock: Clock,
        events: EventBus,
        *,
        timer: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._model = model
        self._log = log
        self._settings = settings
        self._prompts = prompts
        self._purse = purse
        self._stops = stops
        self._clock = clock
        self._events = events
        self._timer = timer

    def on(self, persona: Persona) -> bool:
        return self._settings().is_on(persona)

    async def words(self, persona: Persona, parts: Parts, occasion: Occasion, hear: Hear) -> Told:
        if kept := await self._kept(persona, occasion):
            hear(kept.answer)
            return _told(kept)
        ask, built, targets = await self._ready(persona, parts, occasion)
        heard, trail = _Heard(self._timer()), Trail(model=targets[0].model)
        error: ModelError | None = None
        outcome = CallOutcome.DONE
        try:
            with self._stops.listening(occasion.scene_id) as stop:
                stopped = await self._listen(ask, targets, trail, heard, hear, stop)
            outcome = CallOutcome.STOPPED if stopped else _outcome(heard)
        except ModelError as caught:
            error, outcome = caught, _failed(caught, heard)
        except asyncio.CancelledError:
            # The program closes: what came is kept, and is found again when the step is done again.
            call = self._call(persona, occasion, built, heard, trail, CallOutcome.STOPPED)
            await asyncio.shield(self._keep(call))
            raise
        call = self._call(persona, occasion, built, heard, trail, outcome, error)
        await self._keep(await self._numbered(call, occasion))
        if not call.answer.strip() and outcome is not CallOutcome.STOPPED:
            raise error or ModelRefused(
                "The model answered without a word.", todo="Ctrl+R asks again, or tell it yourself with >."
            )
        return _told(call)

    async def shaped(
        self, persona: Persona, parts: Parts, occasion: Occasion, into: type[T], task: str = ""
    ) -> Shaped[T]:
        if kept := await self._kept(persona, occasion):
            before = await _read_again(kept, into)
            return Shaped(before.value, kept.rung, kept, before.note)
        ask, built, targets = await self._ready(persona, parts, occasion, task)
        facts = await self._model.facts(targets[0].model)
        heard, trail = _Heard(self._timer()), Trail(model=targets[0].model)

        stopped = False

        async def once(put: Ask) -> tuple[str, Usage]:
            nonlocal stopped
            before, heard.text, heard.usage = heard.usage, "", None
            with self._stops.listening(occasion.scene_id) as stop:
                try:
                    stopped = await self._listen(put, targets, trail, heard, _unheard, stop)
                except ModelCut:
                    # What came of an answer can often be read: the ladder mends it.
                    if not heard.text.strip():
                        raise
            if stopped:
                # Whoever stops it wants no second request either.
                raise ModelCut("You stopped it.")
            usage = heard.usage or Usage(finish="length" if heard.text else "stop")
            heard.usage = _sum(before, usage)
            return heard.text, usage

        try:
            climbed = await climb(once, ask, into, facts)
        except ModelError as error:
            outcome = CallOutcome.STOPPED if stopped else _failed(error, heard)
            call = self._call(persona, occasion, built, heard, trail, outcome, error, rung=Rung.NONE)
            await self._keep(await self._numbered(call, occasion))
            raise
        except asyncio.CancelledError:
            # Whoever asked has gone: what it cost stands on the bill all the same.
            failed = self._call(persona, occasion, built, heard, trail, CallOutcome.FAILED, rung=Rung.NONE)
            await asyncio.shield(self._keep(await self._numbered(failed, occasion)))
            raise
        call = self._call(
            persona, occasion, built, heard, trail, _outcome(heard), rung=climbed.rung, result=_short(climbed)
        ).model_copy(update={"answer": climbed.answer})
        await self._keep(call)
        return Shaped(climbed.value, climbed.rung, call, climbed.note)

    # --- inside --------------------------------------------------------------------------------------

    async def _ready(
        self, persona: Persona, parts: Parts, occasion: Occasion, task: str = ""
    ) -> tuple[Ask, Built, tuple[Target, ...]]:
        """Make the request. Raises BudgetExhausted or ModelUnset before anything is sent."""
        house = self._settings()
        targets = house.targets(persona)
        if not targets:
            raise ModelUnset(
                f"No model is set up for the {persona.value}.",
                todo="Model on the menu sets one up; > tells it yourself.",
            )
        await self._purse.allow(persona, occasion)
        prompt, model = self._prompts().of(persona, task), targets[0].model
        facts = await self._model.facts(model)
        texts = pieces(prompt, parts)
        numbers, exact = await self._model.tokens(model, texts)
        most = house.max_tokens(persona, prompt.max_tokens)
        built = build(prompt, parts, from_table(texts, numbers), facts.window, exact=exact, answer=most)
        ask = Ask(
            model=model,
            messages=built.messages,
            max_tokens=most,
            temperature=house.temperature(persona, prompt.temperature),
            seconds=house.model.seconds,
            api_base=targets[0].api_base,
        )
        return ask, built, targets

    async def _listen(
        self,
        ask: Ask,
        targets: tuple[Target, ...],
        trail: Trail,
        heard: _Heard,
        hear: Hear,
        stop: asyncio.Event,
    ) -> bool:
        """Take in a stream to its end; returns whether the player stopped it."""
        async with aclosing(with_retries(self._model, ask, targets, trail)) as stream:
            async for part in _until(stream, stop):
                if isinstance(part, Usage):
                    heard.usage = part
                    continue
                if heard.first is None:
                    heard.first = self._timer() - heard.began
                words = part.text[: MOST_CHARACTERS - len(heard.text)]
                heard.text += words
                hear(words)
                if len(words) < len(part.text):
                    raise ModelCut(f"The model went on past {MOST_CHARACTERS:,} characters and was cut off.")
        return stop.is_set()

    async def _kept(self, persona: Persona, occasion: Occasion) -> LlmCall | None:
        """Return the call that was made on this occasion before, if it brought words."""
        found = await self._log.llm_calls(ids=[_call_id(persona, occasion)])
        return next((call for call in found if call.outcome in KEPT), None)

    async def _numbered(self, call: LlmCall, occasion: Occasion) -> LlmCall:
        """A call that brought nothing leaves its identifier to the one that will."""
        if call.outcome in KEPT:
            return call
        before = await self._log.llm_calls(beat_id=occasion.beat_id)
        return call.model_copy(update={"id": derived("llm_call", call.id, "failed", len(before))})

    async def _keep(self, call: LlmCall) -> None:
        await self._log.record_call(call)
        self._events.publish(ModelCalled(call.id, call.story_id))

    def _call(
        self,
        persona: Persona,
        occasion: Occasion,
        built: Built,
        heard: _Heard,
        trail: Trail,
        outcome: CallOutcome,
        error: ModelError | None = None,
        *,
        rung: Rung = Rung.PLAIN,
        result: str = "",
    ) -> LlmCall:
        """Put down what was asked and what came of it."""
        usage = heard.usage or Usage()
        return LlmCall(
            id=_call_id(persona, occasion),
            universe_id=occasion.universe_id,
            story_id=occasion.story_id,
            scene_id=occasion.scene_id,
            turn_id=occasion.turn_id,
            beat_id=occasion.beat_id,
            persona=persona,
            model=trail.model,
            sections=built.sections,
            tokens_in=usage.tokens_in or (built.tokens if heard.text else 0),
            tokens_out=usage.tokens_out or estimate(heard.text),
            tokens_cached=usage.tokens_cached,
            counted=usage.counted,
            cost=usage.cost if heard.usage else Money(known=not heard.text),
            seconds=self._timer() - heard.began,
            first_seconds=heard.first,
            tries=max(1, trail.tries),
            rung=rung,
            outcome=outcome,
            answer=clean(heard.text),
            result=result,
            error=" ".join(part for part in (str(error) if error else "", trail.in_words) if part),
            at=self._clock(),
        )


async def _until(
    stream: AsyncGenerator[Words | Usage, None], stop: asyncio.Event
) -> AsyncGenerator[Words | Usage, None]:
    """Give on what comes until it ends or the player stops it, also while nothing comes."""
    stopped = asyncio.ensure_future(stop.wait())
    try:
        while True:
            following = asyncio.ensure_future(anext(stream))
            try:
                await asyncio.wait((following, stopped), return_when=asyncio.FIRST_COMPLETED)
            finally:
                if not following.done():
                    following.cancel()
                    with suppress(asyncio.CancelledError, StopAsyncIteration):
                        await following
            if following.cancelled():
                return
            try:
                yield following.result()
            except StopAsyncIteration:
                return
    finally:
        stopped.cancel()


async def _read_again(kept: LlmCall, into: type[T]) -> Climbed[T]:
    """Climb the ladder with the words that came then: nobody is asked."""

    async def said(_: Ask) -> tuple[str, Usage]:
        return kept.answer, Usage()

    facts = ModelFacts(kept.model, takes_schema=True)
    return await climb(said, Ask(kept.model, (), 1), into, facts)


def _call_id(persona: Persona, occasion: Occasion) -> Id:
    return derived("llm_call", occasion.beat_id, persona.value, occasion.nth)


def _told(call: LlmCall) -> Told:
    whole = call.outcome is CallOutcome.DONE
    why = "" if whole else "you stopped it" if call.outcome is CallOutcome.STOPPED else call.error
    return Told(call.answer, call, whole, why or "it was cut off")


def _outcome(heard: _Heard) -> CallOutcome:
    """How a stream ended that broke nowhere."""
    finish = heard.usage.finish if heard.usage else "stop"
    if finish == "length":
        return CallOutcome.CUT
    return CallOutcome.REFUSED if finish == "content_filter" and not heard.text else CallOutcome.DONE


def _failed(error: ModelError, heard: _Heard) -> CallOutcome:
    if isinstance(error, ModelRefused):
        return CallOutcome.REFUSED
    return CallOutcome.CUT if heard.text else CallOutcome.FAILED


def _short(climbed: Climbed[T]) -> str:
    """Say in one line what was made of a structured answer."""
    in_short = getattr(climbed.value, "in_short", None)
    return str(in_short()) if in_short else climbed.note


def _sum(before: Usage | None, usage: Usage) -> Usage:
    """Add up the usage of two requests of one call."""
    if before is None:
        return usage
    return Usage(
        tokens_in=before.tokens_in + usage.tokens_in,
        tokens_out=before.tokens_out + usage.tokens_out,
        tokens_cached=before.tokens_cached + usage.tokens_cached,
        counted=before.counted and usage.counted,
        cost=Money(
            micros=before.cost.micros + usage.cost.micros, known=before.cost.known and usage.cost.known
        ),
        finish=usage.finish,
    )


def _unheard(words: str) -> None:
    """Structured answers are not shown as they come."""
