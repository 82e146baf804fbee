"""Threads, built from journal entries in the order of the line and from commitments."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from agents.resolver.threads import (
    build_threads,
    change_weight,
    close_thread,
    find_open_thread,
    find_stale_threads,
    is_mentioned,
    person_weights,
    reopen_thread,
)
from stores.records.ids import derive_id
from stores.records.story_journal import CharacterWeightEntry, Thread, ThreadAction, ThreadEntry

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def thread(name: str = "Who moved the bell?", **fields: object) -> Thread:
    return Thread.model_validate({"id": derive_id("thread", name), "story_id": "s", "name": name, **fields})


def entry(act: ThreadAction, thread_id: str = "bell", tick: int = 0, **fields: object) -> ThreadEntry:
    fields_of_entry = {
        "id": derive_id(act, thread_id, tick),
        "scene_id": "1",
        "thread_id": thread_id,
        "act": act,
    }
    return ThreadEntry.model_validate({**fields_of_entry, "tick": tick, "at": NOW, **fields})


def test_thread_is_opened_weighed_renamed_closed_and_reopened() -> None:
    acts = [
        entry(ThreadAction.OPEN, name="Who moved the bell?", tick=5),
        entry(ThreadAction.WEIGH, by=1, tick=6),
        entry(ThreadAction.RENAME, name="Who cut the rope?", tick=7),
        entry(ThreadAction.CLOSE, tick=9),
    ]
    (closed,) = build_threads(acts, [], "s")
    assert (closed.name, closed.weight, closed.since, closed.closed_at) == ("Who cut the rope?", 2, 5, 9)
    (reopened,) = build_threads([*acts, entry(ThreadAction.REOPEN, tick=10)], [], "s")
    assert reopened.is_open


def test_thread_entries_that_do_not_apply_change_nothing() -> None:
    opening_entries = [
        entry(ThreadAction.OPEN, name="The bell"),
        entry(ThreadAction.OPEN, "rope", name="The rope"),
    ]
    before = build_threads(opening_entries, [], "s")
    for entry_without_effect in (
        entry(ThreadAction.OPEN, "other", name="the BELL"),
        entry(ThreadAction.RENAME, name="The Rope"),
        entry(ThreadAction.REOPEN),
        entry(ThreadAction.CLOSE, "nobody"),
    ):
        assert build_threads([*opening_entries, entry_without_effect], [], "s") == before
    closed = [*opening_entries, entry(ThreadAction.CLOSE, tick=3)]
    heavier = build_threads([*closed, entry(ThreadAction.WEIGH, by=2, tick=4)], [], "s")
    assert heavier == build_threads(closed, [], "s")


def test_thread_of_commitment_changes_only_in_weight() -> None:
    commitment = thread("Mara owes the well a coin", since=3, fact_id="f", id="f")
    entries = [
        entry(ThreadAction.WEIGH, "f", by=2),
        entry(ThreadAction.CLOSE, "f"),
        entry(ThreadAction.WEIGH, "gone", by=1),
    ]
    (built_thread,) = build_threads(entries, [commitment], "s")
    assert (built_thread.weight, built_thread.is_open, built_thread.name) == (3, True, commitment.name)


ACTS = st.lists(
    st.builds(
        entry,
        st.sampled_from(ThreadAction),
        st.sampled_from(["a", "b", "c"]),
        st.integers(0, 50),
        name=st.sampled_from(["The bell", "The rope"]),
        by=st.integers(-3, 3),
    )
)


@given(ACTS)
def test_threads_that_are_open_have_different_names(acts: list[ThreadEntry]) -> None:
    threads = build_threads(acts, [], "s")
    names = [t.name for t in threads if t.is_open]
    assert len(names) == len(set(names))
    assert all(1 <= t.weight <= 3 for t in threads)
    assert [t.since for t in threads] == sorted(t.since or 0 for t in threads)


def test_thread_weight_is_one_to_three() -> None:
    assert [change_weight(thread(weight=2), by).weight for by in (-5, -1, 0, 1, 5)] == [1, 1, 2, 3, 3]
    with pytest.raises(ValidationError):
        thread(weight=4)


def test_thread_keeps_time_of_closing() -> None:
    closed = close_thread(thread(since=60), 120)
    assert (closed.is_open, closed.closed_at, closed.since) == (False, 120, 60)
    assert close_thread(closed, 500).closed_at == 120
    assert reopen_thread(closed).is_open
    assert find_open_thread([closed], closed.name) is None


def test_threads_that_are_stale_come_heaviest_first() -> None:
    light, heavy, old, recent = thread("a"), thread("b", weight=3), thread("c"), thread("d", weight=3)
    closed_thread = close_thread(thread("e"), 1)
    waiting = [(light, 3), (heavy, 3), (old, 9), (recent, 2), (closed_thread, 9)]
    assert [one.name for one in find_stale_threads(waiting)] == ["b", "c", "a"]


@pytest.mark.parametrize(
    ("name", "text", "is_match"),
    [
        ("Who moved the bell?", "The bell was moved in the night.", True),
        ("Who moved the bell?", "A bell rings somewhere.", False),
        ("The debt", "“My debt is paid,” she says.", True),
        ("Who is it?", "Who is it?", False),
    ],
)
def test_thread_is_mentioned_by_significant_words(name: str, text: str, is_match: bool) -> None:
    assert is_mentioned(name, ["Nothing.", text]) is is_match


def test_person_weight_is_that_of_last_entry() -> None:
    def weight_entry(entity_id: str, weight: int) -> CharacterWeightEntry:
        return CharacterWeightEntry(id=entity_id, scene_id="1", at=NOW, entity_id=entity_id, weight=weight)

    assert person_weights([weight_entry("tam", 0), weight_entry("ode", 3), weight_entry("tam", 2)]) == {
        "tam": 2,
        "ode": 3,
    }
