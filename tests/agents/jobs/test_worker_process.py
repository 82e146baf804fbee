"""Workers in a process of their own: what they are asked and write, and what becomes of a process that fails."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from agents.embeddings import Embedding
from agents.events import HeadMoved, Notice
from agents.indexer.embedding_port import EmbedderUnavailable
from agents.jobs.worker import MAX_FAILURES, PLAIN_QUEUE, JobSubject, RetryLater
from agents.jobs.worker_pipe import (
    READY_NUMBER,
    Done,
    EmbedTexts,
    ListSubjects,
    MarkVectorsComplete,
    PublishEvent,
    TextEmbeddings,
    WriteCursor,
    WriteRequest,
    pack_frame,
)
from agents.jobs.worker_process import ProcessLost, ProcessNotStarted, ProcessWorker, WorkerProcess
from agents.jobs.worker_server import ProgramPipe, send_by_pipe, serve_workers
from agents.telemetry.span_recorder import SpanRecorder
from agents.telemetry.spans import MeasuredOperation, Span
from stores.errors import MonitorError, StoreFull
from stores.records.jobs import JobKind
from tests.agents.jobs.served_worker import ServedWorker
from tests.processes import child_pids

pytestmark = pytest.mark.slow

SERVED = ("-m", "tests.agents.jobs.served_worker")


class Program:
    """The program's end: the process and its worker, what it was asked to write, and how often it was lost."""

    def __init__(self, arguments: tuple[str, ...], answer_seconds: float) -> None:
        self.written: list[WriteRequest] = []
        self.write_error: Exception | None = None
        self.write_lock = asyncio.Lock()
        self.write_began = asyncio.Event()
        self.loss_count = 0
        self.start_errors: list[ProcessNotStarted] = []
        self.traces: list[Span] = []
        self.process = WorkerProcess(
            arguments,
            write=self._write,
            on_lost=self._count_loss,
            on_not_started=self.start_errors.append,
            answer_seconds=answer_seconds,
        )
        self.worker = ProcessWorker(
            self.process,
            kind=JobKind.REMEMBER,
            queue=PLAIN_QUEUE,
            priority=1,
            concerns=lambda event: isinstance(event, HeadMoved),
            telemetry=SpanRecorder(self.traces.append),
        )

    async def _write(self, request: WriteRequest) -> Done | TextEmbeddings:
        self.write_began.set()
        async with self.write_lock:
            if self.write_error is not None:
                raise self.write_error
            self.written.append(request)
        return TextEmbeddings([Embedding((1.0, 41.0))]) if isinstance(request, EmbedTexts) else Done()

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


async def test_process_is_not_started_to_hear_that_nothing_is_new() -> None:
    async with program_with() as program:

        async def is_anything_new() -> bool:
            return False

        worker = ProcessWorker(
            program.process,
            kind=JobKind.REMEMBER,
            queue=PLAIN_QUEUE,
            priority=1,
            concerns=lambda event: isinstance(event, HeadMoved),
            is_anything_new=is_anything_new,
        )
        assert list(await worker.subjects()) == []
        assert list(await worker.on_event(Notice("nothing to do with it"))) == []
        assert list(await worker.confirm_complete()) == []
        assert program.process.pid is None
        # It is asked first what there is to do: what it knows begins there.
        assert [s.id for s in await worker.on_event(HeadMoved("moved"))] == ["scene", "moved"]
        assert [s.id for s in await worker.on_event(HeadMoved("moved"))] == ["moved"]
        assert [s.id for s in await worker.confirm_complete()] == ["overlooked"]


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


async def test_process_sends_what_it_measured_with_its_answer() -> None:
    async with program_with() as program:
        assert await program.worker.reconcile("written") == 3
    (trace,) = program.traces
    assert [(span.operation, span.kind) for span in trace.walk()] == [
        (MeasuredOperation.WORK, "remember"),
        (MeasuredOperation.WRITE_BACK, "WriteCursor"),
    ]
    assert 0 < trace.children[0].seconds <= trace.seconds


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


async def test_texts_are_embedded_by_the_program() -> None:
    async with program_with() as program:
        assert await program.worker.reconcile("embedded") == 42
        await program.worker.reconcile("complete")
        assert program.written == [EmbedTexts(["a bell"], "universe"), MarkVectorsComplete()]


async def test_model_that_is_away_is_waited_for_and_no_failure() -> None:
    async with program_with() as program:
        program.write_error = EmbedderUnavailable("The budget is used up.")
        with pytest.raises(RetryLater, match="The budget is used up") as postponed:
            await program.worker.reconcile("embedded")
        assert (postponed.value.seconds, postponed.value.whole_kind) == (7.0, True)
        assert program.loss_count == 0


async def test_process_that_waits_for_the_programs_model_does_not_hang() -> None:
    async with program_with(answer_seconds=0.2) as program:
        await program.worker.subjects()  # it is started
        async with program.write_lock:
            embedded = asyncio.create_task(program.worker.reconcile("embedded"))
            await program.write_began.wait()
            await asyncio.sleep(0.5)
        assert await embedded == 42
        assert program.loss_count == 0


async def test_bug_in_a_write_is_a_failure_of_the_work_that_asked(caplog: pytest.LogCaptureFixture) -> None:
    async with program_with() as program:
        program.write_error = RuntimeError("a bug")
        with pytest.raises(MonitorError, match="RuntimeError: a bug"):
            await program.worker.reconcile("written")
        assert "RuntimeError: a bug" in caplog.text
        assert await program.worker.reconcile("scene") == 3
        assert program.loss_count == 0


@pytest.mark.parametrize(
    ("subject", "words"),
    [("refused", "No room."), ("broken", "RuntimeError: a bug"), ("odd", "OddError: a bug")],
)
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
        with pytest.raises(ProcessLost):
            await program.worker.reconcile("fatal")
        assert program.loss_count == 1
        assert await program.worker.reconcile("scene") == 3
        assert program.process.pid not in (None, first_pid)


@pytest.mark.parametrize("subject", ["torn", "nonsense"])
async def test_process_that_sends_half_a_frame_or_nonsense_is_started_again(subject: str) -> None:
    async with program_with() as program:
        pid = (await program.worker.subjects(), program.process.pid)[1]
        assert pid is not None
        with pytest.raises(ProcessLost):
            await program.worker.reconcile(subject)
        assert not is_alive(pid)
        assert await program.worker.reconcile("scene") == 3
        assert program.loss_count == 1


async def test_frame_larger_than_the_pipe_arrives_whole_both_ways() -> None:
    async with program_with() as program:
        scene_id = "x" * 5_000_000
        assert await program.worker.on_event(HeadMoved(scene_id)) == (JobSubject(scene_id, "universe"),)


async def test_answer_after_its_asker_was_cancelled_disturbs_nothing() -> None:
    async with program_with() as program:
        await program.worker.subjects()
        asker = asyncio.create_task(program.worker.reconcile("held"))
        await asyncio.sleep(0)  # it is asked
        asker.cancel()
        await asyncio.gather(asker, return_exceptions=True)
        assert await program.worker.reconcile("release") == 3  # and the other is answered now, too
        assert [await program.worker.reconcile("scene") for _ in range(3)] == [3, 3, 3]
        assert program.loss_count == 0


async def test_subject_beside_the_one_that_ends_the_process_is_not_blamed() -> None:
    async with program_with() as program:
        await program.worker.subjects()
        together = await asyncio.gather(
            *map(program.worker.reconcile, ("held", "fatal")), return_exceptions=True
        )
        assert [type(error) for error in together] == [RetryLater, RetryLater]
        for _ in range(MAX_FAILURES):
            culprit, other = await asyncio.gather(
                *map(program.worker.reconcile, ("fatal", "scene")), return_exceptions=True
            )
            assert isinstance(culprit, ProcessLost)
            assert other == 3


async def test_process_killed_between_two_questions_answers_the_next() -> None:
    async with program_with() as program:
        await program.worker.subjects()
        pid = program.process.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        with suppress(ProcessLost, RetryLater):  # unless its end was noticed before
            await program.worker.reconcile("scene")
        assert await program.worker.reconcile("scene") == 3
        assert program.loss_count == 1


async def test_process_that_hangs_is_ended_and_started_again() -> None:
    async with program_with(answer_seconds=1.0) as program:
        await program.worker.subjects()
        pid = program.process.pid
        assert pid is not None
        with pytest.raises(ProcessLost):
            await program.worker.reconcile("hanging")
        assert not is_alive(pid)
        (subject,) = await program.worker.subjects()
        assert subject.items not in (pid, os.getpid())


async def test_stopped_process_is_ended_even_if_its_asker_is_cancelled_meanwhile() -> None:
    async with program_with(answer_seconds=0.5) as program:
        await program.worker.subjects()
        pid = program.process.pid
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)
        asker = asyncio.create_task(program.worker.reconcile("scene"))
        while program.process.pid is not None:  # noqa: ASYNC110 - nothing tells when it is given up
            await asyncio.sleep(0)
        asker.cancel()
        await asyncio.gather(asker, return_exceptions=True)
        await program.process.close()
        async with asyncio.timeout(30):
            while is_alive(pid):  # noqa: ASYNC110 - nothing tells of its end
                await asyncio.sleep(0.01)


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
        with pytest.raises(RetryLater, match="could not be started: it ended at once"):
            await program.worker.reconcile("scene")
        assert program.loss_count == 0


async def test_process_that_cannot_start_says_so_to_whoever_asks_meanwhile() -> None:
    async with program_with(("-c", "")) as program:
        askers = [asyncio.create_task(program.worker.reconcile("scene"))]
        while not askers[0].done():
            askers.append(asyncio.create_task(program.worker.reconcile("scene")))
            await asyncio.sleep(0)
        answers = await asyncio.gather(*askers, return_exceptions=True)
        assert {str(answer).partition(":")[0] for answer in answers} == {
            "The process behind play could not be started"
        }
        assert program.loss_count == 0


async def test_process_that_cannot_start_is_tried_again_later_and_said_once(tmp_path: Path) -> None:
    code = (
        "import pathlib, runpy, sys\n"
        f"folder = pathlib.Path({str(tmp_path)!r})\n"
        "if not (folder / 'mended').exists():\n"
        "    (folder / 'starts').open('a').write('x')\n"
        "    sys.exit(1)\n"
        "runpy.run_module('tests.agents.jobs.served_worker', run_name='__main__')\n"
    )
    async with program_with(("-c", code)) as program:
        for _ in range(2 * MAX_FAILURES):
            with pytest.raises(RetryLater) as failure:
                await program.worker.reconcile("scene")
            assert failure.value.whole_kind
        assert (tmp_path / "starts").read_text() == MAX_FAILURES * "x"
        assert len(program.start_errors) == 1
        (tmp_path / "mended").touch()
        await asyncio.sleep(failure.value.seconds)
        assert await program.worker.reconcile("scene") == 3
        assert program.loss_count == 0


@pytest.mark.parametrize("steps", [0, 1, 2, 5, 50, 5_000])
async def test_close_while_it_is_being_started_leaves_no_process(steps: int) -> None:
    children = child_pids()
    async with program_with() as program:
        asker = asyncio.create_task(program.worker.on_event(HeadMoved("here")))
        for _ in range(steps):
            await asyncio.sleep(0)
        await program.process.close()
        (answer,) = await asyncio.gather(asker, return_exceptions=True)
        assert isinstance(answer, RetryLater | tuple)
        assert program.process.pid is None
        assert child_pids() == children


async def test_close_ends_a_process_that_is_never_ready() -> None:
    children = child_pids()
    async with program_with(("-c", "import time; time.sleep(3_600)")) as program:
        asker = asyncio.create_task(program.worker.on_event(HeadMoved("here")))
        while child_pids() == children:  # noqa: ASYNC110 - nothing tells of its start
            await asyncio.sleep(0)
        await program.process.close()
        with pytest.raises(RetryLater, match="closing"):
            await asker
        assert child_pids() == children


async def test_process_ends_when_its_input_ends_within_a_frame() -> None:
    requests, answers = asyncio.StreamReader(), list[bytes]()
    requests.feed_data(pack_frame(1, ListSubjects(JobKind.REMEMBER))[:-1])
    requests.feed_eof()
    await serve_workers([], requests, ProgramPipe(send_by_pipe(answers.append)))
    assert answers == [pack_frame(READY_NUMBER, Done())]


async def test_process_ends_at_an_answer_that_nobody_reads() -> None:
    def write(data: bytes) -> None:
        if data != pack_frame(READY_NUMBER, Done()):
            raise BrokenPipeError

    requests, program = asyncio.StreamReader(), ProgramPipe(send_by_pipe(write))
    requests.feed_data(pack_frame(1, ListSubjects(JobKind.REMEMBER)))
    await serve_workers([ServedWorker(program, write)], requests, program)


async def test_close_ends_the_process_and_starts_no_other() -> None:
    async with program_with() as program:
        await program.worker.subjects()
        pid = program.process.pid
        assert pid is not None
        await program.process.close()
        assert not is_alive(pid)
        with pytest.raises(RetryLater, match="closing"):
            await program.worker.on_event(HeadMoved("here"))
        assert program.loss_count == 0


async def test_close_during_a_write_that_was_asked_for_waits_for_nothing() -> None:
    async with program_with() as program:
        async with program.write_lock:
            asker = asyncio.create_task(program.worker.reconcile("written"))
            await program.write_began.wait()
            await program.process.close()
        with pytest.raises(RetryLater, match="closing"):
            await asker
        assert program.written == []
        assert program.loss_count == 0
