"""What makes vectors of texts, as those who index and those who search know it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from stores.errors import MonitorError
from stores.records.ids import Id


class EmbedderUnavailable(MonitorError):
    """No vectors can be had now: the library is missing, the process died, a provider did not answer."""


class TextsRefused(MonitorError):
    """The model is there, and can make nothing of these texts; others may go well."""


class Embedder(Protocol):
    """One embedding model, wherever it runs. It starts at the first call, and goes away when idle."""

    @property
    def model(self) -> str:
        """What its vectors are filed under; another name whenever its vectors could not be compared."""
        ...

    async def embed(
        self, texts: Sequence[str], *, urgent: bool = False, universe_id: Id = ""
    ) -> list[Sequence[float]]:
        """Return one vector a text; `urgent` (somebody waits for an answer) goes before all that is not, and
        `universe_id` says on whose bill it goes, if it costs anything.

        Raises EmbedderUnavailable or TextsRefused.
        """
        ...

    def warm(self) -> None:
        """Begin to start, if it is not running; returns at once."""
        ...

    async def close(self) -> None: ...


class QuestionVector(NamedTuple):
    """A question as a vector, and the model whose vectors it may be compared with."""

    model: str
    vector: Sequence[float]


class QuestionEmbedder(Protocol):
    """Turns a question into a vector, in time or not at all."""

    async def embed_question(self, question: str) -> QuestionVector | str:
        """Return the vector that the index in use is to be searched with; or, in a few words, why there is
        none now (the model wakes up, is switched off, cannot be had). Never waits longer than a moment."""
        ...
