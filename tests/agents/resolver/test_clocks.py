"""Clocks and tracks: limits, strikes and finishes."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from agents.clock_faces import find_most_urgent_clock, format_clock, format_track
from agents.resolver.clock_changes import apply_clock_changes, clock_change
from agents.resolver.clocks import (
    FINISH_DEGREES,
    ClockMovement,
    advance_clocks,
    finish_odds,
    finish_track,
)
from stores.errors import InputError
from stores.records.canon import AdvanceClock
from stores.records.clocks import TRACK_TICKS, Pace, ProgressClock
from stores.records.play import Degree


@st.composite
def clocks(draw: st.DrawFn) -> ProgressClock:
    size = draw(st.integers(1, 100))
    filled_steps = draw(st.integers(0, size))
    steps = draw(st.integers(-100, 100))
    return ProgressClock(
        name="Tide", filled=filled_steps, size=size, per_scene=steps, closed=draw(st.booleans())
    )


# --- clocks -----------------------------------------------------------------------------------------


CHANGES = st.builds(
    AdvanceClock,
    clock=st.just("Tide"),
    by=st.integers(-1_000, 1_000),
    size=st.integers(1, 100),
    to=st.none() | st.integers(0, 100),
    per_scene=st.none() | st.integers(-100, 100),
    closed=st.none() | st.booleans(),
)


@given(st.none() | clocks(), CHANGES)
def test_clock_change_stays_within_limits(clock: ProgressClock | None, change: AdvanceClock) -> None:
    changed_clock = change.after(clock)
    assert ProgressClock.model_validate(changed_clock.model_dump()) == changed_clock
    if clock is not None and clock.closed and change.closed is not False:
        assert changed_clock is clock, "a closed clock stays closed until it is restarted"
    if clock is not None and not clock.closed and change.closed is False:
        assert changed_clock is clock, "what runs is not started twice"


def test_clock_is_advanced_set_closed_and_restarted() -> None:
    clock = ProgressClock(name="Tide", filled=2)
    assert AdvanceClock(clock="Tide").after(clock).filled == 3
    assert [clock_change(clock, by=by).after(clock).filled for by in (9, -9)] == [6, 0]
    assert [clock_change(clock, to=to).after(clock).filled for to in (5, 0, 7)] == [5, 0, 2]
    assert clock_change(clock, per_scene=2).after(clock) == ProgressClock(name="Tide", filled=2, per_scene=2)
    closed_clock = clock_change(clock, is_closed=True).after(clock)
    assert (closed_clock.filled, closed_clock.closed) == (2, True)
    assert AdvanceClock(clock="Tide", by=0, size=4, closed=False).after(closed_clock) == ProgressClock(
        name="Tide", size=4
    )
    assert clock.filled == 2


def test_clock_changes_apply_in_order_to_clocks_and_tracks() -> None:
    tide = ProgressClock(name="Tide", filled=2)
    work = ProgressClock(name="Tide", size=TRACK_TICKS, pace=Pace.SLOW)
    changed_clock, changed_track, new = apply_clock_changes(
        [tide, work], [clock_change(tide, by=1), clock_change(work, by=2), AdvanceClock(clock="Dawn", size=4)]
    )
    assert (changed_clock.filled, changed_track.filled, changed_track.pace) == (3, 4, Pace.SLOW), (
        "a slow step is two ticks"
    )
    assert new == ProgressClock(name="Dawn", filled=1, size=4)


def test_clock_with_fewest_steps_left_is_most_urgent() -> None:
    tide, dawn = (
        ProgressClock(name="Tide", filled=1, size=4),
        ProgressClock(name="Dawn", filled=3, size=8),
    )
    over = ProgressClock(name="Over", filled=3, size=4, closed=True)
    work = ProgressClock(name="Work", filled=29, size=TRACK_TICKS, pace=Pace.SLOW)
    assert find_most_urgent_clock([dawn, tide, over, work]) == tide
    assert find_most_urgent_clock([over, work]) is None


def test_clocks_advance_and_strike_at_scene_end() -> None:
    still = ProgressClock(name="Still", filled=1)
    tide = ProgressClock(name="Tide", filled=2, per_scene=2)
    last = ProgressClock(name="Last", filled=5, per_scene=2)
    filled_in_play = ProgressClock(name="Played", filled=4, size=4, per_scene=1)
    closed = ProgressClock(name="Done", filled=6, closed=True)

    movements = advance_clocks([still, tide, last, filled_in_play, closed])

    assert [one.text for one in movements] == [
        "Tide 2 → 4 of 6",
        "Last 5 → 6 of 6 · it strikes",
        "Played 4 → 4 of 4 · it strikes",
    ]
    assert [one.after.closed for one in movements] == [False, True, True]
    assert [one.change for one in movements] == [
        AdvanceClock(clock="Tide", by=2, size=6),
        AdvanceClock(clock="Last", by=1, size=6, closed=True),
        AdvanceClock(clock="Played", by=0, size=4, closed=True),
    ]
    assert advance_clocks([ProgressClock(name="Work", filled=30, size=30, pace=Pace.EPIC)]) == ()


@given(clocks())
def test_clock_strikes_once(clock: ProgressClock) -> None:
    now: list[ProgressClock] = [clock]
    struck = 0
    for _ in range(5):
        movements = advance_clocks(now)
        struck += sum(one.is_struck for one in movements)
        now = [one.after for one in movements] or now
    assert struck <= 1


def test_clock_running_backwards_does_not_strike_when_empty() -> None:
    (movements,) = advance_clocks([ProgressClock(name="Calm", filled=1, per_scene=-3)])
    assert movements == ClockMovement(
        movements.before, ProgressClock(name="Calm", per_scene=-3), is_struck=False
    )
    assert advance_clocks([movements.after]) == ()


def test_clock_format_draws_small_clocks() -> None:
    assert format_clock(ProgressClock(name="Tide", filled=2)) == "●●○○○○ 2/6"
    assert format_clock(ProgressClock(name="Years", filled=2, size=40)) == "2/40"


@pytest.mark.parametrize(
    "invalid_fields", [{"filled_steps": 7}, {"size": 0}, {"size": 101}, {"filled": -1}, {"name": ""}]
)
def test_clock_rejects_invalid_fields(invalid_fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ProgressClock.model_validate({"name": "Tide", **invalid_fields})


# --- tracks -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pace", "steps"), [(Pace.BRISK, 5), (Pace.STEADY, 10), (Pace.SLOW, 15), (Pace.EPIC, 30)]
)
def test_track_pace_fixes_number_of_steps(pace: Pace, steps: int) -> None:
    assert pace.ticks * steps == TRACK_TICKS


@pytest.mark.parametrize(
    ("ticks", "drawing"),
    [(0, "·········· 0/10"), (11, "███▓······ 3/10"), (28, "█████████░ 9/10"), (30, "██████████ 10/10")],
)
def test_track_format_draws_boxes(ticks: int, drawing: str) -> None:
    assert format_track(track(ticks)) == drawing


@pytest.mark.parametrize(
    ("boxes", "faces", "degree"),
    [
        (7, (7, 1), Degree.SUCCESS),
        (7, (8, 7), Degree.PARTIAL),
        (7, (8, 8), Degree.FAIL),
        (10, (10, 10), Degree.SUCCESS),
        (0, (1, 1), Degree.FAIL),
    ],
)
def test_track_finish_meets_dice_up_to_boxes(boxes: int, faces: tuple[int, int], degree: Degree) -> None:
    finish = finish_track(track(boxes * 3), random.Random(1), faces)
    assert finish.degree is degree
    assert finish.text.endswith(f"2d10 {faces[0]}, {faces[1]} · {degree}")
    closes = [clock_change(track(boxes * 3), is_closed=True)] if degree is not Degree.FAIL else []
    assert list(finish.changes) == closes


@pytest.mark.parametrize("boxes", range(11))
def test_track_finish_throws_match_published_odds(boxes: int) -> None:
    degree_counts = Counter(
        finish_track(track(boxes * 3), random.Random(1), (one, other_face)).degree
        for one in range(1, 11)
        for other_face in range(1, 11)
    )
    assert {degree: degree_counts[degree] for degree in FINISH_DEGREES} == finish_odds(boxes)


@pytest.mark.slow
def test_track_finish_samples_match_published_odds() -> None:
    rng = random.Random(5)
    counts = Counter(finish_track(track(21), rng).degree for _ in range(20_000))
    expected = {degree: 200 * throw_count for degree, throw_count in finish_odds(7).items()}
    squares = sum(
        (counts[degree] - throw_count) ** 2 / throw_count for degree, throw_count in expected.items()
    )
    assert squares < 13.8  # chi-squared, 2 degrees of freedom: 1 in 1,000


def test_track_finish_refuses_impossible_faces() -> None:
    with pytest.raises(InputError):
        finish_track(track(3), random.Random(1), (11, 1))


def track(ticks: int) -> ProgressClock:
    return ProgressClock(name="Mend the Wall", filled=ticks, size=TRACK_TICKS, pace=Pace.STEADY)
