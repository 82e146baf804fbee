"""Has workers on other machines do pieces of work, as the program that plays decides who does what.

*Leases.* A worker says every few seconds that it is there and what it works on. A piece that no sign of life has
named for `Timing.lease` seconds is taken from its worker: it is asked of another, and what the first one still sends
of it is refused. So nothing depends on a message that arrives, nor on a broker that keeps it: what is lost on its way
is asked again, and pieces are idempotent.

*Writes.* Log and canon have one writer, the program (its lease of the library): what a worker finds for the log, the
program writes, as it does for the process behind play. A worker writes indexes and archives itself.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import traceback
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from itertools import count
from typing import Final, Protocol, assert_never

from agents.jobs.remote_messages import DoPiece, Envelope, Heartbeat, RenewLease, ToWorker, seal, unseal
from agents.jobs.running_process import WriteForProcess
from agents.jobs.worker import RetryLater
from agents.jobs.worker_pipe import Done, Failure, Postponed, TextEmbeddings, WorkAnswer, WriteRequest
from agents.jobs.worker_process import ProcessLost
from stores.errors import MonitorError
from stores.records.ids import Id
from stores.task_ending import end_tasks

NO_WORKER_SECONDS: Final = 5.0
"""Wait before work that no worker can do is offered again."""

log = logging.getLogger("monitor.workers")


class PieceTaken(RetryLater):
    """The piece was taken from its worker, for a lost message or with others of a lost worker: it is asked again."""


@dataclass(frozen=True, slots=True)
class Timing:
    """How often workers give a sign of life, and how long without one a piece stays theirs; in seconds."""

    heartbeat: float = 2.0
    lease: float = 10.0


DEFAULT_TIMING: Final = Timing()


class Link(Protocol):
    """Carries messages; any of them may be lost. See `agents.jobs.broker_link.BrokerLink`."""

    def send(self, queue: str, text: str) -> None: ...


def program_queue(library: str) -> str:
    """Return where the program that plays a library receives messages."""
    return f"monitor.{library}.program"


def worker_queue(library: str, worker: str) -> str:
    """Return where a worker of a library receives messages."""
    return f"monitor.{library}.worker.{worker}"


@dataclass(slots=True, eq=False)
class _Piece:
    """A piece of work that a worker has."""

    number: int
    answer: asyncio.Future[WorkAnswer | Postponed | Failure]
    expires_at: float
    written: dict[int, Done | TextEmbeddings | Failure | None] = field(default_factory=dict)
    """What it asked for, by number; None: it is being done."""


@dataclass(slots=True, eq=False)
class _Worker:
    name: str
    life: str
    heartbeat: Heartbeat
    expires_at: float
    pieces: dict[int, _Piece] = field(default_factory=dict)

    @property
    def free_slots(self) -> int:
        return self.heartbeat.slots - len(self.pieces)


@dataclass(frozen=True, slots=True)
class WorkerView:
    """A worker, for the System screen."""

    name: str
    slots: int
    pieces: int
    problem: str = ""


class WorkerPool:
    """The workers that are there, and what each works on.

    `find_key` returns the key of a worker by its name, `write` does what a worker asks for, and `on_change` is called
    when there are more or fewer slots. A worker of another `version` is given nothing.
    """

    def __init__(
        self,
        library: str,
        link: Link,
        find_key: Callable[[str], str],
        write: WriteForProcess,
        *,
        version: str,
        timing: Timing = DEFAULT_TIMING,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        self._library = library
        self._link = link
        self._find_key = find_key
        self._write = write
        self._version = version
        self._timing = timing
        self.on_change = on_change
        self._workers: dict[str, _Worker] = {}
        self._strangers: dict[str, Heartbeat] = {}
        """Workers of another version."""
        self._last_worker: dict[tuple[str, Id], str] = {}
        """Who did a subject last: it may remember some of it."""
        # Another number than those of an earlier run, whose pieces a worker may still have.
        self._numbers = count(secrets.randbits(40) + 1)
        self._slot_freed = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self.lost_count = 0
        """How many pieces were taken from their worker."""

    def start(self) -> None:
        self._run(self._expire())

    async def close(self) -> None:
        for worker in list(self._workers.values()):
            self._send(worker, 0, RenewLease(()))  # what they work on is given up
        await end_tasks(self._tasks)
        for worker in list(self._workers.values()):
            self._remove(worker)

    @property
    def lease_seconds(self) -> float:
        return self._timing.lease

    # --- the workers ------------------------------------------------------------------------------------

    def count_slots(self, skills: frozenset[str]) -> int:
        """Return how many pieces can be done at a time, of work that needs any of these skills."""
        return sum(one.heartbeat.slots for one in self._workers.values() if one.heartbeat.skills & skills)

    def view(self) -> tuple[WorkerView, ...]:
        """Return the workers that are there."""
        strangers = (
            WorkerView(name, one.slots, 0, f"it has version {one.version}, and this program {self._version}")
            for name, one in self._strangers.items()
        )
        workers = (
            WorkerView(one.name, one.heartbeat.slots, len(one.pieces)) for one in self._workers.values()
        )
        return (*workers, *strangers)

    # --- work -------------------------------------------------------------------------------------------

    async def work(self, skill: str, request: DoPiece) -> WorkAnswer:
        """Have a piece done, and return the answer.

        Raises the worker's RetryLater, RetryLater if no worker has the skill, PieceTaken if the piece was taken from
        its worker, ProcessLost if that worker ended while it did this and nothing else, or MonitorError with the words
        of what else the worker raised.
        """
        worker = await self._wait_for_slot(skill, request.subject_id)
        number = next(self._numbers)
        piece = _Piece(number, asyncio.get_running_loop().create_future(), self._now() + self._timing.lease)
        worker.pieces[number] = piece
        self._last_worker[skill, request.subject_id] = worker.name
        try:
            self._send(worker, number, request)
            answer = await piece.answer
        finally:
            worker.pieces.pop(number, None)
            self._slot_freed.set()
        match answer:
            case WorkAnswer():
                return answer
            case Postponed(what, seconds, whole_kind):
                raise RetryLater(what, seconds=seconds, whole_kind=whole_kind)
            case Failure():
                if answer.traceback:
                    log.warning("workers: on %s:\n%s", worker.name, answer.traceback)
                raise answer.error()
            case _:
                assert_never(answer)

    async def _wait_for_slot(self, skill: str, subject_id: Id) -> _Worker:
        """Return a worker with a free slot: who did the subject last, or else who has most. Raises RetryLater."""
        while True:
            skilled_workers = [one for one in self._workers.values() if skill in one.heartbeat.skills]
            if not skilled_workers:
                problem = "No worker for this is there: it is done as soon as one is."
                raise RetryLater(problem, seconds=NO_WORKER_SECONDS, whole_kind=True)
            last_name = self._last_worker.get((skill, subject_id))
            free_workers = [one for one in skilled_workers if one.free_slots > 0]
            if free_workers:
                return max(free_workers, key=lambda one: (one.name == last_name, one.free_slots))
            self._slot_freed.clear()
            await self._slot_freed.wait()

    # --- messages ---------------------------------------------------------------------------------------

    def take(self, text: str) -> None:
        """Take in a message of a worker; one that is not signed by it is dropped."""
        try:
            envelope = unseal(text, self._find_key)
        except ValueError as error:
            log.warning("workers: a message was dropped: %s", error)
            return
        match envelope.message:
            case Heartbeat() as heartbeat:
                self._note_heartbeat(envelope, heartbeat)
            case WorkAnswer() | Postponed() | Failure() as answer:
                piece = self._find_piece(envelope, envelope.number)
                if piece is not None and not piece.answer.done():
                    piece.answer.set_result(answer)
            case DoPiece() | RenewLease() | Done() | TextEmbeddings():
                log.warning("workers: %s sent what only the program sends", envelope.worker)
            case request:
                self._run(self._write_and_answer(envelope, request))

    def _note_heartbeat(self, envelope: Envelope, heartbeat: Heartbeat) -> None:
        name = envelope.worker
        if heartbeat.version != self._version:
            self._strangers[name] = heartbeat
            return
        self._strangers.pop(name, None)
        worker = self._workers.get(name)
        if worker is not None and worker.life != envelope.life:
            self._remove(worker)
            worker = None
        if heartbeat.is_leaving:
            if worker is not None:
                self._remove(worker, is_lost=False)
            return
        expires_at = self._now() + self._timing.lease
        if worker is None:
            worker = self._workers[name] = _Worker(name, envelope.life, heartbeat, expires_at)
            log.info("workers: %s is there, with %d slots", name, heartbeat.slots)
            self._slot_freed.set()
            self.on_change()
        worker.heartbeat, worker.expires_at = heartbeat, expires_at
        for number in heartbeat.pieces:
            if number in worker.pieces:
                worker.pieces[number].expires_at = expires_at
        self._send(worker, 0, RenewLease(tuple(worker.pieces)))

    def _find_piece(self, envelope: Envelope, number: int) -> _Piece | None:
        worker = self._workers.get(envelope.worker)
        return worker.pieces.get(number) if worker is not None and worker.life == envelope.life else None

    async def _write_and_answer(self, envelope: Envelope, request: WriteRequest) -> None:
        """Do what a piece asks for while it has its lease, once however often it is asked."""
        answer: Done | TextEmbeddings | Failure | None
        piece = self._find_piece(envelope, envelope.piece)
        if piece is None or piece.answer.done():
            answer = Failure("This piece of work was given to another.")
        elif envelope.number in piece.written:
            answer = piece.written[envelope.number]
        else:
            piece.written[envelope.number] = None
            answer = piece.written[envelope.number] = await self._do(request)
        worker = self._workers.get(envelope.worker)
        if answer is not None and worker is not None and worker.life == envelope.life:
            self._send(worker, envelope.number, answer)

    async def _do(self, request: WriteRequest) -> Done | TextEmbeddings | Failure:
        try:
            return await self._write(request)
        except MonitorError as error:
            return Failure.of(error)
        except Exception as error:
            log.exception("workers: what a worker asked for was not written")
            return Failure(f"{type(error).__name__}: {error}", traceback=traceback.format_exc())

    def _send(self, worker: _Worker, number: int, message: ToWorker) -> None:
        envelope = Envelope(worker.name, worker.life, number, 0, message)
        text = seal(envelope, self._find_key(worker.name))
        self._link.send(worker_queue(self._library, worker.name), text)

    # --- leases -----------------------------------------------------------------------------------------

    async def _expire(self) -> None:
        """Take pieces and workers away that gave no sign of life."""
        while True:
            await asyncio.sleep(self._timing.heartbeat / 2)
            now = self._now()
            for worker in list(self._workers.values()):
                if worker.expires_at <= now:
                    self._remove(worker)
                    continue
                for piece in worker.pieces.values():
                    if piece.expires_at <= now and not piece.answer.done():
                        self.lost_count += 1
                        piece.answer.set_exception(PieceTaken("A message of it was lost.", seconds=0.0))

    def _remove(self, worker: _Worker, *, is_lost: bool = True) -> None:
        """Forget a worker; what it had is given back, and is its fault only if it was lost with it alone."""
        if self._workers.get(worker.name) is worker:
            del self._workers[worker.name]
        open_pieces = [piece for piece in worker.pieces.values() if not piece.answer.done()]
        if is_lost and open_pieces:
            log.warning("workers: %s was lost; pieces of work that it had: %d", worker.name, len(open_pieces))
        for piece in open_pieces:
            if is_lost:
                self.lost_count += 1
            is_to_blame = is_lost and len(open_pieces) == 1
            lost = "The worker ended while it did this."
            piece.answer.set_exception(ProcessLost(lost) if is_to_blame else PieceTaken(lost, seconds=0.0))
        self._slot_freed.set()
        self.on_change()

    def _run(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _now(self) -> float:
        return asyncio.get_running_loop().time()
