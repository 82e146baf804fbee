"""The background: workers run beside play, one at a time a lane, and play never waits for them.

Source: design/loops.md, "Background"; `agents.background.worker` says what a worker is promised.
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

from agents.background.jobs import JobBook
from agents.background.lane import Entry, Lane
from agents.background.telling import Telling, shown
from agents.background.views import BackgroundView
from agents.background.worker import FAILURES, Later, Subject, Worker
from agents.messages import (
    BackgroundMoved,
    Event,
    EventBus,
    ModelCalled,
    Notice,
    StepMoved,
    WordsCame,
    WordsDropped,
)
from stores.errors import InputError, MonitorError, StoreUnavailable
from stores.records.ids import Id
from stores.records.jobs import Job, JobKind, job_id

Names = Callable[[Sequence[Id]], Awaitable[Mapping[Id, str]]]
"""What subjects are called."""

STORE_SECONDS: Final = 5.0
"""Until a store that did not answer is tried again; twice as long each time, to a minute."""

LONGEST: Final = 60.0
CLOSE_SECONDS: Final = 2.0
CLOSINGS: Final = 5
"""How often whoever works is told to stop, and how long each time is waited."""
BREATH: Final = 0.002
"""Between two pieces: whoever waits for the loop is served before we go on."""

_NOT_OURS: Final = (BackgroundMoved, ModelCalled, Notice, StepMoved, WordsCame, WordsDropped)
"""Events that come in hundreds, or from here, and touch nothing."""

log = logging.getLogger("monitor.background")


async def no_names(ids: Sequence[Id]) -> Mapping[Id, str]:
    return {}


class Runner:
    """Implements `agents.background.views.BackgroundDesk` and `agents.background.worker.Asks`.

    `rows` are what others have to say on the System screen; `seconds` is the clock that waits are timed by.
    What a worker has done is looked at by those whom `then` names for its kind, of the same subject.
    Unless it `works`, `start` does nothing: then things are done by `settle` alone.
    """

    def __init__(
        self,
        book: JobBook,
        events: EventBus,
        *,
        names: Names = no_names,
        rows: Callable[[], tuple[tuple[str, str], ...]] = lambda: (),
        seconds: Callable[[], float] = time.monotonic,
        then: Mapping[JobKind, tuple[JobKind, ...]] = MappingProxyType({}),
        works: bool = True,
    ) -> None:
        self._then = then
        self._works = works
        self._book = book
        self._events = events
        self._names = names
        self._rows = rows
        self._seconds = seconds
        self._workers: list[Worker] = []
        self._lanes: dict[str, Lane] = {}
        self._wakes: dict[str, asyncio.Event] = {}
        self._entries: dict[tuple[JobKind, Id], Entry] = {}
        self._poisoned: dict[tuple[JobKind, Id], Job] = {}
        self._failed: dict[tuple[JobKind, Id], Job] = {}
        self._parked: dict[JobKind, tuple[float, str]] = {}
        self._told: dict[JobKind, str] = {}
        self._inbox: deque[Event] = deque()
        self._came = asyncio.Event()
        self._quiet = asyncio.Event()
        self._stirred = asyncio.Event()
        self._looking: set[JobKind] = set()
        self._hearing = False
        self._tasks: list[asyncio.Task[None]] = []
        self._leave: Callable[[], None] | None = None
        self._numbers = 0
        self._telling = Telling(events, self.now)

    def register(self, worker: Worker) -> None:
        """Take a worker in. Before `start`."""
        assert not self._tasks, "the background runs already"
        assert worker.kind not in {one.kind for one in self._workers}, f"two workers for {worker.kind}"
        self._workers.append(worker)
        self._lanes.setdefault(worker.lane, Lane())
        self._wakes.setdefault(worker.lane, asyncio.Event())

    # --- running -------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin; returns at once. Twice is once."""
        if self._works and not self._tasks:
            self._begin()

    def _begin(self) -> None:
        self._leave = self._events.subscribe(self._hear)
        self._looking = {worker.kind for worker in self._workers}
        self._tasks = [
            asyncio.create_task(self._listen(), name="background: events"),
            asyncio.create_task(self._look_everywhere(), name="background: start"),
            *(asyncio.create_task(self._run(lane), name=f"background: {lane}") for lane in self._lanes),
        ]

    async def close(self) -> None:
        """Stop where it stands: what is half done is found again at the next start."""
        if self._leave is not None:
            self._leave()
            self._leave = None
        self._telling.close()
        left = set(self._tasks)
        for _ in range(CLOSINGS):
            for task in left:
                task.cancel()
            # A task that swallows it is told again: whoever closes must not wait for ever.
            _, left = await asyncio.wait(left, timeout=CLOSE_SECONDS) if left else ((), left)
        if left:
            log.warning("background: %s did not end", ", ".join(task.get_name() for task in left))
        self._tasks.clear()

    async def settle(self, universe_id: Id | None = None) -> None:
        """Return when nothing is left to do (of the universe) but what is poisoned or waits for a store."""
        if not self._tasks:
            self._begin()
        if universe_id is None:
            self._look_if_quiet()
            await self._quiet.wait()
            return
        while not self._is_quiet(universe_id):
            self._stirred.clear()
            await self._stirred.wait()

    def left_of(self, universe_id: Id) -> int:
        """What is left to do of a universe (items, as far as it is known)."""
        return sum(one.left for one in self._entries.values() if one.subject.universe_id == universe_id)

    def ask(self, kind: JobKind, subject: Subject, *, urgent: bool = False) -> None:
        for worker in self._workers:
            if worker.kind is kind:
                self._put(worker, subject, urgent=urgent)

    # --- how it stands -------------------------------------------------------------------------------

    def now(self) -> BackgroundView:
        """How it stands, as far as it is known without a store."""
        return shown(self._workers, self._entries.values(), tuple(self._poisoned.values()), self._rows())

    async def look(self) -> BackgroundView:
        if not self._tasks:
            self._poisoned = {(job.kind, job.subject_id): job for job in await self._book.poisoned()}
        view = self.now()
        return view.named(await self._names([job.subject_id for job in view.poisoned]))

    async def retry(self, job_id: Id) -> None:
        """Try a poisoned job again, from its first attempt."""
        found = next((job for job in await self._book.poisoned() if job.id == job_id), None)
        if found is None:
            raise InputError("That job waits for nobody any more.", kept="Nothing was changed.")
        await self._book.done(found.kind, found.subject_id)
        self._poisoned.pop((found.kind, found.subject_id), None)
        self.ask(found.kind, Subject(found.subject_id, found.universe_id), urgent=True)
        self._moved()

    # --- what may be behind --------------------------------------------------------------------------

    def _hear(self, event: Event) -> None:
        if not isinstance(event, _NOT_OURS):
            self._inbox.append(event)
            self._quiet.clear()
            self._came.set()

    async def _listen(self) -> None:
        """Ask every worker what each event touched."""
        while True:
            await self._came.wait()
            self._came.clear()
            while self._inbox:
                self._hearing = True
                event = self._inbox.popleft()
                for worker in self._workers:
                    try:
                        for subject in await worker.touched(event):
                            self._put(worker, subject, urgent=True)
                    except Exception as error:  # noqa: BLE001 - logged; then it is looked for everywhere
                        self._note(worker, "an event", error)
                        self._look_again_soon(worker)
                self._hearing = False
            self._moved()

    async def _look_everywhere(self) -> None:
        """What was left behind by the last run, and by whoever changed the library without us."""
        await self._until_it_answers("what failed before", self._recall_failures)
        for worker in sorted(self._workers, key=lambda one: -one.priority):
            await self._look(worker)

    def _look_again_soon(self, worker: Worker) -> None:
        async def look() -> None:
            await asyncio.sleep(STORE_SECONDS)
            await self._look(worker)

        if worker.kind not in self._looking:
            self._looking.add(worker.kind)
            self._tasks = [task for task in self._tasks if not task.done()]
            self._tasks.append(asyncio.create_task(look(), name=f"background: {worker.kind} again"))

    async def _look(self, worker: Worker) -> None:
        async def look() -> None:
            for subject in await worker.subjects():
                self._put(worker, subject)

        await self._until_it_answers(worker.kind, look)
        self._looking.discard(worker.kind)
        self._moved()

    async def _recall_failures(self) -> None:
        for job in await self._book.unfinished():
            key = job.kind, job.subject_id
            if job.attempts >= FAILURES:
                self._poisoned[key] = job
            else:
                self._failed[key] = job
                self.ask(job.kind, Subject(job.subject_id, job.universe_id))

    async def _until_it_answers(self, what: str, work: Callable[[], Awaitable[None]]) -> None:
        wait = STORE_SECONDS
        while True:
            try:
                return await work()
            except Exception as error:
                log.warning("background: looking for %s: %s", what, error, exc_info=_odd(error))
            await asyncio.sleep(wait)
            wait = min(LONGEST, wait * 2)

    def _put(self, worker: Worker, subject: Subject, *, urgent: bool = False) -> None:
        """Have it done: once, however often it is asked for."""
        key = worker.kind, subject.id
        if key in self._poisoned:
            if not urgent:
                return
            # Something about it has changed: one more chance, as if it had failed once less.
            job = self._poisoned.pop(key)
            self._failed[key] = job.model_copy(update={"attempts": FAILURES - 1})
        entry = self._entries.get(key)
        self._quiet.clear()
        if entry is None:
            self._numbers += 1
            entry = Entry(worker, subject, self._numbers, urgent, left=subject.items)
            if key in self._failed:
                entry.attempts = self._failed.pop(key).attempts
            self._entries[key] = entry
        elif entry.running:
            entry.again, entry.urgent = True, entry.urgent or urgent
            return
        elif entry.waits and not (urgent and entry.counted):
            # A store that is away stays away whatever is touched; but its time may have come.
            self._wakes[worker.lane].set()
            return
        elif urgent and (entry.waits or not entry.urgent):
            entry.urgent, entry.waits, entry.counted = True, "", False
        else:
            return
        self._lanes[worker.lane].put(entry)
        self._wakes[worker.lane].set()
        self._telling.moved()

    # --- doing it ------------------------------------------------------------------------------------

    async def _run(self, name: str) -> None:
        lane, wake = self._lanes[name], self._wakes[name]
        waits_for_store = 0.0
        while True:
            entry = lane.take(self._seconds())
            if entry is None:
                self._look_if_quiet()
                due = lane.next_due()
                wake.clear()
                with suppress(TimeoutError):
                    async with asyncio.timeout(None if due is None else max(0.0, due - self._seconds())):
                        await wake.wait()
                continue
            kind = entry.worker.kind
            if kind in self._parked and self._parked[kind][0] > self._seconds():
                self._wait(lane, entry, *self._parked[kind])
                continue
            entry.running, entry.again, entry.counted, entry.waits = True, False, False, ""
            try:
                await self._bring(entry)
                waits_for_store = 0.0
            except Later as error:
                self._park(kind, lane, entry, error.what, error.seconds, error.everything)
            except StoreUnavailable as error:
                waits_for_store = min(LONGEST, waits_for_store * 2 or STORE_SECONDS)
                self._park(kind, lane, entry, error.what, waits_for_store, True)
            except Exception as error:  # noqa: BLE001 - a worker's crash is its own: logged, tried again
                await self._fail(lane, entry, error)
            finally:
                entry.running = False
            self._moved()
            await asyncio.sleep(BREATH)

    async def _bring(self, entry: Entry) -> None:
        worker, subject = entry.worker, entry.subject
        if entry.attempts:
            await self._book.begin(worker.kind, subject, entry.attempts + 1)
        entry.left = await worker.bring(subject.id)
        self._told.pop(worker.kind, None)
        if entry.attempts:
            entry.attempts = 0
            await self._book.done(worker.kind, subject.id)
        if entry.left or entry.again:
            self._lanes[worker.lane].put(entry)
        else:
            del self._entries[entry.key]
            for kind in self._then.get(worker.kind, ()):
                self.ask(kind, subject._replace(items=1), urgent=entry.urgent)

    def _park(
        self, kind: JobKind, lane: Lane, entry: Entry, why: str, seconds: float, everything: bool
    ) -> None:
        """Try again later: this, or `everything` of its kind, since it would go the same way."""
        until = self._seconds() + seconds
        if everything:
            if self._told.get(kind) != why:
                self._told[kind] = why
                log.info("background: %s waits: %s", kind, why)
            self._parked[kind] = until, why
        self._wait(lane, entry, until, why)

    def _wait(self, lane: Lane, entry: Entry, until: float, why: str) -> None:
        entry.waits = why or "it waits"
        lane.put(entry, at=until)

    async def _fail(self, lane: Lane, entry: Entry, error: Exception) -> None:
        entry.attempts += 1
        kind, subject = entry.worker.kind, entry.subject
        self._note(entry.worker, subject.id, error)
        poisoned = entry.attempts >= FAILURES
        seconds = min(LONGEST, 2.0 ** (entry.attempts - 1))
        words = error.what if isinstance(error, MonitorError) else f"{type(error).__name__}: {error}"
        try:
            again = None if poisoned else timedelta(seconds=seconds)
            await self._book.failed(kind, subject, entry.attempts, words, again)
        except MonitorError as unwritten:
            log.warning("background: the failure was not written down: %s", unwritten)
            poisoned = False
        if poisoned:
            await self._poison(entry)
        else:
            entry.waits, entry.counted = words, True
            lane.put(entry, at=self._seconds() + seconds)

    async def _poison(self, entry: Entry) -> None:
        del self._entries[entry.key]
        wanted = job_id(*entry.key)
        self._poisoned[entry.key] = next(job for job in await self._book.poisoned() if job.id == wanted)
        told = f"Work in the background failed {FAILURES} times and waits for you: System shows it."
        self._events.publish(Notice(told, "warning"))

    # --- telling -------------------------------------------------------------------------------------

    def _moved(self) -> None:
        self._telling.moved()
        self._look_if_quiet()

    def _look_if_quiet(self) -> None:
        if self._is_quiet():
            self._quiet.set()
        else:
            self._quiet.clear()
        self._stirred.set()

    def _is_quiet(self, universe_id: Id | None = None) -> bool:
        """Quiet is: nothing to hear, nothing to look for, and whatever is left (of the universe) waits for
        somebody else."""
        left = (e for e in self._entries.values() if universe_id in (None, e.subject.universe_id))
        waiting = all(one.waits and not one.counted and not one.running for one in left)
        return waiting and not (self._inbox or self._hearing or self._looking)

    def _note(self, worker: Worker, what: str, error: Exception) -> None:
        log.warning("background: %s of %s: %s", worker.kind, what, error, exc_info=_odd(error))


def _odd(error: Exception) -> Exception | None:
    """What is not ours is logged with where it came from."""
    return None if isinstance(error, MonitorError) else error
