"""Tests that Python looks for old garbage while the player pauses, and never at a key."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from monitor_tui.garbage import PAUSE_SECONDS, GarbageCollector

OLD_GENERATION = 2


class Cycle:
    """Garbage that only a collection finds."""

    def __init__(self) -> None:
        self.itself = self


class Stopwatch:
    """Seconds that pass when the test says so."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def stopwatch() -> Stopwatch:
    return Stopwatch()


@pytest.fixture
def collector(stopwatch: Stopwatch) -> Iterator[GarbageCollector]:
    thresholds = gc.get_threshold()
    collector = GarbageCollector(stopwatch)
    collector.start()
    stopwatch.seconds += PAUSE_SECONDS + 1
    collector.collect_in_pause()  # what is left of the start
    collector.note_key()
    yield collector
    gc.set_threshold(*thresholds)


def test_first_pause_looks_through_nothing_that_was_loaded(stopwatch: Stopwatch) -> None:
    thresholds = gc.get_threshold()
    generations: list[int] = []

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            generations.append(info["generation"])

    collector = GarbageCollector(stopwatch)
    collector.start()
    gc.callbacks.append(note)
    try:
        stopwatch.seconds += PAUSE_SECONDS + 1
        frozen_count = gc.get_freeze_count()
        opened_since = Cycle()
        collector.collect_in_pause()
    finally:
        gc.callbacks.remove(note)
        gc.set_threshold(*thresholds)
    assert OLD_GENERATION not in generations, "no key waits for it"
    assert gc.get_freeze_count() > frozen_count
    assert all(one is not opened_since for one in gc.get_objects()), "later collections leave it out"


def make_old_garbage(middle_collections: int) -> weakref.ref[Cycle]:
    """Return garbage that survived that many collections of the middle generation while it was in use."""
    cycle = Cycle()
    for _ in range(middle_collections):
        gc.collect(OLD_GENERATION - 1)
    return weakref.ref(cycle)


@pytest.mark.slow
def test_old_garbage_is_collected_in_a_pause(collector: GarbageCollector, stopwatch: Stopwatch) -> None:
    garbage = make_old_garbage(30)
    stopwatch.seconds += PAUSE_SECONDS + 1
    collector.collect_in_pause()
    assert garbage() is None


@pytest.mark.slow
def test_nothing_is_collected_while_keys_are_pressed(
    collector: GarbageCollector, stopwatch: Stopwatch
) -> None:
    garbage = make_old_garbage(30)
    stopwatch.seconds += PAUSE_SECONDS + 1
    collector.note_key()
    collector.collect_in_pause()
    assert garbage() is not None


@pytest.mark.slow
def test_pause_without_much_garbage_is_left_alone(collector: GarbageCollector, stopwatch: Stopwatch) -> None:
    garbage = make_old_garbage(2)
    stopwatch.seconds += PAUSE_SECONDS + 1
    collector.collect_in_pause()
    assert garbage() is not None


@pytest.mark.slow
def test_old_garbage_is_left_to_pauses_for_long(collector: GarbageCollector) -> None:
    garbage = make_old_garbage(100)
    assert garbage() is not None
    assert gc.get_threshold()[OLD_GENERATION] > 100
