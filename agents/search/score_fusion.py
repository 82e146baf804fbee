"""Makes the scores of several searches comparable and adds them up.

Uses min-max normalised sums, not ranks: textbook reciprocal-rank fusion with k = 60 measured worse than
words alone on long dialogue logs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from stores.records.ids import Id

ScoresById = Mapping[Id, float]

MIN_HIT_SCORE: Final = 0.15
"""The normalised score of the last hit of a list, where the first has 1: a hit is worth more than none."""


def normalise_scores(hits: Iterable[tuple[Id, float]]) -> dict[Id, float]:
    """Scale the scores of one search to the range MIN_HIT_SCORE to 1."""
    scores = dict(hits)
    if not scores:
        return {}
    lowest, highest = min(scores.values()), max(scores.values())
    if highest <= lowest:
        return dict.fromkeys(scores, 1.0)
    return {
        id: MIN_HIT_SCORE + (1 - MIN_HIT_SCORE) * (score - lowest) / (highest - lowest)
        for id, score in scores.items()
    }


def fuse_scores(
    scores_by_way: Mapping[str, ScoresById], weights: Mapping[str, float]
) -> dict[Id, dict[str, float]]:
    """Return for each item the score that each search gives it, times the weight of that search."""
    way_scores_by_id: dict[Id, dict[str, float]] = {}
    for way, scores in scores_by_way.items():
        for id, score in scores.items():
            way_scores_by_id.setdefault(id, {})[way] = weights.get(way, 1.0) * score
    return way_scores_by_id


def rank_ids(way_scores_by_id: Mapping[Id, Mapping[str, float]]) -> list[Id]:
    """Return the items by their total score, best first; ties by identifier."""
    return sorted(way_scores_by_id, key=lambda id: (-sum(way_scores_by_id[id].values()), id))
