"""Tests of work on other machines: the pool, its leases, and a worker's side, over a wire that may lose messages."""

from __future__ import annotations

import asyncio
import hmac
import json
import random
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, get_args

import pytest

from agents.events import Event, EventBus, HeadMoved, MemoriesWritten
from agents.jobs.job_runner import JobRunner
from agents.jobs.job_store import JobStore
from agents.jobs.piece_server import PieceServer, WorkerIdentity
from agents.jobs.remote_messages import DoPiece, Envelope, Heartbeat, RenewLease, seal, unseal
from agents.jobs.remote_worker import RemoteWorker
from agents.jobs.worker import MODEL_QUEUE, JobSubject, RetryLater
from agents.jobs.worker_pipe import (
    Done,
    Failure,
    Postponed,
    PublishEvent,
    PutMemories,
    TextEmbeddings,
    WorkAnswer,
    WriteCursor,
    WriteRequest,
)
from agents.jobs.worker_pool import Timing, WorkerPool, program_queue, worker_queue
from agents.jobs.worker_process import ProcessLost
from agents.jobs.worker_server import ProgramPipe
from agents.telemetry.spans import MeasuredOperation, Span, SpanRecords
from stores.authority import Role
from stores.errors import MonitorError, StoreUnavailable
from stores.records.ids import Id, utc_now
from stores.records.jobs import JobKind
from tests.libraries import library

QUICK: Final = Timing(heartbeat=0.05, lease=1.0)
LIBRARY: Final = "campaigns"
SKILL: Final = "embed"


@dataclass
class Wire:
    """Carries messages in this process; `loses` says which are lost."""

    ends: dict[str, Callable[[str], None]] = field(default_factory=dict)
    loses: Callable[[str, str], bool] = lambda queue, text: False
    sent: list[tuple[str, str]] = field(default_factory=list)

    def send(self, queue: str, text: str) -> None:
        self.sent.append((queue, text))
        if queue in self.ends and not self.loses(queue, text):
            asyncio.get_running_loop().call_soon(self.ends[queue], text)


@dataclass
class Remote:
    """A worker whose pieces take as long as `gate` is closed, and write how far they are."""

    program: ProgramPipe | None = None
    lefts: dict[Id, int] = field(default_factory=dict)
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    noted: list[Event] = field(default_factory=list)
    begun: list[Id] = field(default_factory=list)
    error: Exception | None = None
    was_cancelled: bool = False

    kind = JobKind.EMBED
    queue = MODEL_QUEUE
    priority = 0

    async def subjects(self) -> Collection[JobSubject]:
        return [JobSubject(one, "u", left) for one, left in self.lefts.items() if left]

    async def on_event(self, event: Event) -> Collection[JobSubject]:
        self.noted.append(event)
        return [JobSubject(event.scene_id, "u")] if isinstance(event, HeadMoved) else []

    async def confirm_complete(self) -> Collection[JobSubject]:
        return ()

    async def reconcile(self, subject_id: Id) -> int:
        self.begun.append(subject_id)
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.was_cancelled = True
            raise
        if self.error is not None:
            raise self.error
        if self.program is not None:
            self.lefts[subject_id] = max(0, self.lefts.get(subject_id, 1) - 1)
            await self.program.write_cursor(
                self.kind, JobSubject(subject_id, "u"), f"{self.lefts[subject_id]} left"
            )
        return self.lefts.get(subject_id, 0)


@dataclass
class Program:
    """The side that plays."""

    wire: Wire
    pool: WorkerPool
    written: list[WriteRequest]
    servers: dict[str, PieceServer] = field(default_factory=dict)
    _runs: dict[str, asyncio.Task[None]] = field(default_factory=dict)

    def add(self, name: str, worker: Remote, *, slots: int = 1, version: str = "1", key: str = "") -> None:
        identity = WorkerIdentity(LIBRARY, name, key or f"key of {name}", version, slots)
        server = PieceServer(identity, self.wire, timing=QUICK)
        worker.program = server.program
        server.workers = {SKILL: worker}
        self.servers[name] = server
        self.wire.ends[worker_queue(LIBRARY, name)] = server.take
        self._runs[name] = asyncio.create_task(server.run())

    async def end(self, name: str) -> None:
        """Have a worker end in good order."""
        self._runs[name].cancel()
        await asyncio.gather(self._runs.pop(name), return_exceptions=True)

    def kill(self, name: str) -> None:
        """Cut a worker off: nothing it says arrives any more."""
        before = self.wire.loses
        signed = f'"worker": "{name}"'
        self.wire.loses = lambda queue, text: signed in text or before(queue, text)
        self.wire.ends.pop(worker_queue(LIBRARY, name))

    async def close(self) -> None:
        await self.pool.close()
        for name in list(self._runs):
            await self.end(name)


@asynccontextmanager
async def open_program(wire: Wire | None = None) -> AsyncIterator[Program]:
    wire = wire or Wire()
    written: list[WriteRequest] = []

    async def write(request: WriteRequest) -> Done | TextEmbeddings:
        await asyncio.sleep(0)
        written.append(request)
        return Done()

    pool = WorkerPool(LIBRARY, wire, lambda name: f"key of {name}", write, version="1", timing=QUICK)
    wire.ends[program_queue(LIBRARY)] = pool.take
    program = Program(wire, pool, written)
    pool.start()
    try:
        yield program
    finally:
        await program.close()


PATIENCE_SECONDS = 60
LONG_PATIENCE_SECONDS = 300
"""Where messages are lost: on a busy machine answers come too late, too, and all is asked again and again."""


async def until(condition: Callable[[], object], seconds: float = PATIENCE_SECONDS) -> None:
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - what is waited for is told to nobody
            await asyncio.sleep(0.005)


def open_gate() -> asyncio.Event:
    gate = asyncio.Event()
    gate.set()
    return gate


# --- messages ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "message",
    [
        DoPiece(JobKind.INDEX, "s", (HeadMoved("a"), MemoriesWritten("u", None))),
        RenewLease((1, 2)),
        Heartbeat("1", 2, frozenset({"index"}), (4,)),
        WorkAnswer(
            (),
            3,
            Span(
                MeasuredOperation.WORK, "x", SpanRecords("u"), children=[Span(MeasuredOperation.WRITE_BACK)]
            ),
        ),
        Postponed("a", 1.0, True),
        Failure("w", "k", "t", error_type=StoreUnavailable),
        WriteCursor(JobKind.INDEX, JobSubject("a", "b"), "c"),
        PublishEvent(HeadMoved("a")),
        PutMemories([]),
    ],
    ids=lambda message: type(message).__name__,
)
def test_messages_arrive_as_they_were_sent(message: object) -> None:
    envelope = Envelope("w", "life", 7, 3, message)  # type: ignore[arg-type]
    assert unseal(seal(envelope, "key"), lambda name: "key") == envelope


@pytest.mark.parametrize("request_type", get_args(WriteRequest), ids=lambda one: one.__name__)
def test_every_request_of_a_worker_is_known(request_type: type) -> None:
    text = json.dumps(
        {"worker": "w", "life": "l", "number": 1, "piece": 1, "type": request_type.__name__, "body": 0}
    )
    signed_text = hmac.new(b"key", text.encode(), "sha256").hexdigest() + text
    with pytest.raises(ValueError) as refusal:
        unseal(signed_text, lambda name: "key")
    assert not isinstance(refusal.value.__cause__, KeyError), "its type is not known"


@pytest.mark.parametrize(
    "change", [lambda text: text.replace("life", "lies"), lambda text: text[:-3], lambda _: "x"]
)
def test_messages_that_were_changed_are_dropped(change: Callable[[str], str]) -> None:
    text = seal(Envelope("w", "life", 7, 3, Done()), "key")
    with pytest.raises(ValueError):
        unseal(change(text), lambda name: "key")


# --- pieces --------------------------------------------------------------------------------------------------


async def test_pool_has_a_worker_do_a_piece_and_writes_for_it() -> None:
    async with open_program() as program:
        remote = Remote(lefts={"s": 2}, gate=open_gate())
        program.add("attic", remote)
        await until(program.pool.view)
        answer = await program.pool.work(SKILL, DoPiece(JobKind.EMBED, "s", (HeadMoved("s"),)))
        assert answer.items_left == 1
        assert program.written == [WriteCursor(JobKind.EMBED, JobSubject("s", "u"), "1 left")]
        assert remote.noted == [HeadMoved("s")]


async def test_pool_passes_on_what_a_worker_raises() -> None:
    async with open_program() as program:
        remote = Remote(gate=open_gate(), error=RetryLater("Budget.", seconds=7, whole_kind=True))
        program.add("attic", remote)
        await until(program.pool.view)
        with pytest.raises(RetryLater) as later:
            await program.pool.work(SKILL, DoPiece(JobKind.EMBED, "s"))
        assert (later.value.what, later.value.seconds, later.value.whole_kind) == ("Budget.", 7, True)
        remote.error = StoreUnavailable("Down.")
        with pytest.raises(StoreUnavailable, match="Down"):
            await program.pool.work(SKILL, DoPiece(JobKind.EMBED, "s"))
        remote.error = ZeroDivisionError("oh")
        with pytest.raises(MonitorError, match="ZeroDivisionError"):
            await program.pool.work(SKILL, DoPiece(JobKind.EMBED, "s"))


async def test_work_waits_while_no_worker_is_there() -> None:
    async with open_program() as program:
        with pytest.raises(RetryLater, match="No worker"):
            await program.pool.work(SKILL, DoPiece(JobKind.EMBED, "s"))


async def test_pieces_go_to_free_slots_and_a_subject_stays_with_its_worker() -> None:
    async with open_program() as program:
        attic, cellar = Remote(lefts={"a": 3}), Remote(lefts={"a": 3})
        program.add("attic", attic)
        program.add("cellar", cellar)
        await until(lambda: len(program.pool.view()) == 2)
        work = [asyncio.create_task(program.pool.work(SKILL, DoPiece(JobKind.EMBED, s))) for s in "abc"]
        await until(lambda: attic.begun and cellar.begun)
        assert len(attic.begun) + len(cellar.begun) == 2, "one slot each: the third piece waits"
        attic.gate.set()
        cellar.gate.set()
        await asyncio.gather(*work)
        first = attic if "a" in attic.begun else cellar
        for _ in range(3):
            await program.pool.work(SKILL, DoPiece(JobKind.EMBED, "a"))
        assert first.begun.count("a") == 4


async def test_worker_that_is_lost_alone_with_a_piece_is_to_blame() -> None:
    async with open_program() as program:
        lost, other = Remote(), Remote(gate=open_gate())
        program.add("attic", lost)
        await until(program.pool.view)
        work = asyncio.create_task(program.pool.work(SKILL, DoPiece(JobKind.EMBED, "s")))
        await until(lambda: lost.begun)
        program.kill("attic")
        program.add("cellar", other)
        with pytest.raises(ProcessLost):
            await work
        await program.pool.work(SKILL, DoPiece(JobKind.EMBED, "s"))
        assert other.begun == ["s"]


async def test_worker_that_leaves_gives_its_pieces_back() -> None:
    async with open_program() as program:
        leaving = Remote()
        program.add("attic", leaving)
        await until(program.pool.view)
        work = asyncio.create_task(program.pool.work(SKILL, DoPiece(JobKind.EMBED, "s")))
        await until(lambda: leaving.begun)
        await program.end("attic")
        with pytest.raises(RetryLater):
            await work
        assert not program.pool.view()


async def test_write_of_a_piece_that_was_given_to_another_is_refused() -> None:
    """A worker that was cut off for a while must not write over what was done since."""
    async with open_program() as program:
        slow = Remote(lefts={"s": 5})
        program.add("attic", slow)
        await until(program.pool.view)
        work = asyncio.create_task(program.pool.work(SKILL, DoPiece(JobKind.EMBED, "s")))
        await until(lambda: slow.begun)
        request_text = next(text for _, text in program.wire.sent if '"DoPiece"' in text)
        request = unseal(request_text, lambda name: "key of attic")
        program.kill("attic")
        with pytest.raises(ProcessLost):
            await work
        write = WriteCursor(JobKind.EMBED, JobSubject("s", "u"), "late")
        late = Envelope("attic", request.life, 1, request.number, write)
        program.pool.take(seal(late, "key of attic"))
        await asyncio.sleep(0.02)
        assert not program.written


async def test_worker_gives_up_what_the_program_does_not_wait_for() -> None:
    async with open_program() as program:
        remote = Remote()
        program.add("attic", remote)
        await until(program.pool.view)
        work = asyncio.create_task(program.pool.work(SKILL, DoPiece(JobKind.EMBED, "s")))
        await until(lambda: remote.begun)
        work.cancel()
        await until(lambda: remote.was_cancelled)


async def test_worker_of_another_version_or_without_the_key_gets_nothing() -> None:
    async with open_program() as program:
        program.add("old", Remote(), version="0")
        program.add("forger", Remote(), key="guessed")
        await until(program.pool.view)
        (view,) = program.pool.view()
        assert view.name == "old"
        assert "version 0" in view.problem
        with pytest.raises(RetryLater):
            await program.pool.work(SKILL, DoPiece(JobKind.EMBED, "s"))


# --- with the job runner -------------------------------------------------------------------------------------


@pytest.mark.slow
async def test_nothing_is_lost_when_every_third_message_is_and_a_worker_is_cut_off(tmp_path: Path) -> None:
    chance = random.Random(17)
    async with (
        open_program(Wire(loses=lambda queue, text: chance.random() < 1 / 3)) as program,
        library(tmp_path) as stores,
    ):
        subjects = {f"s{number}": 3 for number in range(20)}
        local = Remote(lefts=dict(subjects), gate=open_gate())
        runner = JobRunner(JobStore(stores.log(Role.ORCHESTRATOR), utc_now), EventBus())
        runner.register(RemoteWorker(local, program.pool, skill=SKILL))
        program.pool.on_change = lambda: runner.set_slots(
            MODEL_QUEUE, program.pool.count_slots(frozenset({SKILL}))
        )
        shared = dict(subjects)
        for name in ("attic", "cellar"):
            program.add(name, Remote(lefts=shared, gate=open_gate()), slots=2)
        await until(program.pool.view)
        local.lefts = shared  # what is left is what all of them see, as in a store
        runner.start()
        await until(lambda: len(program.written) > 10, LONG_PATIENCE_SECONDS)
        program.kill("attic")
        await until(lambda: not any(shared.values()), LONG_PATIENCE_SECONDS)
        async with asyncio.timeout(LONG_PATIENCE_SECONDS):
            await runner.wait_until_idle()
        await runner.close()
        assert not any(shared.values())


async def test_subject_is_looked_at_once_more_by_the_program() -> None:
    """What a worker left undone and says is done, the program does."""
    async with open_program() as program:
        remote, local = Remote(lefts={"s": 1}, gate=open_gate()), Remote(lefts={"s": 4}, gate=open_gate())
        program.add("attic", remote)
        await until(program.pool.view)
        worker = RemoteWorker(local, program.pool, skill=SKILL)
        assert list(await worker.on_event(HeadMoved("s"))) == [JobSubject("s", "u")]
        assert await worker.reconcile("s") == 4
        assert local.begun == ["s"]
        assert remote.noted == [HeadMoved("s")]
        await worker.reconcile("s")
        assert remote.noted == [HeadMoved("s")], "told once"


async def test_what_the_program_alone_knows_is_done_by_it() -> None:
    async with open_program() as program:
        local = Remote(gate=open_gate())
        worker = RemoteWorker(local, program.pool, skill=SKILL, is_remote=lambda subject_id: False)
        assert await worker.reconcile("s") == 0
        assert local.begun == ["s"]
