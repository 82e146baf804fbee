"""Puts first what was said last of a matter, where a question asks how it is now.

Turns that say most of what is asked are on one matter; which of them replaces another is not in their words, so the
newest comes first. Canon knows better: where it leads to turns, they stay as it ranks them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from agents.search.question_cues import QuestionCues
from agents.search.score_fusion import rank_ids
from agents.search.turn_ranking import TurnCandidate, WayScoresById, turn_time_order
from stores.records.ids import Id

MAX_TURNS_ORDERED: Final = 20
"""Turns that are looked at, the best so far."""
NOW_SHARE: Final = 0.6
PRESENT_SHARE: Final = 0.7
"""A turn is on the matter that says so much of what the turn does that says most: less where the question itself says
that it asks for now."""
_STEP: Final = 0.01
"""By how much of a score each goes before the one that was said before it."""


def put_newest_first(
    scored_turns: WayScoresById, candidates: Mapping[Id, TurnCandidate], cues: QuestionCues
) -> frozenset[Id]:
    """Raise the turns on the matter above all others, the newest first; return those that are not the newest.

    Empty where the question does not ask how something is now.
    """
    if not cues.is_question or not cues.asks_about_present or not cues.stems:
        return frozenset()
    least_share = NOW_SHARE if cues.asks_about_now else PRESENT_SHARE
    nearness_by_id = {
        id: _measure_nearness(scored_turns[id], candidates[id], cues)
        for id in rank_ids(scored_turns)[:MAX_TURNS_ORDERED]
        if id in candidates
    }
    most = max(nearness_by_id.values(), default=0.0)
    on_matter = [id for id, nearness in nearness_by_id.items() if most and nearness >= least_share * most]
    on_matter.sort(key=lambda id: turn_time_order(candidates[id].turn))
    top_score = max((sum(scores.values()) for scores in scored_turns.values()), default=0.0)
    for place, id in enumerate(on_matter, 1):
        missing_score = top_score + place * _STEP - sum(scored_turns[id].values())
        scored_turns[id]["recent"] = scored_turns[id].get("recent", 0.0) + missing_score
    return frozenset(on_matter[:-1])


def _measure_nearness(scores: Mapping[str, float], candidate: TurnCandidate, cues: QuestionCues) -> float:
    """Return how much of the question a turn itself says: by its own words, and by its own tokens."""
    asked_stems = set(cues.stems)
    return len(asked_stems.intersection(candidate.stems)) / len(asked_stems) + scores.get("tokens", 0.0)
