"""Says how near turns come to a question token by token: late interaction.

A turn's score is the mean, over the question's tokens, of how much the nearest of the turn's own tokens has in common
with it (MaxSim of Khattab and Zaharia 2020, "ColBERT", https://arxiv.org/abs/2004.12832). One vector of a whole text
blurs what a long turn says in passing; its tokens do not. Tokens are compared by codes of 128 bits.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from agents.embeddings import TOKEN_CODE_BYTES
from agents.indexer.embedding_port import QuestionVector
from agents.search.score_fusion import rank_ids
from agents.search.turn_ranking import WayScoresById
from stores.ports import VectorIndex
from stores.records.ids import Id

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

MAX_TURNS_COMPARED: Final = 100
"""Turns that are compared, the best so far."""


@dataclass(frozen=True, slots=True)
class TokenComparer:
    """Compares turns with a question, as far as their tokens are indexed."""

    index: VectorIndex
    weight: float
    """What the nearest of the compared turns gains; the least near gains nothing."""

    async def add_token_scores(self, scored_turns: WayScoresById, question: QuestionVector) -> None:
        """Raise the best turns by how near their own tokens come to the question's. Raises StoreError.

        A turn without codes gains nothing, and nobody does if the question has none.
        """
        if not question.token_codes or not self.weight:
            return
        ids = rank_ids(scored_turns)[:MAX_TURNS_COMPARED]
        codes_by_id = await self.index.token_codes("turns", ids, model=question.model)
        similarities = await asyncio.to_thread(compare_tokens, question.token_codes, codes_by_id)
        if len(similarities) < 2:
            return
        lowest, highest = min(similarities.values()), max(similarities.values())
        for id, similarity in similarities.items():
            nearness = (similarity - lowest) / (highest - lowest) if highest > lowest else 1.0
            scored_turns[id]["tokens"] = self.weight * nearness


def compare_tokens(question_codes: bytes, codes_by_id: Mapping[Id, bytes]) -> dict[Id, float]:
    """Return the mean share of bits (0 to 1) that a question's tokens have in common with the nearest of each text."""
    import numpy as np

    question = _read_codes(question_codes)
    ids: Sequence[Id] = [id for id, codes in codes_by_id.items() if codes]
    if not ids or not len(question):
        return {}
    tokens = _read_codes(b"".join(codes_by_id[id] for id in ids))
    counts = np.array([len(codes_by_id[id]) // TOKEN_CODE_BYTES for id in ids])
    differing = np.bitwise_count(question[:, None, :] ^ tokens[None, :, :]).sum(axis=2, dtype=np.uint8)
    starts = np.concatenate(([0], np.cumsum(counts)[:-1]))
    nearest = np.minimum.reduceat(differing, starts, axis=1)
    shares = 1.0 - nearest.mean(axis=0) / (8 * TOKEN_CODE_BYTES)
    return dict(zip(ids, shares.tolist(), strict=True))


def _read_codes(codes: bytes) -> npt.NDArray[np.uint64]:
    import numpy as np

    return np.frombuffer(codes, np.uint64).reshape(-1, TOKEN_CODE_BYTES // 8)
