"""A model server on loopback whose model names select its behaviour: OpenAI's protocol over real sockets.

It tests what needs a connection: closed, cut, silent, or no model server at all.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

WORDS = ("The ", "door ", "opens.")


class FakeModelServer:
    """Records requests and answers them as their model name says."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: dict[str, str] = {}
        self.client_left = asyncio.Event()
        self.address = ""
        self.redirect_to = ""
        self.answering: set[asyncio.Task[None]] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.answering.add(task)
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            self.headers = {n.lower(): v.strip() for n, _, v in (line.partition(":") for line in head[1:])}
            body = json.loads(await reader.readexactly(int(self.headers.get("content-length", "0"))))
            self.requests.append(body)
            await self._answer(body["model"], reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            self.client_left.set()
        finally:
            self.answering.discard(task)
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    async def _answer(self, model: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if model in ERRORS:
            status, message, extra_headers = ERRORS[model]
            writer.write(
                _head(status, "application/json", extra_headers)
                + json.dumps({"error": {"message": message}}).encode()
            )
            return
        if model == "redirect":
            writer.write(_head(307, "text/plain", {"Location": f"{self.redirect_to}/chat/completions"}))
            return
        if model == "echo":  # the key comes back, cut in the middle of it
            key = self.headers["authorization"].removeprefix("Bearer ")
            texts: tuple[str, ...] = ("Your key is ", key[:9], key[9:], ". Keep it.")
        else:
            texts = ANSWERS.get(model, WORDS)
        if model == "page":
            writer.write(_head(200, "text/html") + b"<html><body>It works!</body></html>")
            return
        writer.write(_head(200, "text/event-stream"))
        for word in texts:
            writer.write(_event(_delta({"content": word})))
        await writer.drain()
        if model == "silent":
            await reader.read()  # until the client hangs up
            self.client_left.set()
            return
        if model == "cut":
            return
        if model == "endless":
            while True:
                writer.write(_event(_delta({"content": "x" * 1000})))
                await writer.drain()
        if model == "tools":
            for part in ('{"mood": ', '"calm"}'):
                call = {"index": 0, "id": "1", "function": {"name": "mood", "arguments": part}}
                writer.write(_event(_delta({"tool_calls": [call]})))
        writer.write(_event(_delta({}, "length" if model == "long" else "stop")))
        if model != "uncounted":
            usage = {"prompt_tokens": 20, "completion_tokens": 3, "total_tokens": 23}
            cached = {"prompt_tokens_details": {"cached_tokens": 16}}
            writer.write(_event({**_delta({}), "choices": [], "usage": usage | cached}))
        writer.write(b"data: [DONE]\n\n")


ERRORS: dict[str, tuple[int, str, dict[str, str]]] = {
    "unauthorized": (401, "Incorrect API key provided: planted-key-1234567", {}),
    "busy": (429, "Rate limit reached", {"Retry-After": "7"}),
    "unpaid": (429, "You exceeded your current quota (insufficient_quota)", {}),
    "unknown": (404, "The model does not exist", {}),
    "broken": (500, "boom", {}),
    "overloaded": (503, "Overloaded", {}),
    "overlong": (400, "This model's maximum context length is 4096 tokens", {}),
    "picky": (400, "response_format is not supported here", {}),
}
ANSWERS: dict[str, tuple[str, ...]] = {
    "tools": ("I will call a tool. ",),
    "schema": ('{"mood": "calm"}',),
    "escapes": ("\x1b[31mred\x00", "\ud800"),
    "mute": (),
}


@asynccontextmanager
async def serve_fake_model() -> AsyncIterator[FakeModelServer]:
    server = FakeModelServer()
    tcp_server = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    server.address = f"http://127.0.0.1:{tcp_server.sockets[0].getsockname()[1]}/v1"
    try:
        yield server
    finally:
        tcp_server.close()
        # A connection that outlives its test would make the next test fail over its socket.
        for task in server.answering:
            task.cancel()
        await asyncio.gather(*server.answering, return_exceptions=True)


def _head(status: int, content_type: str, extra_headers: dict[str, str] | None = None) -> bytes:
    headers = {"Content-Type": content_type, "Connection": "close", **(extra_headers or {})}
    header_lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status} X\r\n{header_lines}\r\n".encode()


def _delta(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def _event(chunk: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"
