"""The process that remembers, summarises, archives, indexes words and vectors, and reads documents.

It is started as `python -m monitor_tui.background_process HOME [EMBEDDING MODEL]`. It reads the library beside the
process that plays, and writes nothing but `index.db` and archives: what it finds for the library, the process that
plays writes (docs/decisions/0022), and embeds what is indexed by meaning (docs/decisions/0032). It ends when its input
does.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

from agents.canon_keeper.predicates import load_catalogue
from agents.canon_keeper.universe_policy import PolicyStore
from agents.child_processes import claim_stdout, write_all
from agents.events import EventBus
from agents.indexer.index_reconciler import Indexer
from agents.indexer.index_worker import IndexWorker
from agents.indexer.index_writers import TextIndexWriter, VectorIndexWriter
from agents.indexer.piped_embedder import PipedEmbedder
from agents.indexer.source_reader import SourceReader
from agents.jobs.followed_scenes import SceneFollower, SceneWorker
from agents.jobs.job_store import JobStore
from agents.jobs.worker import Worker
from agents.jobs.worker_pipe import READY_NUMBER, Failure
from agents.jobs.worker_server import PipedCursors, ProgramPipe, serve_workers
from agents.memory_manager.memory_worker import MemoryManager
from agents.memory_manager.scene_archive import ArchiveWorker, SceneArchive
from agents.memory_manager.scene_reader import SceneReader
from agents.memory_manager.summary_worker import SummaryWorker
from agents.telemetry.span_recorder import SpanRecorder
from agents.telemetry.spans import Span
from monitor_tui.ingest_workers import build_ingest_worker
from stores.errors import LibraryInUse, MonitorError
from stores.open import StoresBehindPlay, open_stores_behind_play
from stores.records.ids import utc_now
from stores.records.jobs import JobKind

NICENESS: Final = 10
"""How much lower its priority is than play's."""

WAIT_SECONDS: Final = 20.0
"""The longest wait for the process of a program that was killed."""


def main() -> None:
    # Ctrl+C is handled by the screen; this process ends when stdin does.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        with suppress(OSError):
            os.nice(NICENESS)
    home, *embedding_models = sys.argv[1:]
    asyncio.run(_serve(Path(home), embedding_models, claim_stdout()))


async def _serve(home: Path, embedding_models: Sequence[str], output: Any) -> None:
    telemetry = SpanRecorder(_forget_trace)
    program = ProgramPipe(partial(write_all, output), telemetry)
    try:
        stores = await _open_stores(home)
    except MonitorError as error:
        program.answer(READY_NUMBER, Failure(error.what, error.kept, error.todo))
        return
    try:
        workers = _build_workers(stores, embedding_models, program)
        await serve_workers(workers, await _open_input(), program, telemetry)
    finally:
        await stores.close()


def _forget_trace(span: Span) -> None:
    """Forget what was measured once it has gone with the answer: this process sends nothing itself."""


async def _open_stores(home: Path) -> StoresBehindPlay:
    """Open the stores, as soon as the process of a program that was killed has ended. Raises StoreError."""
    try:
        async with asyncio.timeout(WAIT_SECONDS):
            while True:
                try:
                    return await open_stores_behind_play(home)
                except LibraryInUse:
                    await asyncio.sleep(WAIT_SECONDS / 100)
    except TimeoutError:
        return await open_stores_behind_play(home)


def _build_workers(
    stores: StoresBehindPlay, embedding_models: Sequence[str], program: ProgramPipe
) -> tuple[Worker, ...]:
    log, canon, clock = stores.log, stores.canon, utc_now
    cursors = PipedCursors(JobStore(log, clock), program)
    events = EventBus()
    events.subscribe(program.publish)
    read_catalogue = PolicyStore(log, load_catalogue(), clock).read_catalogue
    source_reader = SourceReader(canon, log)
    archive = SceneArchive(log, program, stores.archives, clock)
    scene_workers: tuple[SceneWorker, ...] = (
        MemoryManager(log, program, SceneReader(canon, log, read_catalogue), cursors, clock, events),
        SummaryWorker(log, program, canon, cursors, clock),
        ArchiveWorker(log, archive, clock),
    )
    vector_writers = (
        VectorIndexWriter(stores.vectors, PipedEmbedder(model, program)) for model in embedding_models
    )
    return (
        *(SceneFollower(worker, log, stores.changes, cursors, clock) for worker in scene_workers),
        build_ingest_worker(canon, log, program, stores.originals, read_catalogue, events.publish),
        IndexWorker(source_reader, Indexer(source_reader, TextIndexWriter(stores.words), stores.changes)),
        *(
            IndexWorker(
                source_reader,
                Indexer(source_reader, writer, stores.changes),
                JobKind.EMBED,
                on_complete=program.mark_vectors_complete,
            )
            for writer in vector_writers
        ),
    )


async def _open_input() -> asyncio.StreamReader:
    loop, reader = asyncio.get_running_loop(), asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    return reader


if __name__ == "__main__":
    main()
