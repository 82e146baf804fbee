"""Serves requests from a pipe: any number at once, each a task that can be cancelled by its number."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from functools import partial
from typing import Any, BinaryIO

import litellm

from agents.child_processes import write_all
from agents.llm.child import model_facts as facts
from agents.llm.child.completion import KeepAlive, endpoint_arguments, stream_answer
from agents.llm.child.model_facts import cost, count_usage, require_provider
from agents.llm.child.provider_errors import to_model_error
from agents.llm.errors import ModelError, ModelRejected
from agents.llm.llm_port import EmbeddingRequest, LlmRequest, TextChunk, Usage
from agents.llm.wire_format import (
    CHUNK_CHARACTERS,
    MAX_LINE_TO_CHILD,
    decode_line,
    embedding_to_json,
    encode_line,
    error_to_json,
    facts_to_json,
    request_from_json,
    usage_to_json,
)
from agents.secret_masking import StreamMask


async def embed(request: EmbeddingRequest) -> tuple[list[Sequence[float]], Usage]:
    """Return one vector per text, and the usage. Raises ModelError kinds."""
    require_provider(request.model)
    try:
        async with asyncio.timeout(request.seconds):
            response = await litellm.aembedding(
                model=request.model,
                input=list(request.texts),
                timeout=request.seconds,
                max_retries=0,
                encoding_format="float",
                **endpoint_arguments(request.model, request.api_base),
            )
        vectors: list[Sequence[float]] = [
            list(map(float, one["embedding"])) for one in sorted(response.data, key=_vector_index)
        ]
    except ModelError:
        raise
    except Exception as error:
        raise to_model_error(error, request.model, request.api_base, seconds=request.seconds) from error
    if len(vectors) != len(request.texts) or not all(vectors) or len({len(one) for one in vectors}) > 1:
        raise ModelRejected(f"{request.model} gave {len(vectors)} vectors for {len(request.texts)} texts.")
    return vectors, _usage(request, getattr(response, "usage", None))


def _vector_index(item: Any) -> int:
    return int(item["index"])


def _usage(request: EmbeddingRequest, provider_usage: Any) -> Usage:
    prompt_tokens = getattr(provider_usage, "prompt_tokens", None) or getattr(
        provider_usage, "total_tokens", None
    )
    if not prompt_tokens:
        return count_usage(request.model, list(request.texts), "", "stop")
    usage = litellm.Usage(prompt_tokens=prompt_tokens, completion_tokens=0, total_tokens=prompt_tokens)
    return Usage(tokens_in=prompt_tokens, counted=True, cost=cost(request.model, usage))


class RequestServer:
    """Serves `inlet` until it ends, which it does when MONITOR ends, for whatever reason."""

    def __init__(self, inlet: BinaryIO, outlet: BinaryIO) -> None:
        self._inlet, self._outlet = inlet, outlet
        self._running: dict[int, asyncio.Task[None]] = {}

    async def run(self) -> None:
        async for message in self._messages():
            match message:
                case {"op": "keys", "keys": keys}:
                    os.environ.update(keys)
                case {"op": "cancel", "id": number}:
                    if task := self._running.get(number):
                        task.cancel()
                case {"op": str(), "id": int(number)}:
                    task = asyncio.create_task(self._serve(number, message))
                    self._running[number] = task
                    task.add_done_callback(partial(self._forget, number))
        for task in list(self._running.values()):
            task.cancel()
        await asyncio.gather(*self._running.values(), return_exceptions=True)

    def _forget(self, number: int, _: asyncio.Task[None]) -> None:
        self._running.pop(number, None)

    async def _serve(self, number: int, message: dict[str, Any]) -> None:
        try:
            match message["op"]:
                case "stream":
                    await self._stream(number, request_from_json(message["ask"]))
                case "tokens":
                    value = await asyncio.to_thread(facts.count_tokens, message["model"], message["texts"])
                    self._send(number, value=value)
                case "facts":
                    self._send(number, value=facts_to_json(facts.read_model_facts(message["model"])))
                case "embed":
                    self._send(
                        number, value=embedding_to_json(*await embed(EmbeddingRequest(**message["what"])))
                    )
                case unknown:
                    raise ModelError(f"The model's process does not know “{unknown}”.")
        except ModelError as error:
            self._send(number, error=error_to_json(error))
        except Exception as error:  # noqa: BLE001 - anything else is told as well; the next call may go well
            self._send(number, error=error_to_json(to_model_error(error, str(message.get("model", "")))))

    async def _stream(self, number: int, request: LlmRequest) -> None:
        stream_mask = StreamMask(os.environ)  # a server may send the key back that it was sent
        usage: Usage | None = None
        try:
            async with aclosing(stream_answer(request)) as parts:
                async for part in parts:
                    if isinstance(part, TextChunk):
                        self._send_text(number, stream_mask.mask(part.text))
                    elif isinstance(part, KeepAlive):
                        self._send(number, alive=True)
                    else:
                        usage = part
        finally:
            self._send_text(number, stream_mask.flush())
            if usage is not None:
                self._send(number, usage=usage_to_json(usage))

    def _send_text(self, number: int, text: str) -> None:
        for start in range(0, len(text), CHUNK_CHARACTERS):
            self._send(number, words=text[start : start + CHUNK_CHARACTERS])

    def _send(self, number: int, **payload: Any) -> None:
        write_all(self._outlet, encode_line({"id": number, **payload}))

    async def _messages(self) -> AsyncIterator[dict[str, Any]]:
        """Read lines in a thread, because pipes cannot be awaited on every system."""
        loop = asyncio.get_running_loop()
        lines: asyncio.Queue[bytes] = asyncio.Queue()

        def pump() -> None:
            while raw := self._inlet.readline(MAX_LINE_TO_CHILD + 1):
                loop.call_soon_threadsafe(lines.put_nowait, raw)
            loop.call_soon_threadsafe(lines.put_nowait, b"")

        threading.Thread(target=pump, daemon=True).start()
        while raw := await lines.get():
            yield decode_line(raw)
