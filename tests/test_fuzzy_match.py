"""What is typed into the palette finds what it may mean, the likeliest first, in time that no text can stretch."""

from __future__ import annotations

import time

import pytest

from monitor_tui.command_palette import HELP_WEIGHT
from monitor_tui.fuzzy_match import STREWN, compile_filter, fold_text, match_text


def score(query: str, text: str) -> float:
    match = match_text(fold_text(query), fold_text(text))
    return match.score if match else 0


def test_better_matches_score_higher() -> None:
    texts = ("Pike", "Pike Wenna", "Wenna Pike", "Spikes", "Perrin Ike", "Park in the lake")
    scores = [score("pike", text) for text in texts]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < s <= 1 for s in scores)


@pytest.mark.parametrize(
    ("query", "text", "marked"),
    [
        ("wp", "Wenna Pike", "WP"),
        ("wen pi", "Wenna Pike", "WenPi"),
        ("elan", "the Élan", "Élan"),
        ("rtn", "Retcon", "Rtn"),
        ("wnpk", "Wenna Pike", "WnPk"),
        ("wnpk", "Willow Nan Pike", "WNPk"),
        ("sltd", "The Slack Tide", "SlTd"),
        ("pike", "Spikes of Pike", "Pike"),
    ],
)
def test_positions_are_those_of_the_letters(query: str, text: str, marked: str) -> None:
    match = match_text(fold_text(query), fold_text(text))
    assert match is not None
    assert "".join(text[position] for position in match.positions) == marked
    assert compile_filter(fold_text(query).replace(" ", "")).match(fold_text(text))


def test_strewn_letters_rank_behind_every_other_match() -> None:
    strewn = max(
        score("pike", text) for text in ("Park in the lake", "Slip the biscuit over", "Impala, like")
    )
    long_name = "The long story of the old spikes of the harbour and of all that came of it"
    others = ("Spikes", "Perrin Ike", "Perrin inks it, eh", long_name)
    assert 0 < strewn < HELP_WEIGHT * min(score("pike", text) for text in others)


def test_letters_strewn_over_starts_of_words_are_found_whichever_word_comes_first() -> None:
    assert score("wnpk", "Wenna Pike") > score("wnpk", "A Swan in the Park")
    assert score("wnpk", "Wet now, Wenna Pike") > STREWN


def test_letters_out_of_order_match_nothing() -> None:
    assert match_text("ekip", "pike") is None
    assert match_text("", "pike") is None
    assert compile_filter("ekip").match("pike") is None


@pytest.mark.timed
def test_text_of_one_letter_takes_no_longer_than_another() -> None:
    start = time.process_time()
    assert match_text("e" * 20 + "x", "e" * 200) is None
    assert compile_filter("e" * 20 + "x").match("e" * 200) is None
    assert time.process_time() - start < 0.05
