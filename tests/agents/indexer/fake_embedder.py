"""An embedding model for tests with three dimensions, which tells texts and models apart."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from agents.embeddings import Embedding
from agents.indexer.embedding_port import EmbedderUnavailable
from stores.records.ids import Id


class FakeEmbedder:
    """Implements `agents.indexer.embedding_port.Embedder`.

    It is unavailable after `max_texts` texts, if that is set, and does not answer while `is_awake` is clear.
    `rotation` makes the vectors of two models differ.
    """

    def __init__(self, model: str = "fake-a", *, rotation: int = 0) -> None:
        self.model = model
        self.embedded_texts: list[str] = []
        self.charged_universe_ids: set[Id] = set()
        self.max_texts: int | None = None
        self.is_awake = asyncio.Event()
        self.is_awake.set()
        self.is_closed = False
        self._rotation = rotation

    async def embed(
        self, texts: Sequence[str], *, urgent: bool = False, universe_id: Id = ""
    ) -> list[Embedding]:
        await self.is_awake.wait()
        if not urgent and self.max_texts is not None and len(self.embedded_texts) >= self.max_texts:
            raise EmbedderUnavailable("The model is away.")
        self.embedded_texts += texts
        self.charged_universe_ids.add(universe_id)
        return [Embedding(self._vector(text)) for text in texts]

    def warm(self) -> None: ...

    async def close(self) -> None:
        self.is_closed = True

    def _vector(self, text: str) -> tuple[float, ...]:
        numbers = (len(text) + 1.0, text.count("e") + 1.0, sum(map(ord, text)) % 97 + 1.0)
        return numbers[self._rotation :] + numbers[: self._rotation]
