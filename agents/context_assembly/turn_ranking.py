"""Which turns answer: what the indexes gave, ranked again by what the turns themselves say. Pure.

An index item holds a turn and the one before it, so a hit says that the answer is in either: a turn that asks
hands on to the one that answers. Then who was asked after, when, and (of what changed) the later of two that
say the same sort of thing. Source: design/libraries.md, "Embeddings".
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from agents.context_assembly.cues import Cues, covered, stems, tells_time, words
from stores.records.ids import Id
from stores.records.play import Turn


@dataclass(frozen=True, slots=True)
class Weights:
    """What each sign is worth, where the best hit by words, or by meaning, is worth 1. Measured on
    `benchmarks/recall_set` (docs/benchmarks.md)."""

    words: float = 1.0
    meaning: float = 2.0
    own: float = 0.2
    answer: float = 0.3
    question: float = 0.2
    speaker: float = 0.2
    about: float = 0.1
    time: float = 0.15
    day: float = 0.6
    graph: float = 0.5
    bridge: float = 0.2
    later: float = 0.3


WEIGHTS: Final = Weights()

SAME_SORT: Final = 0.34
"""How much two turns must have in common, by the weight of their words, to say the same sort of thing."""
LATER_AMONG: Final = 12
"""Turns at the top among which the later one is preferred."""


@dataclass(frozen=True, slots=True)
class Told:
    """A turn as it is ranked: its own stems, who speaks, whether it says when and whether it asks."""

    turn: Turn
    speaker: str
    stems: tuple[str, ...]
    timed: bool
    asks: bool

    @classmethod
    def of(cls, turn: Turn, speaker: str) -> Told:
        own = tuple(dict.fromkeys(stems(turn.text)))
        return cls(turn, speaker, own, tells_time(turn.text), turn.text.rstrip(' "”’*)').endswith("?"))


By = dict[Id, dict[str, float]]


def own_words(items: By, told: Mapping[Id, Told], cues: Cues, weights: Weights) -> By:
    """Give each turn what its item got, and what its own words are worth. A turn that asks hands a part on to
    the turn behind it, which answers, and is worth less itself: it seldom holds what is asked."""
    rarity = rarity_of(told.values())
    by: By = {}
    for id, one in told.items():
        found = dict(items.get(id, {}))
        before = told.get(one.turn.parent_id or "")
        if before is not None and before.asks:
            for way, score in items.get(before.turn.id, {}).items():
                found[way] = found.get(way, 0.0) + weights.answer * score
        if not found:
            continue
        if one.asks:
            found = {way: score * (1 - weights.question) for way, score in found.items()}
        share = covered(cues.stems, one.stems, rarity)
        if share:
            found["words"] = found.get("words", 0.0) + weights.own * share
        by[id] = found
    return by


def rarity_of(told: Iterable[Told]) -> dict[str, float]:
    """Return what a word is worth: the rarer among these turns, the more."""
    of_turns = [set(one.stems) for one in told]
    counts = Counter(stem for of_turn in of_turns for stem in of_turn)
    return {stem: math.log(1 + len(of_turns) / (count + 0.5)) for stem, count in counts.items()}


def add_cues(
    by: By, told: Mapping[Id, Told], cues: Cues, on_the_day: Collection[Id], weights: Weights
) -> None:
    """Add what the question's cues are worth: who speaks, a time where one is asked for, a date
    (`on_the_day`: what was said on a day that it names)."""
    speakers = {name for one in told.values() if (name := named(one.speaker, cues))}
    for id, found in by.items():
        one = told[id]
        sign = 0.0
        if one.speaker in speakers:
            sign += weights.speaker
        elif speakers & _named_in(one, speakers):
            sign += weights.about
        if cues.when and one.timed:
            sign += weights.time
        if id in on_the_day:
            sign += weights.day
        if sign:
            found["graph"] = found.get("graph", 0.0) + sign


def prefer_later(by: By, order: Sequence[Id], told: Mapping[Id, Told], cues: Cues, weights: Weights) -> None:
    """Of two that say the same sort of thing, lift the later one: what is asked is how it is now."""
    if not cues.now:
        return
    top = list(order[:LATER_AMONG])
    rarity = rarity_of(told.values())
    asked = set(cues.stems)
    for id in top:
        mine = told[id]
        older = [
            other
            for other in top
            if other != id
            and _after(mine.turn, told[other].turn)
            and _alike(mine, told[other], rarity, asked) >= SAME_SORT
        ]
        if older:
            by[id]["recent"] = weights.later


def named(speaker: str, cues: Cues) -> str:
    """Return the speaker if the question names them, by any word of their name."""
    own = [word for word in words(speaker) if len(word) > 2]
    return speaker if speaker and any(word in cues.spoken for word in own) else ""


def _named_in(one: Told, speakers: set[str]) -> set[str]:
    said = set(words(one.turn.text))
    return {speaker for speaker in speakers if said.intersection(words(speaker))}


def _after(one: Turn, other: Turn) -> bool:
    return (one.tick, one.depth, one.created_at) > (other.tick, other.depth, other.created_at)


def _alike(one: Told, other: Told, rarity: dict[str, float], asked: set[str]) -> float:
    """Return how much of what either says of the matter both say: of the words asked for, and of the rest."""
    mine, theirs = set(one.stems), set(other.stems)
    shared, either = mine & theirs, mine | theirs
    if not either or not (shared & asked):
        return 0.0
    weigh = rarity.get
    wanted = (mine | theirs) & asked
    of_asked = sum(weigh(s, 1.0) for s in shared & asked) / sum(weigh(s, 1.0) for s in wanted)
    of_all = sum(weigh(s, 1.0) for s in shared) / sum(weigh(s, 1.0) for s in either)
    return max(of_all, 0.7 * of_asked)
