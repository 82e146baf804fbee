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

from agents.model.errors import ModelError, ModelRejected
from agents.model.port import Ask, Message, ModelFacts, Usage
from agents.model.shaping import asked, found, in_words, shape_of
from stores.records.model import Money, Rung

T = TypeVar("T", bound=BaseModel)

AskOnce = Callable[[Ask], Awaitable[tuple[str, Usage]]]
"""Sends one request (its own retries included) and returns the whole answer. Raises ModelError. A tool call's
answer is the tool's arguments."""

MOST_REQUESTS: Final = 2

Way = Literal["schema", "tools", "words"]

_RUNGS: Final[dict[Way, Rung]] = {"schema": Rung.SCHEMA, "tools": Rung.TOOLS, "words": Rung.TEXT}
_IN_WORDS: Final = "Answer with one JSON object and nothing else. It has this schema:"
_NOT_JSON: Final = "That is no JSON object. Give the JSON object alone, of the schema above."


@dataclass(frozen=True, slots=True)
class Climbed(Generic[T]):
    """`value` None: no rung gave one, and `note` says why. `answer` is the words that `value` was read from
    (or the last that came); `usage` and `tries` are of all requests together."""

    value: T | None
    rung: Rung
    answer: str
    usage: Usage
    tries: int
    note: str = ""


async def climb(ask_once: AskOnce, ask: Ask, into: type[T], facts: ModelFacts) -> Climbed[T]:
    """Ask for an `into`, at most `MOST_REQUESTS` times. `ask.shape` is set here.

    Raises ModelError if no request is answered at all; that the provider does not take a schema or tools
    (ModelRejected) is asked about in another way first. If the second request fails, the first answer's
    words are all there is.
    """
    ways = list(_ways(facts))
    answers: list[str] = []
    usage: Usage | None = None
    trouble: ModelError | None = None
    for nth in range(MOST_REQUESTS):
        # What takes no schema may take no tools either; words it takes.
        way = ways[min(nth, len(ways) - 1)] if trouble is None else "words"
        try:
            answer, used = await ask_once(_put(ask, into, way, answers))
        except ModelError as error:
            if nth or not isinstance(error, ModelRejected) or way == "words":
                if answers:
                    trouble = error
                    break
                raise
            trouble = error
            continue
        answers.append(answer)
        usage = _sum(usage, used)
        if (value := asked(answer, into)) is not None:
            return Climbed(value, _RUNGS[way], answer, usage, nth + 1, _note(trouble))
        if (value := found(answer, into)) is not None:
            note = "the answer was cut off, and mended" if used.finish == "length" else _note(trouble)
            return Climbed(value, Rung.TEXT, answer, usage, nth + 1, note)
    tries = MOST_REQUESTS
    for answer in answers:
        if (value := in_words(answer, into)) is not None:
            return Climbed(value, Rung.HEURISTICS, answer, usage or Usage(), tries, "read from plain words")
    last = answers[-1] if answers else ""
    why = f"{trouble.what}" if trouble else "there was no JSON in it that could be used"
    return Climbed(None, Rung.NONE, last, usage or Usage(), tries, f"No structured answer: {why}")


def _ways(facts: ModelFacts) -> Iterator[Way]:
    """Yield how the model may be asked, the surest first."""
    if facts.takes_schema:
        yield "schema"
    if facts.takes_tools:
        yield "tools"
    yield "words"


def _put(ask: Ask, into: type[BaseModel], way: Way, before: list[str]) -> Ask:
    """Return the request put in this way; words carry the schema, and the answer that was none."""
    if way != "words":
        return replace(ask, shape=shape_of(into, way))
    schema = json.dumps(shape_of(into, "schema").schema, separators=(",", ":"))
    *first, last = ask.messages
    messages = (*first, replace(last, text=f"{last.text}\n\n{_IN_WORDS}\n{schema}"))
    if before and before[-1].strip():
        messages = (*messages, Message("assistant", before[-1][:1_000]), Message("user", _NOT_JSON))
    return replace(ask, messages=messages, shape=None)


def _note(trouble: ModelError | None) -> str:
    return f"asked in words: {trouble.what}" if trouble else ""


def _sum(before: Usage | None, more: Usage) -> Usage:
    """Return what two requests took together; the price is known if both are."""
    if before is None:
        return more
    cost = Money(micros=before.cost.micros + more.cost.micros, known=before.cost.known and more.cost.known)
    return Usage(
        tokens_in=before.tokens_in + more.tokens_in,
        tokens_out=before.tokens_out + more.tokens_out,
        tokens_cached=before.tokens_cached + more.tokens_cached,
        counted=before.counted and more.counted,
        cost=cost,
        finish=more.finish,
    )
