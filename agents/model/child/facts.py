"""What LiteLLM's own list knows of a model, without asking anybody: window, prices, abilities, tokens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import litellm
import tiktoken
from litellm.exceptions import BadRequestError
from rapidfuzz import fuzz, process

from agents.model.errors import ModelUnknown
from agents.model.names import provider_of
from agents.model.port import ModelFacts, Usage
from stores.records.model import Money

_BUNDLED: Final = ("o200k_base", "cl100k_base")
"""The tokenizers that LiteLLM carries; others would be fetched from the network."""

_CUSTOM: Final = "scripted"


def facts(model: str) -> ModelFacts:
    """Raises ModelUnknown, with near names, for a name that no provider goes by."""
    provider = known_provider(model)
    entry = priced_as(model)
    if entry is None:
        takes = _parameters(model, provider)
        # Not on the list: most likely a server of the player's own. If it takes no schema it will say so, and
        # the next rung is tried.
        return ModelFacts(
            model,
            takes_schema="response_format" in takes,
            takes_tools="tools" in takes or provider == _CUSTOM,
        )
    return ModelFacts(
        model,
        window=_whole(entry.get("max_input_tokens") or entry.get("max_tokens")),
        takes_schema=bool(entry.get("supports_response_schema")),
        takes_tools=bool(entry.get("supports_function_calling")),
        in_per_million=_per_million(entry, "input_cost_per_token"),
        out_per_million=_per_million(entry, "output_cost_per_token"),
    )


def known_provider(model: str) -> str:
    """Return LiteLLM's name of the provider. Raises ModelUnknown."""
    try:
        return str(litellm.get_llm_provider(model)[1])
    except BadRequestError:
        raise unknown(model) from None


def unknown(model: str, what: str = "") -> ModelUnknown:
    """The error for a name, with the names that are near it."""
    near = near_names(model)
    return ModelUnknown(
        what or f"No provider goes by “{model}”." if model else "No model is named.",
        todo=f"Did you mean {', '.join(near)}?"
        if near
        else "A name is provider/model, as anthropic/claude-haiku-4-5.",
    )


def near_names(model: str, limit: int = 3) -> list[str]:
    """Names on the list that look like this one: of its provider if it has one that is known."""
    providers = {str(getattr(one, "value", one)) for one in litellm.provider_list}
    provider = provider_of(model)
    if provider and provider not in providers:
        close = _close(provider, providers, 1, 70)
        return [f"{one}/{model.partition('/')[2]}" for one in close]
    names = {_full(name, entry) for name, entry in litellm.model_cost.items() if entry.get("mode") == "chat"}
    there = [name for name in names if not provider or name.startswith(f"{provider}/")]
    return [name for name in _close(model, there, limit, 75) if name != model]


def priced_as(model: str) -> dict[str, Any] | None:
    """The list's entry of a model: by its full name, else by its own."""
    provider = provider_of(model)
    for name in (model, model.partition("/")[2]):
        entry = litellm.model_cost.get(name)
        if entry is not None and (name == model or entry.get("litellm_provider", "").startswith(provider)):
            return dict(entry)
    return None


def takes(model: str, parameter: str) -> bool:
    """Whether LiteLLM passes a parameter on to this model (it would drop it in silence)."""
    provider = known_provider(model)
    return provider == _CUSTOM or parameter in _parameters(model, provider)


def cost(model: str, usage: Any) -> Money:
    """What an answer cost by the list, cached tokens at their own price."""
    entry = priced_as(model)
    if entry is None or entry.get("input_cost_per_token") is None:
        return Money(known=False)
    try:
        dollars = sum(litellm.cost_per_token(model=model, usage_object=usage))
    except Exception:  # noqa: BLE001 - the list has odd entries; an unknown price is said, not guessed
        return Money(known=False)
    return Money(micros=round(dollars * 1_000_000))


def counted(model: str, asked: Sequence[str], told: str, finish: str) -> Usage:
    """Our own count, for a provider that gave none."""
    (*before, after), _ = tokens(model, (*asked, told))
    usage = litellm.Usage(
        prompt_tokens=sum(before), completion_tokens=after, total_tokens=sum(before) + after
    )
    return Usage(sum(before), after, counted=False, cost=cost(model, usage), finish=finish)


def tokens(model: str, texts: Sequence[str]) -> tuple[list[int], bool]:
    """Count, and say whether the count is exact: only OpenAI publishes its tokenizers."""
    name = ""
    if provider_of(model) in ("openai", "azure"):
        try:
            name = tiktoken.encoding_name_for_model(model.rpartition("/")[2])
        except KeyError:
            name = ""
    exact = name in _BUNDLED
    encoding = tiktoken.get_encoding(name if exact else _BUNDLED[1])
    return [len(encoding.encode(text, disallowed_special=())) for text in texts], exact


def _full(name: str, entry: dict[str, Any]) -> str:
    return name if "/" in name else f"{entry.get('litellm_provider', '')}/{name}"


def _close(name: str, names: Iterable[str], limit: int, least: float) -> list[str]:
    return [
        found[0] for found in process.extract(name, names, scorer=fuzz.ratio, limit=limit, score_cutoff=least)
    ]


def _parameters(model: str, provider: str) -> list[str]:
    bare = model.partition("/")[2] or model
    return litellm.get_supported_openai_params(model=bare, custom_llm_provider=provider) or []


def _per_million(entry: dict[str, Any], name: str) -> float | None:
    price = entry.get(name)
    return None if price is None else float(price) * 1_000_000


def _whole(number: object) -> int | None:
    return int(number) if isinstance(number, int | float) else None
