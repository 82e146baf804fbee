"""Has the pieces of a worker done on other machines, and looks at what they have done."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from typing import Final

from agents.events import Event
from agents.jobs.remote_messages import DoPiece
from agents.jobs.worker import JobSubject, RetryLater, Worker
from agents.jobs.worker_pool import PieceTaken, WorkerPool
from agents.jobs.worker_process import ProcessLost
from agents.telemetry.spans import NO_TELEMETRY, Telemetry
from stores.records.ids import Id
from stores.records.jobs import JobKind

MAX_EVENTS: Final = 200
"""Events that are noted of one subject; of more, the first are dropped: the look at the end makes up for them."""


class RemoteWorker:
    """Passes pieces on to the pool. Implements `agents.jobs.worker.Worker`.

    What there is to do, the worker here finds. Once another machine says that a subject is done, the worker here looks
    at it as well: a piece of work that is up to date is cheap and writes nothing. So what a worker missed, did by what
    it remembered, or did after its lease had ended, is found and made up for. `is_remote` says which subjects may be
    done elsewhere.

    A worker that is lost may go on until its lease has ended for it, too, and what it sent to an index may be done
    only after others have compared the subject and noted that it is right. So a subject that was taken from its worker
    is not done before one more lease is over; then `distrust` is called, and it is looked at.
    """

    def __init__(
        self,
        local_worker: Worker,
        pool: WorkerPool,
        *,
        skill: str = "",
        is_remote: Callable[[Id], bool] = lambda subject_id: True,
        distrust: Callable[[Id], None] = lambda subject_id: None,
        telemetry: Telemetry = NO_TELEMETRY,
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        self._local_worker = local_worker
        self._pool = pool
        self._skill = skill or str(local_worker.kind)
        self._is_remote = is_remote
        self._distrust = distrust
        self._telemetry = telemetry
        self._events: dict[Id, list[Event]] = {}
        """What was published of each subject since it was last done."""
        self._seconds = seconds
        self._may_be_written_until: dict[Id, float] = {}
        """Until when a lost worker may still write of a subject that was taken from it, and not looked at since."""

    @property
    def kind(self) -> JobKind:
        return self._local_worker.kind

    @property
    def queue(self) -> str:
        return self._local_worker.queue

    @property
    def priority(self) -> int:
        return self._local_worker.priority

    @property
    def skill(self) -> str:
        """What a worker elsewhere has to be able to do."""
        return self._skill

    async def subjects(self) -> Collection[JobSubject]:
        return await self._local_worker.subjects()

    async def on_event(self, event: Event) -> Collection[JobSubject]:
        subjects = await self._local_worker.on_event(event)
        for subject in subjects:
            self._events[subject.id] = [*self._events.get(subject.id, ()), event][-MAX_EVENTS:]
        return subjects

    async def confirm_complete(self) -> Collection[JobSubject]:
        return await self._local_worker.confirm_complete()

    async def reconcile(self, subject_id: Id) -> int:
        if not self._is_remote(subject_id):
            return await self._local_worker.reconcile(subject_id)
        events = self._events.pop(subject_id, [])
        try:
            answer = await self._pool.work(self._skill, DoPiece(self.kind, subject_id, tuple(events)))
        except BaseException as error:
            self._note_events(subject_id, events)
            if isinstance(error, PieceTaken | ProcessLost):
                self._may_be_written_until[subject_id] = self._seconds() + self._pool.lease_seconds
            raise
        if answer.span is not None:
            self._telemetry.record(answer.span)
        if answer.items_left:
            self._note_events(subject_id, events)  # the rest may be done by another
            return answer.items_left
        if subject_id in self._may_be_written_until:
            wait_seconds = self._may_be_written_until[subject_id] - self._seconds()
            if wait_seconds > 0:
                raise RetryLater("A lost worker may still write of it.", seconds=wait_seconds)
            del self._may_be_written_until[subject_id]
            self._distrust(subject_id)
        return await self._local_worker.reconcile(subject_id)

    def _note_events(self, subject_id: Id, earlier_events: list[Event]) -> None:
        """Note again what was published before anything that is noted."""
        if events := [*earlier_events, *self._events.get(subject_id, ())][-MAX_EVENTS:]:
            self._events[subject_id] = events
