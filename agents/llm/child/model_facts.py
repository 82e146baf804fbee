"""Looks a model up in LiteLLM's own list, without a request: window, prices, abilities, token counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import litellm
import tiktoken
from litellm.exceptions import BadRequestError
from rapidfuzz import fuzz, process

from agents.llm.errors import ModelUnknown
from agents.llm.llm_port import ModelFacts, Usage
from agents.llm.model_names import provider_of
from stores.records.llm import MAX_CALL_MICROS, Money

_BUNDLED_ENCODINGS: Final = ("o200k_base", "cl100k_base")
"""The tokenizers that come with LiteLLM; others would be fetched from the network."""

_SCRIPTED_PROVIDER: Final = "scripted"


def read_model_facts(model: str) -> ModelFacts:
    """Return what LiteLLM knows of a model.

    Raises ModelUnknown, with similar names, if no provider knows it.
    """
    provider = require_provider(model)
    entry = find_price_entry(model)
    if entry is None:
        parameters = _parameters(model, provider)
        # Not on the list: probably a server of the player's own. If it rejects a schema, the next step of the
        # fallback ladder is tried; if it rejects a picture, the document waits and says so.
        return ModelFacts(
            model,
            takes_schema="response_format" in parameters,
            takes_tools="tools" in parameters or provider == _SCRIPTED_PROVIDER,
            takes_pictures=True,
        )
    return ModelFacts(
        model,
        window=_as_integer(entry.get("max_input_tokens") or entry.get("max_tokens")),
        takes_schema=bool(entry.get("supports_response_schema")),
        takes_tools=bool(entry.get("supports_function_calling")),
        takes_pictures=bool(entry.get("supports_vision")),
        in_per_million=_per_million(entry, "input_cost_per_token"),
        out_per_million=_per_million(entry, "output_cost_per_token"),
    )


def require_provider(model: str) -> str:
    """Return LiteLLM's name of the model's provider. Raises ModelUnknown."""
    try:
        return str(litellm.get_llm_provider(model)[1])
    except BadRequestError:
        raise unknown_model_error(model) from None


def unknown_model_error(model: str, message: str = "") -> ModelUnknown:
    """Return the error for an unknown name, with similar names."""
    similar_names = find_similar_names(model)
    return ModelUnknown(
        message or f"No provider goes by “{model}”." if model else "No model is named.",
        todo=f"Did you mean {', '.join(similar_names)}?"
        if similar_names
        else "A name is provider/model, as anthropic/claude-haiku-4-5.",
    )


def find_similar_names(model: str, limit: int = 3) -> list[str]:
    """Return names of the list that resemble this one, of its provider if that is known."""
    providers = {
        str(getattr(provider_name, "value", provider_name)) for provider_name in litellm.provider_list
    }
    provider = provider_of(model)
    if provider and provider not in providers:
        closest_providers = _closest_names(provider, providers, 1, 70)
        return [f"{one}/{model.partition('/')[2]}" for one in closest_providers]
    names = {
        _full_name(name, entry) for name, entry in litellm.model_cost.items() if entry.get("mode") == "chat"
    }
    provider_models = [name for name in names if not provider or name.startswith(f"{provider}/")]
    return [name for name in _closest_names(model, provider_models, limit, 75) if name != model]


def find_price_entry(model: str) -> dict[str, Any] | None:
    """Return a model's entry in the price list: by its full name, else by its name without the provider."""
    provider = provider_of(model)
    for name in (model, model.partition("/")[2]):
        entry = litellm.model_cost.get(name)
        if entry is not None and (name == model or entry.get("litellm_provider", "").startswith(provider)):
            return dict(entry)
    return None


def accepts_parameter(model: str, parameter: str) -> bool:
    """Return whether LiteLLM passes a parameter on to this model; otherwise it would drop it silently."""
    provider = require_provider(model)
    return provider == _SCRIPTED_PROVIDER or parameter in _parameters(model, provider)


MAX_CALL_DOLLARS: Final = MAX_CALL_MICROS / 1_000_000


def cost(model: str, usage: Any) -> Money:
    """Return the cost of an answer by the price list, with cached tokens at their own price."""
    entry = find_price_entry(model)
    if entry is None or entry.get("input_cost_per_token") is None:
        return Money(known=False)
    try:
        dollars = sum(litellm.cost_per_token(model=model, usage_object=usage))
    except Exception:  # noqa: BLE001 - the list has odd entries; an unknown price is said, not guessed
        return Money(known=False)
    # A provider's count can be any number; what it cannot be is left to the estimate.
    return (
        Money(micros=round(dollars * 1_000_000)) if 0 <= dollars <= MAX_CALL_DOLLARS else Money(known=False)
    )


def count_usage(model: str, prompt_texts: Sequence[str], answer_text: str, finish: str) -> Usage:
    """Count the usage ourselves, for a provider that sent none."""
    (*prompt_counts, answer_count), _ = count_tokens(model, (*prompt_texts, answer_text))
    usage = litellm.Usage(
        prompt_tokens=sum(prompt_counts),
        completion_tokens=answer_count,
        total_tokens=sum(prompt_counts) + answer_count,
    )
    return Usage(sum(prompt_counts), answer_count, counted=False, cost=cost(model, usage), finish=finish)


def count_tokens(model: str, texts: Sequence[str]) -> tuple[list[int], bool]:
    """Count tokens, and say whether the count is exact: only OpenAI publishes its tokenizers."""
    name = ""
    if provider_of(model) in ("openai", "azure"):
        try:
            name = tiktoken.encoding_name_for_model(model.rpartition("/")[2])
        except KeyError:
            name = ""
    exact = name in _BUNDLED_ENCODINGS
    encoding = tiktoken.get_encoding(name if exact else _BUNDLED_ENCODINGS[1])
    return [len(encoding.encode(text, disallowed_special=())) for text in texts], exact


def _full_name(name: str, entry: dict[str, Any]) -> str:
    return name if "/" in name else f"{entry.get('litellm_provider', '')}/{name}"


def _closest_names(name: str, names: Iterable[str], limit: int, min_likeness: float) -> list[str]:
    return [
        match[0]
        for match in process.extract(name, names, scorer=fuzz.ratio, limit=limit, score_cutoff=min_likeness)
    ]


def _parameters(model: str, provider: str) -> list[str]:
    bare = model.partition("/")[2] or model
    return litellm.get_supported_openai_params(model=bare, custom_llm_provider=provider) or []


def _per_million(entry: dict[str, Any], name: str) -> float | None:
    price = entry.get(name)
    return None if price is None else float(price) * 1_000_000


def _as_integer(number: object) -> int | None:
    return int(number) if isinstance(number, int | float) else None
