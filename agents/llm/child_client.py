"""Talks to the language model through a child process, which is started on first use and restarted if it ended."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from itertools import count
from typing import Any, Final

from agents.child_processes import build_child_environment, end_child, kill_child
from agents.llm.errors import ModelCut, ModelError, ModelTimeout, ModelTooLong, ModelUnreachable
from agents.llm.llm_port import EmbeddingRequest, LlmRequest, ModelFacts, TextChunk, Usage
from agents.llm.wire_format import (
    MAX_LINE_FROM_CHILD,
    MAX_LINE_TO_CHILD,
    decode_line,
    embedding_from_json,
    encode_line,
    error_from_json,
    facts_from_json,
    request_to_json,
    usage_from_json,
)

START_SECONDS: Final = 120.0
"""Limit for the start. Importing LiteLLM takes 4.5 CPU seconds, and many times that on a busy machine."""

GRACE_SECONDS: Final = 5.0
"""Seconds to wait longer than the child does: its own timeout message is more precise than ours."""

QUICK_SECONDS: Final = 30.0
"""Limit for requests that no provider is asked for: model facts and token counts."""

END_SECONDS: Final = 3.0
"""Seconds that the child has to end by itself when it is closed."""


Environment = Callable[[], Awaitable[Mapping[str, str]]]
"""Returns variables to add to the child's environment: API keys from the keyring."""


async def no_extra_environment() -> Mapping[str, str]:
    return {}


class ChildModel:
    """Implements `LanguageModel` and `EmbeddingProvider` with LiteLLM in a child process.

    `provider` names a LiteLLM custom provider (`module:attribute`) that the child registers as `scripted/`,
    for tests.
    """

    def __init__(self, environment: Environment = no_extra_environment, *, provider: str = "") -> None:
        self._environment = environment
        self._provider = provider
        self._child: _ChildProcess | None = None
        self._start_lock = asyncio.Lock()
        self._closed = False

    @property
    def is_running(self) -> bool:
        """Whether a child process is running."""
        return self._child is not None and self._child.is_alive

    @property
    def pid(self) -> int | None:
        """The process id of the child, or None if none is running."""
        return self._child.pid if self._child is not None and self._child.is_alive else None

    async def warm(self) -> None:
        """Start the child if none is running. Raises ModelUnreachable if it cannot be started."""
        await self._ensure_child()

    async def send_keys(self, keys: Mapping[str, str]) -> None:
        """Give API keys, by variable name, to a running child.

        Otherwise the child gets them when it starts.
        """
        if keys and self._child is not None and self._child.is_alive:
            await self._child.send({"op": "keys", "keys": dict(keys)})

    async def stream(self, request: LlmRequest) -> AsyncGenerator[TextChunk | Usage, None]:
        child = await self._ensure_child()
        has_text = False
        call = child.open(request.seconds + GRACE_SECONDS)
        try:
            await child.send({"id": call.number, "op": "stream", "ask": request_to_json(request)})
            while True:
                answer = await call.next()
                if "words" in answer:
                    has_text = True
                    yield TextChunk(answer["words"])
                elif "usage" in answer:
                    yield usage_from_json(answer["usage"])
                    return
        except ModelError as error:
            if not has_text or isinstance(error, ModelCut):
                raise
            raise ModelCut(
                f"The answer broke off: {error.what}", todo="Keep what came, or ask again."
            ) from error
        finally:
            await child.finish(call)

    async def count_tokens(self, model: str, texts: tuple[str, ...]) -> tuple[tuple[int, ...], bool]:
        numbers, exact = await self._request({"op": "tokens", "model": model, "texts": list(texts)})
        return tuple(numbers), exact

    async def read_facts(self, model: str) -> ModelFacts:
        return facts_from_json(await self._request({"op": "facts", "model": model}))

    async def embed(self, request: EmbeddingRequest) -> tuple[list[Sequence[float]], Usage]:
        """Return one vector per text, and the usage."""
        return embedding_from_json(
            await self._request(
                {"op": "embed", "what": asdict(request)}, seconds=request.seconds + GRACE_SECONDS
            )
        )

    async def close(self) -> None:
        """End the child and wait until it has ended. Running calls get ModelUnreachable."""
        self._closed = True
        async with self._start_lock:
            if self._child is not None:
                await self._child.end()
            self._child = None

    async def _request(self, message: dict[str, Any], *, seconds: float = QUICK_SECONDS) -> Any:
        child = await self._ensure_child()
        call = child.open(seconds)
        try:
            await child.send({"id": call.number, **message})
            while "value" not in (answer := await call.next()):
                pass
            return answer["value"]
        finally:
            await child.finish(call)

    async def _ensure_child(self) -> _ChildProcess:
        async with self._start_lock:
            if self._closed:
                raise ModelUnreachable("MONITOR is closing.")
            if self._child is None or not self._child.is_alive:
                if self._child is not None:
                    await self._child.end()
                self._child = None
                self._child = await _start_child(self._provider, await self._environment())
            return self._child


@dataclass(slots=True)
class _PendingCall:
    """A request that waits for lines from the child."""

    number: int
    max_silence: float
    """Seconds that may pass between two lines."""

    answers: asyncio.Queue[dict[str, Any] | None] = field(default_factory=asyncio.Queue)
    is_done: bool = False

    async def next(self) -> dict[str, Any]:
        """Return the next line. Raises the child's error, ModelUnreachable if it ended, or ModelTimeout."""
        try:
            # Not wait_for: in Python 3.11 it loses a cancellation that arrives together with an answer.
            async with asyncio.timeout(self.max_silence):
                answer = await self.answers.get()
        except TimeoutError:
            raise ModelTimeout(
                f"The model said nothing for {self.max_silence:g} s.", todo="Try again, or allow more time."
            ) from None
        if answer is None:
            self.is_done = True
            raise ModelUnreachable(
                "The process that speaks to the model ended.", todo="Ask again: it is started anew."
            )
        self.is_done = not ("words" in answer or "alive" in answer)
        if "error" in answer:
            raise error_from_json(answer["error"])
        return answer


class _ChildProcess:
    """A running child process and the calls that wait for it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process, self._stdin, self._stdout = process, process.stdin, process.stdout
        self._calls: dict[int, _PendingCall] = {}
        self._numbers = count(1)
        self._has_ended = False
        self._reader_task = asyncio.create_task(self._read())

    @property
    def is_alive(self) -> bool:
        return not self._has_ended

    @property
    def pid(self) -> int:
        return self._process.pid

    def open(self, max_silence: float) -> _PendingCall:
        call = _PendingCall(next(self._numbers), max_silence)
        self._calls[call.number] = call
        if not self.is_alive:
            call.answers.put_nowait(None)
        return call

    async def send(self, message: Mapping[str, Any]) -> None:
        data = encode_line(message)
        if len(data) > MAX_LINE_TO_CHILD:
            raise ModelTooLong("The prompt is larger than any model could read.", todo="End the scene first.")
        # If the child ended meanwhile, the reader tells all waiting calls.
        with suppress(BrokenPipeError, ConnectionResetError):
            self._stdin.write(data)
            await self._stdin.drain()

    async def finish(self, call: _PendingCall) -> None:
        """Forget a call, and cancel its work in the child if that is not done."""
        self._calls.pop(call.number, None)
        if not call.is_done and self.is_alive:
            # Not awaited: a task that is being cancelled must not wait here.
            with suppress(BrokenPipeError, ConnectionResetError):
                self._stdin.write(encode_line({"op": "cancel", "id": call.number}))

    async def end(self) -> None:
        """End the child by closing its input; kill it if it does not end in time."""
        await end_child(self._process, seconds=END_SECONDS)
        await self._reader_task

    async def _read(self) -> None:
        """Hand each line to the call that it belongs to. A line that cannot be decoded ends the child."""
        try:
            while raw := await self._stdout.readline():
                message = decode_line(raw)
                if call := self._calls.get(message.get("id", 0)):
                    call.answers.put_nowait(message)
        except ValueError:
            pass
        finally:
            self._has_ended = True
            for call in self._calls.values():
                call.answers.put_nowait(None)
            # Also on cancellation, when the program ends without closing: the child must not be left behind.
            await kill_child(self._process)


async def _start_child(provider: str, environment: Mapping[str, str]) -> _ChildProcess:
    """Start a child and wait until it reports that it is ready. Raises ModelUnreachable."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        # -P: modules in the current folder are not ours.
        *("-P", "-m", "agents.llm.child"),
        *(("--provider", provider) if provider else ()),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=build_child_environment(environment, with_secrets=True),
        limit=MAX_LINE_FROM_CHILD,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        greeting = decode_line(await asyncio.wait_for(process.stdout.readline(), START_SECONDS) or b"{}")
    except BaseException as error:
        await kill_child(process)
        if isinstance(error, TimeoutError | ValueError):
            raise _start_error("it did not say that it is ready") from error
        raise
    if "ready" not in greeting:
        await kill_child(process)
        raise _start_error(str(greeting.get("failed", "it ended at once")))
    return _ChildProcess(process)


def _start_error(reason: str) -> ModelUnreachable:
    error = ModelUnreachable(
        f"The process that speaks to models could not be started: {reason}.",
        todo="`monitor doctor` says what is installed; `pip install litellm` mends it.",
    )
    error.is_retryable = False
    return error
