"""Trying again, and falling back on another model: the one policy for both.

What may go better is tried again a few times, waiting longer each time and as long as the provider says;
then the next model is asked. Once a word has been heard nothing is tried again: the player would hear two
beginnings. Source: design/libraries.md, "Model" (LiteLLM's own retries multiply and are off).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Final, cast

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt
from tenacity.wait import wait_exponential_jitter

from agents.model.errors import BudgetExhausted, ModelBusy, ModelCut, ModelError, ModelRefused, ModelRejected
from agents.model.names import Target
from agents.model.port import Ask, Model, Usage, Words

TRIES: Final = 3
"""Tries of one model."""

PATIENCE: Final = 20.0
"""Seconds. A provider that wants us to wait longer is not waited for."""

_STAYS: Final = (ModelCut, ModelRefused, ModelRejected, BudgetExhausted)
"""Another model is not asked: words were heard; it was declined, and the player should know before it is
sent elsewhere; the request should be put otherwise; there is no money."""

Sleep = Callable[[float], Awaitable[None]]


@dataclass(slots=True)
class Trail:
    """How it went, filled in on the way: also there when it went wrong in the end. `model` is the one that
    was asked last, `failed` what each failed try said."""

    tries: int = 0
    model: str = ""
    failed: list[tuple[str, ModelError]] = field(default_factory=list)

    @property
    def in_words(self) -> str:
        """The failed tries in one line, repetitions counted; empty if none failed."""
        counts: dict[str, int] = {}
        for model, error in self.failed:
            line = f"{model}: {error.what}"
            counts[line] = counts.get(line, 0) + 1
        return " ".join(f"{line}{f' ({n} times)' if n > 1 else ''}" for line, n in counts.items())


async def with_retries(
    model: Model,
    ask: Ask,
    targets: Sequence[Target],
    trail: Trail | None = None,
    *,
    sleep: Sleep = asyncio.sleep,
) -> AsyncGenerator[Words | Usage, None]:
    """Stream an answer from the first of `targets` that gives one.

    `ask.model` and `ask.api_base` are set to each target's. Raises the last target's error; ModelCut whenever
    words had come.
    """
    trail = Trail() if trail is None else trail
    for left, target in zip(range(len(targets) - 1, -1, -1), targets, strict=True):
        trail.model = target.model
        try:
            stream, first = await _begun(model, _to(ask, target), trail, sleep)
        except ModelError as error:
            if not left or isinstance(error, _STAYS):
                raise
            continue
        async with aclosing(stream):
            async for part in _rest(stream, first, trail):
                yield part
        return
    raise ValueError("no model to ask")


async def _begun(
    model: Model, ask: Ask, trail: Trail, sleep: Sleep
) -> tuple[AsyncGenerator[Words | Usage, None], Words | Usage | None]:
    """Open a stream up to its first part, with tries."""
    policy = AsyncRetrying(
        stop=stop_after_attempt(TRIES),
        wait=_wait,
        retry=retry_if_exception(_may_go_better),
        sleep=sleep,
        reraise=True,
    )

    async def once() -> tuple[AsyncGenerator[Words | Usage, None], Words | Usage | None]:
        trail.tries += 1
        stream = generator(model.stream(ask))
        try:
            return stream, await anext(stream, None)
        except ModelError as error:
            trail.failed.append((ask.model, error))
            raise
        except BaseException:
            await stream.aclose()
            raise

    return await policy(once)


async def _rest(
    stream: AsyncGenerator[Words | Usage, None], first: Words | Usage | None, trail: Trail
) -> AsyncIterator[Words | Usage]:
    """The first part and all that follow; whatever breaks now is a cut."""
    if first is None:
        return
    heard = isinstance(first, Words)
    yield first
    try:
        async for part in stream:
            heard = heard or isinstance(part, Words)
            yield part
    except ModelError as error:
        trail.failed.append((trail.model, error))
        if not heard or isinstance(error, ModelCut):
            raise
        raise ModelCut(error.what, kept=error.kept, todo=error.todo) from error


def _may_go_better(error: BaseException) -> bool:
    if not isinstance(error, ModelError) or not error.again:
        return False
    return (_asked_wait(error) or 0.0) <= PATIENCE


_backoff: Final = wait_exponential_jitter(multiplier=0.5, max=8.0, jitter=0.5)


def _wait(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    return max(_backoff(state), _asked_wait(error) or 0.0)


def _asked_wait(error: BaseException | None) -> float | None:
    return error.after if isinstance(error, ModelBusy) else None


def _to(ask: Ask, target: Target) -> Ask:
    return replace(ask, model=target.model, api_base=target.api_base)


def generator(stream: AsyncIterator[Words | Usage]) -> AsyncGenerator[Words | Usage, None]:
    """The port promises that its iterators can be closed, so they are generators."""
    return cast(AsyncGenerator[Words | Usage, None], stream)
