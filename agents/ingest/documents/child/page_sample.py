"""Chooses pages that stand for a whole document."""

from __future__ import annotations

from collections.abc import Sequence


def choose_sample(page_count: int, sample_pages: int) -> Sequence[int]:
    """Return indexes of all pages, or of `sample_pages` of them at even distances."""
    if not sample_pages or sample_pages >= page_count:
        return range(page_count)
    return [(2 * place + 1) * page_count // (2 * sample_pages) for place in range(sample_pages)]
