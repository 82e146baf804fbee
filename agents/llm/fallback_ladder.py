"""Asks for a structured answer in steps: JSON schema, tool call, JSON within text, plain words.

The first request uses the provider's schema mode if the model has one, else a tool call, else plain text. The
answer is parsed as JSON, and then searched for JSON, without another request. Only if there is none, a second
request goes out in the next mode that the model supports. There is never a third request: after the second,
plain words are parsed as far as the output type can.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final, Generic, Literal, TypeVar

from pydantic import BaseModel

from agents.llm.answer_parsing import answer_schema, find_json_answer, parse_json_answer, parse_plain_answer
from agents.llm.errors import ModelError, ModelRejected
from agents.llm.llm_port import LlmRequest, Message, ModelFacts, Usage
from stores.records.llm import FallbackStep

T = TypeVar("T", bound=BaseModel)

SendRequest = Callable[[LlmRequest], Awaitable[tuple[str, Usage]]]
"""Sends one request, including its retries, and returns the whole answer. Raises ModelError.

For a tool call the answer is the tool's arguments.
"""

MAX_REQUESTS: Final = 2
"""Requests for one structured answer."""


RequestMode = Literal["schema", "tools", "words"]

_FALLBACK_STEPS: Final[dict[RequestMode, FallbackStep]] = {
    "schema": FallbackStep.SCHEMA,
    "tools": FallbackStep.TOOLS,
    "words": FallbackStep.TEXT,
}
_SCHEMA_INSTRUCTION: Final = "Answer with one JSON object and nothing else. It has this schema:"
_RETRY_INSTRUCTION: Final = "That is no JSON object. Give the JSON object alone, of the schema above."


@dataclass(frozen=True, slots=True)
class FallbackOutcome(Generic[T]):
    """The answer, and which step of the ladder produced it."""

    value: T | None
    """None if no step produced one; `note` says why."""

    fallback_step: FallbackStep
    answer: str
    """The text that `value` was read from, or the last text received."""

    usage: Usage
    """The usage of all requests together."""

    tries: int
    """The number of requests."""

    note: str = ""
    """Why there is no value, or how it was obtained, in a few words."""


async def ask_with_fallbacks(
    send_request: SendRequest,
    request: LlmRequest,
    output_type: type[T],
    facts: ModelFacts,
    max_answers: int = MAX_REQUESTS,
) -> FallbackOutcome[T]:
    """Ask for an `output_type` with at most `MAX_REQUESTS` requests; `request.shape` is set here.

    If the provider rejects a schema or tools (ModelRejected), the next request asks in plain text. If the
    second request fails, the first answer is all there is. With one of `max_answers`, no request follows one that was
    answered. Raises ModelError if no request was answered.
    """
    modes = list(_request_modes(facts))
    answers: list[str] = []
    usage: Usage | None = None
    earlier_error: ModelError | None = None
    for attempt in range(MAX_REQUESTS):
        # A model that rejects a schema may reject tools too; plain text always works.
        mode = modes[min(attempt, len(modes) - 1)] if earlier_error is None else "words"
        try:
            answer, request_usage = await send_request(_phrase_request(request, output_type, mode, answers))
        except ModelError as error:
            if attempt or not isinstance(error, ModelRejected) or mode == "words":
                if answers:
                    earlier_error = error
                    break
                raise
            earlier_error = error
            continue
        answers.append(answer)
        usage = usage.plus(request_usage) if usage else request_usage
        if (value := parse_json_answer(answer, output_type)) is not None:
            return FallbackOutcome(
                value, _FALLBACK_STEPS[mode], answer, usage, attempt + 1, _fallback_note(earlier_error)
            )
        if (value := find_json_answer(answer, output_type)) is not None:
            note = (
                "the answer was cut off, and repaired"
                if request_usage.finish == "length"
                else _fallback_note(earlier_error)
            )
            return FallbackOutcome(value, FallbackStep.TEXT, answer, usage, attempt + 1, note)
        if len(answers) == max_answers:
            break
    tries = max(1, len(answers)) if max_answers == 1 else MAX_REQUESTS
    for answer in answers:
        if (value := parse_plain_answer(answer, output_type)) is not None:
            return FallbackOutcome(
                value, FallbackStep.HEURISTICS, answer, usage or Usage(), tries, "read from plain words"
            )
    last_answer = answers[-1] if answers else ""
    reason = f"{earlier_error.what}" if earlier_error else "there was no JSON in it that could be used"
    return FallbackOutcome(
        None, FallbackStep.NONE, last_answer, usage or Usage(), tries, f"No structured answer: {reason}"
    )


def _request_modes(facts: ModelFacts) -> Iterator[RequestMode]:
    """Yield the modes in which the model can be asked, the most reliable first."""
    if facts.takes_schema:
        yield "schema"
    if facts.takes_tools:
        yield "tools"
    yield "words"


def _phrase_request(
    request: LlmRequest, output_type: type[BaseModel], mode: RequestMode, earlier_answers: list[str]
) -> LlmRequest:
    """Return the request in this mode.

    In plain text it carries the schema, and the earlier answer that was no JSON.
    """
    if mode != "words":
        return replace(request, shape=answer_schema(output_type, mode))
    schema = json.dumps(answer_schema(output_type, "schema").schema, separators=(",", ":"))
    *first, last = request.messages
    messages = (*first, replace(last, text=f"{last.text}\n\n{_SCHEMA_INSTRUCTION}\n{schema}"))
    if earlier_answers and earlier_answers[-1].strip():
        messages = (
            *messages,
            Message("assistant", earlier_answers[-1][:1_000]),
            Message("user", _RETRY_INSTRUCTION),
        )
    return replace(request, messages=messages, shape=None)


def _fallback_note(earlier_error: ModelError | None) -> str:
    return f"asked in words: {earlier_error.what}" if earlier_error else ""
