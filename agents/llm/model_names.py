"""Parses names of models and the addresses that they are served at: `provider/model[@https://address]`.

An address is only needed if a fallback or a persona's model is served elsewhere than the default model. Names
are LiteLLM's own.
"""

from __future__ import annotations

import ipaddress
import re
from typing import Final, NamedTuple
from urllib.parse import urlsplit

_ADDRESS: Final = re.compile(r"@(?=https?://)")
_BARE_NAME_PROVIDERS: Final = (
    (re.compile(r"(gpt|chatgpt|o\d)(-|$)"), "openai"),
    (re.compile(r"claude-"), "anthropic"),
)

KEY_NAMES: Final = {
    "gemini": "GEMINI_API_KEY",
    "google": "GEMINI_API_KEY",
    "together_ai": "TOGETHERAI_API_KEY",
    "fireworks_ai": "FIREWORKS_AI_API_KEY",
    "perplexity": "PERPLEXITYAI_API_KEY",
    "text-completion-openai": "OPENAI_API_KEY",
    "azure_ai": "AZURE_AI_API_KEY",
    "huggingface": "HUGGINGFACE_API_KEY",
    "vercel_ai_gateway": "VERCEL_AI_GATEWAY_API_KEY",
    "cohere_chat": "COHERE_API_KEY",
    "dashscope": "DASHSCOPE_API_KEY",
}
"""Variables that LiteLLM does not form as `<PROVIDER>_API_KEY`."""

KEY_ALIASES: Final = {
    "GEMINI_API_KEY": ("GOOGLE_API_KEY",),
    "ANTHROPIC_API_KEY": ("ANTHROPIC_AUTH_TOKEN",),
    "FIREWORKS_AI_API_KEY": ("FIREWORKS_API_KEY", "FIREWORKSAI_API_KEY"),
}
"""Further variables that LiteLLM accepts for a key."""

KEYLESS_PROVIDERS: Final = frozenset(
    {"ollama", "ollama_chat", "lm_studio", "llamafile", "docker_model_runner", "hosted_vllm", "vllm"}
)
"""Servers that usually run on the player's own machine and need no key."""

SIGN_IN_PROVIDERS: Final = frozenset(
    {"bedrock", "bedrock_converse", "vertex_ai", "sagemaker", "sagemaker_chat"}
)
"""Clouds with credentials of their own tools instead of one key."""


class ModelTarget(NamedTuple):
    """A model and the address of its server; an empty `api_base` is the provider's own address."""

    model: str
    api_base: str = ""


def parse_target(entry: str, default: ModelTarget | None = None) -> ModelTarget:
    """Parse `provider/model` or `provider/model@https://address`.

    Without an address, a model of the default's provider uses the default's address and any other model its
    provider's own: no request goes to a server that was not named for that provider.
    """
    model, _, address = _split(entry.strip())
    if address or default is None or provider_of(model) != provider_of(default.model):
        return ModelTarget(model, address)
    return ModelTarget(model, default.api_base)


def provider_of(model: str) -> str:
    """Return the provider's name; empty if the model name does not tell."""
    provider, slash, _ = model.partition("/")
    if slash:
        return provider.casefold()
    return next((name for pattern, name in _BARE_NAME_PROVIDERS if pattern.match(model)), "")


def key_name(model: str) -> str:
    """Return the environment variable of this model's API key; empty if it has none."""
    provider = provider_of(model)
    if not provider or provider in SIGN_IN_PROVIDERS:
        return ""
    return KEY_NAMES.get(provider) or re.sub(r"\W", "_", provider).upper() + "_API_KEY"


def is_local_address(api_base: str) -> bool:
    """Return whether an address is on this machine or in a private network, judged by its form alone."""
    host = urlsplit(api_base).hostname or ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost" or "." not in host or host.endswith((".localhost", ".local", ".internal"))
    return address.is_loopback or address.is_private


def may_carry_key(api_base: str) -> bool:
    """Return whether an API key may be sent to an address: never unencrypted across the open network."""
    return not api_base or urlsplit(api_base).scheme == "https" or is_local_address(api_base)


def _split(entry: str) -> tuple[str, str, str]:
    match = _ADDRESS.search(entry)
    return (entry[: match.start()], "@", entry[match.end() :]) if match else (entry, "", "")
