"""Builds the background work: the Indexer, the MemoryManager, and the embedding model.

Building starts nothing: the work begins after the first frame, or when `settle` is called.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from agents.canon_keeper.universe_policy import ReadCatalogue
from agents.events import EventBus, LlmCallRecorded
from agents.indexer.embedding_port import Embedder
from agents.indexer.index_check import CheckedIndex, IndexDifference, check_indexes
from agents.indexer.index_rebuild import ReportProgress, rebuild_vectors, rebuild_words
from agents.indexer.index_reconciler import Indexer
from agents.indexer.index_texts import TurnNeighbours
from agents.indexer.index_worker import IndexWorker
from agents.indexer.index_writers import TextIndexWriter, VectorIndexWriter
from agents.indexer.minilm_embedder import EARLIER_MODEL, MODEL, MiniLmEmbedder
from agents.indexer.provider_embedder import ProviderEmbedder
from agents.indexer.question_vectors import (
    QUESTION_TIMEOUT_SECONDS,
    ActiveVectorModel,
    CachedQuestionEmbedder,
)
from agents.indexer.source_reader import SourceReader
from agents.ingest.source_recorder import SourceRecorder
from agents.jobs.followed_scenes import SceneFollower
from agents.jobs.job_runner import FindHold, JobRunner, ReadShares
from agents.jobs.job_store import JobStore
from agents.jobs.worker import JobSubject, Worker
from agents.jobs.worker_process import WorkerProcess
from agents.llm.budget import BudgetGuard
from agents.llm.call_context import CallContext
from agents.llm.errors import BudgetExhausted
from agents.llm.llm_port import EmbeddingProvider, Usage
from agents.llm.llm_settings import NO_EMBEDDING, AppSettings
from agents.llm.model_calls import span_of_call
from agents.llm.model_names import ModelTarget
from agents.memory_manager.memory_worker import MemoryManager
from agents.memory_manager.scene_archive import ArchiveWorker, SceneArchive
from agents.memory_manager.scene_reader import SceneReader
from agents.memory_manager.summary_worker import SummaryWorker
from agents.telemetry.spans import NO_TELEMETRY, Telemetry
from monitor_tui.background_mode import BackgroundMode
from monitor_tui.ingest_workers import build_ingest_worker
from monitor_tui.workers_behind_play import (
    VectorIndexing,
    register_workers_behind_play,
    write_for_process,
)
from stores.authority import COLLECTIONS, Role, Store
from stores.errors import NotFound
from stores.records.ids import Clock, Id, IdGenerator
from stores.records.jobs import JobKind
from stores.records.llm import LlmCall, Persona
from stores.stores import Stores

REMOTE_EMBEDDING_TIMEOUT = 1.5
"""Seconds that a question waits for a vector of a provider's."""


FOLLOWING_JOBS = dict.fromkeys((JobKind.REMEMBER, JobKind.SUMMARISE), (JobKind.INDEX, JobKind.EMBED))
"""A scene's memories and summaries are indexed once they are written."""


_READING_MODES: Final = (BackgroundMode.PLAY, BackgroundMode.INGEST)
"""In which documents that wait are read."""


class BackgroundJobs(NamedTuple):
    runner: JobRunner
    question_vectors: CachedQuestionEmbedder
    job_store: JobStore
    memories: MemoryManager
    rebuild_vectors: Callable[[ReportProgress, bool], Awaitable[dict[str, int] | None]]
    """Makes the vectors that are missing, or (True) all of them from nothing; None: there is no model."""
    close: Callable[[], Awaitable[None]]
    process: WorkerProcess | None
    """What remembers, summarises, archives and indexes beside play; None if this process does."""


class EmbedderPool:
    """The embedding model that is set, and whatever other one the vectors in use are of."""

    def __init__(
        self, default_embedder: Embedder | None, make_other: Callable[[str], Embedder | None]
    ) -> None:
        self.default_embedder = default_embedder
        self._make_other = make_other
        self._by_model: dict[str, Embedder] = (
            {default_embedder.model: default_embedder} if default_embedder else {}
        )

    def embedder_for(self, model: str) -> Embedder | None:
        if model not in self._by_model and (embedder := self._make_other(model)):
            self._by_model[model] = embedder
        return self._by_model.get(model)

    async def close(self) -> None:
        for embedder in self._by_model.values():
            await embedder.close()


def build_background_jobs(
    stores: Stores,
    settings: AppSettings,
    model_process: object,
    budget_guard: BudgetGuard,
    ids: IdGenerator,
    clock: Clock,
    events: EventBus,
    mode: BackgroundMode,
    embedder: Embedder | None = None,
    *,
    catalogue: ReadCatalogue,
    doubt_worker: Worker | None = None,
    enrich_worker: Worker,
    source_recorder: SourceRecorder,
    telemetry: Telemetry = NO_TELEMETRY,
    home: Path | None = None,
    environ: Mapping[str, str] = MappingProxyType({}),
) -> BackgroundJobs:
    """Build it.

    `model_process` is what speaks to models, which may know how to embed; `embedder` stands in for the built-in
    one. With a `home` whose files the stores are, a process of their own remembers, summarises, archives and indexes;
    with a broker in `environ`, workers on other machines do. Raises InputError if that broker cannot be used.
    """
    job_store = JobStore(stores.log(Role.ORCHESTRATOR), clock)
    target = settings.embedding_target()
    embedding_bill = _EmbeddingBill(stores, budget_guard, ids, clock, events, telemetry)

    def provider_embedder(target: ModelTarget) -> Embedder | None:
        return (
            ProviderEmbedder(model_process, target, embedding_bill.check_budget, embedding_bill.record_cost)
            if isinstance(model_process, EmbeddingProvider)
            else None
        )

    def other_embedder(model: str) -> Embedder | None:
        """One whose vectors are still in use."""
        if mode is BackgroundMode.OFF:
            return None
        if model == EARLIER_MODEL and isinstance(default_embedder, MiniLmEmbedder):
            return default_embedder
        if model in (MODEL, EARLIER_MODEL):
            return MiniLmEmbedder()
        return provider_embedder(ModelTarget(model))

    default_embedder = embedder
    if (
        default_embedder is None
        and mode is not BackgroundMode.OFF
        and settings.embedding.model != NO_EMBEDDING
    ):
        default_embedder = provider_embedder(target) if target else MiniLmEmbedder()
    embedders = EmbedderPool(default_embedder, other_embedder)
    vectors = stores.vectors(Role.INDEXER)
    in_use = ActiveVectorModel(vectors, job_store, default_embedder.model if default_embedder else None)
    source_reader = _source_reader(stores)

    remote_workers = None
    if environ.get("MONITOR_BROKER") and home is None and mode is BackgroundMode.PLAY:
        # Here: without a broker, nothing of it is imported.
        from monitor_tui.remote_work import build_remote_workers, offload

        remote_workers = build_remote_workers(
            environ, partial(write_for_process, stores, job_store, source_recorder, events, None)
        )

    def status_rows() -> tuple[tuple[str, str], ...]:
        embedding_row = ("embedding model", _embedding_status(settings, default_embedder, in_use))
        return (embedding_row, *(remote_workers.status_rows() if remote_workers else ()))

    def register(worker: Worker) -> None:
        if remote_workers is None:
            runner.register(worker)
            return
        model = default_embedder.model if default_embedder else ""
        remote_workers.register(runner, offload(worker, remote_workers.pool, telemetry, model))

    runner = JobRunner(
        job_store,
        events,
        names=_names_reader(stores),
        extra_rows=status_rows,
        follow_ups=FOLLOWING_JOBS,
        find_hold=build_hold_finder(settings, budget_guard),
        read_shares=build_shares_reader(stores),
        is_enabled=mode is BackgroundMode.PLAY,
        telemetry=telemetry,
        on_start=remote_workers.start if remote_workers else lambda: None,
    )
    log, canon = stores.log(Role.MEMORY_MANAGER), stores.canon(Role.MEMORY_MANAGER)
    memories = MemoryManager(log, log, SceneReader(canon, log, catalogue), job_store, clock, events)
    process = None
    if home is not None and mode is BackgroundMode.PLAY:
        indexing = VectorIndexing(default_embedder, in_use.mark_complete) if default_embedder else None
        process = register_workers_behind_play(
            home, stores, runner, job_store, source_recorder, clock, events, indexing, telemetry
        )
    else:
        archivist_log = stores.log(Role.ARCHIVIST)
        archive = SceneArchive(archivist_log, archivist_log, stores.objects(Role.ARCHIVIST), clock)
        for worker in (
            memories,
            SummaryWorker(log, log, canon, job_store, clock),
            ArchiveWorker(archivist_log, archive, clock),
        ):
            register(SceneFollower(worker, log, stores.changes, job_store, clock))
        if mode in _READING_MODES:
            runner.register(
                build_ingest_worker(
                    stores.canon(Role.INGEST),
                    stores.log(Role.INGEST),
                    source_recorder,
                    stores.objects(Role.INGEST),
                    catalogue,
                    events.publish,
                )
            )
        word_index = Indexer(source_reader, TextIndexWriter(stores.words(Role.INDEXER)), stores.changes)
        register(IndexWorker(source_reader, word_index))
        if default_embedder is not None:
            indexer = Indexer(source_reader, VectorIndexWriter(vectors, default_embedder), stores.changes)
            register(IndexWorker(source_reader, indexer, JobKind.EMBED, on_complete=in_use.mark_complete))
    if doubt_worker is not None:
        runner.register(doubt_worker)
    if mode in _READING_MODES:
        runner.register(enrich_worker)
    question_timeout = QUESTION_TIMEOUT_SECONDS if target is None else REMOTE_EMBEDDING_TIMEOUT
    question_vectors = CachedQuestionEmbedder(
        in_use, embedders.embedder_for, timeout_seconds=question_timeout
    )

    async def rebuild_all_vectors(say: ReportProgress, from_nothing: bool) -> dict[str, int] | None:
        if default_embedder is None:
            return None
        index_writer = VectorIndexWriter(vectors, default_embedder)
        counts = await rebuild_vectors(
            _source_reader(stores), vectors, index_writer, say, stores.changes, from_nothing=from_nothing
        )
        await in_use.mark_complete()
        return counts

    async def close() -> None:
        await runner.close()
        if remote_workers is not None:
            await remote_workers.close()
        if process is not None:
            await process.close()
        await question_vectors.close()
        await embedders.close()

    return BackgroundJobs(runner, question_vectors, job_store, memories, rebuild_all_vectors, close, process)


async def check_all_indexes(
    stores: Stores, report: ReportProgress, *, words_only: bool = False
) -> list[IndexDifference]:
    """Compare the words, and the vectors of every model, with log and canon; writes nothing. Raises StoreError."""
    words, vectors = stores.words(Role.INDEXER), stores.vectors(Role.INDEXER)

    async def read_words(collection: str, scope: Mapping[str, str]) -> dict[Id, str]:
        return await words.fingerprints(collection, scope=scope)

    async def read_vectors(model: str, collection: str, scope: Mapping[str, str]) -> dict[Id, str]:
        return await vectors.fingerprints(collection, model=model, scope=scope)

    models = set[str]()
    for collection in () if words_only else COLLECTIONS[Store.VECTORS]:
        models |= (await vectors.models(collection)).keys()
    indexes = [CheckedIndex("words", TextIndexWriter(words).neighbours, read_words)]
    indexes += [
        CheckedIndex(f"vectors of {model}", TurnNeighbours.PREVIOUS, partial(read_vectors, model))
        for model in sorted(models)
    ]
    return await check_indexes(_source_reader(stores), indexes, report)


async def rebuild_word_index(stores: Stores, say: ReportProgress) -> dict[str, int]:
    """Make every collection of words anew. Raises StoreError."""
    return await rebuild_words(_source_reader(stores), stores.words(Role.INDEXER), say, stores.changes)


def _source_reader(stores: Stores) -> SourceReader:
    return SourceReader(stores.canon(Role.INDEXER), stores.log(Role.INDEXER))


def _embedding_status(
    settings: AppSettings, default_embedder: Embedder | None, in_use: ActiveVectorModel
) -> str:
    if settings.embedding.model == NO_EMBEDDING:
        return "none: search goes by words alone"
    if default_embedder is None:
        return "asleep"
    if in_use.cached_model and in_use.cached_model != default_embedder.model:
        return f"{default_embedder.model}; searches go by {in_use.cached_model} until its vectors are whole"
    return default_embedder.model


_PERSONA_BY_JOB: Final[Mapping[JobKind, Persona]] = {
    JobKind.DOUBT: Persona.STEWARD,
    JobKind.ENRICH: Persona.READER,
    JobKind.EXTRACT: Persona.ARCHIVIST,
}
"""The persona that a job asks."""


def build_hold_finder(settings: AppSettings, budget_guard: BudgetGuard) -> FindHold:
    """Return what says why a job is postponed: no budget allows it, of the cheaper model either."""

    async def find_hold(kind: JobKind, subject: JobSubject) -> str:
        persona = _PERSONA_BY_JOB.get(kind)
        if persona is None:
            return ""
        context = CallContext(subject.universe_id, None, None, run_id="")
        reason = ""
        for is_cheaper in (False, True) if settings.budget.cheaper_model else (False,):
            try:
                await budget_guard.check_allowed(
                    persona, context, upcoming_tokens=subject.tokens, is_cheaper=is_cheaper
                )
            except BudgetExhausted as error:
                reason = reason or error.what
            else:
                return ""
        return reason

    return find_hold


def build_shares_reader(stores: Stores) -> ReadShares:
    log = stores.log(Role.CONTEXT_ASSEMBLY)

    async def read_shares(universe_ids: Sequence[Id]) -> dict[Id, int]:
        policies = {universe_id: await log.policy(universe_id) for universe_id in universe_ids}
        return {universe_id: policy.share if policy else 1 for universe_id, policy in policies.items()}

    return read_shares


def _names_reader(stores: Stores) -> Callable[[Sequence[Id]], Awaitable[Mapping[Id, str]]]:
    log, canon = stores.log(Role.CONTEXT_ASSEMBLY), stores.canon(Role.CONTEXT_ASSEMBLY)

    async def names(ids: Sequence[Id]) -> dict[Id, str]:
        name_by_id = (
            {universe.id: universe.name for universe in (await canon.readable_universes()).records}
            if ids
            else {}
        )
        for scene_id in set(ids) - name_by_id.keys():
            with suppress(NotFound):
                scene = await log.scene(scene_id)
                name_by_id[scene_id] = scene.inline_label
        return name_by_id

    return names


class _EmbeddingBill:
    """What vectors of a provider's cost: asked of the purse, and put down as the Librarian's."""

    def __init__(
        self,
        stores: Stores,
        budget_guard: BudgetGuard,
        ids: IdGenerator,
        clock: Clock,
        events: EventBus,
        telemetry: Telemetry,
    ) -> None:
        self._telemetry = telemetry
        self._log = stores.log(Role.NARRATOR)
        self._budget_guard = budget_guard
        self._ids = ids
        self._clock = clock
        self._events = events

    async def check_budget(self, universe_id: Id) -> None:
        """Raises BudgetExhausted."""
        await self._budget_guard.check_allowed(
            Persona.LIBRARIAN, CallContext(universe_id, None, None, run_id="")
        )

    async def record_cost(
        self, universe_id: Id, model: str, texts: int, usage: Usage, seconds: float
    ) -> None:
        """A question is of no universe, and some ten tokens: less than what a bill counts in."""
        if not universe_id:
            return
        call = LlmCall(
            id=self._ids.new(),
            universe_id=universe_id,
            persona=Persona.LIBRARIAN,
            model=model,
            tokens_in=usage.tokens_in,
            counted=usage.counted,
            cost=usage.cost,
            seconds=seconds,
            result=f"{texts} texts embedded",
            at=self._clock(),
        )
        await self._log.record_call(call)
        self._telemetry.record(span_of_call(call))
        self._events.publish(LlmCallRecorded(call.id, None))
