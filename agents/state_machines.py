"""Declares the four loops as statecharts, so that an illegal transition is an error.

The charts have no state and no effects: `next_state` says where an event leads; the loops store the result
and only then act on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from statemachine import HistoryState, State, StateChart
from statemachine.exceptions import TransitionNotAllowed

from agents.loop_states import initial_state
from agents.loop_words import build_refusal
from stores.records.workflow import Loop


class MainChart(StateChart):  # type: ignore[type-arg]
    """The session. `resume` returns to the mode that was suspended."""

    allow_event_without_transition = False
    catch_errors_as_events = False

    idle = State(initial=True)

    class executing(State.Compound):  # noqa: N801 - the library names states by their class
        start_story = State(initial=True)
        continue_story = State()
        universe = State()
        characters = State()
        ingest = State()
        query = State()
        system = State()
        last = HistoryState()

    suspended = State()

    start_story = idle.to(executing.start_story) | suspended.to(executing.start_story)
    continue_story = idle.to(executing.continue_story) | suspended.to(executing.continue_story)
    universe = idle.to(executing.universe) | suspended.to(executing.universe)
    characters = idle.to(executing.characters) | suspended.to(executing.characters)
    ingest = idle.to(executing.ingest) | suspended.to(executing.ingest)
    query = idle.to(executing.query) | suspended.to(executing.query)
    system = idle.to(executing.system) | suspended.to(executing.system)
    leave = executing.to(idle)
    suspend = executing.to(suspended)
    resume = suspended.to(executing.last)
    abandon = suspended.to(idle)


class StoryChart(StateChart):  # type: ignore[type-arg]
    """A story, from set-up to its end."""

    allow_event_without_transition = False
    catch_errors_as_events = False

    created = State(initial=True)
    active = State()
    completed = State(final=True)
    abandoned = State(final=True)

    begin = created.to(active)
    complete = active.to(completed)
    abandon = created.to(abandoned) | active.to(abandoned)


class SceneChart(StateChart):  # type: ignore[type-arg]
    """A scene: the unit of play, and of commits to canon."""

    allow_event_without_transition = False
    catch_errors_as_events = False

    created = State(initial=True)
    active = State()
    finalizing = State()
    failed = State()
    completed = State()

    load_context = created.to(active)
    user_turn = active.to(active)
    critical_event = active.to(active)
    goal_met = active.to(finalizing)
    end = active.to(finalizing)
    reopen = finalizing.to(active) | failed.to(active)
    canon_written = finalizing.to(completed)
    write_failed = finalizing.to(failed)
    retry = failed.to(finalizing)
    take_back_end = completed.to(active)
    unload = active.to(created)


class TurnChart(StateChart):  # type: ignore[type-arg]
    """One exchange."""

    allow_event_without_transition = False
    catch_errors_as_events = False

    received = State(initial=True)
    processing = State()
    generating = State()
    proposing = State()
    persisted = State(final=True)
    dropped = State(final=True)

    user_input = received.to(processing)
    context_loaded = processing.to(generating)
    response_ready = generating.to(proposing)
    proposals_staged = proposing.to(persisted)
    drop = processing.to(dropped) | generating.to(dropped) | proposing.to(dropped)


CHARTS: Mapping[Loop, type[StateChart]] = MappingProxyType(  # type: ignore[type-arg]
    {Loop.MAIN: MainChart, Loop.STORY: StoryChart, Loop.SCENE: SceneChart, Loop.TURN: TurnChart}
)


@lru_cache(maxsize=256)
def next_state(loop: Loop, state: str | None, event: str, *, history_state: str | None = None) -> str:
    """Return the state that `event` leads to from `state` (None: the chart's first state).

    `history_state` is the state that a history state returns to. Raises IllegalTransition, worded for the
    player, if the chart has no such transition.
    """
    chart = CHARTS[loop](start_value=state) if state else CHARTS[loop]()
    if history_state:
        chart.history_values["last"] = [chart.states_map[history_state]]
    try:
        chart.send(event)
    except TransitionNotAllowed as error:
        raise build_refusal(loop, state or initial_state(loop), event) from error
    return innermost_state(chart)


def legal_events(loop: Loop, state: str | None) -> list[str]:
    """Return the events that are legal from `state`."""
    chart = CHARTS[loop](start_value=state) if state else CHARTS[loop]()
    return sorted({str(event) for event in chart.allowed_events})


class ChartState(NamedTuple):
    """An outermost state of a chart, and the states inside it."""

    name: str
    inner_names: tuple[str, ...] = ()


class ChartMove(NamedTuple):
    """An event that leads from one outermost state to another, or to the same."""

    source: str
    event: str
    target: str


class ChartDrawing(NamedTuple):
    """What is drawn of a chart: its outermost states in order, and every move between them."""

    states: tuple[ChartState, ...]
    moves: tuple[ChartMove, ...]


@lru_cache
def read_chart(loop: Loop) -> ChartDrawing:
    """Return what is drawn of a loop's chart."""
    states = list(CHARTS[loop].states)
    return ChartDrawing(
        states=tuple(ChartState(state.id, tuple(inner.id for inner in state.states)) for state in states),
        moves=tuple(
            dict.fromkeys(
                ChartMove(state.id, str(move.event), _outermost(move.target))
                for state in states
                for move in state.transitions
                if str(move.event)
            )
        ),
    )


def _outermost(state: State) -> str:
    return str(state.parent.id if state.parent is not None else state.id)


def innermost_state(chart: StateChart) -> str:  # type: ignore[type-arg]
    """Return the innermost active state, which identifies the whole configuration of these charts."""
    return str(list(chart.configuration_values)[-1])
