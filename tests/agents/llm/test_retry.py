"""Tests of retries: which errors are retried, how long it waits, and which model is asked next."""

from __future__ import annotations

from contextlib import aclosing

import pytest

from agents.llm.errors import (
    BudgetExhausted,
    ModelBusy,
    ModelCut,
    ModelError,
    ModelKeyRefused,
    ModelRefused,
    ModelRejected,
    ModelTimeout,
    ModelTooLong,
    ModelUnknown,
    ModelUnreachable,
)
from agents.llm.llm_port import LlmRequest, Message, TextChunk, Usage
from agents.llm.model_names import ModelTarget
from agents.llm.retry import MAX_WAIT_SECONDS, TRIES_PER_MODEL, AttemptLog, stream_with_retries
from agents.llm.scripted_model import ScriptedAnswer, ScriptedModel, ScriptedReply

FIRST, SECOND = ModelTarget("a/first", "http://127.0.0.1/v1"), ModelTarget("b/second")
REQUEST = LlmRequest("", (Message("user", "hello"),), max_tokens=50)


class RecordedSleep(list[float]):
    async def __call__(self, seconds: float) -> None:
        self.append(seconds)


async def stream_text(
    model: ScriptedModel, attempts: AttemptLog, *targets: ModelTarget
) -> tuple[str, RecordedSleep]:
    waits, words = RecordedSleep(), ""
    async with aclosing(
        stream_with_retries(model, REQUEST, targets or (FIRST, SECOND), attempts, sleep=waits)
    ) as stream:
        async for part in stream:
            words += part.text if isinstance(part, TextChunk) else ""
    return words, waits


async def test_retry_repeats_transient_errors_with_waits() -> None:
    model = ScriptedModel([ModelUnreachable("gone"), ModelTimeout("slow"), "It opens."])
    words, waits = await stream_text(model, attempts := AttemptLog())
    assert words == "It opens."
    assert (attempts.tries, attempts.model) == (3, "a/first")
    assert [round(wait // 0.5 * 0.5, 1) for wait in waits] in ([0.5, 1.0], [1.0, 1.0], [0.5, 1.5], [1.0, 1.5])
    assert attempts.failure_summary == "a/first: gone a/first: slow"
    assert {(request.model, request.api_base) for request in model.requests} == {
        (FIRST.model, FIRST.api_base)
    }


async def test_retry_waits_as_long_as_provider_asks() -> None:
    _, waits = await stream_text(ScriptedModel([ModelBusy("full", retry_after=7.0), "Yes."]), AttemptLog())
    assert waits == [7.0]


async def test_retry_does_not_wait_for_ever() -> None:
    model = ScriptedModel(
        lambda request: (
            ModelBusy("full", retry_after=MAX_WAIT_SECONDS + 1) if request.model == "a/first" else "Yes."
        )
    )
    words, waits = await stream_text(model, attempts := AttemptLog())
    assert (words, waits) == ("Yes.", [])
    assert (attempts.tries, attempts.model) == (2, "b/second")
    assert model.requests[-1].api_base == ""


async def test_retry_tries_each_model_and_raises_last_error() -> None:
    model = ScriptedModel(lambda request: ModelUnreachable(request.model))
    with pytest.raises(ModelUnreachable, match="b/second"):
        await stream_text(model, attempts := AttemptLog())
    assert [request.model for request in model.requests] == ["a/first"] * TRIES_PER_MODEL + [
        "b/second"
    ] * TRIES_PER_MODEL
    assert attempts.tries == 2 * TRIES_PER_MODEL
    assert (
        attempts.failure_summary
        == f"a/first: a/first ({TRIES_PER_MODEL} times) b/second: b/second ({TRIES_PER_MODEL} times)"
    )


@pytest.mark.parametrize("error", [ModelKeyRefused("no"), ModelUnknown("no"), ModelTooLong("no")])
async def test_retry_asks_next_model_at_once_after_permanent_error(error: ModelError) -> None:
    model = ScriptedModel([error, "Yes."])
    assert await stream_text(model, AttemptLog()) == ("Yes.", [])
    assert [request.model for request in model.requests] == ["a/first", "b/second"]


@pytest.mark.parametrize("error", [ModelRefused("no"), ModelRejected("no"), BudgetExhausted("no")])
async def test_retry_asks_no_other_model_after_refusal(error: ModelError) -> None:
    model = ScriptedModel([error, "Yes."])
    with pytest.raises(type(error)):
        await stream_text(model, AttemptLog())
    assert len(model.requests) == 1


async def test_retry_respects_error_marked_permanent() -> None:
    unpaid = ModelBusy("no credit")
    unpaid.is_retryable = False
    assert await stream_text(ScriptedModel([unpaid, "Yes."]), AttemptLog()) == ("Yes.", [])


@pytest.mark.parametrize("error", [ModelUnreachable("gone"), ModelTimeout("slow")])
async def test_retry_stops_after_first_text(error: ModelError) -> None:
    class BreakingModel(ScriptedModel):
        async def stream(self, request: LlmRequest):  # type: ignore[no-untyped-def]
            self.requests.append(request)
            yield TextChunk("It ")
            raise error

    model, attempts = BreakingModel(["unused"]), AttemptLog()
    stream = stream_with_retries(model, REQUEST, (FIRST, SECOND), attempts, sleep=RecordedSleep())
    assert await anext(stream) == TextChunk("It ")
    with pytest.raises(ModelCut, match=error.what):
        await anext(stream)
    assert len(model.requests) == 1
    assert attempts.failures


async def test_retry_closing_closes_model_stream() -> None:
    model = ScriptedModel([ScriptedReply(("one", "two", "three"))])
    async with aclosing(stream_with_retries(model, REQUEST, (FIRST,), sleep=RecordedSleep())) as stream:
        assert await anext(stream) == TextChunk("one")
    assert len(model.stopped_requests) == 1


@pytest.mark.parametrize("reply", [ScriptedReply(), ScriptedReply(usage=Usage(finish="length"))])
async def test_retry_accepts_empty_answer(reply: ScriptedAnswer) -> None:
    model = ScriptedModel([reply])
    assert await stream_text(model, attempts := AttemptLog()) == ("", [])
    assert attempts.tries == 1
