"""The ladder to a structured answer: schema, tools, JSON in the text, plain words, none with a note.

Which rungs cost a call: the first request is made by the provider's schema mode, else as a tool call,
else in words. What comes back is read three ways for nothing: as it should be, as JSON found in the text, and (last)
as plain words. Only if there is no JSON in it at all, a second request is made in the next way that the model
takes. There is never a third. Source: design/libraries.md, "Model", "Structured output".
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel

from agents.model.port import Ask, ModelFacts, Usage
from stores.records.model import Rung

T = TypeVar("T", bound=BaseModel)

AskOnce = Callable[[Ask], Awaitable[tuple[str, Usage]]]
"""Sends one request (its own retries included) and returns the whole answer. Raises ModelError. A tool call's
answer is the tool's arguments."""

MOST_REQUESTS = 2


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

    Raises ModelError if the first request is not answered at all; that the provider does not take a schema or
    tools (ModelRejected) is no such failure. If the second fails, the first answer's words are all there is.
    """
    raise NotImplementedError
