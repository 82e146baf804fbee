"""What an embedding model makes of a text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final, NamedTuple

TOKEN_CODE_BYTES: Final = 16


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
