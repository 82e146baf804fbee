"""Speaks with a process of background workers from its start to its end. `worker_process` starts it again."""

from __future__ import annotations

import asyncio
import logging
import sys
import traceback
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final, NamedTuple, TypeVar

from agents.child_processes import build_child_environment, end_child, kill_child
from agents.jobs.worker_pipe import (
    FRAME_HEADER,
    READY_NUMBER,
    Done,
    Failure,
    FromProcess,
    Postponed,
    Reconcile,
    TextEmbeddings,
    WorkAnswer,
    WorkRequest,
    WriteRequest,
    pack_frame,
    unpack_from_process,
)
from stores.errors import MonitorError

END_SECONDS: Final = 2.0

WAIT_PARTS: Final = 10
"""In how many parts a wait is divided, see `is_done_within`."""

T = TypeVar("T")

WriteForProcess = Callable[[WriteRequest], Awaitable[Done | TextEmbeddings]]
"""Does what the process asks for. What it raises is raised where it was asked, a MonitorError as it is."""

log = logging.getLogger("monitor.background")


@dataclass(frozen=True, slots=True)
class ProcessEnd:
    """Comes in place of an answer when the process has ended or hangs."""

    unfinished: frozenset[Reconcile] = frozenset()
    """The work that was under way."""


Answer = WorkAnswer | Postponed | Done | Failure | ProcessEnd


class _Question(NamedTuple):
    request: WorkRequest | None
    """None: whether the process is ready."""
    answer: asyncio.Future[Answer]


class RunningProcess:
    """A process, which may answer in any order.

    What is asked waits in the pipe while the process is stopped: as many requests as there are callers.
    """

    def __init__(self, process: asyncio.subprocess.Process, write: WriteForProcess) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process, self._stdin = process, process.stdin
        self._write = write
        self._numbers = count(READY_NUMBER + 1)
        self._questions: dict[int, _Question] = {}
        self._ready_answer = self._expect_answer(READY_NUMBER, None)
        self._has_failed = False
        self._unanswered_writes = 0
        """What it waits for itself."""
        self._reader_task = asyncio.create_task(self._read_messages(process.stdout))

    @classmethod
    async def start(cls, arguments: Sequence[str], write: WriteForProcess) -> RunningProcess:
        """Start a process; `arguments` are those of the Python interpreter. Raises OSError."""
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
        return cls(process, write)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_ready(self) -> bool:
        return self._ready_answer.done() and isinstance(self._ready_answer.result(), Done)

    @property
    def has_ended(self) -> bool:
        """Whether it ended, sent nonsense or did not answer in time: nothing can be asked any more."""
        return self._has_failed

    async def wait_until_ready(self, seconds: float) -> Done | Failure | ProcessEnd:
        """Return `Done`, or what the process says why it cannot be ready."""
        answer = await self._wait(self._ready_answer, seconds)
        assert not isinstance(answer, WorkAnswer | Postponed)
        return answer

    async def ask(
        self, request: WorkRequest, seconds: float
    ) -> WorkAnswer | Postponed | Failure | ProcessEnd:
        """Return the answer; if there is none in time, all requests that wait have failed.

        While it waits for what it asked itself (a provider's vectors may take a minute), its time does not run out.
        """
        if self._has_failed:
            return ProcessEnd()
        number = next(self._numbers)
        frame = pack_frame(number, request)
        try:
            answer = self._expect_answer(number, request)
            self._stdin.write(frame)
            message = await self._wait(answer, seconds)
        finally:
            del self._questions[number]
        assert not isinstance(message, Done)
        return message

    async def end(self) -> None:
        """Let the process end, and kill it if it does not."""
        try:
            await self._stop_reading()
        finally:
            await end_child(self._process, seconds=END_SECONDS)

    async def kill(self) -> None:
        """End the process at once, and wait until it has ended."""
        try:
            await kill_child(self._process)
        finally:
            await self._stop_reading()

    def _expect_answer(self, number: int, request: WorkRequest | None) -> asyncio.Future[Answer]:
        question = _Question(request, asyncio.get_running_loop().create_future())
        self._questions[number] = question
        return question.answer

    async def _wait(self, answer: asyncio.Future[Answer], seconds: float) -> Answer:
        while not await is_done_within(answer, seconds):
            if not self._unanswered_writes:
                self._fail_questions()
        return answer.result()

    def _fail_questions(self) -> None:
        """Answer everything that is still asked with the end of the process."""
        self._has_failed = True
        open_questions = [one for one in self._questions.values() if not one.answer.done()]
        end = ProcessEnd(
            frozenset(one.request for one in open_questions if isinstance(one.request, Reconcile))
        )
        for question in open_questions:
            question.answer.set_result(end)

    async def _stop_reading(self) -> None:
        self._reader_task.cancel()
        self._fail_questions()  # here: a task that is cancelled before it began does nothing
        await asyncio.gather(self._reader_task, return_exceptions=True)

    async def _read_messages(self, stdout: asyncio.StreamReader) -> None:
        """Pass every answer on to its caller and do what is asked, until the process ends or sends nonsense."""
        try:
            async with asyncio.TaskGroup() as writes:
                while True:
                    number, message = await _read_message(stdout)
                    match message:
                        case WorkAnswer() | Postponed() | Failure():
                            self._take_answer(number, message)
                        case Done() if number == READY_NUMBER:
                            self._take_answer(number, message)
                        case Done():
                            raise ValueError("nothing was asked that is answered so")
                        case _:
                            writes.create_task(self._write_and_answer(number, message))
        except* (EOFError, OSError, ValueError) as errors:
            log.info("a process behind play ended: %r", errors.exceptions[0])
        finally:
            self._fail_questions()

    def _take_answer(self, number: int, message: WorkAnswer | Postponed | Failure | Done) -> None:
        question = self._questions.get(number)
        if question is not None and not question.answer.done():
            question.answer.set_result(message)

    async def _write_and_answer(self, number: int, request: WriteRequest) -> None:
        message: Done | TextEmbeddings | Failure
        self._unanswered_writes += 1
        try:
            message = await self._write(request)
        except MonitorError as error:
            message = Failure.of(error)
        except Exception as error:
            log.exception("background: what the process asked for was not written")
            message = Failure(f"{type(error).__name__}: {error}", traceback=traceback.format_exc())
        finally:
            self._unanswered_writes -= 1
        self._stdin.write(pack_frame(number, message))


async def is_done_within(future: asyncio.Future[T], seconds: float) -> bool:
    """Wait for the future, so long at most; return whether it is done.

    It waits in parts: while this process is stopped or the machine asleep, at most one part of the time passes.
    """
    for _ in range(WAIT_PARTS):
        await asyncio.wait([future], timeout=seconds / WAIT_PARTS)
        if future.done():
            return True
    return False


async def _read_message(stdout: asyncio.StreamReader) -> tuple[int, FromProcess]:
    """Raises EOFError (asyncio.IncompleteReadError is one) and ValueError."""
    number, length = FRAME_HEADER.unpack(await stdout.readexactly(FRAME_HEADER.size))
    return number, unpack_from_process(await stdout.readexactly(length))
