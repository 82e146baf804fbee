"""The four statecharts: every way of loops.md is there, and no other."""

from __future__ import annotations

import re
from contextlib import suppress

import pytest

from agents.loop_states import initial_state
from agents.state_machines import CHARTS, innermost_state, legal_events, next_state
from agents.story_outline import MainMode
from stores.errors import IllegalTransition
from stores.records.workflow import Loop

MODES = tuple(mode.value for mode in MainMode)

LEGAL = {
    Loop.MAIN: {
        *(("idle", mode, mode) for mode in MODES),
        *(("suspended", mode, mode) for mode in MODES),
        ("suspended", "abandon", "idle"),
        *((mode, "leave", "idle") for mode in MODES),
        *((mode, "suspend", "suspended") for mode in MODES),
    },
    Loop.STORY: {
        ("created", "begin", "active"),
        ("active", "complete", "completed"),
        ("created", "abandon", "abandoned"),
        ("active", "abandon", "abandoned"),
    },
    Loop.SCENE: {
        ("created", "load_context", "active"),
        ("active", "user_turn", "active"),
        ("active", "critical_event", "active"),
        ("active", "goal_met", "finalizing"),
        ("active", "end", "finalizing"),
        ("finalizing", "reopen", "active"),
        ("finalizing", "canon_written", "completed"),
        ("finalizing", "write_failed", "failed"),
        ("failed", "reopen", "active"),
        ("failed", "retry", "finalizing"),
        ("completed", "take_back_end", "active"),
        ("active", "unload", "created"),
    },
    Loop.TURN: {
        ("received", "user_input", "processing"),
        ("processing", "context_loaded", "generating"),
        ("generating", "response_ready", "proposing"),
        ("proposing", "proposals_staged", "persisted"),
        ("processing", "drop", "dropped"),
        ("generating", "drop", "dropped"),
        ("proposing", "drop", "dropped"),
    },
}


def states(loop: Loop) -> set[str]:
    chart = CHARTS[loop]
    return {str(value) for value, state in chart.states_map.items() if value not in ("executing", "last")}


@pytest.mark.parametrize("loop", list(Loop))
def test_state_machine_every_pair_of_state_and_event_is_legal_or_refused(loop: Loop) -> None:
    events = {str(e.id) for e in CHARTS[loop]._events} - {"resume"}
    seen = set()
    for state in states(loop):
        for event in events:
            with suppress(IllegalTransition):
                seen.add((state, event, next_state(loop, state, event)))
    assert seen == LEGAL[loop]


@pytest.mark.parametrize(
    ("loop", "state"),
    [(Loop.MAIN, "idle"), (Loop.STORY, "created"), (Loop.SCENE, "created"), (Loop.TURN, "received")],
)
def test_state_machine_where_a_loop_begins(loop: Loop, state: str) -> None:
    assert initial_state(loop) == innermost_state(CHARTS[loop]()) == state


@pytest.mark.parametrize("mode", MODES)
def test_resume_goes_back_to_what_was_suspended(mode: str) -> None:
    assert next_state(Loop.MAIN, "suspended", "resume", history_state=mode) == mode


@pytest.mark.parametrize("loop", list(Loop))
def test_state_machine_refusals_are_the_players_words_and_say_what_to_do(loop: Loop) -> None:
    machine_words = re.compile(r"\b(loop|chart|event|finalizing|active|executing)\b|_")
    events = {str(e.id) for e in CHARTS[loop]._events} - {"resume"}
    pairs = {(s, e) for s in states(loop) for e in events} - {(s, e) for s, e, _ in LEGAL[loop]}
    for state, event in pairs:
        with pytest.raises(IllegalTransition) as refusal:
            next_state(loop, state, event)
        assert all((refusal.value.what, refusal.value.kept, refusal.value.todo))
        assert not machine_words.search(str(refusal.value)), str(refusal.value)


def test_reopen_of_a_scene_in_play_says_how_an_ended_one_is_reached() -> None:
    with pytest.raises(IllegalTransition, match="cannot be reopened: it is being played") as refusal:
        next_state(Loop.SCENE, "active", "reopen")
    assert "/map" in refusal.value.todo
    assert "Ctrl+Z" in refusal.value.todo


def test_state_machine_of_a_scene_that_is_over_goes_only_back() -> None:
    assert legal_events(Loop.SCENE, "completed") == ["take_back_end"]
