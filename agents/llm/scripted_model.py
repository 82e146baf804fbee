"""Implements `LanguageModel` with scripted answers in this process: for tests, demos and replays."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from agents.llm.errors import ModelCut, ModelError, ModelUnknown
from agents.llm.llm_port import LlmRequest, ModelFacts, TextChunk, Usage

_WINDOW = 32_000


@dataclass(frozen=True, slots=True)
class ScriptedReply:
    """One scripted answer, yielded in pieces."""

    words: tuple[str, ...] = ()
    usage: Usage | None = None
    """None: tokens are counted by words."""

    error: ModelError | None = None
    """Raised instead of the words; with `cut_after`, as ModelCut after that many pieces."""

    cut_after: int | None = None
    gate: asyncio.Event | asyncio.Semaphore | None = None
    """Waited for before each piece."""

    started: asyncio.Event | None = None
    """Set when the call starts."""


ScriptedAnswer = ScriptedReply | str | ModelError
Script = Callable[[LlmRequest], ScriptedAnswer]


class ScriptedModel:
    """Answers from `script`: a list of answers (the last one repeats), or a function of the request.

    `requests` collects every request, `stopped_requests` those whose stream was closed before its end.
    """

    def __init__(self, script: Script | Iterable[ScriptedAnswer], *, facts: ModelFacts | None = None) -> None:
        self._script = script if callable(script) else _replay_in_order(script)
        self._facts = facts or ModelFacts("", window=_WINDOW, takes_schema=True, takes_tools=True)
        self.requests: list[LlmRequest] = []
        self.stopped_requests: list[LlmRequest] = []
        self.closed = False

    async def stream(self, request: LlmRequest) -> AsyncGenerator[TextChunk | Usage, None]:
        self.requests.append(request)
        reply = _as_reply(self._script(request))
        if reply.started is not None:
            reply.started.set()
        has_ended = False
        try:
            async for word in self._stream_chunks(reply):
                yield TextChunk(word)
            has_ended = True
        except ModelError:
            has_ended = True
            raise
        finally:
            if not has_ended:
                self.stopped_requests.append(request)
        yield reply.usage or _count_usage(request, reply)

    async def count_tokens(self, model: str, texts: tuple[str, ...]) -> tuple[tuple[int, ...], bool]:
        return tuple(_count_words(text) for text in texts), True

    async def read_facts(self, model: str) -> ModelFacts:
        if not model:
            raise ModelUnknown("No provider goes by an empty name.")
        return replace(self._facts, model=model)

    @property
    def is_running(self) -> bool:
        return not self.closed

    async def warm(self) -> None:
        """Do nothing: there is no process to start."""

    async def send_keys(self, keys: Mapping[str, str]) -> None:
        """Do nothing: it needs no keys."""

    async def close(self) -> None:
        self.closed = True

    async def _stream_chunks(self, reply: ScriptedReply) -> AsyncGenerator[str, None]:
        if reply.error is not None and reply.cut_after is None:
            await _wait_at_gate(reply.gate)
            raise reply.error
        for nth, word in enumerate(reply.words):
            if nth == reply.cut_after:
                break
            await _wait_at_gate(reply.gate)
            yield word
        if reply.cut_after is not None:
            error = reply.error or ModelError("The connection broke.")
            raise ModelCut(error.what, kept=error.kept, todo=error.todo)


async def _wait_at_gate(gate: asyncio.Event | asyncio.Semaphore | None) -> None:
    """Wait at a gate: an event lets all pieces through at once, a semaphore one for each release."""
    if isinstance(gate, asyncio.Event):
        await gate.wait()
    elif gate is not None:
        await gate.acquire()


def _replay_in_order(script: Iterable[ScriptedAnswer]) -> Script:
    replies = list(script)

    def next_one(_: LlmRequest) -> ScriptedAnswer:
        return replies.pop(0) if len(replies) > 1 else replies[0]

    return next_one


def _as_reply(answer: ScriptedAnswer) -> ScriptedReply:
    if isinstance(answer, ScriptedReply):
        return answer
    if isinstance(answer, ModelError):
        return ScriptedReply(error=answer)
    return ScriptedReply(tuple(part for part in answer.replace(" ", " \0").split("\0") if part))


def _count_usage(request: LlmRequest, reply: ScriptedReply) -> Usage:
    prompt_tokens = sum(_count_words(message.text) for message in request.messages)
    return Usage(prompt_tokens, _count_words("".join(reply.words)), counted=True)


def _count_words(text: str) -> int:
    return len(text.split())
