"""Retries calls, and falls back on the next model: the only retry policy of the program.

Errors that may pass are retried a few times, with growing waits or the provider's own; then the next model is
asked. After the first piece of text nothing is retried: the player would see two beginnings. LiteLLM's own
retries are switched off, because they would multiply with these.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Final, cast

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt
from tenacity.wait import wait_exponential_jitter

from agents.llm.errors import BudgetExhausted, ModelBusy, ModelCut, ModelError, ModelRefused, ModelRejected
from agents.llm.llm_port import LanguageModel, LlmRequest, TextChunk, Usage
from agents.llm.model_names import ModelTarget

TRIES_PER_MODEL: Final = 3
"""Tries of one model."""

MAX_WAIT_SECONDS: Final = 20.0
"""Longest wait. A provider that demands a longer one is not waited for."""

_NO_FALLBACK: Final = (ModelCut, ModelRefused, ModelRejected, BudgetExhausted)
"""Errors after which no other model is asked: text was already shown; the content was declined, which the
player should know before it is sent elsewhere; the request has to be changed; or there is no money."""

Sleep = Callable[[float], Awaitable[None]]


@dataclass(slots=True)
class AttemptLog:
    """The tries of one call, filled in while it runs, so that it is complete even if the call fails."""

    tries: int = 0
    model: str = ""
    """The model that was asked last."""

    failures: list[tuple[str, ModelError]] = field(default_factory=list)
    """The model and the error of each failed try."""

    @property
    def failure_summary(self) -> str:
        """The failed tries in one line, repetitions counted; empty if none failed."""
        counts: dict[str, int] = {}
        for model, error in self.failures:
            line = f"{model}: {error.what}"
            counts[line] = counts.get(line, 0) + 1
        return " ".join(f"{line}{f' ({n} times)' if n > 1 else ''}" for line, n in counts.items())


async def stream_with_retries(
    model: LanguageModel,
    request: LlmRequest,
    targets: Sequence[ModelTarget],
    attempts: AttemptLog | None = None,
    *,
    sleep: Sleep = asyncio.sleep,
) -> AsyncGenerator[TextChunk | Usage, None]:
    """Stream an answer from the first of `targets` that gives one.

    `request.model` and `request.api_base` are set to each target's. Raises the last target's error, or
    ModelCut if text was already yielded.
    """
    attempts = AttemptLog() if attempts is None else attempts
    for fallbacks_left, target in zip(range(len(targets) - 1, -1, -1), targets, strict=True):
        attempts.model = target.model
        try:
            stream, first = await _open_stream(model, _for_target(request, target), attempts, sleep)
        except ModelError as error:
            if not fallbacks_left or isinstance(error, _NO_FALLBACK):
                raise
            continue
        async with aclosing(stream):
            async for part in _yield_parts(stream, first, attempts):
                yield part
        return
    raise ValueError("no model to ask")


async def _open_stream(
    model: LanguageModel, request: LlmRequest, attempts: AttemptLog, sleep: Sleep
) -> tuple[AsyncGenerator[TextChunk | Usage, None], TextChunk | Usage | None]:
    """Open a stream up to its first part, with retries."""
    policy = AsyncRetrying(
        stop=stop_after_attempt(TRIES_PER_MODEL),
        wait=_wait,
        retry=retry_if_exception(_is_retryable),
        sleep=sleep,
        reraise=True,
    )

    async def once() -> tuple[AsyncGenerator[TextChunk | Usage, None], TextChunk | Usage | None]:
        attempts.tries += 1
        stream = as_generator(model.stream(request))
        try:
            return stream, await anext(stream, None)
        except ModelError as error:
            attempts.failures.append((request.model, error))
            raise
        except BaseException:
            await stream.aclose()
            raise

    return await policy(once)


async def _yield_parts(
    stream: AsyncGenerator[TextChunk | Usage, None], first: TextChunk | Usage | None, attempts: AttemptLog
) -> AsyncIterator[TextChunk | Usage]:
    """Yield the first part and all that follow. An error after text is raised as ModelCut."""
    if first is None:
        return
    has_text = isinstance(first, TextChunk)
    yield first
    try:
        async for part in stream:
            has_text = has_text or isinstance(part, TextChunk)
            yield part
    except ModelError as error:
        attempts.failures.append((attempts.model, error))
        if not has_text or isinstance(error, ModelCut):
            raise
        raise ModelCut(error.what, kept=error.kept, todo=error.todo) from error


def _is_retryable(error: BaseException) -> bool:
    if not isinstance(error, ModelError) or not error.is_retryable:
        return False
    return (_requested_wait(error) or 0.0) <= MAX_WAIT_SECONDS


_backoff: Final = wait_exponential_jitter(multiplier=0.5, max=8.0, jitter=0.5)


def _wait(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    return max(_backoff(state), _requested_wait(error) or 0.0)


def _requested_wait(error: BaseException | None) -> float | None:
    return error.retry_after if isinstance(error, ModelBusy) else None


def _for_target(request: LlmRequest, target: ModelTarget) -> LlmRequest:
    return replace(request, model=target.model, api_base=target.api_base)


def as_generator(stream: AsyncIterator[TextChunk | Usage]) -> AsyncGenerator[TextChunk | Usage, None]:
    """Return the stream as a generator: the port promises that its iterators can be closed."""
    return cast(AsyncGenerator[TextChunk | Usage, None], stream)
