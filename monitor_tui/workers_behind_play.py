"""Registers the workers that a process of their own runs, and says whether there is anything for it to do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple, assert_never

from agents.events import Event, EventBus, Notice
from agents.indexer.embedding_port import Embedder
from agents.indexer.index_worker import INDEX_PRIORITY, concerns_index
from agents.indexer.index_writers import TextIndexWriter, VectorIndexWriter
from agents.ingest.ingest_worker import INGEST_PRIORITY, concerns_ingest
from agents.jobs.followed_scenes import read_scene_cursor
from agents.jobs.job_runner import JobRunner
from agents.jobs.job_store import JobStore
from agents.jobs.worker import INGEST_QUEUE, PLAIN_QUEUE, VECTORS_QUEUE, WORDS_QUEUE
from agents.jobs.worker_pipe import (
    Done,
    EmbedTexts,
    MarkArchived,
    MarkVectorsComplete,
    PublishEvent,
    PutMemories,
    PutPages,
    PutSnippets,
    PutSource,
    PutSummaries,
    StageSnippets,
    TextEmbeddings,
    WriteCursor,
    WriteRequest,
)
from agents.jobs.worker_process import ProcessNotStarted, ProcessWorker, WorkerProcess
from agents.memory_manager.memory_worker import MemoryManager, concerns_memories
from agents.memory_manager.scene_archive import ArchiveWorker, concerns_archives
from agents.memory_manager.summary_worker import SummaryWorker, concerns_summaries
from agents.telemetry.spans import Telemetry
from stores.authority import Role
from stores.changes import ChangeCursor
from stores.ports import SourceWriter
from stores.records.ids import Clock
from stores.records.jobs import JobKind
from stores.records.sources import READING_STATES
from stores.stores import Stores

_LOST_TEXT: Final = "The background process ended unexpectedly and is started again. Nothing is lost."
_WAITING_TEXT: Final = "Memories, summaries and the indexes wait for it; it is tried again."


class _Kind(NamedTuple):
    """A kind of job that the process does."""

    kind: JobKind
    queue: str
    priority: int
    concerns: Callable[[Event], bool]
    scene_version: int | None
    """The version of a worker of scenes."""


class VectorIndexing(NamedTuple):
    """What the program does for the indexing of vectors: it has the embedding model."""

    embedder: Embedder
    mark_complete: Callable[[], Awaitable[None]]
    """Has searches use the vectors of this model."""


_KINDS: Final = (
    *(
        _Kind(worker.kind, PLAIN_QUEUE, worker.priority, concerns, worker.version)
        for worker, concerns in (
            (MemoryManager, concerns_memories),
            (SummaryWorker, concerns_summaries),
            (ArchiveWorker, concerns_archives),
        )
    ),
    _Kind(JobKind.INDEX, WORDS_QUEUE, INDEX_PRIORITY, concerns_index, None),
    _Kind(JobKind.INGEST, INGEST_QUEUE, INGEST_PRIORITY, concerns_ingest, None),
)
_VECTORS_KIND: Final = _Kind(JobKind.EMBED, VECTORS_QUEUE, INDEX_PRIORITY, concerns_index, None)


def register_workers_behind_play(
    home: Path,
    stores: Stores,
    runner: JobRunner,
    job_store: JobStore,
    source_writer: SourceWriter,
    clock: Clock,
    events: EventBus,
    vectors: VectorIndexing | None,
    telemetry: Telemetry,
) -> WorkerProcess:
    """Register the workers of the process for this home folder, and return the process, which is not started yet.

    `vectors` None: no vectors are made.
    """
    notices = iter([Notice(_LOST_TEXT, "warning")])
    kinds: Sequence[_Kind] = _KINDS if vectors is None else (*_KINDS, _VECTORS_KIND)
    models = () if vectors is None else (vectors.embedder.model,)

    def look_again() -> None:
        for one in kinds:
            runner.rescan(one.kind)
        for notice in notices:  # once
            events.publish(notice)

    def say_not_started(error: ProcessNotStarted) -> None:
        events.publish(Notice(f"{error.what} {_WAITING_TEXT}", "warning"))

    process = WorkerProcess(
        ("-m", "monitor_tui.background_process", str(home), *models),
        write=partial(write_for_process, stores, job_store, source_writer, events, vectors),
        on_lost=look_again,
        on_not_started=say_not_started,
    )
    for one in kinds:
        runner.register(
            ProcessWorker(
                process,
                kind=one.kind,
                queue=one.queue,
                priority=one.priority,
                concerns=one.concerns,
                is_anything_new=partial(_is_anything_new, stores, job_store, clock, vectors, one),
                telemetry=telemetry,
            )
        )
    return process


async def write_for_process(
    stores: Stores,
    job_store: JobStore,
    source_writer: SourceWriter,
    events: EventBus,
    vectors: VectorIndexing | None,
    request: WriteRequest,
) -> Done | TextEmbeddings:
    """Do what the process asks for."""
    match request:
        case PutMemories(memories):
            await stores.log(Role.MEMORY_MANAGER).put_memories(memories)
        case PutSummaries(summaries):
            await stores.log(Role.MEMORY_MANAGER).put_summaries(summaries)
        case MarkArchived(archived_log):
            await stores.log(Role.ARCHIVIST).mark_archived(archived_log)
        case PutSource(source):
            await source_writer.put_source(source)
        case PutPages(pages):
            await source_writer.put_pages(pages)
        case PutSnippets(snippets):
            await source_writer.put_snippets(snippets)
        case StageSnippets(snippets, proposals):
            await source_writer.stage_snippets(snippets, proposals)
        case WriteCursor(kind, subject, cursor):
            await job_store.write_cursor(kind, subject, cursor)
        case PublishEvent(event):
            events.publish(event)
        case EmbedTexts(texts, universe_id):
            assert vectors is not None
            return TextEmbeddings(await vectors.embedder.embed(texts, universe_id=universe_id))
        case MarkVectorsComplete():
            assert vectors is not None
            await vectors.mark_complete()
        case _:
            assert_never(request)
    return Done()


async def _is_anything_new(
    stores: Stores, job_store: JobStore, clock: Clock, vectors: VectorIndexing | None, one: _Kind
) -> bool:
    """Say whether anything changed, or became due, since a kind of job was done with everything."""
    if one.kind is JobKind.INGEST:
        return bool(await stores.log(Role.INGEST).sources(states=READING_STATES))
    if stores.changes is None:
        return True
    done_up_to: ChangeCursor | None
    if one is _VECTORS_KIND:
        assert vectors is not None
        index_writer = VectorIndexWriter(stores.vectors(Role.INDEXER), vectors.embedder)
        done_up_to = ChangeCursor.parse(await index_writer.read_cursor())
        if is_complete := done_up_to == await stores.changes.last_change():
            # Another model was set meanwhile, and this one again: the other's vectors are not needed.
            await vectors.mark_complete()
        return not is_complete
    if one.scene_version is None:
        done_up_to = ChangeCursor.parse(await TextIndexWriter(stores.words(Role.INDEXER)).read_cursor())
    else:
        cursor = await read_scene_cursor(job_store, one.kind, one.scene_version)
        if cursor is None or cursor.is_due(clock()):
            return True
        done_up_to = cursor.change
    return done_up_to != await stores.changes.last_change()
