"""Forgetting and keeping up, as properties: whatever the numbers, time never strengthens and recall never
weakens."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.memory_manager.decay import (
    APART,
    DAY,
    FORGOTTEN,
    MOST,
    is_forgotten,
    recall,
    retention,
    stability,
)
from stores.records.memory import Memory

AT = datetime(2026, 1, 1, tzinfo=UTC)
TICKS = st.integers(min_value=0, max_value=10**8)
SHARE = st.floats(min_value=0, max_value=1)
STRENGTH = st.floats(min_value=1, max_value=MOST)


def memory(
    importance: float = 0.5, tick: int = 0, strength: float = 1.0, recalled: int | None = None
) -> Memory:
    return Memory(
        id="m",
        entity_id="e",
        universe_id="u",
        text="The bell rang.",
        importance=importance,
        tick=tick,
        strength=strength,
        recalled=recalled,
        created_at=AT,
    )


@given(SHARE, TICKS, TICKS, TICKS, STRENGTH)
def test_it_only_fades_and_stays_between_none_and_all(
    importance: float, tick: int, one: int, other: int, strength: float
) -> None:
    lived = memory(importance, tick, strength)
    sooner, later = sorted((one, other))
    assert 0 < retention(lived, later) <= retention(lived, sooner) <= 1
    assert retention(lived, tick) == 1


@given(SHARE, SHARE, TICKS)
def test_what_matters_more_stays_longer(one: float, other: float, now: int) -> None:
    less, more = sorted((one, other))
    assert retention(memory(less), now) <= retention(memory(more), now)


@given(SHARE, st.lists(TICKS, max_size=8), TICKS)
def test_recalling_never_weakens(importance: float, recalls: list[int], now: int) -> None:
    kept = memory(importance)
    for tick in recalls:
        again = recall(kept, tick, AT)
        later = max(now, tick)
        assert retention(again, later) >= retention(kept, later)
        assert kept.strength <= again.strength <= MOST
        assert again.access_count == kept.access_count + 1
        kept = again


def test_nine_of_ten_are_left_after_its_stability() -> None:
    assert retention(memory(0.5), round(stability(0.5))) == pytest.approx(0.9, abs=1e-3)
    assert stability(0.0) == DAY
    assert stability(1.0) == pytest.approx(365 * DAY)


@pytest.mark.parametrize(
    ("importance", "days", "forgotten"),
    [(0.0, 42, False), (0.0, 44, True), (0.5, 820, False), (0.5, 830, True), (1.0, 15_000, False)],
)
def test_the_numbers_that_are_written_down(importance: float, days: int, forgotten: bool) -> None:
    assert is_forgotten(memory(importance), days * DAY) is forgotten
    assert (retention(memory(importance), days * DAY) < FORGOTTEN) is forgotten


def test_recalls_far_apart_gain_more_than_as_many_at_once() -> None:
    crammed = spaced = memory(0.5)
    for n in range(1, 4):
        crammed = recall(crammed, APART * n, AT)
        spaced = recall(spaced, 30 * DAY * n, AT)
    assert spaced.strength > crammed.strength > 1


def test_within_an_hour_it_counts_once() -> None:
    first = recall(memory(), 10 * DAY, AT)
    again = recall(first, 10 * DAY + APART - 1, AT)
    assert (again.strength, again.recalled) == (first.strength, first.recalled)
    assert again.access_count == 2
