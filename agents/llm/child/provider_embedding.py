"""Embeds texts with a provider's model, through LiteLLM."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import litellm

from agents.llm.child.completion import endpoint_arguments
from agents.llm.child.model_facts import cost, count_usage, require_provider
from agents.llm.child.provider_errors import to_model_error
from agents.llm.errors import ModelError, ModelRejected
from agents.llm.llm_port import EmbeddingRequest, Usage


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
