"""The Indexer's workers for the background runner: one for words, one for vectors."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection

from agents.events import (
    CanonCommitted,
    Event,
    LineMoved,
    LoopMoved,
    MemoriesWritten,
    ProposalsChanged,
    SceneOpened,
    SourceCame,
    TurnAppended,
)
from agents.indexer.indexer import Indexer
from agents.indexer.port import EmbedderUnavailable
from agents.indexer.truth import Truth
from agents.jobs.worker import VECTORS_QUEUE, WORDS_QUEUE, JobSubject, RetryLater
from stores.records.ids import Id
from stores.records.jobs import JobKind
from stores.records.ledger import Loop

COMES_AGAIN = 300.0
"""Seconds until an embedding model that could not be had is tried again."""


class IndexWorker:
    """Brings scenes and universes up to date in one index. Implements `agents.jobs.worker.Worker`.

    `whole` is awaited whenever nothing that this worker knows of is behind.
    """

    def __init__(
        self,
        truth: Truth,
        indexer: Indexer,
        kind: JobKind = JobKind.INDEX,
        *,
        whole: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._truth = truth
        self._indexer = indexer
        self._kind = kind
        self._whole = whole
        self._behind: set[Id] = set()
        self._looked = False

    @property
    def kind(self) -> JobKind:
        return self._kind

    @property
    def queue(self) -> str:
        return VECTORS_QUEUE if self._kind is JobKind.EMBED else WORDS_QUEUE

    @property
    def priority(self) -> int:
        return 20

    async def subjects(self) -> Collection[JobSubject]:
        found: list[JobSubject] = []
        for universe_id in await self._truth.universes():
            self._indexer.renew([universe_id])
            behind = await self._indexer.behind(universe_id)
            scenes = [JobSubject(scene.id, universe_id, left) for scene, left in behind]
            # What is played now, then what is true, then all that was.
            found += [*scenes[:1], JobSubject(universe_id, universe_id), *scenes[1:]]
        self._behind |= {subject.id for subject in found}
        self._looked = True
        return found

    async def on_event(self, event: Event) -> Collection[JobSubject]:
        found = await self._touched(event)
        self._behind |= {subject.id for subject in found}
        return found

    async def reconcile(self, subject_id: Id) -> int:
        try:
            if subject_id in await self._truth.universes():
                left = await self._indexer.universe(subject_id)
            else:
                left = await self._indexer.scene(subject_id)
        except EmbedderUnavailable as error:
            raise RetryLater(str(error), seconds=COMES_AGAIN, whole_kind=True) from error
        if not left:
            self._behind.discard(subject_id)
            if self._looked and not self._behind and self._whole is not None:
                await self._whole()
        return left

    async def _touched(self, event: Event) -> list[JobSubject]:
        match event:
            case TurnAppended(turn):
                return await self._scene(turn.scene_id)
            case LineMoved(scene_id):
                return await self._scene(scene_id)
            case SceneOpened(scene_id):
                # What the story was founded with is committed without a word.
                scenes = await self._scene(scene_id)
                for subject in scenes:
                    self._indexer.committed(subject.universe_id)
                return [*scenes, *(JobSubject(one.universe_id, one.universe_id) for one in scenes)]
            case LoopMoved(transition) if transition.loop is Loop.SCENE:
                return await self._scene(transition.subject_id)
            case CanonCommitted(canonization_id, universe_id, scene_id, _, _):
                self._indexer.committed(universe_id, canonization_id)
                # What it is called, where it is and how it ended belongs to canon as well.
                return [*await self._scene(scene_id), JobSubject(universe_id, universe_id)]
            case ProposalsChanged(universe_id, _) if self._indexer.waits_for_commit(universe_id):
                # Whoever decides or commits first finishes what was left half done.
                self._indexer.committed(universe_id)
                return [JobSubject(universe_id, universe_id)]
            case SourceCame(universe_id, source_id):
                self._indexer.source_came(universe_id, source_id)
                return [JobSubject(universe_id, universe_id)]
            case MemoriesWritten(universe_id, None):
                self._indexer.look_at_memories_of_no_scene(universe_id)
                return [JobSubject(universe_id, universe_id)]
            case MemoriesWritten(_, scene_id) if scene_id is not None:
                self._indexer.look_at_memories(scene_id)
                return await self._scene(scene_id)
        return []

    async def _scene(self, scene_id: Id | None) -> list[JobSubject]:
        scene = await self._truth.scene(scene_id) if scene_id else None
        return [JobSubject(scene.id, scene.universe_id)] if scene else []
