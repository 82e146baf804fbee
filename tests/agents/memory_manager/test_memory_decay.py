"""Tests of memory decay: time never strengthens a memory, and recall never weakens it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.memory_manager.memory_decay import (
    DAY_TICKS,
    FORGOTTEN_RETENTION,
    MAX_STRENGTH,
    RECALL_INTERVAL_TICKS,
    compute_retention,
    compute_stability,
    is_forgotten,
    recall_memory,
)
from stores.records.memory import Memory

AT = datetime(2026, 1, 1, tzinfo=UTC)
TICKS = st.integers(min_value=0, max_value=10**8)
SHARE = st.floats(min_value=0, max_value=1)
STRENGTH = st.floats(min_value=1, max_value=MAX_STRENGTH)


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
def test_memory_decay_falls_and_stays_between_0_and_1(
    importance: float, tick: int, one_tick: int, other_tick: int, strength: float
) -> None:
    decaying = memory(importance, tick, strength)
    sooner, later = sorted((one_tick, other_tick))
    assert 0 < compute_retention(decaying, later) <= compute_retention(decaying, sooner) <= 1
    assert compute_retention(decaying, tick) == 1


@given(SHARE, SHARE, TICKS)
def test_memory_decay_is_slower_for_important_memories(
    one_importance: float, other_importance: float, now: int
) -> None:
    less, more = sorted((one_importance, other_importance))
    assert compute_retention(memory(less), now) <= compute_retention(memory(more), now)


@given(SHARE, st.lists(TICKS, max_size=8), TICKS)
def test_memory_decay_recall_never_weakens(importance: float, recalls: list[int], now: int) -> None:
    before = memory(importance)
    for tick in recalls:
        after = recall_memory(before, tick, AT)
        later = max(now, tick)
        assert compute_retention(after, later) >= compute_retention(before, later)
        assert before.strength <= after.strength <= MAX_STRENGTH
        assert after.access_count == before.access_count + 1
        before = after


def test_memory_decay_keeps_nine_of_ten_after_stability() -> None:
    assert compute_retention(memory(0.5), round(compute_stability(0.5))) == pytest.approx(0.9, abs=1e-3)
    assert compute_stability(0.0) == DAY_TICKS
    assert compute_stability(1.0) == pytest.approx(365 * DAY_TICKS)


@pytest.mark.parametrize(
    ("importance", "days", "forgotten"),
    [(0.0, 42, False), (0.0, 44, True), (0.5, 820, False), (0.5, 830, True), (1.0, 15_000, False)],
)
def test_memory_decay_matches_documented_numbers(importance: float, days: int, forgotten: bool) -> None:
    assert is_forgotten(memory(importance), days * DAY_TICKS) is forgotten
    assert (compute_retention(memory(importance), days * DAY_TICKS) < FORGOTTEN_RETENTION) is forgotten


def test_memory_decay_spaced_recalls_gain_more() -> None:
    crammed = spaced = memory(0.5)
    for n in range(1, 4):
        crammed = recall_memory(crammed, RECALL_INTERVAL_TICKS * n, AT)
        spaced = recall_memory(spaced, 30 * DAY_TICKS * n, AT)
    assert spaced.strength > crammed.strength > 1


def test_memory_decay_recalls_within_an_hour_count_once() -> None:
    first = recall_memory(memory(), 10 * DAY_TICKS, AT)
    second = recall_memory(first, 10 * DAY_TICKS + RECALL_INTERVAL_TICKS - 1, AT)
    assert (second.strength, second.recalled) == (first.strength, first.recalled)
    assert second.access_count == 2
