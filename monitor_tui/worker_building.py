"""Builds the workers of a process that is not the one that plays: beside it, or on another machine."""

from __future__ import annotations

from collections.abc import Sequence

from agents.canon_keeper.predicates import load_catalogue
from agents.canon_keeper.universe_policy import PolicyStore
from agents.events import EventBus
from agents.indexer.embedding_port import Embedder
from agents.indexer.index_reconciler import Indexer
from agents.indexer.index_worker import IndexWorker
from agents.indexer.index_writers import TextIndexWriter, VectorIndexWriter
from agents.indexer.source_reader import SourceReader
from agents.jobs.followed_scenes import SceneFollower, SceneWorker
from agents.jobs.job_store import JobStore
from agents.jobs.worker import Worker
from agents.jobs.worker_server import PipedCursors, ProgramPipe
from agents.memory_manager.memory_worker import MemoryManager
from agents.memory_manager.scene_archive import ArchiveWorker, SceneArchive
from agents.memory_manager.scene_reader import SceneReader
from agents.memory_manager.summary_worker import SummaryWorker
from monitor_tui.ingest_workers import build_ingest_worker
from stores.open import StoresBehindPlay
from stores.records.ids import utc_now
from stores.records.jobs import JobKind


def build_workers_behind_play(
    stores: StoresBehindPlay, embedders: Sequence[Embedder], program: ProgramPipe
) -> tuple[Worker, ...]:
    """Return the workers that a process has which is not the one that plays: what they find, the program writes."""
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
    vector_writers = (VectorIndexWriter(stores.vectors, embedder) for embedder in embedders)
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
