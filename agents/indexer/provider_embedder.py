"""Embeds texts with a provider's model, through the LiteLLM process and within the budgets.

The cost is charged to the Librarian. Searches and indexing are background work: at 80 % of a budget they
wait.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

from agents.embeddings import Embedding
from agents.indexer.embedding_port import EmbedderUnavailable, TextsRefused
from agents.llm.errors import ModelError, ModelRefused, ModelRejected, ModelTooLong
from agents.llm.llm_port import EmbeddingProvider, EmbeddingRequest, Usage
from agents.llm.model_names import ModelTarget
from stores.records.ids import Id

TEXTS_PER_REQUEST: Final = 32
"""Texts per request."""

MAX_TEXT_CHARS: Final = 8_000
"""Characters of one text: models take about 8,000 tokens, and a turn's subject comes early."""

REQUEST_SECONDS: Final = 60.0

CheckBudget = Callable[[Id], Awaitable[None]]
"""Raises ModelError if a budget (of this universe, if one is named) forbids the call."""

RecordCost = Callable[[Id, str, int, Usage, float], Awaitable[None]]
"""Records a cost: universe, model, number of texts, usage, seconds."""


@dataclass(frozen=True, slots=True)
class ProviderEmbedder:
    """Embeds texts with a provider's model. Implements `agents.indexer.embedding_port.Embedder`."""

    provider: EmbeddingProvider
    target: ModelTarget
    check_budget: CheckBudget
    record_cost: RecordCost

    @property
    def model(self) -> str:
        return self.target.model

    async def embed(
        self, texts: Sequence[str], *, urgent: bool = False, universe_id: Id = ""
    ) -> list[Embedding]:
        embeddings: list[Embedding] = []
        for start in range(0, len(texts), TEXTS_PER_REQUEST):
            batch = tuple(texts[start : start + TEXTS_PER_REQUEST])
            embeddings += [Embedding(vector) for vector in await self._request_vectors(batch, universe_id)]
        return embeddings

    def warm(self) -> None:
        """Do nothing: the model runs on a server."""

    async def close(self) -> None:
        """Do nothing: the process belongs to the caller."""

    async def _request_vectors(self, texts: tuple[str, ...], universe_id: Id) -> list[Sequence[float]]:
        # providers refuse empty texts
        trimmed_texts = tuple(text[:MAX_TEXT_CHARS] if text.strip() else "." for text in texts)
        started_at = time.perf_counter()
        try:
            await self.check_budget(universe_id)
            request = EmbeddingRequest(
                self.target.model, trimmed_texts, self.target.api_base, REQUEST_SECONDS
            )
            vectors, usage = await self.provider.embed(request)
        except (ModelRejected, ModelRefused, ModelTooLong) as error:
            raise TextsRefused(error.what, todo=error.todo) from error
        except ModelError as error:
            raise EmbedderUnavailable(error.what, todo=error.todo) from error
        # recorded even if the caller was cancelled: it has to be paid
        await asyncio.shield(
            self.record_cost(
                universe_id, self.target.model, len(trimmed_texts), usage, time.perf_counter() - started_at
            )
        )
        return vectors
