"""How 240 attempts end in natural words, and how well a reading of them finds what goes against the dice."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import yaml

from agents.narrator.result_check import find_reported_contradiction
from stores.records.play import Degree


class Ending(NamedTuple):
    """An attempt and its telling, with the degree that the telling has; None if it does not end."""

    line: str
    text: str
    degree: Degree | None


class Reading(NamedTuple):
    """How an attempt ends as a model reads it, with the sentence that it quotes."""

    outcome: str = ""
    quote: str = ""


class Measure(NamedTuple):
    """Shares, from 0 to 1, of what goes against the dice and is found, and of what does not and is accused."""

    recall: float
    false_alarms: float


@cache
def read_endings() -> tuple[Ending, ...]:
    path = Path(__file__).parent / "data" / "outcomes.yaml"
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    kinds = (("comes_off", Degree.SUCCESS), ("fails", Degree.FAIL))
    ended = (
        Ending(attempt["say"], text, degree)
        for attempt in data["attempts"]
        for kind, degree in kinds
        for text in attempt[kind]
    )
    return (*ended, *(Ending(entry["say"], entry["text"], None) for entry in data["open"]))


@cache
def read_strong_readings() -> tuple[tuple[Ending, Reading], ...]:
    """Return the endings, each as a strong model read it that was told no dice."""
    path = Path(__file__).parent / "data" / "outcome_readings.yaml"
    rows = yaml.safe_load(path.read_text(encoding="utf-8"))
    reading_by_text = {row["text"]: Reading(row["outcome"], row["quote"]) for row in rows}
    return tuple((ending, reading_by_text[ending.text]) for ending in read_endings())


def measure_readings(pairs: Sequence[tuple[Ending, Reading]]) -> Measure:
    """Return how well readings find contradictions: each ending is held against both results of the dice."""
    found, due, accused, innocent = 0, 0, 0, 0
    for ending, reading in pairs:
        for rolled in (Degree.SUCCESS, Degree.FAIL):
            is_shown = bool(find_reported_contradiction(ending.text, rolled, reading.outcome, reading.quote))
            is_against = ending.degree is not None and ending.degree is not rolled
            due, found = due + is_against, found + (is_against and is_shown)
            innocent, accused = innocent + (not is_against), accused + (not is_against and is_shown)
    return Measure(found / max(1, due), accused / max(1, innocent))
