"""An embedding model of a provider, through the process that speaks LiteLLM; it goes by the budgets.

What it costs stands on the bill as the Librarian's: who finds things again. Searches and indexing are
background work: at 80 % of a budget they wait. Source: design/loops.md, "Background".
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from agents.indexer.port import EmbedderUnavailable, TextsRefused
from agents.llm.errors import ModelError, ModelRefused, ModelRejected, ModelTooLong
from agents.llm.llm_port import EmbeddingProvider, EmbeddingRequest, Usage
from agents.llm.model_names import ModelTarget
from stores.records.ids import Id

AT_ONCE: Final = 32
"""Texts a request."""

MOST_CHARACTERS: Final = 8_000
"""Of one text: the models take some 8,000 tokens, and a turn says what it is about sooner."""

SECONDS: Final = 60.0

Allow = Callable[[Id], Awaitable[None]]
"""Raises ModelError if a budget (of this universe, if one is named) keeps it from being asked."""

Paid = Callable[[Id, str, int, Usage, float], Awaitable[None]]
"""Puts on the bill: universe, model, how many texts, what they took, in how many seconds."""


class ModelEmbedder:
    """Implements `agents.indexer.port.Embedder`."""

    def __init__(self, speaks: EmbeddingProvider, target: ModelTarget, allow: Allow, paid: Paid) -> None:
        self._speaks = speaks
        self._target = target
        self._allow = allow
        self._paid = paid

    @property
    def model(self) -> str:
        return self._target.model

    async def embed(
        self, texts: Sequence[str], *, urgent: bool = False, universe_id: Id = ""
    ) -> list[Sequence[float]]:
        found: list[Sequence[float]] = []
        for start in range(0, len(texts), AT_ONCE):
            found += await self._ask(tuple(texts[start : start + AT_ONCE]), universe_id)
        return found

    def warm(self) -> None:
        """It is a server's: there is nothing to begin."""

    async def close(self) -> None:
        """The process that speaks is whoever's it was."""

    async def _ask(self, texts: tuple[str, ...], universe_id: Id) -> list[Sequence[float]]:
        # No provider takes an empty text.
        cut = tuple(text[:MOST_CHARACTERS] if text.strip() else "." for text in texts)
        began = time.perf_counter()
        try:
            await self._allow(universe_id)
            asked = EmbeddingRequest(self._target.model, cut, self._target.api_base, SECONDS)
            vectors, usage = await self._speaks.embed(asked)
        except (ModelRejected, ModelRefused, ModelTooLong) as error:
            raise TextsRefused(error.what, todo=error.todo) from error
        except ModelError as error:
            raise EmbedderUnavailable(error.what, todo=error.todo) from error
        # Paid is paid, also if whoever asked has gone.
        await asyncio.shield(
            self._paid(universe_id, self._target.model, len(cut), usage, time.perf_counter() - began)
        )
        return vectors
