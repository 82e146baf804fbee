"""Amount rolls: seven amounts on three dice."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

import pytest

from agents.resolver.how_much import MAX_LEAN, OUTCOMES, Amount, amount_odds, amount_of, roll_amount
from stores.errors import InputError
from tests.examples import examples

LEANS = range(-MAX_LEAN, MAX_LEAN + 1)


def test_amount_odds_count_every_throw() -> None:
    for lean in LEANS:
        published = amount_odds(lean)
        assert list(published) == list(Amount)
        assert sum(published.values()) == OUTCOMES


def test_amount_odds_without_lean_are_bell_shaped() -> None:
    throw_counts = list(amount_odds().values())
    assert throw_counts == [4, 16, 36, 104, 36, 16, 4]


def test_amount_odds_follow_lean() -> None:
    def mean(lean: int) -> float:
        return sum(
            list(Amount).index(amount) * throw_counts for amount, throw_counts in amount_odds(lean).items()
        )

    assert all(mean(less) < mean(more) for less, more in pairwise(LEANS))


def test_amount_odds_of_opposite_leans_are_reversed() -> None:
    for lean in LEANS:
        assert list(amount_odds(lean).values()) == list(amount_odds(-lean).values())[::-1]


@pytest.mark.parametrize(
    ("total", "amount"),
    [
        (0, "almost nothing"),
        (3, "almost nothing"),
        (5, "very little"),
        (8, "less than expected"),
        (9, "as expected"),
        (12, "as expected"),
        (13, "more than expected"),
        (16, "very much"),
        (17, "overwhelming"),
        (21, "overwhelming"),
    ],
)
def test_amount_of_total(total: int, amount: str) -> None:
    assert amount_of(total) == amount


def test_amount_roll_has_text_and_rule() -> None:
    fallen = roll_amount(random.Random(1), faces=[4, 5, 2])
    assert (fallen.text, fallen.rule) == ("how much · 3d6 [4,5,2] = 11 · as expected", "how much")
    leaning = roll_amount(random.Random(1), faces=[4, 5, 2], lean=3)
    assert leaning.text == "how much · 3d6+3 [4,5,2]+3 = 14 · more than expected"
    assert leaning.rule == "how much, lean +3"
    assert [die.face for die in leaning.dice] == [4, 5, 2]


@pytest.mark.slow
@pytest.mark.whole
@pytest.mark.parametrize("lean", [-2, 0, 3])
def test_amount_samples_match_published_odds(lean: int) -> None:
    sample_size, rng = examples(20_000, 5_000), random.Random(lean)
    counts = Counter(roll_amount(rng, lean=lean).amount for _ in range(sample_size))
    expected = {
        amount: sample_size * throw_counts / OUTCOMES
        for amount, throw_counts in amount_odds(lean).items()
        if throw_counts
    }
    assert set(counts) <= set(expected)
    chi_squared = sum(
        (counts[amount] - expected_count) ** 2 / expected_count for amount, expected_count in expected.items()
    )
    assert chi_squared < 22.46  # one in a thousand for six degrees of freedom, and fewer for less


def test_amount_roll_refuses_too_great_lean() -> None:
    with pytest.raises(InputError, match="from -3 to 3"):
        roll_amount(random.Random(1), lean=4)
    with pytest.raises(InputError):
        roll_amount(random.Random(1), faces=[4, 5])
