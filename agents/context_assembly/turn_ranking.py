"""Which turns answer: what the indexes gave, ranked again by what the turns themselves say. Pure.

An index item holds a turn and the one before it, so a hit says that the answer is in either: a turn that asks
hands on to the one that answers. Then what stands beside other hits, who was asked after, when, and what was
said later. Source: design/libraries.md, "Embeddings".
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from agents.context_assembly.cues import Cues, covered, stems, tells_time, words
from stores.records.ids import Id
from stores.records.play import Turn


@dataclass(frozen=True, slots=True)
class Weights:
    """What each sign is worth, where the best hit by words, or by meaning, is worth 1. Measured on
    `benchmarks/recall_set` (docs/benchmarks.md)."""

    words: float = 1.5
    meaning: float = 2.0
    own: float = 0.8
    answer: float = 0.15
    question: float = 0.2
    speaker: float = 0.2
    about: float = 0.1
    time: float = 0.15
    day: float = 1.2
    graph: float = 4.0
    bridge: float = 0.2
    later: float = 2.0
    present: float = 0.1
    beside: float = 0.2


WEIGHTS: Final = Weights()

REACH: Final = 4
FADES: Final = 0.7
"""Turns of the same scene that lend each other some of their score, and how much less each step away."""


_CLOSES: Final = ' "”’*)'
"""What may stand behind a question's mark."""


@dataclass(frozen=True, slots=True)
class Told:
    """A turn as it is ranked: its own stems, who speaks, and whether it asks."""

    turn: Turn
    speaker: str
    stems: tuple[str, ...]
    asks: bool

    @classmethod
    def of(cls, turn: Turn, speaker: str) -> Told:
        return cls(turn, speaker, stems(turn.text), turn.text.rstrip(_CLOSES).endswith("?"))


By = dict[Id, dict[str, float]]


def own_words(items: By, told: Mapping[Id, Told], cues: Cues, weights: Weights) -> By:
    """Give each turn what its item got, and what its own words are worth. A turn that asks hands a part on to
    the turn behind it, which answers, and is worth less itself: it seldom holds what is asked."""
    rarity = rarity_of(cues.stems, told.values())
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


def rarity_of(asked: Iterable[str], told: Collection[Told]) -> dict[str, float]:
    """Return what each word that is asked for is worth: the rarer among these turns, the more."""
    counts = {stem: sum(stem in one.stems for one in told) for stem in asked}
    return {stem: math.log(1 + len(told) / (count + 0.5)) for stem, count in counts.items() if count}


def beside(items: By, told: Mapping[Id, Told], weights: Weights) -> By:
    """Return the items with what those beside them lend: where much of a passage was found, what is asked is
    likely in it, even in a turn that names nothing (*it*, *she*, *there*)."""
    places = {(one.turn.scene_id, one.turn.depth): id for id, one in told.items() if id in items}
    lent: By = {id: dict(found) for id, found in items.items()}
    for (scene_id, depth), id in places.items():
        for step in range(1, REACH + 1):
            share = weights.beside * FADES ** (step - 1)
            for other in (places.get((scene_id, depth - step)), places.get((scene_id, depth + step))):
                for way, score in items[other].items() if other else ():
                    lent[id][way] = lent[id].get(way, 0.0) + share * score
    return lent


def add_cues(
    by: By, told: Mapping[Id, Told], cues: Cues, on_the_day: Collection[Id], weights: Weights
) -> None:
    """Add what the question's cues are worth: who speaks, a time where one is asked for, a date
    (`on_the_day`: what was said on a day that it names)."""
    everyone = {one.speaker for one in told.values()}
    speakers = {speaker for speaker in everyone if named(speaker, cues)}
    called = {word for speaker in speakers for word in words(speaker)}
    for id, found in by.items():
        one = told[id]
        sign = 0.0
        if one.speaker in speakers:
            sign += weights.speaker
        elif called and not called.isdisjoint(words(one.turn.text)):
            sign += weights.about
        if cues.when and tells_time(one.turn.text):
            sign += weights.time
        if id in on_the_day:
            sign += weights.day
        if sign:
            found["graph"] = found.get("graph", 0.0) + sign


def prefer_later(by: By, told: Mapping[Id, Told], cues: Cues, weights: Weights) -> None:
    """Lift what was said later: much where the question says now, a little where it asks how something is."""
    worth = weights.later if cues.now else weights.present if cues.present else 0.0
    if not worth or len(by) < 2:
        return
    in_time = sorted(by, key=lambda id: _place(told[id].turn))
    for place, id in enumerate(in_time):
        by[id]["recent"] = worth * place / (len(in_time) - 1)


def named(speaker: str, cues: Cues) -> str:
    """Return the speaker if the question names them, by any word of their name."""
    own = [word for word in words(speaker) if len(word) > 2]
    return speaker if speaker and any(word in cues.spoken for word in own) else ""


def _place(turn: Turn) -> tuple[int, int, datetime, Id]:
    """Return what orders turns in time: world time, then the line."""
    return turn.tick, turn.depth, turn.created_at, turn.id
