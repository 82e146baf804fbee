"""The background runner: whose turn it is, what becomes of failures, and when all is done."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import suppress
from pathlib import Path

import pytest

from agents.events import BackgroundMoved, Event, EventBus, LineMoved, Notice
from agents.jobs import job_runner as runner_module
from agents.jobs.job_queue import JobQueue, QueueEntry
from agents.jobs.job_runner import JobRunner
from agents.jobs.job_store import JobStore
from agents.jobs.worker import MAX_FAILURES, MODEL_QUEUE, PLAIN_QUEUE, JobSubject, RetryLater
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
        queue: str = PLAIN_QUEUE,
        priority: int = 20,
        subjects: Collection[JobSubject] = (),
    ) -> None:
        self.kind, self.queue, self.priority = kind, queue, priority
        self.done: list[Id] = []
        self.known = list(subjects)
        self.looks = 0
        self._work = work

    async def subjects(self) -> Collection[JobSubject]:
        self.looks += 1
        return self.known

    async def on_event(self, event: Event) -> Collection[JobSubject]:
        return [JobSubject(event.scene_id, "u")] if isinstance(event, LineMoved) else []

    async def reconcile(self, subject_id: Id) -> int:
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
async def runner(stores: Stores, events: EventBus) -> AsyncIterator[JobRunner]:
    made = runner_of(stores, events)
    yield made
    await made.close()


def runner_of(stores: Stores, events: EventBus, **given: object) -> JobRunner:
    return JobRunner(JobStore(stores.log(Role.ORCHESTRATOR), utc_now), events, seconds=Seconds(), **given)


async def jobs(stores: Stores) -> list[tuple[JobState, int, str]]:
    return [(job.state, job.attempts, job.error) for job in await stores.log(Role.ORCHESTRATOR).jobs()]


async def test_job_runner_does_leftover_and_touched_subjects(
    runner: JobRunner, events: EventBus, stores: Stores
) -> None:
    hand = Hand(subjects=[JobSubject("a", "u"), JobSubject("b", "u")])
    runner.register(hand)
    await runner.wait_until_idle()
    assert hand.done == ["a", "b"]
    events.publish(LineMoved("c"))
    events.publish(LineMoved("c"))
    await runner.wait_until_idle()
    assert hand.done == ["a", "b", "c"]
    assert await jobs(stores) == []  # what goes well leaves nothing behind


async def test_job_runner_works_in_pieces_and_counts_items_left(runner: JobRunner) -> None:
    left = {"a": 3}

    def piece(id: Id) -> int:
        left[id] -= 1
        seen.append(runner.current_status().items_left)
        return left[id]

    seen: list[int] = []
    hand = Hand(piece, subjects=[JobSubject("a", "u", 3)])
    runner.register(hand)
    await runner.wait_until_idle()
    assert hand.done == ["a"] * 3
    assert seen == [3, 2, 1]
    assert runner.current_status().items_left == 0


async def test_job_runner_reruns_job_requested_while_running(runner: JobRunner, events: EventBus) -> None:
    def ask_again(id: Id) -> int:
        if len(hand.done) == 1:
            runner.request(JobKind.INDEX, JobSubject("a", "u"))
            runner.request(JobKind.INDEX, JobSubject("a", "u"))
        return 0

    hand = Hand(ask_again, subjects=[JobSubject("a", "u")])
    runner.register(hand)
    await runner.wait_until_idle()
    assert hand.done == ["a", "a"]


async def test_job_runner_retries_failure_and_forgets_it_on_success(runner: JobRunner, stores: Stores) -> None:
    def fails_twice(id: Id) -> int:
        if len(hand.done) < 3:
            raise RuntimeError("no")
        return 0

    hand = Hand(fails_twice, subjects=[JobSubject("a", "u")])
    runner.register(hand)
    await runner.wait_until_idle()
    assert hand.done == ["a"] * 3
    assert await jobs(stores) == []


async def test_job_runner_shows_poisoned_job_once_until_user_retries(
    runner: JobRunner, stores: Stores, heard: list[Event]
) -> None:
    broken = True

    def fails(id: Id) -> int:
        if broken:
            raise RuntimeError("it is broken")
        return 0

    hand = Hand(fails, subjects=[JobSubject("a", "u"), JobSubject("b", "u")])
    hand.known = [JobSubject("a", "u")]
    runner.register(hand)
    await runner.wait_until_idle()
    assert hand.done == ["a"] * MAX_FAILURES
    (poisoned,) = (await runner.read_status()).poisoned
    assert (poisoned.state, poisoned.error) == (JobState.POISONED, "RuntimeError: it is broken")
    assert [event.severity for event in heard if isinstance(event, Notice)] == ["warning"]
    runner.request(JobKind.INDEX, JobSubject("a", "u"))  # nobody's word
    await runner.wait_until_idle()
    assert len(hand.done) == MAX_FAILURES
    broken = False
    await runner.retry(poisoned.id)
    await runner.wait_until_idle()
    assert len(hand.done) == MAX_FAILURES + 1
    assert await jobs(stores) == []
    with pytest.raises(InputError):
        await runner.retry(poisoned.id)


async def test_job_store_keeps_failures_across_restart(stores: Stores, events: EventBus) -> None:
    def fails(id: Id) -> int:
        raise RuntimeError("no")

    first = runner_of(stores, events)
    hand = Hand(fails, subjects=[JobSubject("a", "u")])
    first.register(hand)
    await first.wait_until_idle()
    await first.close()
    second = runner_of(stores, events)
    again = Hand(subjects=[JobSubject("a", "u"), JobSubject("b", "u")])
    second.register(again)
    await second.wait_until_idle()
    assert again.done == ["b"]
    assert [job.subject_id for job in second.current_status().poisoned] == ["a"]
    # Something about it has changed: one more chance.
    events.publish(LineMoved("a"))
    await second.wait_until_idle()
    assert again.done == ["b", "a"]
    assert await jobs(stores) == []
    await second.close()


async def test_job_store_counts_crash_of_process_as_failure(stores: Stores, events: EventBus) -> None:
    book = JobStore(stores.log(Role.ORCHESTRATOR), utc_now)
    await book.record_start(
        JobKind.INDEX, JobSubject("a", "u"), MAX_FAILURES
    )  # and then the process was gone
    runner = runner_of(stores, events)
    hand = Hand(subjects=[JobSubject("a", "u")])
    runner.register(hand)
    await runner.wait_until_idle()
    assert hand.done == []
    assert "ended while it was tried" in runner.current_status().poisoned[0].error
    await runner.close()


async def test_job_runner_waits_for_unavailable_store_without_counting(stores: Stores, events: EventBus) -> None:
    away = True

    def needs_a_store(id: Id) -> int:
        if away:
            raise StoreUnavailable("The index does not answer.")
        return 0

    seconds = [0.0]
    book = JobStore(stores.log(Role.ORCHESTRATOR), utc_now)
    runner = JobRunner(book, events, seconds=lambda: seconds[0])
    hand = Hand(needs_a_store, subjects=[JobSubject(str(n), "u") for n in range(50)])
    runner.register(hand)
    await runner.wait_until_idle()  # what waits for a store is not waited for
    assert hand.done == ["0"]  # nor are the others tried: they would go the same way
    assert ("words", "50 to do · The index does not answer.") in runner.current_status().rows
    assert await jobs(stores) == []
    away = False
    seconds[0] = 1_000.0
    runner.request(JobKind.INDEX, JobSubject("new", "u"))
    while len(hand.done) < 52:  # noqa: ASYNC110 - what waited begins again by the clock
        await asyncio.sleep(0.001)
    await runner.wait_until_idle()
    assert runner.current_status().items_left == 0
    await runner.close()


async def test_job_runner_does_not_count_retry_later_as_failure(runner: JobRunner, stores: Stores) -> None:
    def later(id: Id) -> int:
        if len(hand.done) < MAX_FAILURES + 3:
            raise RetryLater("The budget of the day is used up.", seconds=60)
        return 0

    hand = Hand(later, subjects=[JobSubject("a", "u")])
    runner.register(hand)
    runner.start()
    while len(hand.done) < MAX_FAILURES + 3:  # noqa: ASYNC110 - it comes again by the clock
        await asyncio.sleep(0.001)
    await runner.wait_until_idle()
    assert await jobs(stores) == []


async def test_job_queues_do_not_wait_for_each_other(runner: JobRunner) -> None:
    released = asyncio.Event()

    class Slow(Hand):
        async def reconcile(self, subject_id: Id) -> int:
            await released.wait()
            return await super().reconcile(subject_id)

    slow = Slow(kind=JobKind.SUMMARISE, queue=MODEL_QUEUE, subjects=[JobSubject("a", "u")])
    quick = Hand(lambda id: released.set() or 0, subjects=[JobSubject("b", "u")])
    runner.register(slow)
    runner.register(quick)
    await runner.wait_until_idle()
    assert (slow.done, quick.done) == (["a"], ["b"])


async def test_job_runner_writes_memories_before_index(
    runner: JobRunner, events: EventBus
) -> None:
    order: list[str] = []

    def noted(name: str) -> Callable[[Id], int]:
        return lambda id: order.append(name) or 0

    runner.register(Hand(noted("index")))
    runner.register(Hand(noted("remember"), kind=JobKind.REMEMBER, priority=30))
    await runner.wait_until_idle()
    events.publish(LineMoved("a"))
    await runner.wait_until_idle()
    assert order == ["remember", "index"]


async def test_job_runner_requests_follow_ups(stores: Stores, events: EventBus) -> None:
    runner = runner_of(stores, events, follow_ups={JobKind.REMEMBER: (JobKind.INDEX,)})
    remembers = Hand(kind=JobKind.REMEMBER, priority=30, subjects=[JobSubject("a", "u", 9)])
    index = Hand()
    runner.register(remembers)
    runner.register(index)
    await runner.wait_until_idle()
    assert (remembers.done, index.done) == (["a"], ["a"])
    await runner.close()


async def test_job_runner_rescans_after_worker_fails_on_event(
    runner: JobRunner, events: EventBus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agents.jobs.job_runner.STORE_SECONDS", 0.0)

    class Breaks(Hand):
        async def on_event(self, event: Event) -> Collection[JobSubject]:
            raise StoreUnavailable("away")

    hand = Breaks()
    runner.register(hand)
    await runner.wait_until_idle()
    hand.known = [JobSubject("a", "u")]
    events.publish(LineMoved("a"))
    await runner.wait_until_idle()
    assert (hand.done, hand.looks) == (["a"], 2)


async def test_job_status_events_count_down_to_zero(
    runner: JobRunner, heard: list[Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agents.jobs.job_status.SECONDS", 0.0)
    left = [9]

    def piece(id: Id) -> int:
        left[0] -= 1
        return left[0]

    runner.register(Hand(piece, subjects=[JobSubject("a", "u", 9)]))
    await runner.wait_until_idle()
    while not heard or heard[-1] != BackgroundMoved(0):  # noqa: ASYNC110 - it is told by a timer
        await asyncio.sleep(0.001)
    told = [event.waiting for event in heard if isinstance(event, BackgroundMoved)]
    assert told == sorted(told, reverse=True)
    assert told[0] > 0


async def test_job_runner_close_leaves_no_task(runner: JobRunner, events: EventBus) -> None:
    async def forever(subject_id: Id) -> int:
        await asyncio.Event().wait()
        return 0

    hand = Hand(subjects=[JobSubject("a", "u")])
    hand.reconcile = forever  # type: ignore[method-assign]
    runner.register(hand)
    runner.start()
    await asyncio.sleep(0)
    await runner.close()
    assert not [task for task in asyncio.all_tasks() if task.get_name().startswith("background")]
    events.publish(LineMoved("a"))  # to nobody


def test_job_queue_is_fair_between_universes() -> None:
    lane, worker = JobQueue(), Hand()
    for number in range(6):
        lane.put(QueueEntry(worker, JobSubject(f"big {number}", "big"), number))
    lane.put(QueueEntry(worker, JobSubject("small", "small"), 6))
    taken = [entry.subject.id for _ in range(3) if (entry := lane.take_next(0.0))]
    assert taken == ["big 0", "small", "big 1"]


def test_job_queue_takes_urgent_entries_first() -> None:
    lane, worker = JobQueue(), Hand()
    entries = [QueueEntry(worker, JobSubject(name, name), n) for n, name in enumerate("abc")]
    for entry in entries:
        lane.put(entry)
    entries[2].urgent = True
    lane.put(entries[2])  # asked for anew: it waits once
    taken = [entry.subject.id for _ in range(4) if (entry := lane.take_next(0.0))]
    assert taken == ["c", "a", "b"]


async def test_job_runner_serves_subjects_of_no_universe(runner: JobRunner) -> None:
    """As which memories were called to mind is: of whatever universe they are."""
    hand = Hand()
    runner.register(hand)
    await runner.wait_until_idle()
    runner.request(JobKind.INDEX, JobSubject("of none", ""), urgent=True)
    await runner.wait_until_idle()
    runner.request(JobKind.INDEX, JobSubject("of none", ""), urgent=True)
    runner.request(JobKind.INDEX, JobSubject("a", "u"))
    await runner.wait_until_idle()
    assert hand.done == ["of none", "of none", "a"]


async def test_job_runner_can_wait_for_one_universe(runner: JobRunner) -> None:
    hand = Hand(lambda id: 5 if id == "endless" else 0)
    hand.known = [JobSubject("endless", "other", 5), JobSubject("a", "u", 2), JobSubject("b", "u", 1)]
    runner.register(hand)
    await runner.wait_until_idle("u")
    assert {"a", "b"} <= set(hand.done)
    assert (runner.count_items_left("u"), runner.count_items_left("other")) == (0, 5)


async def test_job_runner_close_ends_despite_worker_ignoring_cancel(
    stores: Stores, events: EventBus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner_module, "CLOSE_SECONDS", 0.01)

    class Deaf(Hand):
        async def reconcile(self, subject_id: Id) -> int:
            begun.set()
            while not let_go.is_set():
                with suppress(asyncio.CancelledError):
                    await let_go.wait()
            return 0

    begun, let_go = asyncio.Event(), asyncio.Event()
    runner = runner_of(stores, events)
    runner.register(Deaf(subjects=[JobSubject("a", "u")]))
    runner.start()
    await begun.wait()
    await runner.close()
    let_go.set()
