"""How an attempt ends is read by a model or not at all; what a reading finds is measured on natural words."""

from __future__ import annotations

from agents.narrator.prose_checks import ProseCheckInput, check_prose
from stores.records.play import Degree
from tests.agents.narrator.outcome_cases import (
    Ending,
    Measure,
    Reading,
    measure_readings,
    read_endings,
    read_strong_readings,
)

MIN_ENDINGS = 200
_WORDS = {Degree.SUCCESS: "succeeded", Degree.FAIL: "failed", None: "open"}


def _first_sentence(ending: Ending) -> str:
    return ending.text[:60]


def test_endings_are_at_least_two_hundred_all_different() -> None:
    endings = [ending for ending in read_endings() if ending.degree is not None]
    assert len(endings) >= MIN_ENDINGS
    assert len({ending.text for ending in endings}) == len(endings)


def test_endings_in_natural_words_are_accused_of_nothing_by_rules() -> None:
    """No pattern of words forces a rewrite or warns, whatever the dice said."""
    for ending in read_endings():
        findings = check_prose(ending.text, ProseCheckInput(player_text=ending.line))
        assert [f.kind for f in findings if f.kind.value != "empty"] == [], ending.text


def test_reading_of_endings_that_is_right_finds_all_and_accuses_none() -> None:
    pairs = [(e, Reading(_WORDS[e.degree], _first_sentence(e))) for e in read_endings()]
    assert measure_readings(pairs) == Measure(1.0, 0.0)


def test_reading_of_endings_without_their_words_says_nothing() -> None:
    pairs = [(e, Reading("failed", "Words that nobody narrated here.")) for e in read_endings()]
    assert measure_readings(pairs) == Measure(0.0, 0.0)


def test_reading_of_endings_that_is_always_the_same_accuses_half() -> None:
    pairs = [(e, Reading("succeeded", _first_sentence(e))) for e in read_endings() if e.degree is not None]
    assert measure_readings(pairs) == Measure(0.5, 0.5)


def test_what_a_strong_model_reads_is_worth_warning_of() -> None:
    """“The dice said no, and it tells me that I have the letter”: said in 238 of 240, wrongly in 2 of 280."""
    measure = measure_readings(read_strong_readings())
    assert round(measure.recall, 3) == 0.992
    assert round(measure.false_alarms, 3) == 0.007
