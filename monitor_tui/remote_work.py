"""Work on other machines: the pool of workers for the program that plays, and the process of such a worker.

Only with `MONITOR_BROKER` in the environment, and stores on servers, is anything of this imported or started.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib.metadata import version as installed_version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from agents.indexer.index_worker import IndexWorker
from agents.indexer.minilm_embedder import MODEL, MiniLmEmbedder
from agents.jobs.remote_worker import RemoteWorker
from agents.jobs.worker import Worker
from agents.memory_manager.memory_worker import READ_SUBJECT
from agents.telemetry.span_recorder import SpanRecorder
from agents.telemetry.spans import Span, Telemetry
from stores.authority import Store
from stores.errors import InputError
from stores.open import StoreKind, open_worker_stores, read_store_kinds
from stores.records.ids import Id
from stores.records.jobs import JobKind

if TYPE_CHECKING:
    from agents.jobs.broker_link import BrokerLink
    from agents.jobs.job_runner import JobRunner
    from agents.jobs.running_process import WriteForProcess
    from agents.jobs.worker_pool import WorkerPool

BROKER_VARIABLE: Final = "MONITOR_BROKER"
REMOTE_KINDS: Final = frozenset(
    {JobKind.REMEMBER, JobKind.SUMMARISE, JobKind.ARCHIVE, JobKind.INDEX, JobKind.EMBED}
)
"""What workers on other machines do. The program itself reads documents, and asks models, as it has the budgets."""


class RemoteWorkers:
    """The program's side: the pool, and what carries its messages."""

    def __init__(self, pool: WorkerPool, link: BrokerLink) -> None:
        self.pool = pool
        self._link = link
        self._skills_by_queue: dict[str, set[str]] = {}

    def start(self) -> None:
        """Begin to listen for workers; returns at once."""
        self._link.start()
        self.pool.start()

    def register(self, runner: JobRunner, worker: Worker) -> None:
        """Register a worker, and have as many of its queue's jobs done at a time as there are slots for them."""
        runner.register(worker)
        if isinstance(worker, RemoteWorker):
            self._skills_by_queue.setdefault(worker.queue, set()).add(worker.skill)

            def resize() -> None:
                for queue, skills in self._skills_by_queue.items():
                    runner.set_slots(queue, self.pool.count_slots(frozenset(skills)))

            self.pool.on_change = resize

    def status_rows(self) -> tuple[tuple[str, str], ...]:
        """Return the row of the System screen that says which workers are there."""
        workers = self.pool.view()
        texts = [f"{one.name}: {one.problem or f'{one.pieces} of {one.slots} under way'}" for one in workers]
        return (("workers", "; ".join(texts) or "none is there: what they do waits"),)

    async def close(self) -> None:
        await self.pool.close()
        await self._link.flush()
        await self._link.close()


def build_remote_workers(environ: Mapping[str, str], write: WriteForProcess) -> RemoteWorkers | None:
    """Return the workers of the library on servers that the environment names; None if it names no broker.

    Raises InputError if they cannot be used: stores in files, or what they need is not installed.
    """
    broker_url = environ.get(BROKER_VARIABLE)
    if not broker_url:
        return None
    if any(kind is not StoreKind.SERVERS for kind in read_store_kinds(environ).values()):
        raise InputError(
            f"{BROKER_VARIABLE} is set, and workers on other machines need all five stores on servers.",
            kept="Nothing was opened.",
            todo=f"Leave {BROKER_VARIABLE} out, or set MONITOR_STORES=servers.",
        )
    require_taskiq()
    from agents.jobs.broker_link import BrokerLink
    from agents.jobs.worker_pool import WorkerPool, program_queue
    from stores.servers.server_settings import read_server_settings

    settings = read_server_settings(environ, frozenset(Store))
    link = BrokerLink(broker_url, program_queue(settings.library), lambda text: pool.take(text))
    pool = WorkerPool(
        settings.library,
        link,
        lambda name: settings.of_worker(name).message_key,
        write,
        version=program_version(),
    )
    return RemoteWorkers(pool, link)


def skill_of(kind: JobKind, embedding_model: str = "") -> str:
    """Return what a worker has to be able to do for a kind of job: to embed, by that very model."""
    return f"{kind} {embedding_model}" if kind is JobKind.EMBED else str(kind)


def offload(worker: Worker, pool: WorkerPool, telemetry: Telemetry, embedding_model: str = "") -> Worker:
    """Return the worker with its pieces done on other machines, if its kind may be."""
    if worker.kind not in REMOTE_KINDS or (worker.kind is JobKind.EMBED and embedding_model != MODEL):
        return worker
    skill = skill_of(worker.kind, embedding_model)
    if isinstance(worker, IndexWorker):
        return RemoteWorker(worker, pool, skill=skill, distrust=worker.distrust, telemetry=telemetry)
    return RemoteWorker(worker, pool, skill=skill, is_remote=_is_remote, telemetry=telemetry)


def _is_remote(subject_id: Id) -> bool:
    """Say whether a subject may be done elsewhere: which memories were read, only the program knows."""
    return subject_id != READ_SUBJECT


def program_version() -> str:
    return installed_version("monitor-tui")


def require_taskiq() -> None:
    """Raise InputError unless what speaks to brokers is installed. Imports nothing."""
    missing_packages = [
        name for name in ("taskiq", "taskiq_redis", "taskiq_aio_pika") if find_spec(name) is None
    ]
    if missing_packages:
        raise InputError(
            f"What speaks to the workers' broker is not installed here: {', '.join(missing_packages)}.",
            kept="Nothing was opened.",
            todo="Install it with: pip install 'monitor-tui[workers,servers]', or with: make extras drivers.",
        )


async def serve_as_worker(
    environ: Mapping[str, str], slots: int, announce: Callable[[str], None] = lambda line: None
) -> int:
    """Work for the library that the environment names until SIGTERM or SIGINT; returns how many pieces were done.

    Raises InputError if the environment is not a worker's, or StoreError if a server cannot be opened.
    """
    require_taskiq()
    from agents.jobs.broker_link import BrokerLink
    from agents.jobs.piece_server import PieceServer, WorkerIdentity
    from agents.jobs.worker_pool import worker_queue
    from monitor_tui.worker_building import build_workers_behind_play
    from stores.servers.worker_stores import read_worker_settings

    settings = read_worker_settings(environ)
    broker_url = environ.get(BROKER_VARIABLE, "")
    identity = WorkerIdentity(
        settings.library, settings.worker, settings.message_key, program_version(), slots
    )
    link = BrokerLink(
        broker_url, worker_queue(settings.library, settings.worker), lambda text: server.take(text)
    )
    server = PieceServer(identity, link, telemetry=SpanRecorder(_forget_trace))
    stores = await open_worker_stores(environ)
    embedder = MiniLmEmbedder()
    try:
        workers = build_workers_behind_play(stores, [embedder], server.program)
        server.workers = {
            skill_of(worker.kind, embedder.model): worker for worker in workers if worker.kind in REMOTE_KINDS
        }
        link.start()
        announce(f"The worker {settings.worker} of {settings.library} is ready, with {slots} slots.")
        serving = asyncio.create_task(server.run())
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            with suppress(NotImplementedError):  # Windows: Ctrl+C interrupts, and an end is a kill
                loop.add_signal_handler(number, serving.cancel)
        with suppress(asyncio.CancelledError):
            await serving
        await link.flush()
    finally:
        await link.close()
        await embedder.close()
        await stores.close()
    return server.piece_count


def default_slots() -> int:
    """Return how many pieces this machine does at a time unless it is told."""
    return max(1, (os.cpu_count() or 2) - 1)


def _forget_trace(span: Span) -> None:
    """Forget what was measured once it has gone with the answer: a worker sends nothing itself."""
