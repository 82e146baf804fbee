"""Makes the projection by whose signs the tokens of a text are coded (`python -m tools.token_projection`).

The first 128 principal components of the token vectors of the three recall sets that were written for this project,
turned at random, so that each sign carries about as much as any other. Its result is committed; it is made again only
for another model.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from agents.embeddings import TOKEN_CODE_BYTES
from agents.indexer.child.minilm import TOKEN_PROJECTION, MiniLmModel, to_unit_length
from benchmarks.recall import SETS

TEXTS_AT_ONCE: Final = 16
TUNED_ON: Final = ("campaign", "friends", "tavern")
SEED: Final = 1


def make_projection(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float16]:
    """Return the projection of these token vectors, and below it what each projected number is compared with."""
    dimension_count = 8 * TOKEN_CODE_BYTES
    mean = vectors.mean(axis=0, dtype=np.float64)
    centred = vectors - mean
    _, components = np.linalg.eigh(centred.T @ centred)
    rotation, _ = np.linalg.qr(np.random.RandomState(SEED).standard_normal((dimension_count,) * 2))
    projection = components[:, ::-1][:, :dimension_count] @ rotation
    return np.vstack((projection, mean @ projection)).astype(np.float16)


def main() -> None:
    model = MiniLmModel(np.zeros((1, 1), np.float32))
    texts = [
        json.loads(line)["text"]
        for name in TUNED_ON
        for line in (Path(SETS[name]) / "log.jsonl").read_text("utf-8").splitlines()
    ]
    token_vectors = []
    for start in range(0, len(texts), TEXTS_AT_ONCE):
        encodings, vectors = model.run(texts[start : start + TEXTS_AT_ONCE])
        is_word = np.array([encoding.special_tokens_mask for encoding in encodings]) == 0
        token_vectors.append(to_unit_length(vectors[is_word]))
    np.save(TOKEN_PROJECTION, make_projection(np.concatenate(token_vectors)))


if __name__ == "__main__":
    main()
