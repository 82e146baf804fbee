"""Streams one answer of a model through LiteLLM, and its usage last."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator
from typing import Any, Final

import litellm

from agents.llm.child.model_facts import accepts_parameter, cost, count_usage, require_provider
from agents.llm.child.provider_errors import cut_error, to_model_error
from agents.llm.errors import ModelCut, ModelError, ModelRefused, ModelRejected, ModelUnreachable
from agents.llm.llm_port import LlmRequest, Message, TextChunk, Usage
from agents.llm.model_names import is_local_address, key_name, may_carry_key
from agents.llm.strict_schema import strict_schema
from agents.llm.trusted_addresses import TRUST_VARIABLE, may_send_key

_NO_KEY: Final = "none"
"""The key for servers that need none: their client insists on one."""

_MAX_CHARACTERS_PER_TOKEN: Final = 64
"""Characters a token of an answer. A server that sends more ignores the limit that it was given."""

_STOP_REASONS: Final = ("tool_calls", "function_call", "eos", "end_turn")


class KeepAlive:
    """Signals that the model is working but has sent no text yet."""


async def stream_answer(llm_request: LlmRequest) -> AsyncGenerator[TextChunk | Usage | KeepAlive, None]:
    """Ask the model once. Raises ModelError kinds; ModelCut after text was yielded."""
    require_provider(llm_request.model)
    collector = _AnswerCollector(llm_request)
    stream: Any = None
    try:
        async with asyncio.timeout(llm_request.seconds):
            stream = await litellm.acompletion(**_request(llm_request))
            async for chunk in stream:
                for part in collector.parts(chunk):
                    yield part
            for part in collector.last_parts(stream):
                yield part
    except ModelError:
        raise
    except Exception as error:  # noqa: BLE001 - every provider has its own; all are told
        model_error = to_model_error(
            error, llm_request.model, llm_request.api_base, seconds=llm_request.seconds
        )
        raise (cut_error(model_error) if collector.has_text else model_error) from None
    finally:
        if stream is not None:
            await _close(stream)
    yield await asyncio.to_thread(collector.usage, stream)


class _AnswerCollector:
    """Collects the chunks of an answer.

    The arguments of a tool call are held back until they are complete; text beside them is ignored.
    """

    def __init__(self, llm_request: LlmRequest) -> None:
        self._llm_request = llm_request
        self._by_tool = llm_request.shape is not None and llm_request.shape.mode == "tools"
        self._text, self._arguments, self._refusal = "", "", ""
        self._chunks = 0
        self.has_text = False

    def parts(self, chunk: Any) -> list[TextChunk | KeepAlive]:
        self._chunks += 1
        choices = getattr(chunk, "choices", None) or ()
        if not choices:
            return []
        delta = choices[0].delta
        text = _text(getattr(delta, "content", None))
        self._text += text
        self._refusal += _text(getattr(delta, "refusal", None))
        for call in getattr(delta, "tool_calls", None) or ():
            self._arguments += _text(getattr(call.function, "arguments", None))
        if (
            len(self._text) + len(self._arguments)
            > _MAX_CHARACTERS_PER_TOKEN * self._llm_request.max_tokens + 1_000
        ):
            raise ModelCut("The model sent far more than it was asked for.", todo="Try another model.")
        if text and not self._by_tool:
            self.has_text = True
            return [TextChunk(text)]
        return [KeepAlive()]

    def last_parts(self, stream: Any) -> list[TextChunk]:
        """Return what is left to yield at the end of the stream. Raises if it did not end properly."""
        late_parts = [TextChunk(self._arguments or self._text)] if self._by_tool else []
        late_parts = [part for part in late_parts if part.text]
        self.has_text = self.has_text or bool(late_parts)
        finish_reason = _finish_reason(stream)
        if not self.has_text and (self._refusal or finish_reason == "content_filter"):
            reason = f": {self._refusal[:300]}" if self._refusal else "."
            raise ModelRefused(f"The model declined to answer{reason}", todo="Put it in other words.")
        if not finish_reason and not self.has_text:
            server = self._llm_request.api_base or "the provider"
            error = ModelUnreachable(
                f"What answers at {server} does not answer as a model does.",
                todo="Look at the address: an OpenAI-compatible server's usually ends in /v1.",
            )
            error.is_retryable = False
            raise error
        if not finish_reason:
            raise ModelCut("The answer broke off: the server never said that it was done.", todo="Ask again.")
        return late_parts

    def usage(self, stream: Any) -> Usage:
        """Return the provider's count of tokens if it sent one, else ours."""
        provider_usage = next(
            (u for c in reversed(getattr(stream, "chunks", ())) if (u := _usage_of(c)) is not None), None
        )
        finish_reason = _finish_reason(stream)
        model = self._llm_request.model
        if provider_usage is None:
            prompt_texts = [message.text for message in self._llm_request.messages]
            return count_usage(model, prompt_texts, self._text + self._arguments, finish_reason)
        details = getattr(provider_usage, "prompt_tokens_details", None)
        return Usage(
            tokens_in=provider_usage.prompt_tokens or 0,
            tokens_out=provider_usage.completion_tokens or 0,
            tokens_cached=getattr(details, "cached_tokens", None) or 0,
            counted=True,
            cost=cost(model, provider_usage),
            finish=finish_reason,
        )


def _request(llm_request: LlmRequest) -> dict[str, Any]:
    request: dict[str, Any] = {
        "model": llm_request.model,
        "messages": [
            {"role": message.role, "content": _content(message)} for message in llm_request.messages
        ],
        "max_tokens": llm_request.max_tokens,
        "temperature": llm_request.temperature,
        "timeout": llm_request.seconds,
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_retries": 0,
        "num_retries": 0,
    }
    optional_arguments = {
        "seed": llm_request.seed,
        "top_p": llm_request.top_p,
        "stop": list(llm_request.stop) or None,
    }
    request |= {name: value for name, value in optional_arguments.items() if value is not None}
    request |= endpoint_arguments(llm_request.model, llm_request.api_base)
    if llm_request.shape is not None:
        request |= _schema_arguments(llm_request)
    return request


def _content(message: Message) -> str | list[dict[str, Any]]:
    """Return what a message says, with its pictures as data: nothing is fetched for them."""
    if not message.pictures:
        return message.text
    pictures = ({"url": f"data:image/png;base64,{picture}"} for picture in message.pictures)
    return [
        {"type": "text", "text": message.text},
        *({"type": "image_url", "image_url": picture} for picture in pictures),
    ]


def endpoint_arguments(model: str, api_base: str) -> dict[str, str]:
    """Return the address and key arguments of a request.

    No key is sent unencrypted over the open network, nor to a server that the user did not enter.
    """
    if not api_base:
        return {}
    name = key_name(model)
    is_keyless = bool(name) and not os.environ.get(name) and is_local_address(api_base)
    is_trusted = may_send_key(api_base, os.environ.get(TRUST_VARIABLE, ""))
    if is_keyless or not is_trusted or not may_carry_key(api_base):
        return {"api_base": api_base, "api_key": _NO_KEY}
    return {"api_base": api_base}


def _schema_arguments(llm_request: LlmRequest) -> dict[str, Any]:
    assert llm_request.shape is not None
    name = llm_request.shape.name
    schema = (
        dict(llm_request.shape.schema) if llm_request.api_base else strict_schema(llm_request.shape.schema)
    )
    parameter = "response_format" if llm_request.shape.mode == "schema" else "tools"
    if not accepts_parameter(llm_request.model, parameter):
        # LiteLLM would drop it silently, and the answer would be prose.
        raise ModelRejected(
            f"{llm_request.model} takes no {'schema' if llm_request.shape.mode == 'schema' else 'tools'}."
        )
    if llm_request.shape.mode == "schema":
        schema_argument = {"name": name, "schema": schema, "strict": True}
        return {"response_format": {"type": "json_schema", "json_schema": schema_argument}}
    tool = {"name": name, "description": f"Give the {name}.", "parameters": schema}
    return {
        "tools": [{"type": "function", "function": tool}],
        "tool_choice": {"type": "function", "function": {"name": name}},
    }


def _usage_of(chunk: Any) -> Any:
    usage = getattr(chunk, "usage", None)
    return usage if usage is not None and (usage.prompt_tokens or usage.completion_tokens) else None


def _finish_reason(stream: Any) -> str:
    """Return the provider's reason for the end; empty if it gave none (LiteLLM would report `stop`)."""
    reason = getattr(stream, "received_finish_reason", None) or getattr(
        stream, "intermittent_finish_reason", None
    )
    return "stop" if reason in _STOP_REASONS else str(reason or "")


def _text(value: object) -> str:
    """Return text that can be encoded as UTF-8; anything that is no string becomes empty."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


async def _close(stream: Any) -> None:
    """Close the provider's connection; errors no longer matter."""
    close = getattr(stream, "aclose", None)
    if close is not None:
        try:
            await close()
        except Exception:  # noqa: BLE001 - it is gone either way
            return
