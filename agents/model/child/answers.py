"""One answer of one model through LiteLLM: its words as they come, and last what it took."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator
from typing import Any, Final

import litellm

from agents.model.child.facts import cost, counted, known_provider, takes
from agents.model.child.failures import cut, failure
from agents.model.errors import ModelCut, ModelError, ModelRefused, ModelRejected, ModelUnreachable
from agents.model.names import is_near, key_name, may_carry_key
from agents.model.port import Ask, Usage, Words
from agents.model.strict import strict

_NO_KEY: Final = "none"
"""Said to servers that want no key: their client wants to say one."""

_LONGEST: Final = 64
"""Characters a token of an answer. A server that sends more than that does not keep to what was asked."""

_STOPPED: Final = ("tool_calls", "function_call", "eos", "end_turn")


class Alive:
    """A sign of life: the model thinks, and has said nothing yet."""


async def answer(ask: Ask) -> AsyncGenerator[Words | Usage | Alive, None]:
    """Ask once. Raises ModelError kinds; ModelCut once words have been yielded."""
    known_provider(ask.model)
    heard = _Heard(ask)
    stream: Any = None
    try:
        async with asyncio.timeout(ask.seconds):
            stream = await litellm.acompletion(**_request(ask))
            async for chunk in stream:
                for part in heard.parts(chunk):
                    yield part
            for part in heard.rest(stream):
                yield part
    except ModelError:
        raise
    except Exception as error:  # noqa: BLE001 - every provider has its own; all are told
        told = failure(error, ask.model, ask.api_base, seconds=ask.seconds)
        raise (cut(told) if heard.said else told) from None
    finally:
        if stream is not None:
            await _close(stream)
    yield await asyncio.to_thread(heard.usage, stream)


class _Heard:
    """What came so far. The answer to a shaped ask is kept back until it is whole: a tool's arguments count,
    and words beside them do not."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._by_tool = ask.shape is not None and ask.shape.by == "tools"
        self._text, self._arguments, self._refusal = "", "", ""
        self._chunks = 0
        self.said = False

    def parts(self, chunk: Any) -> list[Words | Alive]:
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
        if len(self._text) + len(self._arguments) > _LONGEST * self._ask.max_tokens + 1_000:
            raise ModelCut("The model sent far more than it was asked for.", todo="Try another model.")
        if text and not self._by_tool:
            self.said = True
            return [Words(text)]
        return [Alive()]

    def rest(self, stream: Any) -> list[Words]:
        """What is still to be said when the stream has ended. Raises if it did not end as it should."""
        late = [Words(self._arguments or self._text)] if self._by_tool else []
        late = [part for part in late if part.text]
        self.said = self.said or bool(late)
        finish = _finish(stream)
        if not self.said and (self._refusal or finish == "content_filter"):
            reason = f": {self._refusal[:300]}" if self._refusal else "."
            raise ModelRefused(f"The model declined to answer{reason}", todo="Put it in other words.")
        if not finish and not self.said:
            where = self._ask.api_base or "the provider"
            error = ModelUnreachable(
                f"What answers at {where} does not answer as a model does.",
                todo="Look at the address: an OpenAI-compatible server's usually ends in /v1.",
            )
            error.again = False
            raise error
        if not finish:
            raise ModelCut("The answer broke off: the server never said that it was done.", todo="Ask again.")
        return late

    def usage(self, stream: Any) -> Usage:
        """The provider's own count if it gave one, else ours."""
        given = next(
            (u for c in reversed(getattr(stream, "chunks", ())) if (u := _given(c)) is not None), None
        )
        finish = _finish(stream)
        model = self._ask.model
        if given is None:
            asked = [message.text for message in self._ask.messages]
            return counted(model, asked, self._text + self._arguments, finish)
        details = getattr(given, "prompt_tokens_details", None)
        return Usage(
            tokens_in=given.prompt_tokens or 0,
            tokens_out=given.completion_tokens or 0,
            tokens_cached=getattr(details, "cached_tokens", None) or 0,
            counted=True,
            cost=cost(model, given),
            finish=finish,
        )


def _request(ask: Ask) -> dict[str, Any]:
    request: dict[str, Any] = {
        "model": ask.model,
        "messages": [{"role": message.role, "content": message.text} for message in ask.messages],
        "max_tokens": ask.max_tokens,
        "temperature": ask.temperature,
        "timeout": ask.seconds,
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_retries": 0,
        "num_retries": 0,
    }
    if ask.seed is not None:
        request["seed"] = ask.seed
    request |= where(ask.model, ask.api_base)
    if ask.shape is not None:
        request |= _shaped(ask)
    return request


def where(model: str, api_base: str) -> dict[str, str]:
    """Where a request goes, if not to its provider's own address; no key goes there in the clear."""
    if not api_base:
        return {}
    name = key_name(model)
    if not may_carry_key(api_base) or (name and not os.environ.get(name) and is_near(api_base)):
        return {"api_base": api_base, "api_key": _NO_KEY}
    return {"api_base": api_base}


def _shaped(ask: Ask) -> dict[str, Any]:
    assert ask.shape is not None
    name = ask.shape.name
    schema = dict(ask.shape.schema) if ask.api_base else strict(ask.shape.schema)
    parameter = "response_format" if ask.shape.by == "schema" else "tools"
    if not takes(ask.model, parameter):
        # LiteLLM would leave it out in silence, and the answer would be prose.
        raise ModelRejected(f"{ask.model} takes no {'schema' if ask.shape.by == 'schema' else 'tools'}.")
    if ask.shape.by == "schema":
        shape = {"name": name, "schema": schema, "strict": True}
        return {"response_format": {"type": "json_schema", "json_schema": shape}}
    tool = {"name": name, "description": f"Give the {name}.", "parameters": schema}
    return {
        "tools": [{"type": "function", "function": tool}],
        "tool_choice": {"type": "function", "function": {"name": name}},
    }


def _given(chunk: Any) -> Any:
    usage = getattr(chunk, "usage", None)
    return usage if usage is not None and (usage.prompt_tokens or usage.completion_tokens) else None


def _finish(stream: Any) -> str:
    """How the provider said it ended; empty if it said nothing (LiteLLM would make a `stop` of that)."""
    found = getattr(stream, "received_finish_reason", None) or getattr(
        stream, "intermittent_finish_reason", None
    )
    return "stop" if found in _STOPPED else str(found or "")


def _text(value: object) -> str:
    """Text that can be written as UTF-8; anything else of a provider's making is none."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


async def _close(stream: Any) -> None:
    """Close the provider's connection; what it says to that no longer matters."""
    close = getattr(stream, "aclose", None)
    if close is not None:
        try:
            await close()
        except Exception:  # noqa: BLE001 - it is gone either way
            return
