"""Does pieces of work on a machine that has workers, for the program that plays. See `agents.jobs.worker_pool`."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

from agents.jobs.remote_messages import DoPiece, Envelope, FromWorker, Heartbeat, RenewLease, seal, unseal
from agents.jobs.worker import Worker
from agents.jobs.worker_pipe import (
    Done,
    Failure,
    FromProcess,
    Postponed,
    PublishEvent,
    Reconcile,
    TextEmbeddings,
    WorkAnswer,
)
from agents.jobs.worker_pool import DEFAULT_TIMING, Link, Timing, program_queue
from agents.jobs.worker_server import ProgramPipe, answer_request
from agents.telemetry.spans import NO_TELEMETRY, Telemetry

log = logging.getLogger("monitor.workers")

_CURRENT_PIECE: Final[ContextVar[int]] = ContextVar("current piece", default=0)


@dataclass(frozen=True, slots=True)
class WorkerIdentity:
    """Who a worker is: its name, and the key with which its messages are signed."""

    library: str
    name: str
    key: str
    version: str
    slots: int = 1


class PieceServer:
    """Does what the program asks, several pieces side by side, and gives signs of life.

    `program` writes for the workers. Set `workers` before `run`, by the skill that each needs.
    """

    def __init__(
        self,
        identity: WorkerIdentity,
        link: Link,
        *,
        timing: Timing = DEFAULT_TIMING,
        telemetry: Telemetry = NO_TELEMETRY,
    ) -> None:
        self._identity = identity
        self._link = link
        self._timing = timing
        self._telemetry = telemetry
        self._life = secrets.token_hex(8)
        self.program = ProgramPipe(self._send_for_piece, telemetry)
        self.workers: Mapping[str, Worker] = {}
        self._pieces: dict[int, asyncio.Task[None]] = {}
        self._unanswered: dict[int, Envelope] = {}
        """Writes that the program has not answered: sent again with each sign of life."""
        self._renewed_at = 0.0
        self.piece_count = 0
        """Pieces that were done."""

    async def run(self) -> None:
        """Serve until cancelled; then say that this worker leaves."""
        self._renewed_at = self._now()
        try:
            while True:
                self._send(0, self._heartbeat())
                for envelope in list(self._unanswered.values()):
                    self._post(envelope)
                await asyncio.sleep(self._timing.heartbeat)
                if self._now() - self._renewed_at > self._timing.lease:
                    # Nobody answers: others may have the pieces by now.
                    self._give_up(list(self._pieces))
        finally:
            self._give_up(list(self._pieces))
            self._send(0, self._heartbeat(is_leaving=True))

    def take(self, text: str) -> None:
        """Take in a message of the program; one that is not signed by it, or meant for an earlier run, is dropped."""
        try:
            envelope = unseal(text, lambda name: self._identity.key)
        except ValueError as error:
            log.warning("worker: a message was dropped: %s", error)
            return
        if envelope.worker != self._identity.name or envelope.life != self._life:
            return
        match envelope.message:
            case DoPiece() as request:
                if envelope.number not in self._pieces:
                    self._pieces[envelope.number] = asyncio.create_task(self._do(envelope.number, request))
            case RenewLease(numbers):
                self._renewed_at = self._now()
                self._give_up([number for number in self._pieces if number not in numbers])
            case Done() | TextEmbeddings() | Failure() as answer:
                self._unanswered.pop(envelope.number, None)
                self.program.take_answer(envelope.number, answer)
            case _:
                log.warning("worker: the program sent what only a worker sends")

    async def _do(self, number: int, request: DoPiece) -> None:
        _CURRENT_PIECE.set(number)
        try:
            answer = await self._ask(request)
            self.piece_count += 1
            self._send(number, answer)
        finally:
            self._pieces.pop(number, None)
            self._forget_writes(number)

    async def _ask(self, request: DoPiece) -> WorkAnswer | Postponed | Failure:
        worker = next((one for one in self.workers.values() if one.kind is request.kind), None)
        if worker is None:
            return Failure(f"This worker does no {request.kind}.")
        try:
            for event in request.events:
                await worker.on_event(event)
        except Exception as error:  # noqa: BLE001 - the piece looks at the stores itself; this only says where
            log.info("worker: an event was not taken in: %s", error)
        return await answer_request(worker, Reconcile(request.kind, request.subject_id), self._telemetry)

    def _give_up(self, numbers: list[int]) -> None:
        for number in numbers:
            log.info("worker: piece %d was taken away", number)
            self._pieces[number].cancel()
            self._forget_writes(number)

    def _forget_writes(self, piece: int) -> None:
        for number, envelope in list(self._unanswered.items()):
            if envelope.piece == piece:
                del self._unanswered[number]

    def _heartbeat(self, *, is_leaving: bool = False) -> Heartbeat:
        identity = self._identity
        pieces = tuple(self._pieces)
        return Heartbeat(identity.version, identity.slots, frozenset(self.workers), pieces, is_leaving)

    def _send_for_piece(self, number: int, message: FromProcess) -> None:
        match message:
            case WorkAnswer() | Postponed() | Failure() | PublishEvent():
                self._send(number, message)
            case Done():
                raise AssertionError("a worker on another machine is ready when it gives a sign of life")
            case _:
                envelope = self._seal_for(number, message)
                self._unanswered[number] = envelope
                self._post(envelope)

    def _send(self, number: int, message: FromWorker) -> None:
        self._post(self._seal_for(number, message))

    def _seal_for(self, number: int, message: FromWorker) -> Envelope:
        return Envelope(self._identity.name, self._life, number, _CURRENT_PIECE.get(), message)

    def _post(self, envelope: Envelope) -> None:
        self._link.send(program_queue(self._identity.library), seal(envelope, self._identity.key))

    def _now(self) -> float:
        return asyncio.get_running_loop().time()
