"""The composition of what runs behind play: the Indexer, the MemoryManager, and the embedding model.

Nothing of it starts by being built. `Work.PLAY` is the program with its screen, whose background begins after
the first frame; `Work.ASK` a command that may ask by meaning; with `Work.NOTHING` no process is started, and
nothing is done before somebody calls `settle`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from typing import NamedTuple

from agents.canon_keeper.universe_policy import ReadCatalogue
from agents.events import EventBus, ModelCalled
from agents.indexer.indexer import Indexer
from agents.indexer.meaning import PATIENCE, QuestionVectors, VectorsInUse
from agents.indexer.minilm_embedder import MODEL, MiniLmEmbedder
from agents.indexer.model_embedder import ModelEmbedder
from agents.indexer.port import Embedder
from agents.indexer.rebuild import Say, rebuild_vectors, rebuild_words
from agents.indexer.shelves import VectorShelf, WordsShelf
from agents.indexer.truth import Truth
from agents.indexer.workers import IndexWorker
from agents.jobs.job_runner import JobRunner
from agents.jobs.job_store import JobStore
from agents.llm.budget import BudgetGuard
from agents.llm.call_context import CallContext
from agents.llm.llm_port import EmbeddingProvider, Usage
from agents.llm.llm_settings import NO_EMBEDDING, AppSettings
from agents.llm.model_names import ModelTarget
from agents.memory_manager.archive import Archive, Archivist
from agents.memory_manager.manager import MemoryManager
from agents.memory_manager.scenes import Scenes
from agents.memory_manager.summariser import Summariser
from stores.authority import Role
from stores.errors import NotFound
from stores.records.ids import Clock, Id, IdMaker
from stores.records.jobs import JobKind
from stores.records.model import LlmCall, Persona
from stores.stores import Stores

REMOTE_PATIENCE = 1.5
"""Seconds that a question waits for a vector of a provider's."""


THEN = dict.fromkeys((JobKind.REMEMBER, JobKind.SUMMARISE), (JobKind.INDEX, JobKind.EMBED))
"""A scene's memories and summaries are indexed once they are written."""


class Work(StrEnum):
    NOTHING = "nothing"
    ASK = "ask"
    PLAY = "play"


class Behind(NamedTuple):
    runner: JobRunner
    meaning: QuestionVectors
    book: JobStore
    memories: MemoryManager
    vectors_anew: Callable[[Say, bool], Awaitable[dict[str, int] | None]]
    """Makes the vectors that are missing, or (True) all of them from nothing; None: there is no model."""
    close: Callable[[], Awaitable[None]]


class Embedders:
    """The embedding model that is set, and whatever other one the vectors in use are of."""

    def __init__(self, wanted: Embedder | None, other: Callable[[str], Embedder | None]) -> None:
        self.wanted = wanted
        self._other = other
        self._made: dict[str, Embedder] = {wanted.model: wanted} if wanted else {}

    def of(self, model: str) -> Embedder | None:
        if model not in self._made and (made := self._other(model)):
            self._made[model] = made
        return self._made.get(model)

    async def close(self) -> None:
        for embedder in self._made.values():
            await embedder.close()


def behind(
    stores: Stores,
    house: AppSettings,
    speaks: object,
    purse: BudgetGuard,
    ids: IdMaker,
    clock: Clock,
    events: EventBus,
    work: Work,
    embedder: Embedder | None = None,
    *,
    catalogue: ReadCatalogue,
) -> Behind:
    """Build it. `speaks` is what speaks to models, which may know how to embed; `embedder` stands in for the
    built-in one."""
    book = JobStore(stores.log(Role.ORCHESTRATOR), clock)
    target = house.embedding_target()
    bill = _Bill(stores, purse, ids, clock, events)

    def of_provider(target: ModelTarget) -> Embedder | None:
        return (
            ModelEmbedder(speaks, target, bill.allow, bill.paid)
            if isinstance(speaks, EmbeddingProvider)
            else None
        )

    def other(model: str) -> Embedder | None:
        """One whose vectors are still in use."""
        if work is Work.NOTHING:
            return None
        return MiniLmEmbedder() if model == MODEL else of_provider(ModelTarget(model))

    wanted = embedder
    if wanted is None and work is not Work.NOTHING and house.embedding.model != NO_EMBEDDING:
        wanted = of_provider(target) if target else MiniLmEmbedder()
    embedders = Embedders(wanted, other)
    vectors = stores.vectors(Role.INDEXER)
    in_use = VectorsInUse(vectors, book, wanted.model if wanted else None)
    truth = _truth(stores)

    def rows() -> tuple[tuple[str, str], ...]:
        return (("embedding model", _embedding(house, wanted, in_use)),)

    runner = JobRunner(
        book, events, names=_names(stores), extra_rows=rows, follow_ups=THEN, is_enabled=work is Work.PLAY
    )
    log = stores.log(Role.MEMORY_MANAGER)
    scenes = Scenes(stores.canon(Role.MEMORY_MANAGER), log, catalogue)
    memories = MemoryManager(log, scenes, book, clock, events)
    runner.register(memories)
    runner.register(Summariser(log, stores.canon(Role.MEMORY_MANAGER), book, clock))
    put_away = stores.log(Role.ARCHIVIST)
    archive = Archive(put_away, stores.objects(Role.ARCHIVIST), clock)
    runner.register(Archivist(put_away, archive, clock))
    runner.register(IndexWorker(truth, Indexer(truth, WordsShelf(stores.words(Role.INDEXER)))))
    if wanted is not None:
        indexer = Indexer(truth, VectorShelf(vectors, wanted))
        runner.register(IndexWorker(truth, indexer, JobKind.EMBED, whole=in_use.whole))
    patience = PATIENCE if target is None else REMOTE_PATIENCE
    meaning = QuestionVectors(in_use, embedders.of, patience=patience)

    async def vectors_anew(say: Say, from_nothing: bool) -> dict[str, int] | None:
        if wanted is None:
            return None
        shelf = VectorShelf(vectors, wanted)
        counts = await rebuild_vectors(_truth(stores), vectors, shelf, say, from_nothing=from_nothing)
        await in_use.whole()
        return counts

    async def close() -> None:
        await runner.close()
        await meaning.close()
        await embedders.close()

    return Behind(runner, meaning, book, memories, vectors_anew, close)


async def words_anew(stores: Stores, say: Say) -> dict[str, int]:
    """Make every collection of words anew. Raises StoreError."""
    return await rebuild_words(_truth(stores), stores.words(Role.INDEXER), say)


def _truth(stores: Stores) -> Truth:
    return Truth(stores.canon(Role.INDEXER), stores.log(Role.INDEXER))


def _embedding(house: AppSettings, wanted: Embedder | None, in_use: VectorsInUse) -> str:
    if house.embedding.model == NO_EMBEDDING:
        return "none: search goes by words alone"
    if wanted is None:
        return "asleep"
    if in_use.known and in_use.known != wanted.model:
        return f"{wanted.model}; searches go by {in_use.known} until its vectors are whole"
    return wanted.model


def _names(stores: Stores) -> Callable[[Sequence[Id]], Awaitable[Mapping[Id, str]]]:
    log, canon = stores.log(Role.CONTEXT_ASSEMBLY), stores.canon(Role.CONTEXT_ASSEMBLY)

    async def names(ids: Sequence[Id]) -> dict[Id, str]:
        found = {universe.id: universe.name for universe in await canon.universes()} if ids else {}
        for scene_id in set(ids) - found.keys():
            with suppress(NotFound):
                scene = await log.scene(scene_id)
                found[scene_id] = f"scene {scene.order} “{scene.title}”"
        return found

    return names


class _Bill:
    """What vectors of a provider's cost: asked of the purse, and put down as the Librarian's."""

    def __init__(
        self, stores: Stores, purse: BudgetGuard, ids: IdMaker, clock: Clock, events: EventBus
    ) -> None:
        self._log = stores.log(Role.NARRATOR)
        self._purse = purse
        self._ids = ids
        self._clock = clock
        self._events = events

    async def allow(self, universe_id: Id) -> None:
        """Raises BudgetExhausted."""
        await self._purse.check_allowed(Persona.LIBRARIAN, CallContext(universe_id, None, None, run_id=""))

    async def paid(self, universe_id: Id, model: str, texts: int, usage: Usage, seconds: float) -> None:
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
            result=f"{texts} texts made vectors",
            at=self._clock(),
        )
        await self._log.record_call(call)
        self._events.publish(ModelCalled(call.id, None))
