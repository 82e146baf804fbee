"""Texts made vectors by a provider, through LiteLLM."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import litellm

from agents.model.child.answers import where
from agents.model.child.facts import cost, counted, known_provider
from agents.model.child.failures import failure
from agents.model.errors import ModelError, ModelRejected
from agents.model.port import ToEmbed, Usage


async def embed(what: ToEmbed) -> tuple[list[Sequence[float]], Usage]:
    """Return one vector a text, and what they took. Raises ModelError kinds."""
    known_provider(what.model)
    try:
        async with asyncio.timeout(what.seconds):
            told = await litellm.aembedding(
                model=what.model,
                input=list(what.texts),
                timeout=what.seconds,
                max_retries=0,
                encoding_format="float",
                **where(what.model, what.api_base),
            )
        vectors: list[Sequence[float]] = [
            list(map(float, one["embedding"])) for one in sorted(told.data, key=_place)
        ]
    except ModelError:
        raise
    except Exception as error:
        raise failure(error, what.model, what.api_base, seconds=what.seconds) from error
    if len(vectors) != len(what.texts) or not all(vectors) or len({len(one) for one in vectors}) > 1:
        raise ModelRejected(f"{what.model} gave {len(vectors)} vectors for {len(what.texts)} texts.")
    return vectors, _usage(what, getattr(told, "usage", None))


def _place(one: Any) -> int:
    return int(one["index"])


def _usage(what: ToEmbed, told: Any) -> Usage:
    read = getattr(told, "prompt_tokens", None) or getattr(told, "total_tokens", None)
    if not read:
        return counted(what.model, list(what.texts), "", "stop")
    usage = litellm.Usage(prompt_tokens=read, completion_tokens=0, total_tokens=read)
    return Usage(tokens_in=read, counted=True, cost=cost(what.model, usage))
