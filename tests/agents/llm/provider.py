"""A LiteLLM custom provider whose model names select its behaviour: `scripted/good`, `scripted/slow` ...

The child registers it with `--provider tests.agents.llm.provider:provider`; everything between it and MONITOR is
real: LiteLLM's stream, the child, the pipes.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from typing import Any

import httpx
from litellm.exceptions import AuthenticationError, ContextWindowExceededError, RateLimitError
from litellm.llms.custom_llm import CustomLLM
from litellm.types.utils import EmbeddingResponse, GenericStreamingChunk, Usage

from tests.agents.llm.behaviours import GOOD, HOSTILE, MALFORMED, RECORD


class ScriptedProvider(CustomLLM):
    async def astreaming(self, *args: Any, **kwargs: Any) -> AsyncIterator[GenericStreamingChunk]:  # type: ignore[override]
        words: tuple[str, ...]
        match kwargs["model"]:
            case "good":
                words, end = GOOD, "stop"
            case "long":
                words, end = GOOD, "length"
            case "record":
                words, end = (RECORD,), "stop"
            case "malformed":
                words, end = (MALFORMED,), "stop"
            case "hostile":
                words, end = (HOSTILE,), "stop"
            case "refusing":
                words, end = (), "content_filter"
            case "slow" | "cut":
                yield _chunk("It begins ")
                if kwargs["model"] == "slow":
                    await asyncio.sleep(3600)
                raise httpx.ReadError("gone")
            case "noisy":
                print("this would spoil the pipe")
                words, end = GOOD, "stop"
            case "dies":
                yield _chunk("It begins ")
                os._exit(3)
            case kind:
                raise _error(kind)
        for word in words:
            yield _chunk(word)
        yield _chunk("", end, {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14})

    async def aembedding(self, *args: Any, **kwargs: Any) -> EmbeddingResponse:
        """Embed each text as its length; `few` leaves one text out."""
        match kwargs["model"]:
            case "good" | "few":
                texts = kwargs["input"][kwargs["model"] == "few" :]
            case kind:
                raise _error(kind)
        data = [
            {"object": "embedding", "index": n, "embedding": [float(len(t)), 0.5]}
            for n, t in enumerate(texts)
        ]
        usage = Usage(prompt_tokens=7, completion_tokens=0, total_tokens=7)
        # Out of order: no provider promises an order.
        return EmbeddingResponse(model="good", data=data[::-1], usage=usage, object="list")


def _error(kind: str) -> Exception:
    match kind:
        case "unauthorized":
            return AuthenticationError("wrong key sk-planted-in-the-error-0123456789", "scripted", kind)
        case "busy":
            response = httpx.Response(
                429, headers={"retry-after": "7"}, request=httpx.Request("POST", "http://x")
            )
            return RateLimitError("slow down", "scripted", kind, response=response)
        case "overlong":
            return ContextWindowExceededError("8193 tokens, 8192 fit", kind, "scripted")
    return ValueError(f"no such behaviour: {kind}")


def _chunk(text: str, finish: str = "", usage: Any = None) -> GenericStreamingChunk:
    return {
        "text": text,
        "is_finished": bool(finish),
        "finish_reason": finish,
        "usage": usage,
        "index": 0,
        "tool_use": None,
    }


provider = ScriptedProvider()
