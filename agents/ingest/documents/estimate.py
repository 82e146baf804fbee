"""Estimates how much there is to read in a document, from a sample of its pages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from agents.ingest.documents.document import Page

CHARACTERS_PER_TOKEN: Final = 4.0
"""Of English prose, about the same for all tokenizers in use; other languages have more tokens."""

CHARACTERS_PER_CHUNK: Final = 1_300
SECONDS_PER_PAGE: Final = 0.02
"""Reading, on a slow machine (benchmarks/ingest.py)."""

SECONDS_PER_CHUNK: Final = 0.04
"""Finding names and structure, storing and indexing words and vectors, without a model."""


@dataclass(frozen=True, slots=True)
class DocumentEstimate:
    pages: int
    characters: int
    chunks: int
    tokens: int
    """Of the text itself; a model's instructions come on top, with every chunk."""
    seconds: float
    """Without a model."""


def estimate_document(sample: Sequence[Page], page_count: int) -> DocumentEstimate:
    """Return the estimate; `sample` are some pages, or all, of the `page_count` that there are."""
    scale = page_count / len(sample) if sample else 0.0
    characters = round(sum(len(page.text) for page in sample) * scale)
    chunks = round(sum(math.ceil(len(page.text) / CHARACTERS_PER_CHUNK) for page in sample) * scale)
    return DocumentEstimate(
        pages=page_count,
        characters=characters,
        chunks=chunks,
        tokens=math.ceil(characters / CHARACTERS_PER_TOKEN),
        seconds=page_count * SECONDS_PER_PAGE + chunks * SECONDS_PER_CHUNK,
    )
