"""Tests of the background: order of jobs, failures and retries, idle and close."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import suppress
from pathlib import Path

import pytest

from agents.events import BackgroundProgressed, Event, EventBus, HeadMoved, Notice
from agents.jobs import job_runner as runner_module
from agents.jobs.job_queue import JobQueue, QueueEntry
from agents.jobs.job_runner import JobRunner
from agents.jobs.job_store import JobStore
from agents.jobs.worker import MAX_FAILURES, MODEL_QUEUE, PLAIN_QUEUE, JobSubject, RetryLater
from agents.telemetry.span_recorder import SpanRecorder
from agents.telemetry.spans import MeasuredOperation, Span, SpanOutcome
from stores.authority import Role
from stores.errors import InputError, StoreUnavailable
from stores.open import Stores
from stores.records.ids import Id, utc_now
from stores.records.jobs import JobKind, JobState
from tests.libraries import library


class FakeWorker:
    """A worker whose `work` is called with a subject and returns the number of items left."""

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
        self.subject_list = list(subjects)
        self.scan_count = 0
        self.confirm_count = 0
        self._work = work

    async def subjects(self) -> Collection[JobSubject]:
        self.scan_count += 1
        return self.subject_list

    async def on_event(self, event: Event) -> Collection[JobSubject]:
        return [JobSubject(event.scene_id, "u")] if isinstance(event, HeadMoved) else []

    async def reconcile(self, subject_id: Id) -> int:
        await asyncio.sleep(0)
        self.done.append(subject_id)
        return self._work(subject_id)

    async def confirm_complete(self) -> Collection[JobSubject]:
        self.confirm_count += 1
        return ()


class FastClock:
    """A clock that advances a minute per reading, so that no test waits for a retry."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 60.0
        return self.now


class SettableClock:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
async def stores(tmp_path: Path) -> AsyncIterator[Stores]:
    async with library(tmp_path / "home") as opened_stores:
        yield opened_stores


@pytest.fixture
def events() -> EventBus:
    return EventBus()


@pytest.fixture
def published(events: EventBus) -> list[Event]:
    events_seen: list[Event] = []
    events.subscribe(events_seen.append)
    return events_seen


@pytest.fixture
async def runner(stores: Stores, events: EventBus) -> AsyncIterator[JobRunner]:
    job_runner = build_runner(stores, events)
    yield job_runner
    await job_runner.close()


def build_runner(
    stores: Stores, events: EventBus, follow_ups: Mapping[JobKind, tuple[JobKind, ...]] | None = None
) -> JobRunner:
    job_store = JobStore(stores.log(Role.ORCHESTRATOR), utc_now)
    return JobRunner(job_store, events, seconds=FastClock(), follow_ups=follow_ups or {})


async def stored_jobs(stores: Stores) -> list[tuple[JobState, int, str]]:
    return [(job.state, job.attempts, job.error) for job in await stores.log(Role.ORCHESTRATOR).jobs()]


async def test_job_runner_does_leftover_and_touched_subjects(
    runner: JobRunner, events: EventBus, stores: Stores
) -> None:
    worker = FakeWorker(subjects=[JobSubject("a", "u"), JobSubject("b", "u")])
    runner.register(worker)
    await runner.wait_until_idle()
    assert worker.done == ["a", "b"]
    events.publish(HeadMoved("c"))
    events.publish(HeadMoved("c"))
    await runner.wait_until_idle()
    assert worker.done == ["a", "b", "c"]
    assert await stored_jobs(stores) == []  # success leaves no record


async def test_job_runner_works_in_pieces_and_counts_items_left(runner: JobRunner) -> None:
    left = {"a": 3}

    def piece(id: Id) -> int:
        left[id] -= 1
        seen_counts.append(runner.current_status().items_left)
        return left[id]

    seen_counts: list[int] = []
    worker = FakeWorker(piece, subjects=[JobSubject("a", "u", 3)])
    runner.register(worker)
    await runner.wait_until_idle()
    assert worker.done == ["a"] * 3
    assert seen_counts == [3, 2, 1]
    assert runner.current_status().items_left == 0


async def test_job_runner_reruns_job_requested_while_running(runner: JobRunner, events: EventBus) -> None:
    def ask_again(id: Id) -> int:
        if len(worker.done) == 1:
            runner.request(JobKind.INDEX, JobSubject("a", "u"))
            runner.request(JobKind.INDEX, JobSubject("a", "u"))
        return 0

    worker = FakeWorker(ask_again, subjects=[JobSubject("a", "u")])
    runner.register(worker)
    await runner.wait_until_idle()
    assert worker.done == ["a", "a"]


async def test_job_runner_counts_what_was_requested_meanwhile_and_has_to_wait(runner: JobRunner) -> None:
    """Else nothing would seem left to do, and who waits for the index would read it too early."""

    def is_away_when_asked_again(id: Id) -> int:
        if len(worker.done) > 1:
            raise RetryLater("It is away.", seconds=1e9)
        runner.request(JobKind.INDEX, JobSubject("a", "u"))
        return 0

    worker = FakeWorker(is_away_when_asked_again, subjects=[JobSubject("a", "u")])
    runner.register(worker)
    await runner.wait_until_idle()
    assert worker.done == ["a", "a"]
    assert runner.count_items_left("u") == 1
    assert ("words", "1 to do · It is away.") in runner.current_status().rows


async def test_job_runner_retries_failure_and_forgets_it_on_success(
    runner: JobRunner, stores: Stores
) -> None:
    def fails_twice(id: Id) -> int:
        if len(worker.done) < 3:
            raise RuntimeError("no")
        return 0

    worker = FakeWorker(fails_twice, subjects=[JobSubject("a", "u")])
    runner.register(worker)
    await runner.wait_until_idle()
    assert worker.done == ["a"] * 3
    assert await stored_jobs(stores) == []


async def test_job_runner_shows_poisoned_job_once_until_user_retries(
    runner: JobRunner, stores: Stores, published: list[Event]
) -> None:
    broken = True

    def fails(id: Id) -> int:
        if broken:
            raise RuntimeError("it is broken")
        return 0

    worker = FakeWorker(fails, subjects=[JobSubject("a", "u"), JobSubject("b", "u")])
    worker.subject_list = [JobSubject("a", "u")]
    runner.register(worker)
    await runner.wait_until_idle()
    assert worker.done == ["a"] * MAX_FAILURES
    (poisoned,) = (await runner.read_status()).poisoned
    assert (poisoned.state, poisoned.error) == (JobState.POISONED, "RuntimeError: it is broken")
    assert [event.severity for event in published if isinstance(event, Notice)] == ["warning"]
    runner.request(JobKind.INDEX, JobSubject("a", "u"))  # no request of the user
    await runner.wait_until_idle()
    assert len(worker.done) == MAX_FAILURES
    broken = False
    await runner.retry(poisoned.id)
    await runner.wait_until_idle()
    assert len(worker.done) == MAX_FAILURES + 1
    assert await stored_jobs(stores) == []
    with pytest.raises(InputError):
        await runner.retry(poisoned.id)


async def test_job_store_keeps_failures_across_restart(stores: Stores, events: EventBus) -> None:
    def fails(id: Id) -> int:
        raise RuntimeError("no")

    first = build_runner(stores, events)
    worker = FakeWorker(fails, subjects=[JobSubject("a", "u")])
    first.register(worker)
    await first.wait_until_idle()
    await first.close()
    second = build_runner(stores, events)
    second_worker = FakeWorker(subjects=[JobSubject("a", "u"), JobSubject("b", "u")])
    second.register(second_worker)
    await second.wait_until_idle()
    assert second_worker.done == ["b"]
    assert [job.subject_id for job in second.current_status().poisoned] == ["a"]
    # Its subject has changed: one more try.
    events.publish(HeadMoved("a"))
    await second.wait_until_idle()
    assert second_worker.done == ["b", "a"]
    assert await stored_jobs(stores) == []
    await second.close()


async def test_job_store_counts_crash_of_process_as_failure(stores: Stores, events: EventBus) -> None:
    job_store = JobStore(stores.log(Role.ORCHESTRATOR), utc_now)
    await job_store.record_start(
        JobKind.INDEX, JobSubject("a", "u"), MAX_FAILURES
    )  # as if the process had ended here
    runner = build_runner(stores, events)
    worker = FakeWorker(subjects=[JobSubject("a", "u")])
    runner.register(worker)
    await runner.wait_until_idle()
    assert worker.done == []
    (poisoned,) = runner.current_status().poisoned
    assert "ended while it was tried" in poisoned.error
    await runner.retry(poisoned.id)
    await runner.wait_until_idle()
    assert worker.done == ["a"]
    assert await stored_jobs(stores) == []
    await runner.close()


async def test_job_runner_waits_for_unavailable_store_without_counting(
    stores: Stores, events: EventBus
) -> None:
    is_away = True

    def needs_a_store(id: Id) -> int:
        if is_away:
            raise StoreUnavailable("The index does not answer.")
        return 0

    seconds = [0.0]
    job_store = JobStore(stores.log(Role.ORCHESTRATOR), utc_now)
    runner = JobRunner(job_store, events, seconds=lambda: seconds[0])
    worker = FakeWorker(needs_a_store, subjects=[JobSubject(str(n), "u") for n in range(50)])
    runner.register(worker)
    await runner.wait_until_idle()  # jobs that wait for a store count as idle
    assert worker.done == ["0"]  # the others are not tried: they would fail alike
    assert ("words", "50 to do · The index does not answer.") in runner.current_status().rows
    assert await stored_jobs(stores) == []
    is_away = False
    seconds[0] = 1_000.0
    runner.request(JobKind.INDEX, JobSubject("new", "u"))
    while len(worker.done) < 52:  # noqa: ASYNC110 - retries start by the clock
        await asyncio.sleep(0.001)
    await runner.wait_until_idle()
    assert runner.current_status().items_left == 0
    await runner.close()


async def test_job_runner_does_not_count_retry_later_as_failure(runner: JobRunner, stores: Stores) -> None:
    def later(id: Id) -> int:
        if len(worker.done) < MAX_FAILURES + 3:
            raise RetryLater("The budget of the day is used up.", seconds=60)
        return 0

    worker = FakeWorker(later, subjects=[JobSubject("a", "u")])
    runner.register(worker)
    runner.start()
    while len(worker.done) < MAX_FAILURES + 3:  # noqa: ASYNC110 - retries start by the clock
        await asyncio.sleep(0.001)
    await runner.wait_until_idle()
    assert await stored_jobs(stores) == []


async def test_job_runner_has_workers_confirm_when_nothing_is_left(
    stores: Stores, events: EventBus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner_module, "QUIET_SECONDS", 0.0)

    def wait(id: Id) -> int:
        raise RetryLater("a budget is used up", seconds=1_000_000)

    done = FakeWorker(subjects=[JobSubject("a", "u")])
    waiting = FakeWorker(wait, kind=JobKind.SUMMARISE, subjects=[JobSubject("a", "u")])
    runner = build_runner(stores, events)
    runner.register(done)
    runner.register(waiting)
    runner.start()
    while not done.confirm_count:  # noqa: ASYNC110 - nothing tells of it
        await asyncio.sleep(0.001)
    await runner.close()
    assert (done.confirm_count, waiting.confirm_count) == (1, 0)


async def test_job_runner_confirms_at_close_what_was_done_just_before(runner: JobRunner) -> None:
    worker = FakeWorker(subjects=[JobSubject("a", "u")])
    runner.register(worker)
    await runner.wait_until_idle()
    assert worker.confirm_count == 0
    await runner.close()
    assert worker.confirm_count == 1


async def test_job_queues_do_not_wait_for_each_other(runner: JobRunner) -> None:
    released = asyncio.Event()

    class Slow(FakeWorker):
        async def reconcile(self, subject_id: Id) -> int:
            await released.wait()
            return await super().reconcile(subject_id)

    slow = Slow(kind=JobKind.SUMMARISE, queue=MODEL_QUEUE, subjects=[JobSubject("a", "u")])

    def release(id: Id) -> int:
        released.set()
        return 0

    quick = FakeWorker(release, subjects=[JobSubject("b", "u")])
    runner.register(slow)
    runner.register(quick)
    await runner.wait_until_idle()
    assert (slow.done, quick.done) == (["a"], ["b"])


async def test_job_runner_writes_memories_before_index(runner: JobRunner, events: EventBus) -> None:
    order: list[str] = []

    def noted(name: str) -> Callable[[Id], int]:
        def work(id: Id) -> int:
            order.append(name)
            return 0

        return work

    runner.register(FakeWorker(noted("index")))
    runner.register(FakeWorker(noted("remember"), kind=JobKind.REMEMBER, priority=30))
    await runner.wait_until_idle()
    events.publish(HeadMoved("a"))
    await runner.wait_until_idle()
    assert order == ["remember", "index"]


async def test_job_runner_requests_follow_ups(stores: Stores, events: EventBus) -> None:
    runner = build_runner(stores, events, follow_ups={JobKind.REMEMBER: (JobKind.INDEX,)})
    memory_worker = FakeWorker(kind=JobKind.REMEMBER, priority=30, subjects=[JobSubject("a", "u", 9)])
    index_worker = FakeWorker()
    runner.register(memory_worker)
    runner.register(index_worker)
    await runner.wait_until_idle()
    assert (memory_worker.done, index_worker.done) == (["a"], ["a"])
    await runner.close()


async def test_job_runner_rescans_after_worker_fails_on_event(
    runner: JobRunner, events: EventBus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agents.jobs.job_runner.STORE_SECONDS", 0.0)

    class Breaks(FakeWorker):
        async def on_event(self, event: Event) -> Collection[JobSubject]:
            raise StoreUnavailable("away")

    worker = Breaks()
    runner.register(worker)
    await runner.wait_until_idle()
    worker.subject_list = [JobSubject("a", "u")]
    events.publish(HeadMoved("a"))
    await runner.wait_until_idle()
    assert (worker.done, worker.scan_count) == (["a"], 2)


async def test_job_runner_says_why_it_cannot_look_for_work_and_looks_again_when_told(
    runner: JobRunner, events: EventBus, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("agents.jobs.job_runner.STORE_SECONDS", 0.0)
    rows: list[tuple[str, str]] = []

    class Away(FakeWorker):
        async def subjects(self) -> Collection[JobSubject]:
            rows.extend(runner.current_status().rows)
            if not self.scan_count:
                self.scan_count += 1
                raise RetryLater("It cannot be asked.", seconds=0.0)
            return await super().subjects()

        async def on_event(self, event: Event) -> Collection[JobSubject]:
            raise RetryLater("It cannot be asked.", seconds=3_600.0)

    worker = Away(subjects=[JobSubject("a", "u")])
    runner.register(worker)
    await runner.wait_until_idle()
    assert rows == [("words", "up to date"), ("words", "It cannot be asked.")]
    assert runner.current_status().rows == (("words", "up to date"),)
    events.publish(HeadMoved("a"))
    await runner.wait_until_idle()
    assert (worker.done, worker.scan_count) == (["a", "a"], 3)
    assert not [record for record in caplog.records if record.levelname == "WARNING"]


async def test_job_runner_asks_about_one_event_at_a_time_however_many_come(
    runner: JobRunner, events: EventBus
) -> None:
    asked_ids: list[str] = []
    answers_wait = asyncio.Event()

    class Slow(FakeWorker):
        async def on_event(self, event: Event) -> Collection[JobSubject]:
            asked_ids.append(event.scene_id if isinstance(event, HeadMoved) else "")
            await answers_wait.wait()
            return await super().on_event(event)

    worker = Slow()
    runner.register(worker)
    await runner.wait_until_idle()
    flood = [f"scene {number:04}" for number in range(300)]
    for scene_id in flood:
        events.publish(HeadMoved(scene_id))
    for _ in range(20):
        await asyncio.sleep(0)
    assert asked_ids == flood[:1]
    answers_wait.set()
    while len(worker.done) < len(flood):  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    assert asked_ids == flood
    assert sorted(worker.done) == flood


async def test_job_status_events_count_down_to_zero(
    runner: JobRunner, published: list[Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agents.jobs.job_status.SECONDS", 0.0)
    left = [9]

    def piece(id: Id) -> int:
        left[0] -= 1
        return left[0]

    runner.register(FakeWorker(piece, subjects=[JobSubject("a", "u", 9)]))
    await runner.wait_until_idle()
    while not published or published[-1] != BackgroundProgressed(0):  # noqa: ASYNC110 - published by a timer
        await asyncio.sleep(0.001)
    counts = [event.waiting_count for event in published if isinstance(event, BackgroundProgressed)]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > 0


async def test_job_runner_close_leaves_no_task(runner: JobRunner, events: EventBus) -> None:
    async def forever(subject_id: Id) -> int:
        await asyncio.Event().wait()
        return 0

    worker = FakeWorker(subjects=[JobSubject("a", "u")])
    worker.reconcile = forever  # type: ignore[method-assign]
    runner.register(worker)
    runner.start()
    await asyncio.sleep(0)
    await runner.close()
    assert not [task for task in asyncio.all_tasks() if task.get_name().startswith("background")]
    events.publish(HeadMoved("a"))  # nobody listens


def test_job_queue_is_fair_between_universes() -> None:
    queue, worker = JobQueue(), FakeWorker()
    for number in range(6):
        queue.put(QueueEntry(worker, JobSubject(f"big {number}", "big"), number))
    queue.put(QueueEntry(worker, JobSubject("small", "small"), 6))
    taken_ids = [entry.subject.id for _ in range(3) if (entry := queue.take_next(0.0))]
    assert taken_ids == ["big 0", "small", "big 1"]


def test_job_queue_takes_urgent_entries_first() -> None:
    queue, worker = JobQueue(), FakeWorker()
    entries = [QueueEntry(worker, JobSubject(name, name), n) for n, name in enumerate("abc")]
    for entry in entries:
        queue.put(entry)
    entries[2].urgent = True
    queue.put(entries[2])  # requested again: it waits only once
    taken_ids = [taken.subject.id for _ in range(4) if (taken := queue.take_next(0.0))]
    assert taken_ids == ["c", "a", "b"]


async def test_job_runner_serves_subjects_of_no_universe(runner: JobRunner) -> None:
    """Such as recording which memories were read, whatever their universe."""
    worker = FakeWorker()
    runner.register(worker)
    await runner.wait_until_idle()
    runner.request(JobKind.INDEX, JobSubject("of none", ""), urgent=True)
    await runner.wait_until_idle()
    runner.request(JobKind.INDEX, JobSubject("of none", ""), urgent=True)
    runner.request(JobKind.INDEX, JobSubject("a", "u"))
    await runner.wait_until_idle()
    assert worker.done == ["of none", "of none", "a"]


async def test_job_runner_can_wait_for_one_universe(runner: JobRunner) -> None:
    worker = FakeWorker(lambda id: 5 if id == "endless" else 0)
    worker.subject_list = [
        JobSubject("endless", "other", 5),
        JobSubject("a", "u", 2),
        JobSubject("b", "u", 1),
    ]
    runner.register(worker)
    await runner.wait_until_idle("u")
    assert {"a", "b"} <= set(worker.done)
    assert (runner.count_items_left("u"), runner.count_items_left("other")) == (0, 5)


async def test_job_runner_close_ends_despite_worker_ignoring_cancel(
    stores: Stores, events: EventBus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner_module, "CLOSE_SECONDS", 0.01)

    class IgnoresCancel(FakeWorker):
        async def reconcile(self, subject_id: Id) -> int:
            begun.set()
            while not may_end.is_set():
                with suppress(asyncio.CancelledError):
                    await may_end.wait()
            return 0

    begun, may_end = asyncio.Event(), asyncio.Event()
    runner = build_runner(stores, events)
    runner.register(IgnoresCancel(subjects=[JobSubject("a", "u")]))
    runner.start()
    await begun.wait()
    await runner.close()
    may_end.set()


async def test_job_runner_measures_how_long_jobs_wait_for_their_turn(
    stores: Stores, events: EventBus
) -> None:
    """One job at a time: the second of a queue waits while the first is done, and the look at the third shows it."""
    traces: list[Span] = []
    clock = SettableClock()
    waits: list[Mapping[Id, float]] = []
    runner = JobRunner(
        JobStore(stores.log(Role.ORCHESTRATOR), utc_now),
        events,
        seconds=clock,
        telemetry=SpanRecorder(traces.append),
    )

    def piece(subject_id: Id) -> int:
        clock.now += 400.0
        waits.append(runner.read_longest_waits())
        return 0

    runner.register(FakeWorker(piece, subjects=[JobSubject("a", "u"), JobSubject("b", "u")]))
    await runner.wait_until_idle()
    await runner.close()
    assert [(one.operation, one.records.subject_id, one.waited_seconds) for one in traces] == [
        (MeasuredOperation.JOB, "a", 0.0),
        (MeasuredOperation.JOB, "b", 400.0),
    ]
    assert waits == [{"u": 400.0}, {}]


async def test_job_runner_tells_what_is_postponed_from_what_failed(stores: Stores, events: EventBus) -> None:
    traces: list[Span] = []
    errors: list[Exception] = [RetryLater("The model is starting."), OSError("the disk is gone")]
    is_done = asyncio.Event()

    def take_trace(trace: Span) -> None:
        traces.append(trace)
        if trace.outcome is SpanOutcome.DONE:
            is_done.set()

    def piece(subject_id: Id) -> int:
        if errors:
            raise errors.pop(0)
        return 0

    runner = JobRunner(
        JobStore(stores.log(Role.ORCHESTRATOR), utc_now),
        events,
        seconds=FastClock(),
        telemetry=SpanRecorder(take_trace),
    )
    runner.register(FakeWorker(piece, subjects=[JobSubject("a", "u")]))
    await runner.wait_until_idle()
    await is_done.wait()
    await runner.close()
    assert [(one.outcome, one.error_type) for one in traces] == [
        (SpanOutcome.POSTPONED, "RetryLater"),
        (SpanOutcome.FAILED, "OSError"),
        (SpanOutcome.DONE, ""),
    ]


async def test_job_runner_retries_what_a_slot_put_back_that_is_no_more(
    stores: Stores, events: EventBus
) -> None:
    """A worker elsewhere is lost with a job under way, and its slots go: another slot, which sleeps, does the job."""
    have_begun, may_fail, is_retried = asyncio.Event(), asyncio.Event(), asyncio.Event()

    class LosesItsSlot(FakeWorker):
        async def reconcile(self, subject_id: Id) -> int:
            self.done.append(subject_id)
            if self.done == ["a", "b"]:
                have_begun.set()
            if subject_id == "b" and self.done.count("b") == 1:
                await may_fail.wait()
                raise RetryLater("Its worker was lost.", seconds=0.0)
            if subject_id == "b":
                is_retried.set()
            return 0

    clock = SettableClock()
    runner = JobRunner(JobStore(stores.log(Role.ORCHESTRATOR), utc_now), events, seconds=clock)
    worker = LosesItsSlot(subjects=[JobSubject("a", "u"), JobSubject("b", "u")])
    runner.register(worker)
    runner.set_slots(PLAIN_QUEUE, 2)
    runner.start()
    async with asyncio.timeout(60):
        await have_begun.wait()
        await asyncio.sleep(4 * runner_module.YIELD_SECONDS)  # the first slot finds nothing to do
        runner.set_slots(PLAIN_QUEUE, 1)
        await asyncio.sleep(4 * runner_module.YIELD_SECONDS)
        may_fail.set()
        await is_retried.wait()
    await runner.close()
