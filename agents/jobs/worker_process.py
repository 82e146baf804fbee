"""Runs background workers in a process of their own, so that they take no time from the one that draws the screen.

The process ends with this one. If it is killed or hangs, it is started again when it is next needed, and its
workers look everywhere again: what they had noted is lost, and they compare what is there.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import nullcontext
from typing import Final, assert_never

from agents.events import Event
from agents.jobs.running_process import ProcessEnd, RunningProcess, WriteForProcess
from agents.jobs.worker import MAX_FAILURES, JobSubject, RetryLater
from agents.jobs.worker_pipe import (
    ConfirmComplete,
    Done,
    Failure,
    ListSubjects,
    NoteEvent,
    Postponed,
    Reconcile,
    WorkAnswer,
    WorkRequest,
)
from agents.telemetry.spans import NO_TELEMETRY, Telemetry
from stores.errors import MonitorError
from stores.records.ids import Id
from stores.records.jobs import JobKind

START_SECONDS: Final = 60.0
"""It starts in half a second, but a busy or cold machine takes many times that."""

ANSWER_SECONDS: Final = 60.0
"""A piece of work takes about a second; a process that has not answered by then hangs."""

RETRY_SECONDS: Final = 1.0
MAX_RETRY_SECONDS: Final = 60.0

PIECES_ALONE: Final = 1_000
"""Pieces of work that are done one at a time after the process was lost: if it is lost again, one is to blame."""

log = logging.getLogger("monitor.background")


class ProcessLost(MonitorError):
    """The process ended, or hung and was ended. `unfinished` is the work that was under way."""

    def __init__(self, what: str, unfinished: frozenset[Reconcile] = frozenset()) -> None:
        super().__init__(what)
        self.unfinished = unfinished


class ProcessNotStarted(MonitorError):
    """The process could not be started; it is tried again after `seconds`."""

    def __init__(self, what: str, *, kept: str = "", todo: str = "", seconds: float) -> None:
        super().__init__(what, kept=kept, todo=todo)
        self.seconds = seconds


class WorkerProcess:
    """The process, started when it is first asked.

    `arguments` are those of the Python interpreter; the process serves with `serve_workers`. `on_lost` is called
    whenever it was lost: have the `subjects` of its workers read again. `on_not_started` is called when it could
    not be started MAX_FAILURES times in a row.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        write: WriteForProcess,
        on_lost: Callable[[], None],
        on_not_started: Callable[[ProcessNotStarted], None] = lambda error: None,
        answer_seconds: float = ANSWER_SECONDS,
    ) -> None:
        self._arguments = arguments
        self._write = write
        self._on_lost = on_lost
        self._on_not_started = on_not_started
        self._answer_seconds = answer_seconds
        self._start_lock = asyncio.Lock()
        self._process: RunningProcess | None = None
        self._is_closed = False
        self._kills: set[asyncio.Task[None]] = set()
        """Under way: each is waited for even if whoever began it is cancelled."""
        self._work_lock = asyncio.Lock()
        self._pieces_alone = 0
        """How many pieces are still done one at a time."""
        self._start_failure = Failure("")
        """Why it could not be started last."""
        self._start_failure_count = 0
        """How often in a row."""
        self._next_start = 0.0
        """When it may be started again, by the clock of the event loop."""

    @property
    def pid(self) -> int | None:
        """The process's number, if one runs and is ready."""
        return self._process.pid if self._process is not None and self._process.is_ready else None

    async def work(self, request: Reconcile) -> WorkAnswer:
        """Have a piece of work done; see `ask`. After a loss, one is done at a time."""
        async with self._work_lock if self._pieces_alone else nullcontext():
            answer = await self.ask(request)
        self._pieces_alone = max(0, self._pieces_alone - 1)
        return answer

    async def ask(self, request: WorkRequest) -> WorkAnswer:
        """Return the answer.

        Raises ProcessLost, ProcessNotStarted, the worker's RetryLater, or MonitorError with the words of what else
        it raised.
        """
        process = await self._ensure_process()
        answer = await process.ask(request, self._answer_seconds)
        match answer:
            case WorkAnswer():
                return answer
            case Postponed(what, seconds, whole_kind):
                raise RetryLater(what, seconds=seconds, whole_kind=whole_kind)
            case Failure():
                raise _worker_error(answer)
            case ProcessEnd() if self._is_closed:
                raise _closing_error()
            case ProcessEnd(unfinished):
                await self._lose(process)
                raise ProcessLost("The process behind play ended while it worked on this.", unfinished)
            case _:
                assert_never(answer)

    async def close(self) -> None:
        """End the process, or its start. Requests that wait raise ProcessLost."""
        self._is_closed = True
        async with self._start_lock:
            process, self._process = self._process, None
        if process is not None:
            await process.end()
        await asyncio.gather(*self._kills)

    async def _ensure_process(self) -> RunningProcess:
        """Return the process, started if need be. Raises ProcessLost if it is closed, or ProcessNotStarted."""
        if self._process is not None and self._process.is_ready and self._process.has_ended:
            await self._lose(self._process)
        async with self._start_lock:
            if self._is_closed:
                raise _closing_error()
            if self._process is None:
                self._process = await self._start()
            process = self._process
        match await process.wait_until_ready(START_SECONDS):
            case Done():
                self._start_failure_count = 0
                return process
            case Failure() as failure:
                pass
            case ProcessEnd():
                failure = _start_failure("it ended at once")
        if self._is_closed:
            raise _closing_error()
        if self._process is process:
            self._process = None
            self._note_start_failure(failure)
            await self._kill(process)
        raise self._start_error()

    async def _start(self) -> RunningProcess:
        """Raises ProcessNotStarted."""
        if asyncio.get_running_loop().time() < self._next_start:
            raise self._start_error()
        try:
            return await RunningProcess.start(self._arguments, self._write)
        except OSError as error:
            self._note_start_failure(_start_failure(error.strerror or str(error)))
            raise self._start_error() from error

    def _note_start_failure(self, failure: Failure) -> None:
        log.warning("background: %s", failure.what)
        self._start_failure = failure
        self._start_failure_count += 1
        if self._start_failure_count >= MAX_FAILURES:
            self._next_start = asyncio.get_running_loop().time() + self._retry_seconds()
        if self._start_failure_count == MAX_FAILURES:
            self._on_not_started(self._start_error())

    def _start_error(self) -> ProcessNotStarted:
        failure = self._start_failure
        return ProcessNotStarted(
            failure.what, kept=failure.kept, todo=failure.todo, seconds=self._retry_seconds()
        )

    def _retry_seconds(self) -> float:
        """Return the seconds between two starts that failed."""
        return min(MAX_RETRY_SECONDS, RETRY_SECONDS * 2.0 ** max(0, self._start_failure_count - MAX_FAILURES))

    async def _lose(self, process: RunningProcess) -> None:
        if self._process is process:
            self._process = None
            log.warning("background: the process %s was lost", process.pid)
            self._pieces_alone = PIECES_ALONE
            self._on_lost()
            await self._kill(process)

    async def _kill(self, process: RunningProcess) -> None:
        kill = asyncio.create_task(process.kill())
        self._kills.add(kill)
        kill.add_done_callback(self._kills.discard)
        await asyncio.shield(kill)


async def _always_new() -> bool:
    return True


class ProcessWorker:
    """Passes on what a worker is asked to its process. Implements `agents.jobs.worker.Worker`.

    Only events that `concerns` are passed on. A process is not started to be asked what there is to do if
    `is_anything_new` says that nothing is; it is asked then before the first event that is passed on.
    """

    def __init__(
        self,
        process: WorkerProcess,
        *,
        kind: JobKind,
        queue: str,
        priority: int,
        concerns: Callable[[Event], bool],
        is_anything_new: Callable[[], Awaitable[bool]] = _always_new,
        telemetry: Telemetry = NO_TELEMETRY,
    ) -> None:
        self._telemetry = telemetry
        self._process = process
        self._kind, self._queue, self._priority = kind, queue, priority
        self._concerns = concerns
        self._is_anything_new = is_anything_new
        self._is_listing_postponed = False

    @property
    def kind(self) -> JobKind:
        return self._kind

    @property
    def queue(self) -> str:
        return self._queue

    @property
    def priority(self) -> int:
        return self._priority

    async def subjects(self) -> Collection[JobSubject]:
        """Raises RetryLater if there is no process to ask."""
        self._is_listing_postponed = self._process.pid is None and not await self._is_anything_new()
        return () if self._is_listing_postponed else await self._ask_subjects(ListSubjects(self._kind))

    async def on_event(self, event: Event) -> Collection[JobSubject]:
        """Raises RetryLater if there is no process to ask."""
        if not self._concerns(event):
            return ()
        postponed_subjects: Collection[JobSubject] = ()
        if self._is_listing_postponed:
            postponed_subjects = await self._ask_subjects(ListSubjects(self._kind))
            self._is_listing_postponed = False
        return (*postponed_subjects, *await self._ask_subjects(NoteEvent(self._kind, event)))

    async def confirm_complete(self) -> Collection[JobSubject]:
        """Raises RetryLater if the process was lost; without one there was nothing to do."""
        return await self._ask_subjects(ConfirmComplete(self._kind)) if self._process.pid is not None else ()

    async def reconcile(self, subject_id: Id) -> int:
        """Raises ProcessLost if the process was lost at this work and no other, and else RetryLater."""
        request = Reconcile(self._kind, subject_id)
        try:
            answer = await self._process.work(request)
        except ProcessNotStarted as error:
            raise RetryLater(error.what, seconds=error.seconds, whole_kind=True) from error
        except ProcessLost as error:
            if error.unfinished == {request}:
                raise
            raise RetryLater(error.what, seconds=RETRY_SECONDS) from error
        if answer.span is not None:
            self._telemetry.record(answer.span)
        return answer.items_left

    async def _ask_subjects(
        self, request: ListSubjects | NoteEvent | ConfirmComplete
    ) -> Collection[JobSubject]:
        try:
            return (await self._process.ask(request)).subjects
        except ProcessNotStarted as error:
            raise RetryLater(error.what, seconds=error.seconds) from error
        except ProcessLost as error:
            raise RetryLater(error.what, seconds=RETRY_SECONDS) from error


def _worker_error(failure: Failure) -> MonitorError:
    if failure.traceback:
        log.warning("background: in its own process:\n%s", failure.traceback)
    return failure.error()


def _start_failure(reason: str) -> Failure:
    return Failure(f"The process behind play could not be started: {reason}.")


def _closing_error() -> ProcessLost:
    return ProcessLost("MONITOR is closing.")
