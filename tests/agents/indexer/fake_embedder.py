"""An embedding model of three numbers: enough to tell texts apart, and models."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from agents.indexer.embedding_port import EmbedderUnavailable
from stores.records.ids import Id


class FakeEmbedder:
    """Implements `agents.indexer.embedding_port.Embedder`. It `stops` after so many texts, if that is set, until told
    otherwise; while `asleep` is clear it does not answer."""

    def __init__(self, model: str = "fake-a", *, turn: int = 0) -> None:
        self.model = model
        self.made: list[str] = []
        self.paid: set[Id] = set()
        self.stops: int | None = None
        self.awake = asyncio.Event()
        self.awake.set()
        self.closed = False
        self._turn = turn

    async def embed(
        self, texts: Sequence[str], *, urgent: bool = False, universe_id: Id = ""
    ) -> list[Sequence[float]]:
        await self.awake.wait()
        if not urgent and self.stops is not None and len(self.made) >= self.stops:
            raise EmbedderUnavailable("The model is away.")
        self.made += texts
        self.paid.add(universe_id)
        return [self._vector(text) for text in texts]

    def warm(self) -> None: ...

    async def close(self) -> None:
        self.closed = True

    def _vector(self, text: str) -> tuple[float, ...]:
        numbers = (len(text) + 1.0, text.count("e") + 1.0, sum(map(ord, text)) % 97 + 1.0)
        return numbers[self._turn :] + numbers[: self._turn]
