"""A first call to a model: what comes, how fast, at what price, and what an exchange would cost."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Final

from agents.llm.errors import ModelError
from agents.llm.llm_port import AnswerSchema, LanguageModel, LlmRequest, Message, ModelFacts, TextChunk, Usage
from agents.llm.llm_settings import AppSettings
from agents.llm.model_names import ModelTarget
from agents.llm.prompt_builder import Prompts
from agents.llm.retry import as_generator
from agents.sanitize import clean
from agents.views.llm_views import LlmTrialView
from stores.records.llm import Persona

TRIAL: Final = (
    Message("system", "You narrate a role-playing game, in the present tense and to the player as “you”."),
    Message("user", "In two sentences: I lift the lantern and look into the flooded cellar."),
)
TRIAL_TOKENS: Final = 120

_SHAPE: Final = AnswerSchema(
    "weather",
    {
        "type": "object",
        "properties": {"sky": {"type": "string", "enum": ["clear", "rain", "fog"]}},
        "required": ["sky"],
        "additionalProperties": False,
    },
)
_SHAPE_ASKED: Final = (Message("user", "It rains. What is the sky like? Answer in JSON."),)

FULL: Final = 0.6
"""How full prompts and answers usually are, of what their prompt allows: for an estimate before there is a
bill."""


class Trials:
    """`timer` gives seconds."""

    def __init__(
        self, model: LanguageModel, prompts: Callable[[], Prompts], timer: Callable[[], float]
    ) -> None:
        self._model = model
        self._prompts = prompts
        self._timer = timer

    async def run(self, house: AppSettings, at: ModelTarget) -> LlmTrialView:
        """Ask once for two sentences, and a model that is on no list once more for a shape.

        No retries: whoever tries a model out wants to see what happens. Raises ModelError.
        """
        facts = await self._model.read_facts(at.model)
        ask = LlmRequest(
            at.model, TRIAL, TRIAL_TOKENS, temperature=0.7, seconds=house.model.seconds, api_base=at.api_base
        )
        began = self._timer()
        first, words, usage = 0.0, "", Usage()
        async with aclosing(as_generator(self._model.stream(ask))) as stream:
            async for part in stream:
                if isinstance(part, TextChunk):
                    first = first or self._timer() - began
                    words += part.text
                else:
                    usage = part
        seconds = self._timer() - began
        return LlmTrialView(
            model=at.model,
            words=clean(words),
            first_seconds=first or seconds,
            seconds=seconds,
            tokens_in=usage.tokens_in,
            tokens_out=usage.tokens_out,
            counted=usage.counted,
            micros=usage.cost.micros,
            priced=usage.cost.known,
            takes_schema=await self._takes_schema(facts, ask),
            per_turn=await self._per_turn(house, at),
        )

    async def _takes_schema(self, facts: ModelFacts, ask: LlmRequest) -> bool:
        """The list knows, or else the model shows it."""
        if facts.in_per_million is not None or not facts.takes_schema:
            return facts.takes_schema
        shaped = replace(ask, messages=_SHAPE_ASKED, max_tokens=40, temperature=0.0, shape=_SHAPE)
        try:
            async with aclosing(as_generator(self._model.stream(shaped))) as stream:
                return _fits("".join([part.text async for part in stream if isinstance(part, TextChunk)]))
        except ModelError:
            return False

    async def _per_turn(self, house: AppSettings, at: ModelTarget) -> int | None:
        """What an exchange may cost with who is on, in millionths; None: a price is not known."""
        total = 0.0
        for persona in Persona:
            if not house.is_switched_on(persona):
                continue
            own = house.target(persona) if house.persona(persona).model else at
            assert own is not None
            facts = await self._model.read_facts(own.model)
            if facts.in_per_million is None or facts.out_per_million is None:
                return None
            prompt = self._prompts()[persona]
            answer = house.max_tokens(persona, prompt.max_tokens)
            total += FULL * (prompt.budget * facts.in_per_million + answer * facts.out_per_million)
        return round(total)


def _fits(text: str) -> bool:
    try:
        return json.loads(text).get("sky") in ("clear", "rain", "fog")
    except (ValueError, AttributeError):
        return False
