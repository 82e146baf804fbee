"""The background runner: whose turn it is, what becomes of failures, and when all is done."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import suppress
from pathlib import Path

import pytest

from agents.background import runner as runner_module
from agents.background.jobs import JobBook
from agents.background.lane import Entry, Lane
from agents.background.runner import Runner
from agents.background.worker import FAILURES, MODEL, PLAIN, Later, Subject
from agents.messages import BackgroundMoved, Event, EventBus, LineMoved, Notice
from stores.authority import Role
from stores.errors import InputError, StoreUnavailable
from stores.open import Stores
from stores.records.ids import Id, utc_now
from stores.records.jobs import JobKind, JobState
from tests.libraries import library


class Hand:
    """A worker that does what the test says: `work` is called with a subject and returns what is left."""

    def __init__(
        self,
        work: Callable[[Id], int] = lambda id: 0,
        *,
        kind: JobKind = JobKind.INDEX,
        lane: str = PLAIN,
        priority: int = 20,
        subjects: Collection[Subject] = (),
    ) -> None:
        self.kind, self.lane, self.priority = kind, lane, priority
        self.done: list[Id] = []
        self.known = list(subjects)
        self.looks = 0
        self._work = work

    async def subjects(self) -> Collection[Subject]:
        self.looks += 1
        return self.known

    async def touched(self, event: Event) -> Collection[Subject]:
        return [Subject(event.scene_id, "u")] if isinstance(event, LineMoved) else []

    async def bring(self, subject_id: Id) -> int:
        await asyncio.sleep(0)
        self.done.append(subject_id)
        return self._work(subject_id)


class Seconds:
    """A clock that goes as fast as it is looked at: no test waits for a back-off."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 60.0
        return self.now


@pytest.fixture
async def stores(tmp_path: Path) -> AsyncIterator[Stores]:
    async with library(tmp_path / "home") as opened:
        yield opened


@pytest.fixture
def events() -> EventBus:
    return EventBus()


@pytest.fixture
def heard(events: EventBus) -> list[Event]:
    found: list[Event] = []
    events.subscribe(found.append)
    return found


@pytest.fixture
async def runner(stores: Stores, events: EventBus) -> AsyncIterator[Runner]:
    made = runner_of(stores, events)
    yield made
    await made.close()


def runner_of(stores: Stores, events: EventBus, **given: object) -> Runner:
    return Runner(JobBook(stores.log(Role.ORCHESTRATOR), utc_now), events, seconds=Seconds(), **given)


async def jobs(stores: Stores) -> list[tuple[JobState, int, str]]:
    return [(job.state, job.attempts, job.error) for job in await stores.log(Role.ORCHESTRATOR).jobs()]


async def test_does_what_was_left_and_what_is_touched(
    runner: Runner, events: EventBus, stores: Stores
) -> None:
    hand = Hand(subjects=[Subject("a", "u"), Subject("b", "u")])
    runner.register(hand)
    await runner.settle()
    assert hand.done == ["a", "b"]
    events.publish(LineMoved("c"))
    events.publish(LineMoved("c"))
    await runner.settle()
    assert hand.done == ["a", "b", "c"]
    assert await jobs(stores) == []  # what goes well leaves nothing behind


async def test_goes_on_in_pieces_and_counts_what_is_left(runner: Runner) -> None:
    left = {"a": 3}

    def piece(id: Id) -> int:
        left[id] -= 1
        seen.append(runner.now().waiting)
        return left[id]

    seen: list[int] = []
    hand = Hand(piece, subjects=[Subject("a", "u", 3)])
    runner.register(hand)
    await runner.settle()
    assert hand.done == ["a"] * 3
    assert seen == [3, 2, 1]
    assert runner.now().waiting == 0


async def test_asked_for_while_it_runs_it_is_done_once_more(runner: Runner, events: EventBus) -> None:
    def ask_again(id: Id) -> int:
        if len(hand.done) == 1:
            runner.ask(JobKind.INDEX, Subject("a", "u"))
            runner.ask(JobKind.INDEX, Subject("a", "u"))
        return 0

    hand = Hand(ask_again, subjects=[Subject("a", "u")])
    runner.register(hand)
    await runner.settle()
    assert hand.done == ["a", "a"]


async def test_a_failure_is_tried_again_and_forgotten_once_it_goes(runner: Runner, stores: Stores) -> None:
    def fails_twice(id: Id) -> int:
        if len(hand.done) < 3:
            raise RuntimeError("no")
        return 0

    hand = Hand(fails_twice, subjects=[Subject("a", "u")])
    runner.register(hand)
    await runner.settle()
    assert hand.done == ["a"] * 3
    assert await jobs(stores) == []


async def test_poison_is_shown_once_and_waits_for_a_word(
    runner: Runner, stores: Stores, heard: list[Event]
) -> None:
    broken = True

    def fails(id: Id) -> int:
        if broken:
            raise RuntimeError("it is broken")
        return 0

    hand = Hand(fails, subjects=[Subject("a", "u"), Subject("b", "u")])
    hand.known = [Subject("a", "u")]
    runner.register(hand)
    await runner.settle()
    assert hand.done == ["a"] * FAILURES
    (poisoned,) = (await runner.look()).poisoned
    assert (poisoned.state, poisoned.error) == (JobState.POISONED, "RuntimeError: it is broken")
    assert [event.severity for event in heard if isinstance(event, Notice)] == ["warning"]
    runner.ask(JobKind.INDEX, Subject("a", "u"))  # nobody's word
    await runner.settle()
    assert len(hand.done) == FAILURES
    broken = False
    await runner.retry(poisoned.id)
    await runner.settle()
    assert len(hand.done) == FAILURES + 1
    assert await jobs(stores) == []
    with pytest.raises(InputError):
        await runner.retry(poisoned.id)


async def test_poison_and_failures_are_known_after_a_restart(stores: Stores, events: EventBus) -> None:
    def fails(id: Id) -> int:
        raise RuntimeError("no")

    first = runner_of(stores, events)
    hand = Hand(fails, subjects=[Subject("a", "u")])
    first.register(hand)
    await first.settle()
    await first.close()
    second = runner_of(stores, events)
    again = Hand(subjects=[Subject("a", "u"), Subject("b", "u")])
    second.register(again)
    await second.settle()
    assert again.done == ["b"]
    assert [job.subject_id for job in second.now().poisoned] == ["a"]
    # Something about it has changed: one more chance.
    events.publish(LineMoved("a"))
    await second.settle()
    assert again.done == ["b", "a"]
    assert await jobs(stores) == []
    await second.close()


async def test_what_takes_the_process_with_it_counts_as_a_failure(stores: Stores, events: EventBus) -> None:
    book = JobBook(stores.log(Role.ORCHESTRATOR), utc_now)
    await book.begin(JobKind.INDEX, Subject("a", "u"), FAILURES)  # and then the process was gone
    runner = runner_of(stores, events)
    hand = Hand(subjects=[Subject("a", "u")])
    runner.register(hand)
    await runner.settle()
    assert hand.done == []
    assert "ended while it was tried" in runner.now().poisoned[0].error
    await runner.close()


async def test_a_store_that_is_away_is_waited_for_and_not_counted(stores: Stores, events: EventBus) -> None:
    away = True

    def needs_a_store(id: Id) -> int:
        if away:
            raise StoreUnavailable("The index does not answer.")
        return 0

    seconds = [0.0]
    book = JobBook(stores.log(Role.ORCHESTRATOR), utc_now)
    runner = Runner(book, events, seconds=lambda: seconds[0])
    hand = Hand(needs_a_store, subjects=[Subject(str(n), "u") for n in range(50)])
    runner.register(hand)
    await runner.settle()  # what waits for a store is not waited for
    assert hand.done == ["0"]  # nor are the others tried: they would go the same way
    assert ("words", "50 to do · The index does not answer.") in runner.now().rows
    assert await jobs(stores) == []
    away = False
    seconds[0] = 1_000.0
    runner.ask(JobKind.INDEX, Subject("new", "u"))
    while len(hand.done) < 52:  # noqa: ASYNC110 - what waited begins again by the clock
        await asyncio.sleep(0.001)
    await runner.settle()
    assert runner.now().waiting == 0
    await runner.close()


async def test_later_is_no_failure(runner: Runner, stores: Stores) -> None:
    def later(id: Id) -> int:
        if len(hand.done) < FAILURES + 3:
            raise Later("The budget of the day is used up.", seconds=60)
        return 0

    hand = Hand(later, subjects=[Subject("a", "u")])
    runner.register(hand)
    runner.start()
    while len(hand.done) < FAILURES + 3:  # noqa: ASYNC110 - it comes again by the clock
        await asyncio.sleep(0.001)
    await runner.settle()
    assert await jobs(stores) == []


async def test_lanes_do_not_wait_for_each_other(runner: Runner) -> None:
    released = asyncio.Event()

    class Slow(Hand):
        async def bring(self, subject_id: Id) -> int:
            await released.wait()
            return await super().bring(subject_id)

    slow = Slow(kind=JobKind.SUMMARISE, lane=MODEL, subjects=[Subject("a", "u")])
    quick = Hand(lambda id: released.set() or 0, subjects=[Subject("b", "u")])
    runner.register(slow)
    runner.register(quick)
    await runner.settle()
    assert (slow.done, quick.done) == (["a"], ["b"])


async def test_memories_are_written_before_their_scene_is_indexed(runner: Runner, events: EventBus) -> None:
    order: list[str] = []

    def noted(name: str) -> Callable[[Id], int]:
        return lambda id: order.append(name) or 0

    runner.register(Hand(noted("index")))
    runner.register(Hand(noted("remember"), kind=JobKind.REMEMBER, priority=30))
    await runner.settle()
    events.publish(LineMoved("a"))
    await runner.settle()
    assert order == ["remember", "index"]


async def test_what_one_has_done_the_next_looks_at(stores: Stores, events: EventBus) -> None:
    runner = runner_of(stores, events, then={JobKind.REMEMBER: (JobKind.INDEX,)})
    remembers = Hand(kind=JobKind.REMEMBER, priority=30, subjects=[Subject("a", "u", 9)])
    index = Hand()
    runner.register(remembers)
    runner.register(index)
    await runner.settle()
    assert (remembers.done, index.done) == (["a"], ["a"])
    await runner.close()


async def test_a_worker_that_breaks_over_an_event_looks_everywhere(
    runner: Runner, events: EventBus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agents.background.runner.STORE_SECONDS", 0.0)

    class Breaks(Hand):
        async def touched(self, event: Event) -> Collection[Subject]:
            raise StoreUnavailable("away")

    hand = Breaks()
    runner.register(hand)
    await runner.settle()
    hand.known = [Subject("a", "u")]
    events.publish(LineMoved("a"))
    await runner.settle()
    assert (hand.done, hand.looks) == (["a"], 2)


async def test_tells_how_it_stands_and_that_it_is_done(
    runner: Runner, heard: list[Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agents.background.telling.SECONDS", 0.0)
    left = [9]

    def piece(id: Id) -> int:
        left[0] -= 1
        return left[0]

    runner.register(Hand(piece, subjects=[Subject("a", "u", 9)]))
    await runner.settle()
    while not heard or heard[-1] != BackgroundMoved(0):  # noqa: ASYNC110 - it is told by a timer
        await asyncio.sleep(0.001)
    told = [event.waiting for event in heard if isinstance(event, BackgroundMoved)]
    assert told == sorted(told, reverse=True)
    assert told[0] > 0


async def test_closed_in_the_middle_it_leaves_no_task(runner: Runner, events: EventBus) -> None:
    async def forever(subject_id: Id) -> int:
        await asyncio.Event().wait()
        return 0

    hand = Hand(subjects=[Subject("a", "u")])
    hand.bring = forever  # type: ignore[method-assign]
    runner.register(hand)
    runner.start()
    await asyncio.sleep(0)
    await runner.close()
    assert not [task for task in asyncio.all_tasks() if task.get_name().startswith("background")]
    events.publish(LineMoved("a"))  # to nobody


def test_a_universe_with_little_to_do_does_not_wait_behind_one_with_much() -> None:
    lane, worker = Lane(), Hand()
    for number in range(6):
        lane.put(Entry(worker, Subject(f"big {number}", "big"), number))
    lane.put(Entry(worker, Subject("small", "small"), 6))
    taken = [entry.subject.id for _ in range(3) if (entry := lane.take(0.0))]
    assert taken == ["big 0", "small", "big 1"]


def test_what_was_touched_goes_first_in_any_universe() -> None:
    lane, worker = Lane(), Hand()
    entries = [Entry(worker, Subject(name, name), n) for n, name in enumerate("abc")]
    for entry in entries:
        lane.put(entry)
    entries[2].urgent = True
    lane.put(entries[2])  # asked for anew: it waits once
    taken = [entry.subject.id for _ in range(4) if (entry := lane.take(0.0))]
    assert taken == ["c", "a", "b"]


async def test_what_is_of_no_universe_has_its_turn_and_holds_nobody_up(runner: Runner) -> None:
    """As which memories were called to mind is: of whatever universe they are."""
    hand = Hand()
    runner.register(hand)
    await runner.settle()
    runner.ask(JobKind.INDEX, Subject("of none", ""), urgent=True)
    await runner.settle()
    runner.ask(JobKind.INDEX, Subject("of none", ""), urgent=True)
    runner.ask(JobKind.INDEX, Subject("a", "u"))
    await runner.settle()
    assert hand.done == ["of none", "of none", "a"]


async def test_one_universe_can_be_waited_for_while_others_are_still_behind(runner: Runner) -> None:
    hand = Hand(lambda id: 5 if id == "endless" else 0)
    hand.known = [Subject("endless", "other", 5), Subject("a", "u", 2), Subject("b", "u", 1)]
    runner.register(hand)
    await runner.settle("u")
    assert {"a", "b"} <= set(hand.done)
    assert (runner.left_of("u"), runner.left_of("other")) == (0, 5)


async def test_to_close_ends_though_a_worker_will_not_hear_of_it(
    stores: Stores, events: EventBus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner_module, "CLOSE_SECONDS", 0.01)

    class Deaf(Hand):
        async def bring(self, subject_id: Id) -> int:
            begun.set()
            while not let_go.is_set():
                with suppress(asyncio.CancelledError):
                    await let_go.wait()
            return 0

    begun, let_go = asyncio.Event(), asyncio.Event()
    runner = runner_of(stores, events)
    runner.register(Deaf(subjects=[Subject("a", "u")]))
    runner.start()
    await begun.wait()
    await runner.close()
    let_go.set()
