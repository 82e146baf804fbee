"""The interface of an embedding model, for indexing and for search."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

from stores.errors import MonitorError
from stores.records.ids import Id

TOKEN_CODE_BYTES: Final = 16


class EmbedderUnavailable(MonitorError):
    """No vectors can be made now: the library is missing, the process died, a provider did not answer."""


class TextsRefused(MonitorError):
    """The model works, but cannot embed these texts; others may succeed."""


class TokenCodes(NamedTuple):
    """What a model makes of each token of a text, in order: a code to compare with others of the same model.

    A code is `TOKEN_CODE_BYTES` long, and the more of their bits two have in common, the nearer are their tokens.
    """

    codes: bytes = b""
    ends: Sequence[int] = ()
    """Where each token ends in the text, in characters."""

    def up_to(self, length: int) -> bytes:
        """Return the codes of the tokens in the first `length` characters of the text."""
        return self.codes[: TOKEN_CODE_BYTES * bisect_right(self.ends, length)]


class Embedding(NamedTuple):
    """A text as one vector, and its tokens' codes if the model gives some."""

    vector: Sequence[float]
    tokens: TokenCodes = TokenCodes()


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
