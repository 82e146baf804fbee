"""Makes a first call to a model: its answer, speed and price, and what an exchange would cost."""

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

TRIAL_MESSAGES: Final = (
    Message("system", "You narrate a role-playing game, in the present tense and to the player as “you”."),
    Message("user", "In two sentences: I lift the lantern and look into the flooded cellar."),
)
MAX_TRIAL_TOKENS: Final = 120

_TRIAL_SCHEMA: Final = AnswerSchema(
    "weather",
    {
        "type": "object",
        "properties": {"sky": {"type": "string", "enum": ["clear", "rain", "fog"]}},
        "required": ["sky"],
        "additionalProperties": False,
    },
)
_SCHEMA_MESSAGES: Final = (Message("user", "It rains. What is the sky like? Answer in JSON."),)

TYPICAL_FILL: Final = 0.6
"""Typical share of a prompt's limits that prompts and answers use, for an estimate before there is a bill."""


class LlmTrialRunner:
    """Makes the calls of a model test; `timer` returns seconds."""

    def __init__(
        self, model: LanguageModel, prompts: Callable[[], Prompts], timer: Callable[[], float]
    ) -> None:
        self._model = model
        self._prompts = prompts
        self._timer = timer

    async def run_trial(self, app_settings: AppSettings, target: ModelTarget) -> LlmTrialView:
        """Ask for two sentences, and a model that is on no list also for an answer in a JSON schema.

        There are no retries, so that the result is what happened. Raises ModelError.
        """
        facts = await self._model.read_facts(target.model)
        request = LlmRequest(
            target.model,
            TRIAL_MESSAGES,
            MAX_TRIAL_TOKENS,
            temperature=0.7,
            seconds=app_settings.model.seconds,
            api_base=target.api_base,
        )
        started_at = self._timer()
        first_seconds, text, usage = 0.0, "", Usage()
        async with aclosing(as_generator(self._model.stream(request))) as stream:
            async for part in stream:
                if isinstance(part, TextChunk):
                    first_seconds = first_seconds or self._timer() - started_at
                    text += part.text
                else:
                    usage = part
        seconds = self._timer() - started_at
        return LlmTrialView(
            model=target.model,
            words=clean(text),
            first_seconds=first_seconds or seconds,
            seconds=seconds,
            tokens_in=usage.tokens_in,
            tokens_out=usage.tokens_out,
            counted=usage.counted,
            micros=usage.cost.micros,
            priced=usage.cost.known,
            takes_schema=await self._check_schema_support(facts, request),
            per_turn=await self._estimate_turn_cost(app_settings, target),
        )

    async def _check_schema_support(self, facts: ModelFacts, request: LlmRequest) -> bool:
        """Return whether the model follows a JSON schema, from the list or by asking it."""
        if facts.in_per_million is not None or not facts.takes_schema:
            return facts.takes_schema
        schema_request = replace(
            request, messages=_SCHEMA_MESSAGES, max_tokens=40, temperature=0.0, shape=_TRIAL_SCHEMA
        )
        try:
            async with aclosing(as_generator(self._model.stream(schema_request))) as stream:
                return _fits_schema(
                    "".join([part.text async for part in stream if isinstance(part, TextChunk)])
                )
        except ModelError:
            return False

    async def _estimate_turn_cost(self, app_settings: AppSettings, default_target: ModelTarget) -> int | None:
        """Return the estimated cost of an exchange with the personas that are on, in millionths.

        None: no price is known.
        """
        total = 0.0
        for persona in Persona:
            if persona is Persona.READER or not app_settings.is_switched_on(persona):
                continue
            persona_target = (
                app_settings.target(persona) if app_settings.persona(persona).model else default_target
            )
            assert persona_target is not None
            facts = await self._model.read_facts(persona_target.model)
            if facts.in_per_million is None or facts.out_per_million is None:
                return None
            prompt = self._prompts()[persona]
            answer_tokens = app_settings.max_tokens(persona, prompt.max_tokens)
            total += TYPICAL_FILL * (
                prompt.budget * facts.in_per_million + answer_tokens * facts.out_per_million
            )
        return round(total)


def _fits_schema(text: str) -> bool:
    try:
        return json.loads(text).get("sky") in ("clear", "rain", "fog")
    except (ValueError, AttributeError, RecursionError):
        return False
