"""Runs background jobs beside play: one at a time per queue, or as many as its workers have slots. Play never waits.

`agents.jobs.worker` describes the contract of a worker.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from types import MappingProxyType
from typing import Final

from agents.events import (
    BackgroundProgressed,
    Event,
    EventBus,
    ExchangeRecorded,
    LlmCallRecorded,
    Notice,
    StepStateChanged,
    TextDiscarded,
    TextStreamed,
)
from agents.jobs.job_queue import JobQueue, QueueEntry
from agents.jobs.job_status import BackgroundView, StatusPublisher, build_background_view
from agents.jobs.job_store import JobStore
from agents.jobs.worker import MAX_FAILURES, JobSubject, RetryLater, Worker
from agents.telemetry.spans import NO_TELEMETRY, MeasuredOperation, SpanOutcome, SpanRecords, Telemetry
from stores.errors import InputError, MonitorError, StoreUnavailable
from stores.records.ids import Id
from stores.records.jobs import Job, JobKind, derive_job_id

SubjectNames = Callable[[Sequence[Id]], Awaitable[Mapping[Id, str]]]
"""Returns the display names of subjects."""

FindHold = Callable[[JobKind, JobSubject], Awaitable[str]]
"""Returns why a job that asks a model is to be postponed; empty if it may be done."""

ReadShares = Callable[[Sequence[Id]], Awaitable[Mapping[Id, int]]]
"""Returns how often each of these universes is served, relative to the others."""

HOLD_SECONDS: Final = 300.0
"""Wait before a budget that held a job back is looked at again."""

SHARE_SECONDS: Final = 30.0
"""How long the shares of universes that compete are taken as they were read."""

STORE_SECONDS: Final = 5.0
"""Wait before a store that did not answer is tried again; doubled each time, up to a minute."""

MAX_RETRY_SECONDS: Final = 60.0
CLOSE_SECONDS: Final = 2.0
CLOSE_ATTEMPTS: Final = 5
"""How often running tasks are cancelled on close, with `CLOSE_SECONDS` for each attempt."""
QUIET_SECONDS: Final = 2.0
"""How long nothing happens before workers store that all is done."""
YIELD_SECONDS: Final = 0.002
"""Pause between two pieces, in which the event loop serves others."""

_IGNORED_EVENTS: Final = (
    BackgroundProgressed,
    ExchangeRecorded,
    LlmCallRecorded,
    Notice,
    StepStateChanged,
    TextStreamed,
    TextDiscarded,
)
"""Events that come by the hundred, or from here, and need no work."""

log = logging.getLogger("monitor.background")


async def no_names(ids: Sequence[Id]) -> Mapping[Id, str]:
    return {}


async def equal_shares(universe_ids: Sequence[Id]) -> Mapping[Id, int]:
    return {}


async def never_hold(kind: JobKind, subject: JobSubject) -> str:
    return ""


class JobRunner:
    """Runs workers on what events and scans show to be out of date. Implements `JobRequests`.

    `extra_rows` are further lines for the System screen and `seconds` is the clock for waits. When a worker
    is done with a subject, the workers that `follow_ups` names for its kind look at the same subject. `find_hold` says
    whether a job that asks a model is postponed, `read_shares` how universes take turns. Unless
    `is_enabled`, `start` does nothing, and work is only done by `wait_until_idle`. `on_start` is
    called before the first work.
    """

    def __init__(
        self,
        store: JobStore,
        events: EventBus,
        *,
        names: SubjectNames = no_names,
        extra_rows: Callable[[], tuple[tuple[str, str], ...]] = lambda: (),
        seconds: Callable[[], float] = time.monotonic,
        follow_ups: Mapping[JobKind, tuple[JobKind, ...]] = MappingProxyType({}),
        find_hold: FindHold = never_hold,
        read_shares: ReadShares = equal_shares,
        is_enabled: bool = True,
        telemetry: Telemetry = NO_TELEMETRY,
        on_start: Callable[[], None] = lambda: None,
    ) -> None:
        self._telemetry = telemetry
        self._on_start = on_start
        self._follow_ups = follow_ups
        self._is_enabled = is_enabled
        self._find_hold = find_hold
        self._read_shares = read_shares
        self._shares_read_at = -SHARE_SECONDS
        self._store = store
        self._events = events
        self._names = names
        self._extra_rows = extra_rows
        self._seconds = seconds
        self._workers: list[Worker] = []
        self._queues: dict[str, JobQueue] = {}
        self._wake_events: dict[str, asyncio.Event] = {}
        self._slots: dict[str, int] = {}
        """How many jobs of each queue are done at a time."""
        self._runners: dict[tuple[str, int], asyncio.Task[None]] = {}
        """By queue and slot."""
        self._entries: dict[tuple[JobKind, Id], QueueEntry] = {}
        self._poisoned_jobs: dict[tuple[JobKind, Id], Job] = {}
        self._failed_jobs: dict[tuple[JobKind, Id], Job] = {}
        self._paused_kinds: dict[JobKind, tuple[float, str]] = {}
        self._logged_reasons: dict[JobKind, str] = {}
        self._inbox: deque[Event] = deque()
        self._event_arrived = asyncio.Event()
        self._idle = asyncio.Event()
        self._state_changed = asyncio.Event()
        self._kinds_scanning: set[JobKind] = set()
        self._scan_problems: dict[str, str] = {}
        """Why a look for work failed last, by what was looked for."""
        self._is_handling_event = False
        self._unconfirmed = asyncio.Event()
        """Set while something was done of which workers have not stored yet that all is done."""
        self._tasks: list[asyncio.Task[None]] = []
        self._unsubscribe: Callable[[], None] | None = None
        self._last_number = 0
        self._status_publisher = StatusPublisher(events, self._build_status)

    def register(self, worker: Worker) -> None:
        """Add a worker, before `start`."""
        assert not self._tasks, "the background runs already"
        assert worker.kind not in {one.kind for one in self._workers}, f"two workers for {worker.kind}"
        self._workers.append(worker)
        self._queues.setdefault(worker.queue, JobQueue())
        self._wake_events.setdefault(worker.queue, asyncio.Event())
        self._slots.setdefault(worker.queue, 1)

    def set_slots(self, queue: str, slots: int) -> None:
        """Have so many jobs of a queue done at a time, one at the least. What is under way is done to its end."""
        self._slots[queue] = max(1, slots)
        self._wake_events[queue].set()
        if self._tasks:
            self._start_runners(queue)

    # --- running -------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the background tasks and return at once. A second call does nothing."""
        if self._is_enabled and not self._tasks:
            self._start_tasks()

    def _start_tasks(self) -> None:
        self._on_start()
        self._unsubscribe = self._events.subscribe(self._enqueue_event)
        self._kinds_scanning = {worker.kind for worker in self._workers}
        self._tasks = [
            asyncio.create_task(self._handle_events(), name="background: events"),
            asyncio.create_task(self._scan_all(), name="background: start"),
            asyncio.create_task(self._confirm_when_quiet(), name="background: quiet"),
        ]
        for queue in self._queues:
            self._start_runners(queue)

    def _start_runners(self, queue: str) -> None:
        """Start what runs the queue's jobs, one for each slot that has none."""
        for slot in range(self._slots[queue]):
            runner = self._runners.get((queue, slot))
            if runner is None or runner.done():
                name = f"background: {queue} {slot}"
                self._runners[queue, slot] = asyncio.create_task(self._run_queue(queue, slot), name=name)

    async def close(self) -> None:
        """Stop; unfinished work is found again at the next start."""
        if self._tasks and self._is_idle():
            with suppress(TimeoutError):
                async with asyncio.timeout(CLOSE_SECONDS):
                    await self._confirm_complete()
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None
        self._status_publisher.close()
        running_tasks = {*self._tasks, *self._runners.values()}
        for _ in range(CLOSE_ATTEMPTS):
            for task in running_tasks:
                task.cancel()
            # A task that swallows the cancellation is cancelled again: closing must not wait for ever.
            _, running_tasks = (
                await asyncio.wait(running_tasks, timeout=CLOSE_SECONDS)
                if running_tasks
                else ((), running_tasks)
            )
        if running_tasks:
            log.warning("background: %s did not end", ", ".join(task.get_name() for task in running_tasks))
        self._tasks.clear()
        self._runners.clear()

    async def wait_until_idle(self, universe_id: Id | None = None) -> None:
        """Wait until nothing is left to do (in the universe) except poisoned jobs and jobs waiting for a store."""
        if not self._tasks:
            self._start_tasks()
        if universe_id is None:
            self._update_idle()
            await self._idle.wait()
            return
        while not self._is_idle(universe_id):
            self._state_changed.clear()
            await self._state_changed.wait()

    def count_items_left(self, universe_id: Id) -> int:
        """Return the known number of items left to do in a universe."""
        return sum(one.items_left for one in self._entries.values() if one.subject.universe_id == universe_id)

    def read_longest_waits(self) -> dict[Id, float]:
        """Return by universe how many seconds the job that waits longest for its turn has waited.

        It may be called in any thread.
        """
        now, waits = self._seconds(), dict[Id, float]()
        for entry in tuple(self._entries.values()):
            if not entry.is_running and not entry.wait_reason:
                universe_id = entry.subject.universe_id
                waits[universe_id] = max(waits.get(universe_id, 0.0), now - entry.ready_since)
        return waits

    def rescan(self, kind: JobKind) -> None:
        """Have the workers of this kind list their subjects again, in a few seconds."""
        for worker in self._workers:
            if worker.kind is kind and self._tasks:
                self._rescan_soon(worker)

    def retry_now(self, queue_name: str) -> None:
        """Try at once what waits in a queue, and look for more: what it waited for may be there."""
        for worker in self._workers:
            if worker.queue != queue_name:
                continue
            self._paused_kinds.pop(worker.kind, None)
            for entry in self._entries.values():
                if entry.worker is worker and entry.wait_reason and not entry.waits_after_failure:
                    entry.wait_reason = ""
                    self._put_ready(entry)
            self._wake_events[queue_name].set()
            if self._tasks:
                self._rescan_soon(worker)

    def request(self, kind: JobKind, subject: JobSubject, *, urgent: bool = False) -> None:
        for worker in self._workers:
            if worker.kind is kind:
                self._enqueue(worker, subject, urgent=urgent)

    # --- status -------------------------------------------------------------------------------

    def current_status(self) -> BackgroundView:
        """Return the status as far as it is known without reading a store."""
        self._status_publisher.note_read()
        return self._build_status()

    def _build_status(self) -> BackgroundView:
        return build_background_view(
            self._workers,
            self._entries.values(),
            tuple(self._poisoned_jobs.values()),
            self._extra_rows(),
            self._scan_problems,
        )

    async def read_status(self) -> BackgroundView:
        if not self._tasks:
            self._poisoned_jobs = {
                (job.kind, job.subject_id): job for job in await self._store.list_poisoned()
            }
        view = self.current_status()
        return view.with_names(await self._names([job.subject_id for job in view.poisoned]))

    async def retry(self, job_id: Id) -> None:
        """Try a poisoned job again, from its first attempt."""
        # The store has one that was running for the last time when the program was killed as running still.
        poisoned_jobs = (*self._poisoned_jobs.values(), *await self._store.list_poisoned())
        poisoned_job = next((job for job in poisoned_jobs if job.id == job_id), None)
        if poisoned_job is None:
            raise InputError("That job does not wait for a retry any more.", kept="Nothing was changed.")
        await self._store.clear_failure(poisoned_job.kind, poisoned_job.subject_id)
        self._poisoned_jobs.pop((poisoned_job.kind, poisoned_job.subject_id), None)
        self.request(
            poisoned_job.kind, JobSubject(poisoned_job.subject_id, poisoned_job.universe_id), urgent=True
        )
        self._publish_change()

    # --- finding work --------------------------------------------------------------------------

    def _enqueue_event(self, event: Event) -> None:
        if not isinstance(event, _IGNORED_EVENTS):
            self._inbox.append(event)
            self._idle.clear()
            self._event_arrived.set()

    async def _handle_events(self) -> None:
        """Ask every worker what each event touched."""
        while True:
            await self._event_arrived.wait()
            self._event_arrived.clear()
            while self._inbox:
                self._is_handling_event = True
                event = self._inbox.popleft()
                for worker in self._workers:
                    try:
                        for subject in await worker.on_event(event):
                            self._enqueue(worker, subject, urgent=True)
                    except RetryLater:
                        self._rescan_soon(worker)
                    except Exception as error:  # noqa: BLE001 - logged; then everything is scanned again
                        self._log_failure(worker, "an event", error)
                        self._rescan_soon(worker)
                self._is_handling_event = False
            self._publish_change()

    async def _scan_all(self) -> None:
        """Find what the last run left unfinished, and what others changed in the library."""
        await self._retry_until_done("what failed before", self._load_failures)
        for worker in sorted(self._workers, key=lambda one: -one.priority):
            await self._scan(worker)

    async def _confirm_when_quiet(self) -> None:
        while True:
            await self._unconfirmed.wait()
            await self._idle.wait()
            await asyncio.sleep(QUIET_SECONDS)
            if self._is_idle():
                await self._confirm_complete()

    async def _confirm_complete(self) -> None:
        """Have workers with nothing left to do store it; what they find to be out of date after all is done."""
        if not self._unconfirmed.is_set():
            return
        self._unconfirmed.clear()
        for worker in self._workers:
            if any(kind is worker.kind for kind, _ in self._entries):
                continue
            try:
                for subject in await worker.confirm_complete():
                    self._enqueue(worker, subject)
            except Exception as error:  # noqa: BLE001 - logged; the next start looks again from where it was
                self._log_failure(worker, "what is done", error)

    def _rescan_soon(self, worker: Worker) -> None:
        async def rescan() -> None:
            await asyncio.sleep(STORE_SECONDS)
            await self._scan(worker)

        if worker.kind not in self._kinds_scanning:
            self._kinds_scanning.add(worker.kind)
            self._tasks = [task for task in self._tasks if not task.done()]
            self._tasks.append(asyncio.create_task(rescan(), name=f"background: {worker.kind} again"))

    async def _scan(self, worker: Worker) -> None:
        async def scan() -> None:
            for subject in await worker.subjects():
                self._enqueue(worker, subject)

        await self._retry_until_done(worker.kind, scan)
        self._kinds_scanning.discard(worker.kind)
        self._unconfirmed.set()
        self._publish_change()

    async def _load_failures(self) -> None:
        for job in await self._store.list_failed():
            key = job.kind, job.subject_id
            if job.attempts >= MAX_FAILURES:
                self._poisoned_jobs[key] = job
            else:
                self._failed_jobs[key] = job
                self.request(job.kind, JobSubject(job.subject_id, job.universe_id))

    async def _retry_until_done(self, what: str, work: Callable[[], Awaitable[None]]) -> None:
        wait = STORE_SECONDS
        while True:
            try:
                await work()
                self._scan_problems.pop(what, None)
                return
            except RetryLater as error:
                seconds = error.seconds
                self._scan_problems[what] = error.what
                log.info("background: looking for %s: %s", what, error)
            except Exception as error:
                seconds, wait = wait, min(MAX_RETRY_SECONDS, wait * 2)
                self._scan_problems[what] = str(error)
                log.warning("background: looking for %s: %s", what, error, exc_info=_unexpected_error(error))
            self._publish_change()
            await asyncio.sleep(seconds)

    def _enqueue(self, worker: Worker, subject: JobSubject, *, urgent: bool = False) -> None:
        """Queue a job once, however often it is requested."""
        key = worker.kind, subject.id
        if key in self._poisoned_jobs:
            if not urgent:
                return
            # Its subject has changed: it gets one more try, as if it had failed once less.
            job = self._poisoned_jobs.pop(key)
            self._failed_jobs[key] = job.model_copy(update={"attempts": MAX_FAILURES - 1})
        entry = self._entries.get(key)
        self._idle.clear()
        if entry is None:
            self._last_number += 1
            entry = QueueEntry(worker, subject, self._last_number, urgent, items_left=subject.items)
            if key in self._failed_jobs:
                entry.attempts = self._failed_jobs.pop(key).attempts
            self._entries[key] = entry
        elif entry.is_running:
            entry.rerun, entry.urgent = True, entry.urgent or urgent
            return
        elif entry.wait_reason and not (urgent and entry.waits_after_failure):
            # A change does not bring an unreachable store back, but its next try may be due.
            self._wake_events[worker.queue].set()
            return
        elif urgent and (entry.wait_reason or not entry.urgent):
            entry.urgent, entry.wait_reason, entry.waits_after_failure = True, "", False
        else:
            return
        self._put_ready(entry)
        self._wake_events[worker.queue].set()
        self._status_publisher.schedule()

    def _put_ready(self, entry: QueueEntry) -> None:
        entry.ready_since = self._seconds()
        self._queues[entry.worker.queue].put(entry)

    # --- doing work ------------------------------------------------------------------------------------

    async def _run_queue(self, name: str, slot: int) -> None:
        """Do the jobs of a queue one after another, as long as it has this slot."""
        queue, wake_event = self._queues[name], self._wake_events[name]
        store_wait_seconds = 0.0
        while slot < self._slots[name]:
            await self._refresh_shares(queue)
            entry = queue.take_next(self._seconds())
            if entry is None:
                self._update_idle()
                due = queue.next_due()
                wake_event.clear()
                with suppress(TimeoutError):
                    async with asyncio.timeout(None if due is None else max(0.0, due - self._seconds())):
                        await wake_event.wait()
                continue
            kind = entry.worker.kind
            if kind in self._paused_kinds and self._paused_kinds[kind][0] > self._seconds():
                self._postpone(queue, entry, *self._paused_kinds[kind])
                continue
            entry.is_running, entry.rerun, entry.waits_after_failure, entry.wait_reason = (
                True,
                False,
                False,
                "",
            )
            try:
                with self._telemetry.span(MeasuredOperation.JOB, kind, _records_of(entry.subject)) as span:
                    span.waited_seconds = max(0.0, self._seconds() - entry.ready_since)
                    try:
                        reason = await self._find_reason_to_hold(entry)
                        if reason:
                            raise RetryLater(reason, seconds=HOLD_SECONDS)
                        await self._process(entry)
                    except (RetryLater, StoreUnavailable):
                        span.outcome = SpanOutcome.POSTPONED
                        raise
                store_wait_seconds = 0.0
            except RetryLater as error:
                self._pause(kind, queue, entry, error.what, error.seconds, error.whole_kind)
            except StoreUnavailable as error:
                store_wait_seconds = min(MAX_RETRY_SECONDS, store_wait_seconds * 2 or STORE_SECONDS)
                self._pause(kind, queue, entry, error.what, store_wait_seconds, True)
            except Exception as error:  # noqa: BLE001 - a worker's crash is logged and the job tried again
                await self._fail(queue, entry, error)
            finally:
                entry.is_running = False
            self._publish_change()
            await asyncio.sleep(YIELD_SECONDS)
        wake_event.set()  # what this slot put back is left to the others, which may be waiting for longer

    async def _find_reason_to_hold(self, entry: QueueEntry) -> str:
        """Return why a job that asks a model is postponed; what is under way in its universe is on no bill yet."""
        kind, subject = entry.worker.kind, entry.subject
        if not subject.tokens:
            return ""
        tokens = sum(
            one.subject.tokens
            for one in self._entries.values()
            if one.is_running and one.subject.universe_id == subject.universe_id
        )
        return await self._find_hold(kind, subject._replace(tokens=tokens))

    async def _refresh_shares(self, queue: JobQueue) -> None:
        """Read the universes' shares again if several have jobs that are ready."""
        universe_ids = queue.ready_universes()
        if len(universe_ids) < 2:
            return
        is_known = queue.shares.keys() >= set(universe_ids)
        if is_known and self._seconds() - self._shares_read_at < SHARE_SECONDS:
            return
        try:
            shares = await self._read_shares(universe_ids)
        except MonitorError as error:
            log.info("background: the shares of universes were not read: %s", error)
            shares = {}
        queue.shares = {u: shares.get(u, queue.shares.get(u, 1)) for u in universe_ids}
        self._shares_read_at = self._seconds()

    async def _process(self, entry: QueueEntry) -> None:
        self._unconfirmed.set()
        worker, subject = entry.worker, entry.subject
        if entry.attempts:
            await self._store.record_start(worker.kind, subject, entry.attempts + 1, priority=worker.priority)
        entry.items_left = await worker.reconcile(subject.id)
        self._logged_reasons.pop(worker.kind, None)
        if entry.attempts:
            entry.attempts = 0
            await self._store.clear_failure(worker.kind, subject.id)
        if entry.items_left or entry.rerun:
            entry.items_left = max(1, entry.items_left)  # what was requested meanwhile is not done
            self._put_ready(entry)
        else:
            del self._entries[entry.key]
            for kind in self._follow_ups.get(worker.kind, ()):
                self.request(kind, subject._replace(items=1), urgent=entry.urgent)

    def _pause(
        self, kind: JobKind, queue: JobQueue, entry: QueueEntry, reason: str, seconds: float, whole_kind: bool
    ) -> None:
        """Try again later: this job or, with `whole_kind`, all of its kind."""
        until = self._seconds() + seconds
        if whole_kind:
            if self._logged_reasons.get(kind) != reason:
                self._logged_reasons[kind] = reason
                log.info("background: %s waits: %s", kind, reason)
            self._paused_kinds[kind] = until, reason
        self._postpone(queue, entry, until, reason)

    def _postpone(self, queue: JobQueue, entry: QueueEntry, until: float, reason: str) -> None:
        entry.wait_reason, entry.ready_since = reason or "it waits", until
        queue.put(entry, due=until)

    async def _fail(self, queue: JobQueue, entry: QueueEntry, error: Exception) -> None:
        entry.attempts += 1
        kind, subject = entry.worker.kind, entry.subject
        self._log_failure(entry.worker, subject.id, error)
        is_poisoned = entry.attempts >= MAX_FAILURES
        seconds = min(MAX_RETRY_SECONDS, 2.0 ** (entry.attempts - 1))
        error_text = error.what if isinstance(error, MonitorError) else f"{type(error).__name__}: {error}"
        try:
            retry_in = None if is_poisoned else timedelta(seconds=seconds)
            await self._store.record_failure(
                kind, subject, entry.attempts, error_text, retry_in, priority=entry.worker.priority
            )
        except MonitorError as store_error:
            log.warning("background: the failure was not written down: %s", store_error)
            is_poisoned = False
        if is_poisoned:
            await self._poison(entry)
        else:
            entry.wait_reason, entry.waits_after_failure = error_text, True
            entry.ready_since = self._seconds() + seconds
            queue.put(entry, due=entry.ready_since)

    async def _poison(self, entry: QueueEntry) -> None:
        del self._entries[entry.key]
        poisoned_id = derive_job_id(*entry.key)
        self._poisoned_jobs[entry.key] = next(
            job for job in await self._store.list_poisoned() if job.id == poisoned_id
        )
        notice_text = (
            f"Work in the background failed {MAX_FAILURES} times and waits for you: System shows it."
        )
        self._events.publish(Notice(notice_text, "warning"))

    # --- publishing -------------------------------------------------------------------------------------

    def _publish_change(self) -> None:
        self._status_publisher.schedule()
        self._update_idle()

    def _update_idle(self) -> None:
        if self._is_idle():
            self._idle.set()
        else:
            self._idle.clear()
        self._state_changed.set()

    def _is_idle(self, universe_id: Id | None = None) -> bool:
        """Say whether no event or scan is pending and all other work (of the universe) waits for something."""
        open_entries = (e for e in self._entries.values() if universe_id in (None, e.subject.universe_id))
        are_all_waiting = all(
            one.wait_reason and not one.waits_after_failure and not one.is_running for one in open_entries
        )
        return are_all_waiting and not (self._inbox or self._is_handling_event or self._kinds_scanning)

    def _log_failure(self, worker: Worker, subject_text: str, error: Exception) -> None:
        log.warning(
            "background: %s of %s: %s", worker.kind, subject_text, error, exc_info=_unexpected_error(error)
        )


def _records_of(subject: JobSubject) -> SpanRecords:
    return SpanRecords(universe_id=subject.universe_id, subject_id=subject.id)


def _unexpected_error(error: Exception) -> Exception | None:
    """Return the error if its traceback should be logged, because it is none of ours."""
    return None if isinstance(error, MonitorError) else error
