"""Has the program embed what another process indexes: there is one model, whoever asks (docs/decisions/0032)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agents.embeddings import Embedding
from agents.jobs.worker_server import ProgramPipe
from stores.records.ids import Id


@dataclass(frozen=True, slots=True)
class PipedEmbedder:
    """Embeds texts by asking the program. Implements `agents.indexer.embedding_port.Embedder`."""

    model: str
    program: ProgramPipe

    async def embed(
        self, texts: Sequence[str], *, urgent: bool = False, universe_id: Id = ""
    ) -> list[Embedding]:
        """Return one embedding per text; nobody waits for them, whatever `urgent` says: questions stay there."""
        return [*await self.program.embed_texts(texts, universe_id)]

    def warm(self) -> None:
        """Do nothing: it is the program's to start."""

    async def close(self) -> None:
        """Do nothing: it is the program's to end."""
