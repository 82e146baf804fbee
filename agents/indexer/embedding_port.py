"""The interface of an embedding model, for indexing and for search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from agents.embeddings import Embedding
from stores.errors import MonitorError
from stores.records.ids import Id


class EmbedderUnavailable(MonitorError):
    """No vectors can be made now: the library is missing, the process died, a provider did not answer."""


class TextsRefused(MonitorError):
    """The model works, but cannot embed these texts; others may succeed."""


class Embedder(Protocol):
    """One embedding model, wherever it runs. It starts at the first call, and stops when idle."""

    @property
    def model(self) -> str:
        """The name under which its vectors are stored; models with incomparable vectors have different names."""
        ...

    async def embed(
        self, texts: Sequence[str], *, urgent: bool = False, universe_id: Id = ""
    ) -> list[Embedding]:
        """Return one embedding per text.

        `urgent` texts (somebody waits for the answer) go before all others; a cost is charged to the budget
        of `universe_id`. Raises EmbedderUnavailable or TextsRefused.
        """
        ...

    def warm(self) -> None:
        """Start the model in the background, if it is not running."""
        ...

    async def close(self) -> None: ...


class QuestionVector(NamedTuple):
    """A question as a vector, and the model whose vectors it may be compared with."""

    model: str
    vector: Sequence[float]
    token_codes: bytes = b""


class QuestionEmbedder(Protocol):
    """Turns a question into a vector, within a short time limit."""

    async def embed_question(self, question: str) -> QuestionVector | str:
        """Return the vector for searching the index in use, or in a few words why there is none now.

        The model may be starting, switched off or unavailable.
        """
        ...
