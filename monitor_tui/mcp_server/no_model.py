"""Stands where a language model would: a chat client has a model of its own, and MONITOR's are not asked for it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping

from agents.llm.errors import ModelUnset
from agents.llm.llm_port import LlmRequest, ModelFacts, TextChunk, Usage


class NoModel:
    """Implements `agents.services.llm_setup.ModelProcess`, and embeds nothing: it starts no process and pays nobody."""

    @property
    def is_running(self) -> bool:
        return False

    async def stream(self, request: LlmRequest) -> AsyncIterator[TextChunk | Usage]:
        raise _unset_error()
        yield

    async def count_tokens(self, model: str, texts: tuple[str, ...]) -> tuple[tuple[int, ...], bool]:
        raise _unset_error()

    async def read_facts(self, model: str) -> ModelFacts:
        raise _unset_error()

    async def warm(self) -> None:
        """Do nothing."""

    async def send_keys(self, keys: Mapping[str, str]) -> None:
        """Do nothing: no key is passed on."""

    async def close(self) -> None:
        """Do nothing."""


def _unset_error() -> ModelUnset:
    return ModelUnset("No model is asked for a chat client.")
