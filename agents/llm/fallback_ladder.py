"""The ladder to a structured answer: schema, tools, JSON in the text, plain words, none with a note.

Which rungs cost a call: the first request is made by the provider's schema mode, else as a tool call, else in
words. What comes back is read for nothing: as it should be, then as JSON found in the text. Only if there is
none in it, a second request is made in the next way that the model takes, and read alike. There is never a
third; last of all, plain words are read as far as they can be. Source: design/libraries.md, "Model".
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
from stores.records.model import Money, Rung

T = TypeVar("T", bound=BaseModel)

SendRequest = Callable[[LlmRequest], Awaitable[tuple[str, Usage]]]
"""Sends one request (its own retries included) and returns the whole answer. Raises ModelError. A tool call's
answer is the tool's arguments."""

MAX_REQUESTS: Final = 2

RequestMode = Literal["schema", "tools", "words"]

_FALLBACK_STEPS: Final[dict[RequestMode, Rung]] = {
    "schema": Rung.SCHEMA,
    "tools": Rung.TOOLS,
    "words": Rung.TEXT,
}
_SCHEMA_INSTRUCTION: Final = "Answer with one JSON object and nothing else. It has this schema:"
_RETRY_INSTRUCTION: Final = "That is no JSON object. Give the JSON object alone, of the schema above."


@dataclass(frozen=True, slots=True)
class FallbackOutcome(Generic[T]):
    """`value` None: no rung gave one, and `note` says why. `answer` is the words that `value` was read from
    (or the last that came); `usage` and `tries` are of all requests together."""

    value: T | None
    fallback_step: Rung
    answer: str
    usage: Usage
    tries: int
    note: str = ""


async def ask_with_fallbacks(
    send_request: SendRequest, request: LlmRequest, output_type: type[T], facts: ModelFacts
) -> FallbackOutcome[T]:
    """Ask for an `into`, at most `MOST_REQUESTS` times. `ask.shape` is set here.

    Raises ModelError if no request is answered at all; that the provider does not take a schema or tools
    (ModelRejected) is asked about in another way first. If the second request fails, the first answer's
    words are all there is.
    """
    modes = list(_request_modes(facts))
    answers: list[str] = []
    usage: Usage | None = None
    earlier_error: ModelError | None = None
    for attempt in range(MAX_REQUESTS):
        # What takes no schema may take no tools either; words it takes.
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
        usage = _add_usage(usage, request_usage)
        if (value := parse_json_answer(answer, output_type)) is not None:
            return FallbackOutcome(
                value, _FALLBACK_STEPS[mode], answer, usage, attempt + 1, _fallback_note(earlier_error)
            )
        if (value := find_json_answer(answer, output_type)) is not None:
            note = (
                "the answer was cut off, and mended"
                if request_usage.finish == "length"
                else _fallback_note(earlier_error)
            )
            return FallbackOutcome(value, Rung.TEXT, answer, usage, attempt + 1, note)
    tries = MAX_REQUESTS
    for answer in answers:
        if (value := parse_plain_answer(answer, output_type)) is not None:
            return FallbackOutcome(
                value, Rung.HEURISTICS, answer, usage or Usage(), tries, "read from plain words"
            )
    last_answer = answers[-1] if answers else ""
    reason = f"{earlier_error.what}" if earlier_error else "there was no JSON in it that could be used"
    return FallbackOutcome(
        None, Rung.NONE, last_answer, usage or Usage(), tries, f"No structured answer: {reason}"
    )


def _request_modes(facts: ModelFacts) -> Iterator[RequestMode]:
    """Yield how the model may be asked, the surest first."""
    if facts.takes_schema:
        yield "schema"
    if facts.takes_tools:
        yield "tools"
    yield "words"


def _phrase_request(
    request: LlmRequest, output_type: type[BaseModel], mode: RequestMode, earlier_answers: list[str]
) -> LlmRequest:
    """Return the request put in this way; words carry the schema, and the answer that was none."""
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


def _add_usage(before: Usage | None, added: Usage) -> Usage:
    """Return what two requests took together; the price is known if both are."""
    if before is None:
        return added
    cost = Money(micros=before.cost.micros + added.cost.micros, known=before.cost.known and added.cost.known)
    return Usage(
        tokens_in=before.tokens_in + added.tokens_in,
        tokens_out=before.tokens_out + added.tokens_out,
        tokens_cached=before.tokens_cached + added.tokens_cached,
        counted=before.counted and added.counted,
        cost=cost,
        finish=added.finish,
    )
