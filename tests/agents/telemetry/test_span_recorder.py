"""Spans nest as tasks do, and a tree is passed on once its outermost span has ended."""

from __future__ import annotations

import asyncio
from itertools import count

import pytest

from agents.events import LoopStateChanged
from agents.telemetry.loop_cycles import LoopCycles
from agents.telemetry.span_recorder import SpanRecorder, TraceFeed
from agents.telemetry.spans import MeasuredOperation, Span, SpanOutcome
from stores.errors import InputError, StoreError
from stores.records.workflow import Loop
from tests.agents.telemetry.transitions import transition


class Recorded:
    """A recorder whose clock ticks once a reading, and the traces that it passed on."""

    def __init__(self) -> None:
        ticks = count()
        self.traces: list[Span] = []
        self.recorder = SpanRecorder(
            self.traces.append, timer=lambda: float(next(ticks)), now=lambda: 1_000.0
        )


def test_recorder_passes_on_the_whole_tree_at_its_end() -> None:
    recorded = Recorded()
    with recorded.recorder.span(MeasuredOperation.EXCHANGE):
        with recorded.recorder.span(MeasuredOperation.SEAL, "check"):
            pass
        recorded.recorder.record(Span(MeasuredOperation.MODEL_CALL, "narrator", seconds=3.0))
        assert not recorded.traces
    (trace,) = recorded.traces
    assert [(one.operation, one.seconds) for one in trace.walk()] == [
        (MeasuredOperation.EXCHANGE, 3.0),
        (MeasuredOperation.SEAL, 1.0),
        (MeasuredOperation.MODEL_CALL, 3.0),
    ]
    assert trace.started_at == 1_000.0


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (InputError("There is no command /nonsense."), SpanOutcome.REFUSED),
        (StoreError("The disk is gone."), SpanOutcome.FAILED),
        (asyncio.CancelledError(), SpanOutcome.CANCELLED),
    ],
)
def test_recorder_notes_what_was_raised_and_raises_it(error: BaseException, outcome: SpanOutcome) -> None:
    recorded = Recorded()
    with pytest.raises(type(error)), recorded.recorder.span(MeasuredOperation.COMMAND):
        raise error
    (trace,) = recorded.traces
    assert (trace.outcome, trace.error_type) == (outcome, type(error).__name__)


async def test_recorder_keeps_tasks_side_by_side_apart() -> None:
    recorded = Recorded()
    both_began = asyncio.Barrier(2)

    async def work(kind: str) -> None:
        with recorded.recorder.span(MeasuredOperation.JOB, kind):
            await both_began.wait()
            with recorded.recorder.span(MeasuredOperation.WORK, kind):
                await asyncio.sleep(0)

    await asyncio.gather(work("index"), work("embed"))
    kinds = sorted([one.kind for one in trace.walk()] for trace in recorded.traces)
    assert kinds == [["embed"] * 2, ["index"] * 2]


async def test_recorder_passes_on_what_goes_on_after_its_beginner_has_ended() -> None:
    recorded = Recorded()
    may_go_on = asyncio.Event()

    async def go_on() -> None:
        await may_go_on.wait()
        recorded.recorder.record(Span(MeasuredOperation.SEAL))

    with recorded.recorder.span(MeasuredOperation.EXCHANGE):
        task = asyncio.create_task(go_on())
    may_go_on.set()
    await task
    assert [trace.operation for trace in recorded.traces] == [
        MeasuredOperation.EXCHANGE,
        MeasuredOperation.SEAL,
    ]


def test_feed_passes_traces_on_until_a_listener_leaves() -> None:
    feed, taken = TraceFeed(), list[Span]()
    leave = feed.subscribe(taken.append)
    feed.publish(Span(MeasuredOperation.MODE))
    leave()
    feed.publish(Span(MeasuredOperation.MODE))
    assert len(taken) == 1


def test_loop_cycles_measure_a_scene_from_its_start_to_its_end() -> None:
    traces: list[Span] = []
    cycles = LoopCycles(traces.append)
    for seq, event, minute in ((1, "load_context", 0), (2, "end", 20), (3, "canon_written", 25)):
        cycles.note_event(LoopStateChanged(transition(Loop.SCENE, "scene", seq, event, minute)))
    # Of a scene that was begun before, it is not known for how long it was played.
    cycles.note_event(LoopStateChanged(transition(Loop.SCENE, "another", 9, "canon_written", 30)))
    (trace,) = traces
    assert (trace.kind, trace.seconds, trace.records.scene_id) == ("scene", 1_500.0, "scene")
