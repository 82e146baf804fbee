"""Workers in a process of their own: what they are asked and write, and what becomes of a process that fails."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest

from agents.events import HeadMoved, Notice
from agents.jobs.worker import MAX_FAILURES, PLAIN_QUEUE, JobSubject, RetryLater
from agents.jobs.worker_pipe import PublishEvent, WriteCursor, WriteRequest
from agents.jobs.worker_process import ProcessLost, ProcessWorker, WorkerProcess
from stores.errors import MonitorError, StoreFull
from stores.records.jobs import JobKind

SERVED = ("-m", "tests.agents.jobs.served_worker")


class Program:
    """The program's end: the process and its worker, what it was asked to write, and how often it was lost."""

    def __init__(self, arguments: tuple[str, ...], answer_seconds: float) -> None:
        self.written: list[WriteRequest] = []
        self.write_error: MonitorError | None = None
        self.loss_count = 0
        self.process = WorkerProcess(
            arguments, write=self._write, on_lost=self._count_loss, answer_seconds=answer_seconds
        )
        self.worker = ProcessWorker(
            self.process,
            kind=JobKind.REMEMBER,
            queue=PLAIN_QUEUE,
            priority=1,
            concerns=lambda event: isinstance(event, HeadMoved),
        )

    async def _write(self, request: WriteRequest) -> None:
        if self.write_error is not None:
            raise self.write_error
        self.written.append(request)

    def _count_loss(self) -> None:
        self.loss_count += 1


@asynccontextmanager
async def program_with(
    arguments: tuple[str, ...] = SERVED, *, answer_seconds: float = 60.0
) -> AsyncIterator[Program]:
    program = Program(arguments, answer_seconds)
    try:
        yield program
    finally:
        await program.process.close()


def is_alive(pid: int) -> bool:
    with suppress(ProcessLookupError):
        os.kill(pid, 0)
        return True
    return False


async def test_process_answers_for_its_worker() -> None:
    async with program_with() as program:
        (subject,) = await program.worker.subjects()
        assert subject == JobSubject("scene", "universe", program.process.pid or 0)
        assert subject.items != os.getpid()
        assert await program.worker.on_event(HeadMoved("here")) == (JobSubject("here", "universe"),)
        assert await program.worker.reconcile("scene") == 3


async def test_event_that_concerns_no_worker_starts_no_process() -> None:
    async with program_with() as program:
        assert await program.worker.on_event(Notice("anything")) == ()
        assert program.process.pid is None


async def test_process_writes_nothing_but_has_it_written_before_it_answers() -> None:
    async with program_with() as program:
        await program.worker.reconcile("written")
        cursor, event = program.written
        assert cursor == WriteCursor(JobKind.REMEMBER, JobSubject("scene", "universe"), "so far")
        assert event == PublishEvent(Notice("written"))


async def test_worker_is_told_why_it_could_not_be_written() -> None:
    async with program_with() as program:
        program.write_error = StoreFull("The disk is full.", kept="What was written.", todo="Free some.")
        with pytest.raises(MonitorError, match="The disk is full") as failure:
            await program.worker.reconcile("written")
        assert failure.value.todo == "Free some."
        assert program.loss_count == 0


@pytest.mark.parametrize(("subject", "words"), [("refused", "No room."), ("broken", "RuntimeError: a bug")])
async def test_what_a_worker_raises_is_a_failure_of_its_job_alone(subject: str, words: str) -> None:
    async with program_with() as program:
        with pytest.raises(MonitorError) as failure:
            await program.worker.reconcile(subject)
        assert failure.value.what == words
        assert not isinstance(failure.value, ProcessLost | RetryLater)
        assert await program.worker.reconcile("scene") == 3
        assert program.loss_count == 0


async def test_process_that_ends_at_work_is_started_again() -> None:
    async with program_with() as program:
        await program.worker.subjects()
        first_pid = program.process.pid
        with pytest.raises(RetryLater):
            await program.worker.reconcile("fatal")
        assert program.loss_count == 1
        assert await program.worker.reconcile("scene") == 3
        assert program.process.pid not in (None, first_pid)


async def test_subject_that_ends_the_process_every_time_is_blamed() -> None:
    async with program_with() as program:
        for _ in range(MAX_FAILURES):
            with pytest.raises(RetryLater):
                await program.worker.reconcile("fatal")
        with pytest.raises(ProcessLost):
            await program.worker.reconcile("fatal")
        assert await program.worker.reconcile("scene") == 3


async def test_process_killed_between_two_questions_answers_the_next() -> None:
    async with program_with() as program:
        await program.worker.subjects()
        pid = program.process.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        with suppress(RetryLater):  # unless its end was noticed before
            await program.worker.reconcile("scene")
        assert await program.worker.reconcile("scene") == 3
        assert program.loss_count == 1


async def test_process_that_hangs_is_ended_and_started_again() -> None:
    async with program_with(answer_seconds=1.0) as program:
        await program.worker.subjects()
        pid = program.process.pid
        assert pid is not None
        with pytest.raises(RetryLater):
            await program.worker.reconcile("hanging")
        assert not is_alive(pid)
        (subject,) = await program.worker.subjects()
        assert subject.items not in (pid, os.getpid())


async def test_program_that_was_stopped_for_long_still_takes_the_answer() -> None:
    async with program_with(answer_seconds=1.0) as program:
        await program.worker.subjects()
        pid = program.process.pid
        answer = asyncio.create_task(program.worker.reconcile("scene"))
        await asyncio.sleep(0)  # it is asked
        time.sleep(1.5)  # noqa: ASYNC251 - as if this process were stopped, or the machine asleep
        assert await answer == 3
        assert (program.process.pid, program.loss_count) == (pid, 0)


async def test_process_that_cannot_start_says_so() -> None:
    async with program_with(("-m", "tests.agents.jobs.no_such_module")) as program:
        with pytest.raises(ProcessLost, match="could not be started: it ended at once"):
            await program.worker.subjects()


async def test_close_ends_the_process_and_starts_no_other() -> None:
    async with program_with() as program:
        await program.worker.subjects()
        pid = program.process.pid
        assert pid is not None
        await program.process.close()
        assert not is_alive(pid)
        with pytest.raises(ProcessLost, match="closing"):
            await program.worker.subjects()
        assert program.loss_count == 0
