"""Ranks turns again by what they say themselves, after the indexes found them.

An index item holds a turn and the one before it, so a hit means that the answer is in either: a turn that
asks a question passes score on to the turn that answers it. Neighbouring hits, the speaker, time words and
the order in time count as well.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from agents.search.question_cues import (
    QuestionCues,
    content_stems,
    measure_coverage,
    mentions_time,
    split_words,
)
from stores.records.ids import Id
from stores.records.play import Speaker, Turn


@dataclass(frozen=True, slots=True)
class RankingWeights:
    """The weight of each sign; the best hit by words or by meaning has 1.

    Measured on `benchmarks/recall_set` (docs/benchmarks.md).
    """

    words: float = 1.5
    meaning: float = 2.0
    own: float = 0.8
    answer: float = 0.15
    question: float = 0.2
    speaker: float = 0.2
    about: float = 0.1
    time: float = 0.15
    day: float = 1.2
    scene: float = 0.8
    graph: float = 4.0
    bridge: float = 0.2
    later: float = 2.0
    present: float = 0.1
    beside: float = 0.2
    length: float = 0.6
    tokens: float = 2.0


WEIGHTS: Final = RankingWeights()

NEIGHBOUR_REACH: Final = 4
NEIGHBOUR_DECAY: Final = 0.7
"""How many steps away turns of a scene lend each other score, and the factor for each step."""


MAX_WORDS_PREFERRED: Final = 40
"""A longer turn is preferred to a shorter one up to this many words: a greeting or a farewell seldom answers."""
MAX_WORDS_LENT_FULLY: Final = 60
"""A turn up to this long takes all that its neighbours lend; what a longer one says has to be found in itself."""

_CLOSING_CHARS: Final = ' "”’*)'
"""Characters that may follow a question mark."""


@dataclass(frozen=True, slots=True)
class TurnCandidate:
    """A turn to be ranked: its stems, its words, its speaker, and whether it asks a question."""

    turn: Turn
    speaker: str
    stems: tuple[str, ...]
    is_question: bool
    word_count: int

    @classmethod
    def from_turn(cls, turn: Turn, speaker: str) -> TurnCandidate:
        is_question = turn.text.rstrip(_CLOSING_CHARS).endswith("?")
        return cls(turn, speaker, content_stems(turn.text), is_question, len(turn.text.split()))

    @property
    def lent_share(self) -> float:
        """The share that it takes of what its neighbours lend (0 to 1)."""
        return min(1.0, (MAX_WORDS_LENT_FULLY / max(1, self.word_count)) ** 2)


WayScoresById = dict[Id, dict[str, float]]


def score_own_words(
    item_scores: WayScoresById,
    candidates: Mapping[Id, TurnCandidate],
    cues: QuestionCues,
    weights: RankingWeights,
) -> WayScoresById:
    """Score each turn by its index hit and by its own words.

    A turn that asks a question passes a part on to the turn after it, which answers, and is itself worth
    less: it seldom holds the answer.
    """
    stem_rarity = measure_rarity(cues.stems, candidates.values())
    scored_turns: WayScoresById = {}
    for id, candidate in candidates.items():
        turn_scores = dict(item_scores.get(id, {}))
        previous_turn = candidates.get(candidate.turn.parent_id or "")
        if previous_turn is not None and previous_turn.is_question:
            for way, score in item_scores.get(previous_turn.turn.id, {}).items():
                turn_scores[way] = turn_scores.get(way, 0.0) + weights.answer * score
        if not turn_scores and id not in item_scores:
            continue
        if candidate.is_question:
            turn_scores = {way: score * (1 - weights.question) for way, score in turn_scores.items()}
        covered_share = measure_coverage(cues.stems, candidate.stems, stem_rarity)
        if covered_share:
            turn_scores["words"] = turn_scores.get("words", 0.0) + weights.own * covered_share
        scored_turns[id] = turn_scores
    return scored_turns


def measure_rarity(asked_stems: Iterable[str], candidates: Collection[TurnCandidate]) -> dict[str, float]:
    """Weigh each asked stem: the rarer among these turns, the more."""
    turn_counts = {stem: sum(stem in one.stems for one in candidates) for stem in asked_stems}
    return {
        stem: math.log(1 + len(candidates) / (count + 0.5)) for stem, count in turn_counts.items() if count
    }


def spread_to_neighbours(
    item_scores: WayScoresById, candidates: Mapping[Id, TurnCandidate], weights: RankingWeights
) -> WayScoresById:
    """Add a part of each hit's score to the hits beside it.

    Where several turns of a passage were found, the answer is likely among them, even in a short turn that names
    nothing (*it*, *she*, *there*).
    """
    ids_by_place = {
        (one.turn.scene_id, one.turn.depth): id for id, one in candidates.items() if id in item_scores
    }
    spread_scores: WayScoresById = {id: dict(turn_scores) for id, turn_scores in item_scores.items()}
    for (scene_id, depth), id in ids_by_place.items():
        for step in range(1, NEIGHBOUR_REACH + 1):
            step_share = weights.beside * candidates[id].lent_share * NEIGHBOUR_DECAY ** (step - 1)
            for neighbour_id in (
                ids_by_place.get((scene_id, depth - step)),
                ids_by_place.get((scene_id, depth + step)),
            ):
                for way, score in item_scores[neighbour_id].items() if neighbour_id else ():
                    spread_scores[id][way] = spread_scores[id].get(way, 0.0) + step_share * score
    return spread_scores


def add_cue_scores(
    scored_turns: WayScoresById,
    candidates: Mapping[Id, TurnCandidate],
    cues: QuestionCues,
    ids_on_named_days: Collection[Id],
    weights: RankingWeights,
) -> None:
    """Add scores for the question's cues: the speaker it names, a time that it asks for, a date that it names.

    `I`, `my` and `we` name the player.
    """
    all_speakers = {one.speaker for one in candidates.values()}
    named_speakers = {speaker for speaker in all_speakers if speaker_if_named(speaker, cues)}
    speaker_words = {word for speaker in named_speakers for word in split_words(speaker)}
    for id, turn_scores in scored_turns.items():
        one = candidates[id]
        cue_score = 0.0
        if one.speaker in named_speakers or (cues.names_player and one.turn.speaker is Speaker.PLAYER):
            cue_score += weights.speaker
        elif speaker_words and not speaker_words.isdisjoint(split_words(one.turn.text)):
            cue_score += weights.about
        if cues.asks_when and mentions_time(one.turn.text):
            cue_score += weights.time
        if id in ids_on_named_days:
            cue_score += weights.day
        if cue_score:
            turn_scores["graph"] = turn_scores.get("graph", 0.0) + cue_score


def add_length_scores(
    scored_turns: WayScoresById, candidates: Mapping[Id, TurnCandidate], weights: RankingWeights
) -> None:
    """Raise turns that say more: the logarithm of their words, up to `MAX_WORDS_PREFERRED`."""
    for id, turn_scores in scored_turns.items():
        word_count = min(MAX_WORDS_PREFERRED, max(1, candidates[id].word_count))
        turn_scores["length"] = weights.length * math.log(word_count)


def boost_later_turns(
    scored_turns: WayScoresById,
    candidates: Mapping[Id, TurnCandidate],
    cues: QuestionCues,
    weights: RankingWeights,
) -> None:
    """Raise later turns: much if the question says now, a little if it asks about the present."""
    max_boost = weights.later if cues.asks_about_now else weights.present if cues.asks_about_present else 0.0
    if not max_boost or len(scored_turns) < 2:
        return
    ids_in_time_order = sorted(scored_turns, key=lambda id: turn_time_order(candidates[id].turn))
    for position, id in enumerate(ids_in_time_order):
        scored_turns[id]["recent"] = max_boost * position / (len(ids_in_time_order) - 1)


def speaker_if_named(speaker: str, cues: QuestionCues) -> str:
    """Return the speaker if the question contains any word of their name, else an empty text."""
    name_words = [word for word in split_words(speaker) if len(word) > 2]
    return speaker if speaker and any(word in cues.words for word in name_words) else ""


def turn_time_order(turn: Turn) -> tuple[int, int, datetime, Id]:
    """Return the sort key of turns in time: world time, then the line."""
    return turn.tick, turn.depth, turn.created_at, turn.id
