"""Runs background workers in a process of their own, so that they take no time from the one that draws the screen.

The process ends with this one. If it is killed or hangs, it is started again when it is next needed, and its
workers look everywhere again: what they had noted is lost, and they compare what is there.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from itertools import count
from typing import Final

from agents.child_processes import build_child_environment, end_child
from agents.events import Event
from agents.jobs.worker import MAX_FAILURES, JobSubject, RetryLater
from agents.jobs.worker_pipe import (
    FRAME_HEADER,
    READY_NUMBER,
    Done,
    Failure,
    FromProcess,
    ListSubjects,
    NoteEvent,
    Reconcile,
    WorkAnswer,
    WorkRequest,
    WriteRequest,
    pack_frame,
    unpack_from_process,
)
from stores.errors import MonitorError
from stores.records.ids import Id
from stores.records.jobs import JobKind

START_SECONDS: Final = 60.0
"""It starts in half a second, but a busy or cold machine takes many times that."""

ANSWER_SECONDS: Final = 60.0
"""A piece of work takes about a second; a process that has not answered by then hangs."""

END_SECONDS: Final = 2.0
RETRY_SECONDS: Final = 1.0

WriteForProcess = Callable[[WriteRequest], Awaitable[None]]
"""Writes what the process asks for. Raises StoreError."""

log = logging.getLogger("monitor.background")


class ProcessLost(MonitorError):
    """The process ended, or hung and was ended."""


class WorkerProcess:
    """The process, started when it is first asked.

    `arguments` are those of the Python interpreter; the process serves with `serve_workers`. `on_lost` is called
    whenever it was lost: have the `subjects` of its workers read again.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        write: WriteForProcess,
        on_lost: Callable[[], None],
        answer_seconds: float = ANSWER_SECONDS,
    ) -> None:
        self._arguments = arguments
        self._write = write
        self._on_lost = on_lost
        self._answer_seconds = answer_seconds
        self._start_lock = asyncio.Lock()
        self._process: _RunningProcess | None = None
        self._is_closed = False

    @property
    def pid(self) -> int | None:
        """The process's number, if one runs."""
        return self._process.pid if self._process is not None else None

    async def ask(self, request: WorkRequest) -> WorkAnswer:
        """Return the answer. Raises ProcessLost, or MonitorError with the words of what the worker raised."""
        process = await self._ensure_process()
        try:
            message = await process.ask(request, self._answer_seconds)
        except (EOFError, TimeoutError) as error:
            await self._lose(process)
            raise ProcessLost("The process behind play ended, and is started again.") from error
        if isinstance(message, Failure):
            raise _worker_error(message)
        return message

    async def close(self) -> None:
        """End the process. Requests that wait raise ProcessLost."""
        self._is_closed = True
        process, self._process = self._process, None
        if process is not None:
            await process.end()

    async def _ensure_process(self) -> _RunningProcess:
        """Return the process, started if need be. Raises ProcessLost."""
        if self._process is not None and self._process.has_ended:
            await self._lose(self._process)
        async with self._start_lock:
            if self._is_closed:
                raise ProcessLost("MONITOR is closing.")
            if self._process is None:
                self._process = await _start_process(self._arguments, self._write)
            return self._process

    async def _lose(self, process: _RunningProcess) -> None:
        if self._process is process:
            self._process = None
            if not self._is_closed:
                log.warning("background: the process %s was lost", process.pid)
                self._on_lost()
            await process.kill()


class ProcessWorker:
    """Passes on what a worker is asked to its process. Implements `agents.jobs.worker.Worker`.

    Only events that `concerns` are passed on.
    """

    def __init__(
        self,
        process: WorkerProcess,
        *,
        kind: JobKind,
        queue: str,
        priority: int,
        concerns: Callable[[Event], bool],
    ) -> None:
        self._process = process
        self._kind, self._queue, self._priority = kind, queue, priority
        self._concerns = concerns
        self._losses_by_subject: Counter[Id] = Counter()
        """How often in a row the process was lost while it worked on a subject."""

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
        return (await self._process.ask(ListSubjects(self._kind))).subjects

    async def on_event(self, event: Event) -> Collection[JobSubject]:
        if not self._concerns(event):
            return ()
        return (await self._process.ask(NoteEvent(self._kind, event))).subjects

    async def reconcile(self, subject_id: Id) -> int:
        """Raises RetryLater if the process was lost; after MAX_FAILURES in a row the subject is blamed."""
        try:
            answer = await self._process.ask(Reconcile(self._kind, subject_id))
        except ProcessLost as error:
            self._losses_by_subject[subject_id] += 1
            if self._losses_by_subject[subject_id] > MAX_FAILURES:
                raise
            raise RetryLater(error.what, seconds=RETRY_SECONDS) from error
        del self._losses_by_subject[subject_id]
        return answer.items_left


class _RunningProcess:
    """A running process, which may answer in any order."""

    def __init__(self, process: asyncio.subprocess.Process, write: WriteForProcess) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process, self._stdin = process, process.stdin
        self._write = write
        self._numbers = count(READY_NUMBER + 1)
        self._answers_by_number: dict[int, asyncio.Future[WorkAnswer | Failure]] = {}
        self._reader_task = asyncio.create_task(self._read_messages(process.stdout))

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        return self._reader_task.done()

    async def ask(self, request: WorkRequest, seconds: float) -> WorkAnswer | Failure:
        """Return the answer. Raises EOFError or TimeoutError if the process has failed."""
        if self.has_ended:
            raise EOFError
        number = next(self._numbers)
        answer: asyncio.Future[WorkAnswer | Failure] = asyncio.get_running_loop().create_future()
        self._answers_by_number[number] = answer
        try:
            self._stdin.write(pack_frame(number, request))
            # Twice: after this process was stopped for long, the first wait is over before the answer is read.
            for wait_seconds in (seconds, seconds / 10):
                await asyncio.wait([answer], timeout=wait_seconds)
                if answer.done():
                    return answer.result()
            raise TimeoutError
        finally:
            self._answers_by_number.pop(number, None)

    async def end(self) -> None:
        """Let the process end, and kill it if it does not."""
        await self._stop_reading()
        if self._process.returncode is None:
            await end_child(self._process, seconds=END_SECONDS)

    async def kill(self) -> None:
        await self._stop_reading()
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()

    async def _stop_reading(self) -> None:
        self._reader_task.cancel()
        await asyncio.gather(self._reader_task, return_exceptions=True)

    async def _read_messages(self, stdout: asyncio.StreamReader) -> None:
        """Pass every answer on to its caller and do what is asked, until the process ends or sends nonsense."""
        try:
            async with asyncio.TaskGroup() as writes:
                while True:
                    number, message = await _read_message(stdout)
                    match message:
                        case WorkAnswer() | Failure():
                            answer = self._answers_by_number.get(number)
                            if answer is not None and not answer.done():
                                answer.set_result(message)
                        case Done():
                            raise ValueError("nothing was asked that is answered so")
                        case _:
                            writes.create_task(self._write_and_answer(number, message))
        except* (EOFError, OSError, ValueError) as errors:
            log.info("a process behind play ended: %r", errors.exceptions[0])
        finally:
            for answer in self._answers_by_number.values():
                if not answer.done():
                    answer.set_exception(EOFError())

    async def _write_and_answer(self, number: int, request: WriteRequest) -> None:
        message: Done | Failure = Done()
        try:
            await self._write(request)
        except MonitorError as error:
            message = Failure(error.what, error.kept, error.todo)
        self._stdin.write(pack_frame(number, message))


async def _start_process(arguments: Sequence[str], write: WriteForProcess) -> _RunningProcess:
    """Start a process and wait until it is ready. Raises ProcessLost, or what the process says."""
    try:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            # -P: not from the current folder, see agents.llm.child_client.
            *("-P", *arguments),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=build_child_environment({}),
            start_new_session=True,
        )
    except OSError as error:
        raise _start_error(error.strerror or str(error)) from error
    assert process.stdout is not None
    try:
        async with asyncio.timeout(START_SECONDS):
            _, message = await _read_message(process.stdout)
    except BaseException as error:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        if isinstance(error, EOFError | OSError | ValueError):  # a timeout (TimeoutError) is an OSError
            raise _start_error("it ended at once") from error
        raise
    if isinstance(message, Failure):
        await process.wait()
        raise _worker_error(message)
    return _RunningProcess(process, write)


async def _read_message(stdout: asyncio.StreamReader) -> tuple[int, FromProcess]:
    """Raises EOFError (asyncio.IncompleteReadError is one) and ValueError."""
    number, length = FRAME_HEADER.unpack(await stdout.readexactly(FRAME_HEADER.size))
    return number, unpack_from_process(await stdout.readexactly(length))


def _worker_error(failure: Failure) -> MonitorError:
    if failure.traceback:
        log.warning("background: in its own process:\n%s", failure.traceback)
    return MonitorError(failure.what, kept=failure.kept, todo=failure.todo)


def _start_error(reason: str) -> ProcessLost:
    return ProcessLost(f"The process behind play could not be started: {reason}.")
