"""The model, by way of a child process: started when first wanted, started anew if it ended."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from itertools import count
from typing import Any, Final

from agents.model.errors import ModelCut, ModelError, ModelTimeout, ModelTooLong, ModelUnreachable
from agents.model.port import Ask, ModelFacts, ToEmbed, Usage, Words
from agents.model.wire import (
    LONGEST_DOWN,
    LONGEST_UP,
    ask_out,
    embedded_in,
    error_in,
    facts_in,
    line,
    read,
    usage_in,
)
from agents.processes import child_environ, end_child

START_SECONDS: Final = 120.0
"""The child imports for 4.5 CPU seconds; a busy or cold machine takes many times that."""

GRACE: Final = 5.0
"""Seconds that we wait longer than the child does, whose own words are better."""

QUICK_SECONDS: Final = 30.0
"""For what asks no provider: facts, counting."""

END_SECONDS: Final = 3.0

Environment = Callable[[], Awaitable[Mapping[str, str]]]
"""What the child's environment has beside ours: keys out of the keyring."""


async def nothing_more() -> Mapping[str, str]:
    return {}


class ChildModel:
    """Implements `agents.model.port.Model`. `provider` names a LiteLLM custom provider (`module:attribute`)
    that the child registers as `scripted/`, for tests."""

    def __init__(self, environment: Environment = nothing_more, *, provider: str = "") -> None:
        self._environment = environment
        self._provider = provider
        self._child: _Child | None = None
        self._starting = asyncio.Lock()
        self._closed = False

    @property
    def running(self) -> bool:
        return self._child is not None and self._child.alive

    @property
    def pid(self) -> int | None:
        """The child's process number, if one runs."""
        return self._child.pid if self._child is not None and self._child.alive else None

    async def warm(self) -> None:
        """Start the child, if none runs. Raises ModelUnreachable if it cannot be started."""
        await self._ready()

    async def hand_over(self, keys: Mapping[str, str]) -> None:
        """Give a running child keys by name of their variable. One that does not run yet gets its keys when
        it starts."""
        if keys and self._child is not None and self._child.alive:
            await self._child.send({"op": "keys", "keys": dict(keys)})

    async def stream(self, ask: Ask) -> AsyncGenerator[Words | Usage, None]:
        child = await self._ready()
        heard = False
        call = child.open(ask.seconds + GRACE)
        try:
            await child.send({"id": call.number, "op": "stream", "ask": ask_out(ask)})
            while True:
                answer = await call.next()
                if "words" in answer:
                    heard = True
                    yield Words(answer["words"])
                elif "usage" in answer:
                    yield usage_in(answer["usage"])
                    return
        except ModelError as error:
            if not heard or isinstance(error, ModelCut):
                raise
            raise ModelCut(
                f"The answer broke off: {error.what}", todo="Keep what came, or ask again."
            ) from error
        finally:
            await child.finish(call)

    async def tokens(self, model: str, texts: tuple[str, ...]) -> tuple[tuple[int, ...], bool]:
        numbers, exact = await self._asked({"op": "tokens", "model": model, "texts": list(texts)})
        return tuple(numbers), exact

    async def facts(self, model: str) -> ModelFacts:
        return facts_in(await self._asked({"op": "facts", "model": model}))

    async def embed(self, what: ToEmbed) -> tuple[list[Sequence[float]], Usage]:
        """Implements `agents.model.port.Embeds`."""
        return embedded_in(
            await self._asked({"op": "embed", "what": asdict(what)}, seconds=what.seconds + GRACE)
        )

    async def close(self) -> None:
        """End the child and wait for its end. Calls that run get ModelUnreachable."""
        self._closed = True
        async with self._starting:
            if self._child is not None:
                await self._child.end()
            self._child = None

    async def _asked(self, question: dict[str, Any], *, seconds: float = QUICK_SECONDS) -> Any:
        child = await self._ready()
        call = child.open(seconds)
        try:
            await child.send({"id": call.number, **question})
            while "value" not in (answer := await call.next()):
                pass
            return answer["value"]
        finally:
            await child.finish(call)

    async def _ready(self) -> _Child:
        async with self._starting:
            if self._closed:
                raise ModelUnreachable("MONITOR is closing.")
            if self._child is None or not self._child.alive:
                if self._child is not None:
                    await self._child.end()
                self._child = None
                self._child = await _start(self._provider, await self._environment())
            return self._child


@dataclass(slots=True)
class _Call:
    """One request that waits for its answers."""

    number: int
    silence: float
    answers: asyncio.Queue[dict[str, Any] | None] = field(default_factory=asyncio.Queue)
    done: bool = False

    async def next(self) -> dict[str, Any]:
        """Return the next line. Raises what the child told, ModelUnreachable if it ended, ModelTimeout."""
        try:
            # Not wait_for: in Python 3.11 it loses a cancellation that comes together with an answer.
            async with asyncio.timeout(self.silence):
                answer = await self.answers.get()
        except TimeoutError:
            raise ModelTimeout(
                f"The model said nothing for {self.silence:g} s.", todo="Try again, or allow more time."
            ) from None
        if answer is None:
            self.done = True
            raise ModelUnreachable(
                "The process that speaks to the model ended.", todo="Ask again: it is started anew."
            )
        self.done = not ("words" in answer or "alive" in answer)
        if "error" in answer:
            raise error_in(answer["error"])
        return answer


class _Child:
    """A child that runs: who waits for what."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process, self._down, self._up = process, process.stdin, process.stdout
        self._calls: dict[int, _Call] = {}
        self._numbers = count(1)
        self._gone = False
        self._reading = asyncio.create_task(self._read())

    @property
    def alive(self) -> bool:
        return not self._gone

    @property
    def pid(self) -> int:
        return self._process.pid

    def open(self, silence: float) -> _Call:
        call = _Call(next(self._numbers), silence)
        self._calls[call.number] = call
        if not self.alive:
            call.answers.put_nowait(None)
        return call

    async def send(self, message: Mapping[str, Any]) -> None:
        data = line(message)
        if len(data) > LONGEST_DOWN:
            raise ModelTooLong("The prompt is larger than any model could read.", todo="End the scene first.")
        # If it ended meanwhile, whoever waits is told so by the reader.
        with suppress(BrokenPipeError, ConnectionResetError):
            self._down.write(data)
            await self._down.drain()

    async def finish(self, call: _Call) -> None:
        """Forget a call, and stop its work if it was not done."""
        self._calls.pop(call.number, None)
        if not call.done and self.alive:
            # Not awaited: whoever is being cancelled must not wait here.
            with suppress(BrokenPipeError, ConnectionResetError):
                self._down.write(line({"op": "cancel", "id": call.number}))

    async def end(self) -> None:
        """Ask it to end, by ending its input; else end it."""
        await end_child(self._process, seconds=END_SECONDS)
        await self._reading

    async def _read(self) -> None:
        """Give every line to whom it belongs. What is none ends the child: nothing after it is sure."""
        try:
            while raw := await self._up.readline():
                message = read(raw)
                if call := self._calls.get(message.get("id", 0)):
                    call.answers.put_nowait(message)
        except ValueError:
            pass
        finally:
            self._gone = True
            # Also when we are cancelled, as the program ends without closing us: it must not wait for ever.
            with suppress(ProcessLookupError):
                self._process.kill()
            for call in self._calls.values():
                call.answers.put_nowait(None)
            await self._process.wait()


async def _start(provider: str, environment: Mapping[str, str]) -> _Child:
    """Start a child and wait until it is ready. Raises ModelUnreachable."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        # Not the folder that we stand in: whatever lies there is not our code.
        *("-P", "-m", "agents.model.child"),
        *(("--provider", provider) if provider else ()),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=child_environ(environment),
        limit=LONGEST_UP,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        told = read(await asyncio.wait_for(process.stdout.readline(), START_SECONDS) or b"{}")
    except BaseException as error:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        if isinstance(error, TimeoutError | ValueError):
            raise _not_started("it did not say that it is ready") from error
        raise
    if "ready" not in told:
        await process.wait()
        raise _not_started(str(told.get("failed", "it ended at once")))
    return _Child(process)


def _not_started(why: str) -> ModelUnreachable:
    error = ModelUnreachable(
        f"The process that speaks to models could not be started: {why}.",
        todo="`monitor doctor` says what is installed; `pip install litellm` mends it.",
    )
    error.again = False
    return error
