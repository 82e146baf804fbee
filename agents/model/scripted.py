"""A model that says what it was told to, in this process: for the loops' tests, demos and replays."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from agents.model.errors import ModelCut, ModelError, ModelUnknown
from agents.model.port import Ask, ModelFacts, Usage, Words

_WINDOW = 32_000


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer. `words` come one by one. `error` is raised in place of them, or after them with
    `cut_after`: that many parts come, then ModelCut with the error's words. `gate` is waited for before each
    part, `started` is set when the call is. Without `usage` the tokens are counted by words."""

    words: tuple[str, ...] = ()
    usage: Usage | None = None
    error: ModelError | None = None
    cut_after: int | None = None
    gate: asyncio.Event | asyncio.Semaphore | None = None
    started: asyncio.Event | None = None


Told = Reply | str | ModelError
Script = Callable[[Ask], Told]


class ScriptedModel:
    """Implements `agents.model.port.Model`.

    `script` is the answers in order (when they are used up the last one is given again), or a function of
    the Ask. `asked` keeps every Ask, `stopped` those that were closed before their end.
    """

    def __init__(self, script: Script | Iterable[Told], *, facts: ModelFacts | None = None) -> None:
        self._script = script if callable(script) else _in_order(script)
        self._facts = facts or ModelFacts("", window=_WINDOW, takes_schema=True, takes_tools=True)
        self.asked: list[Ask] = []
        self.stopped: list[Ask] = []
        self.closed = False

    async def stream(self, ask: Ask) -> AsyncGenerator[Words | Usage, None]:
        self.asked.append(ask)
        reply = _reply(self._script(ask))
        if reply.started is not None:
            reply.started.set()
        ended = False
        try:
            async for word in self._words(reply):
                yield Words(word)
            ended = True
        except ModelError:
            ended = True
            raise
        finally:
            if not ended:
                self.stopped.append(ask)
        yield reply.usage or _counted(ask, reply)

    async def tokens(self, model: str, texts: tuple[str, ...]) -> tuple[tuple[int, ...], bool]:
        return tuple(_tokens(text) for text in texts), True

    async def facts(self, model: str) -> ModelFacts:
        if not model:
            raise ModelUnknown("No provider goes by an empty name.")
        return replace(self._facts, model=model)

    @property
    def running(self) -> bool:
        return not self.closed

    async def warm(self) -> None:
        """There is no process to start."""

    async def hand_over(self, keys: Mapping[str, str]) -> None:
        """It needs no keys."""

    async def close(self) -> None:
        self.closed = True

    async def _words(self, reply: Reply) -> AsyncGenerator[str, None]:
        if reply.error is not None and reply.cut_after is None:
            await _passed(reply.gate)
            raise reply.error
        for nth, word in enumerate(reply.words):
            if nth == reply.cut_after:
                break
            await _passed(reply.gate)
            yield word
        if reply.cut_after is not None:
            why = reply.error or ModelError("The connection broke.")
            raise ModelCut(why.what, kept=why.kept, todo=why.todo)


async def _passed(gate: asyncio.Event | asyncio.Semaphore | None) -> None:
    """Wait at a gate: an event lets all parts through at once, a semaphore one for each release."""
    if isinstance(gate, asyncio.Event):
        await gate.wait()
    elif gate is not None:
        await gate.acquire()


def _in_order(script: Iterable[Told]) -> Script:
    replies = list(script)

    def next_one(_: Ask) -> Told:
        return replies.pop(0) if len(replies) > 1 else replies[0]

    return next_one


def _reply(told: Told) -> Reply:
    if isinstance(told, Reply):
        return told
    if isinstance(told, ModelError):
        return Reply(error=told)
    return Reply(tuple(part for part in told.replace(" ", " \0").split("\0") if part))


def _counted(ask: Ask, reply: Reply) -> Usage:
    asked = sum(_tokens(message.text) for message in ask.messages)
    return Usage(asked, _tokens("".join(reply.words)), counted=True)


def _tokens(text: str) -> int:
    return len(text.split())
