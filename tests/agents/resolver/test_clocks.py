"""Clocks, tracks and threads: they move within their ends, strike once, and change nothing in place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from agents.resolver.clocks import (
    Acted,
    Pace,
    advance,
    at_scene_end,
    close,
    mark,
    reopen,
    show_clock,
    show_track,
    stale,
    weigh,
)
from stores.records.canon import AdvanceClock
from stores.records.ids import derived
from stores.records.threads import TRACK_TICKS, ProgressClock, ProgressTrack, Thread


@st.composite
def clocks(draw: st.DrawFn) -> ProgressClock:
    size = draw(st.integers(1, 100))
    filled = draw(st.integers(0, size))
    steps = draw(st.integers(-100, 100))
    return ProgressClock(name="Tide", filled=filled, size=size, per_scene=steps, closed=draw(st.booleans()))


def thread(name: str = "Who moved the bell?", **fields: object) -> Thread:
    return Thread.model_validate({"id": derived("thread", name), "story_id": "s", "name": name, **fields})


# --- clocks -----------------------------------------------------------------------------------------


@given(clocks(), st.integers(-1_000, 1_000))
def test_a_clock_stays_within_its_ends(clock: ProgressClock, by: int) -> None:
    moved = advance(clock, by)
    assert 0 <= moved.filled <= moved.size
    assert ProgressClock.model_validate(moved.model_dump()) == moved
    if clock.closed:
        assert moved is clock


def test_a_clock_moves_one_step_unless_told_otherwise() -> None:
    clock = ProgressClock(name="Tide", filled=2)
    assert (advance(clock).filled, advance(clock, 9).filled, advance(clock, -9).filled) == (3, 6, 0)
    assert clock.filled == 2


def test_at_scene_end_clocks_move_by_themselves_and_full_ones_strike() -> None:
    still = ProgressClock(name="Still", filled=1)
    tide = ProgressClock(name="Tide", filled=2, per_scene=2)
    last = ProgressClock(name="Last", filled=5, per_scene=2)
    filled_in_play = ProgressClock(name="Played", filled=4, size=4, per_scene=1)
    done = ProgressClock(name="Done", filled=6, closed=True)

    acted = at_scene_end([still, tide, last, filled_in_play, done])

    assert [one.text for one in acted] == [
        "Tide 2 → 4 of 6",
        "Last 5 → 6 of 6 · it strikes",
        "Played 4 → 4 of 4 · it strikes",
    ]
    assert [one.after.closed for one in acted] == [False, True, True]
    assert [one.change for one in acted] == [
        AdvanceClock(clock="Tide", by=2, size=6),
        AdvanceClock(clock="Last", by=1, size=6),
        None,
    ]


@given(clocks())
def test_a_clock_strikes_once(clock: ProgressClock) -> None:
    now: list[ProgressClock] = [clock]
    struck = 0
    for _ in range(5):
        acted = at_scene_end(now)
        struck += sum(one.strikes for one in acted)
        now = [one.after for one in acted] or now
    assert struck <= 1


def test_a_clock_that_runs_backwards_does_not_strike_empty() -> None:
    (acted,) = at_scene_end([ProgressClock(name="Calm", filled=1, per_scene=-3)])
    assert acted == Acted(acted.before, ProgressClock(name="Calm", per_scene=-3), strikes=False)
    assert at_scene_end([acted.after]) == ()


def test_how_clocks_are_drawn() -> None:
    assert show_clock(ProgressClock(name="Tide", filled=2)) == "●●○○○○ 2/6"
    assert show_clock(ProgressClock(name="Years", filled=2, size=40)) == "2/40"


@pytest.mark.parametrize("wrong", [{"filled": 7}, {"size": 0}, {"size": 101}, {"filled": -1}, {"name": ""}])
def test_no_clock_is_fuller_than_full(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ProgressClock.model_validate({"name": "Tide", **wrong})


# --- tracks -----------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.sampled_from(Pace), st.integers(-40, 40))))
def test_a_track_stays_within_its_ends(steps: list[tuple[Pace, int]]) -> None:
    track = ProgressTrack(name="Mend the Wall")
    for pace, times in steps:
        track = mark(track, pace, times)
        assert 0 <= track.boxes <= 10
        assert track.is_complete is (track.ticks == TRACK_TICKS)


@pytest.mark.parametrize(
    ("pace", "steps"), [(Pace.BRISK, 5), (Pace.STEADY, 10), (Pace.SLOW, 15), (Pace.EPIC, 30)]
)
def test_a_pace_says_how_many_steps_it_takes(pace: Pace, steps: int) -> None:
    track = ProgressTrack(name="Mend the Wall")
    assert not mark(track, pace, steps - 1).is_complete
    assert mark(track, pace, steps).is_complete


@pytest.mark.parametrize(
    ("ticks", "drawn"),
    [(0, "·········· 0/10"), (11, "███▓······ 3/10"), (28, "█████████░ 9/10"), (30, "██████████ 10/10")],
)
def test_how_tracks_are_drawn(ticks: int, drawn: str) -> None:
    assert show_track(ProgressTrack(name="Mend the Wall", ticks=ticks)) == drawn


# --- threads ----------------------------------------------------------------------------------------


def test_threads_weigh_one_to_three() -> None:
    assert [weigh(thread(weight=2), by).weight for by in (-5, -1, 0, 1, 5)] == [1, 1, 2, 3, 3]
    with pytest.raises(ValidationError):
        thread(weight=4)


def test_a_thread_is_closed_at_a_time_and_keeps_it() -> None:
    closed = close(thread(since=60), 120)
    assert (closed.is_open, closed.closed_at, closed.since) == (False, 120, 60)
    assert close(closed, 500).closed_at == 120
    assert reopen(closed).is_open


def test_threads_that_nobody_touches_come_up_the_heaviest_first() -> None:
    light, heavy, old, fresh = thread("a"), thread("b", weight=3), thread("c"), thread("d", weight=3)
    gone = close(thread("e"), 1)
    waiting = [(light, 3), (heavy, 3), (old, 9), (fresh, 2), (gone, 9)]
    assert [one.name for one in stale(waiting)] == ["b", "c", "a"]
