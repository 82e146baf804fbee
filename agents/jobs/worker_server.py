"""Serves workers to the program that started this process, until the program closes the pipe."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable, Sequence
from itertools import count
from typing import assert_never

from agents.embeddings import Embedding
from agents.events import Event
from agents.jobs.worker import Cursors, JobSubject, RetryLater, Worker
from agents.jobs.worker_pipe import (
    FRAME_HEADER,
    READY_NUMBER,
    ConfirmComplete,
    Done,
    EmbedTexts,
    Failure,
    FromProcess,
    ListSubjects,
    MarkArchived,
    MarkVectorsComplete,
    NoteEvent,
    Postponed,
    PublishEvent,
    PutMemories,
    PutPages,
    PutSnippets,
    PutSource,
    PutSummaries,
    Reconcile,
    StageSnippets,
    TextEmbeddings,
    WorkAnswer,
    WorkRequest,
    WriteCursor,
    WriteRequest,
    pack_frame,
    unpack_from_program,
)
from agents.telemetry.spans import NO_TELEMETRY, MeasuredOperation, SpanRecords, Telemetry
from stores.errors import MonitorError
from stores.records.ids import Id
from stores.records.jobs import JobKind
from stores.records.memory import ArchivedLog, Memory, Summary
from stores.records.sources import Snippet, Source, SourcePage
from stores.records.workflow import ProposedChange

SendToProgram = Callable[[int, FromProcess], None]
"""Sends a message with its number to the program, and returns at once."""


def send_by_pipe(write: Callable[[bytes], None]) -> SendToProgram:
    """Return what sends messages as frames of the pipe."""
    return lambda number, message: write(pack_frame(number, message))


class ProgramPipe:
    """Has the program write what workers in this process found, and embed what they index.

    Implements `stores.ports.MemoryWriter`, `SourceWriter` and `ArchivedLogWriter`.
    """

    def __init__(self, send: SendToProgram, telemetry: Telemetry = NO_TELEMETRY) -> None:
        self._send = send
        self._telemetry = telemetry
        self._numbers = count(READY_NUMBER + 1)
        self._answers_by_number: dict[int, asyncio.Future[Done | TextEmbeddings]] = {}

    async def put_memories(self, memories: Sequence[Memory]) -> None:
        await self._ask(PutMemories(memories))

    async def put_summaries(self, summaries: Sequence[Summary]) -> None:
        await self._ask(PutSummaries(summaries))

    async def mark_archived(self, archived: ArchivedLog) -> None:
        await self._ask(MarkArchived(archived))

    async def put_source(self, source: Source) -> None:
        await self._ask(PutSource(source))

    async def put_pages(self, pages: Sequence[SourcePage]) -> None:
        await self._ask(PutPages(pages))

    async def put_snippets(self, snippets: Sequence[Snippet]) -> None:
        await self._ask(PutSnippets(snippets))

    async def stage_snippets(self, snippets: Sequence[Snippet], proposals: Sequence[ProposedChange]) -> None:
        await self._ask(StageSnippets(snippets, proposals))

    async def write_cursor(self, kind: JobKind, subject: JobSubject, cursor: str) -> None:
        await self._ask(WriteCursor(kind, subject, cursor))

    async def embed_texts(self, texts: Sequence[str], universe_id: Id) -> Sequence[Embedding]:
        """Return what the program's embedding model makes of them. Raises what that raises."""
        answer = await self._ask(EmbedTexts(texts, universe_id))
        assert isinstance(answer, TextEmbeddings)
        return answer.embeddings

    async def mark_vectors_complete(self) -> None:
        await self._ask(MarkVectorsComplete())

    def publish(self, event: Event) -> None:
        """Have an event published; what was asked before is done before."""
        self._send(next(self._numbers), PublishEvent(event))

    def answer(self, number: int, message: WorkAnswer | Postponed | Done | Failure) -> None:
        self._send(number, message)

    def take_answer(self, number: int, message: Done | TextEmbeddings | Failure) -> None:
        """Note what the program says to what it was asked."""
        answer = self._answers_by_number.get(number)
        if answer is None or answer.done():
            return
        if isinstance(message, Failure):
            answer.set_exception(message.error())
        else:
            answer.set_result(message)

    async def _ask(self, request: WriteRequest) -> Done | TextEmbeddings:
        number = next(self._numbers)
        answer = self._answers_by_number[number] = asyncio.get_running_loop().create_future()
        try:
            with self._telemetry.span(MeasuredOperation.WRITE_BACK, type(request).__name__):
                self._send(number, request)
                message: Done | TextEmbeddings = await answer
            return message
        finally:
            del self._answers_by_number[number]


class PipedCursors:
    """Reads cursors here and has the program write them. Implements `agents.jobs.worker.Cursors`."""

    def __init__(self, stored_cursors: Cursors, program: ProgramPipe) -> None:
        self._stored_cursors = stored_cursors
        self._program = program

    async def read_cursor(self, kind: JobKind, subject_id: Id) -> str:
        return await self._stored_cursors.read_cursor(kind, subject_id)

    async def write_cursor(self, kind: JobKind, subject: JobSubject, cursor: str) -> None:
        await self._program.write_cursor(kind, subject, cursor)


async def serve_workers(
    workers: Sequence[Worker],
    requests: asyncio.StreamReader,
    program: ProgramPipe,
    telemetry: Telemetry = NO_TELEMETRY,
) -> None:
    """Say that the workers are ready, and answer requests side by side until there are no more.

    What is under way then is cancelled: it is found again at the next start. What `telemetry` measures of a piece of
    work goes with its answer.
    """
    worker_by_kind = {worker.kind: worker for worker in workers}
    program.answer(READY_NUMBER, Done())
    try:
        async with asyncio.TaskGroup() as tasks:
            while True:
                number, length = FRAME_HEADER.unpack(await requests.readexactly(FRAME_HEADER.size))
                match unpack_from_program(await requests.readexactly(length)):
                    case (Done() | TextEmbeddings() | Failure()) as message:
                        program.take_answer(number, message)
                    case request:
                        worker = worker_by_kind[request.kind]
                        tasks.create_task(_answer(worker, number, request, program, telemetry))
    except* (asyncio.IncompleteReadError, BrokenPipeError):
        pass  # the program has closed the pipe, or was killed


async def _answer(
    worker: Worker, number: int, request: WorkRequest, program: ProgramPipe, telemetry: Telemetry
) -> None:
    program.answer(number, await answer_request(worker, request, telemetry))


async def answer_request(
    worker: Worker, request: WorkRequest, telemetry: Telemetry
) -> WorkAnswer | Postponed | Failure:
    """Ask the worker, and return its answer or what it raised."""
    try:
        return await _ask(worker, request, telemetry)
    except RetryLater as error:
        return Postponed(error.what, error.seconds, error.whole_kind)
    except MonitorError as error:
        return Failure.of(error)
    except Exception as error:  # noqa: BLE001 - passed on to the program
        return Failure(f"{type(error).__name__}: {error}", traceback=traceback.format_exc())


async def _ask(worker: Worker, request: WorkRequest, telemetry: Telemetry) -> WorkAnswer:
    match request:
        case ListSubjects():
            return WorkAnswer(tuple(await worker.subjects()))
        case NoteEvent(_, event):
            return WorkAnswer(tuple(await worker.on_event(event)))
        case Reconcile(_, subject_id):
            with telemetry.span(
                MeasuredOperation.WORK, worker.kind, SpanRecords(subject_id=subject_id)
            ) as span:
                items_left = await worker.reconcile(subject_id)
            return WorkAnswer(items_left=items_left, span=span)
        case ConfirmComplete():
            return WorkAnswer(tuple(await worker.confirm_complete()))
        case _:
            assert_never(request)
