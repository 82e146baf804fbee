"""Scores of several ways of looking, made comparable and added up. Pure.

Min-max normalised sums, not ranks: textbook reciprocal-rank fusion with k = 60 measured worse than words
alone on long dialogue logs (design/libraries.md, "Embeddings").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from stores.records.ids import Id

Scores = Mapping[Id, float]

FLOOR: Final = 0.15
"""What the last hit of a list is worth, where the first is worth 1: to be found is more than nothing."""


def normalised(hits: Iterable[tuple[Id, float]]) -> dict[Id, float]:
    """Return the scores of one way of looking between FLOOR and 1."""
    scores = dict(hits)
    if not scores:
        return {}
    least, most = min(scores.values()), max(scores.values())
    if most <= least:
        return dict.fromkeys(scores, 1.0)
    return {id: FLOOR + (1 - FLOOR) * (score - least) / (most - least) for id, score in scores.items()}


def fused(lists: Mapping[str, Scores], weights: Mapping[str, float]) -> dict[Id, dict[str, float]]:
    """Return for each thing what each way of looking gives to it, by the way's weight."""
    by: dict[Id, dict[str, float]] = {}
    for way, scores in lists.items():
        for id, score in scores.items():
            by.setdefault(id, {})[way] = weights.get(way, 1.0) * score
    return by


def ranked(by: Mapping[Id, Mapping[str, float]]) -> list[Id]:
    """Return the things by what they come to in all, best first; ties by identifier."""
    return sorted(by, key=lambda id: (-sum(by[id].values()), id))
