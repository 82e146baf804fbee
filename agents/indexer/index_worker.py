"""Runs the Indexer in the background: one worker for words, one for vectors."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from itertools import count
from typing import assert_never

from agents.events import (
    CanonCommitted,
    Event,
    HeadMoved,
    LoopStateChanged,
    MemoriesWritten,
    ProposalsChanged,
    SceneOpened,
    SourceAdded,
    TurnAppended,
)
from agents.indexer.change_follower import IndexStart
from agents.indexer.embedding_port import EmbedderUnavailable
from agents.indexer.index_reconciler import Indexer
from agents.indexer.source_reader import SourceReader
from agents.jobs.worker import VECTORS_QUEUE, WORDS_QUEUE, JobSubject, RetryLater
from stores.records.ids import Id
from stores.records.jobs import JobKind
from stores.records.workflow import Loop

INDEX_PRIORITY = 20

RETRY_SECONDS = 300.0
"""Seconds until an unavailable embedding model is tried again."""


def concerns_index(event: Event) -> bool:
    """Say whether an event may put something in an index out of date."""
    match event:
        case LoopStateChanged(transition):
            return transition.loop is Loop.SCENE
        case (
            TurnAppended()
            | HeadMoved()
            | SceneOpened()
            | CanonCommitted()
            | ProposalsChanged()
            | SourceAdded()
            | MemoriesWritten()
        ):
            return True
    return False


class IndexWorker:
    """Brings scenes and universes up to date in one index. Implements `agents.jobs.worker.Worker`.

    `on_complete` is awaited whenever nothing that this worker knows of is out of date.
    """

    def __init__(
        self,
        source_reader: SourceReader,
        indexer: Indexer,
        kind: JobKind = JobKind.INDEX,
        *,
        on_complete: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._source_reader = source_reader
        self._indexer = indexer
        self._kind = kind
        self._on_complete = on_complete
        self._outdated: dict[Id, int] = {}
        """What is out of date, with a number that is another whenever it is noted again."""
        self._unlisted_subjects: dict[Id, JobSubject] = {}
        """What changes showed to be out of date, and what nobody was told of yet."""
        self._numbers = count()
        self._has_listed = False

    @property
    def kind(self) -> JobKind:
        return self._kind

    @property
    def queue(self) -> str:
        return VECTORS_QUEUE if self._kind is JobKind.EMBED else WORDS_QUEUE

    @property
    def priority(self) -> int:
        return INDEX_PRIORITY

    async def subjects(self) -> Collection[JobSubject]:
        """Return what changed since the index's cursor; without one, what a comparison finds."""
        match start := await self._indexer.start_following():
            case IndexStart.FOLLOWS:
                changed_subjects = await self._read_changed_subjects()
                self._has_listed = True
                await self._complete()
                return changed_subjects
            case IndexStart.NEVER_FOLLOWED | IndexStart.DIVERGED:
                return await self._compare_all(trusts_seals=start is IndexStart.NEVER_FOLLOWED)
            case _:
                assert_never(start)

    async def _compare_all(self, *, trusts_seals: bool) -> list[JobSubject]:
        all_subjects: list[JobSubject] = []
        for universe_id in await self._source_reader.read_universe_ids():
            if not trusts_seals:
                self._indexer.distrust([universe_id])
            self._indexer.recheck_universes([universe_id])
            outdated_scenes = await self._indexer.find_outdated_scenes(universe_id, trusts_seals=trusts_seals)
            scene_subjects = [JobSubject(scene.id, universe_id, left) for scene, left in outdated_scenes]
            # First what is played now, then canon, then all earlier scenes.
            all_subjects += [*scene_subjects[:1], JobSubject(universe_id, universe_id), *scene_subjects[1:]]
        self._indexer.trust_changes()
        self._note_outdated(all_subjects)
        self._has_listed = True
        if not all_subjects:
            await self._complete()
        return all_subjects

    async def on_event(self, event: Event) -> Collection[JobSubject]:
        if self._indexer.follows_changes:
            return await self._read_changed_subjects() if concerns_index(event) else []
        event_subjects = await self._subjects_of_event(event)
        self._note_outdated(event_subjects)
        return event_subjects

    async def reconcile(self, subject_id: Id) -> int:
        await self._indexer.note_new_changes()
        self._take_changed_subjects()
        left_count = await self._reconcile_subject(subject_id)
        if not left_count and self._unlisted_subjects:
            # What changed in the meantime, and nobody asked for.
            left_count = max(1, await self._reconcile_subject(next(iter(self._unlisted_subjects))))
        if not left_count:
            await self._complete()
        return left_count

    def distrust(self, subject_id: Id) -> None:
        """Compare all that the index holds of a scene or universe when it is next reconciled."""
        self._indexer.distrust([subject_id])

    async def confirm_complete(self) -> Collection[JobSubject]:
        """Store that the index has taken in everything, also what changed without an event."""
        if not self._indexer.follows_changes:
            return ()
        changed_subjects = await self._read_changed_subjects()
        await self._complete()
        return changed_subjects

    async def _reconcile_subject(self, subject_id: Id) -> int:
        """Do a piece of a scene or universe. It is up to date only if nothing changed it meanwhile."""
        number = self._outdated.get(subject_id)
        try:
            if subject_id in await self._source_reader.read_universe_ids():
                left_count = await self._indexer.reconcile_universe(subject_id)
            else:
                left_count = await self._indexer.reconcile_scene(subject_id)
        except EmbedderUnavailable as error:
            raise RetryLater(str(error), seconds=RETRY_SECONDS, whole_kind=True) from error
        self._take_changed_subjects()
        if not left_count and self._outdated.get(subject_id) == number:
            self._outdated.pop(subject_id, None)
            self._unlisted_subjects.pop(subject_id, None)
        return left_count

    async def _complete(self) -> None:
        """Note that the index is complete, if nothing is out of date."""
        if self._has_listed and not self._outdated:
            if self._on_complete is not None:
                await self._on_complete()
            await self._indexer.store_cursor()

    async def _read_changed_subjects(self) -> list[JobSubject]:
        """Return what changed and was not returned before."""
        await self._indexer.note_new_changes()
        self._take_changed_subjects()
        changed_subjects, self._unlisted_subjects = self._unlisted_subjects, {}
        return list(changed_subjects.values())

    def _take_changed_subjects(self) -> None:
        changed_subjects = self._indexer.take_changed_subjects()
        self._note_outdated(changed_subjects)
        self._unlisted_subjects |= {subject.id: subject for subject in changed_subjects}

    def _note_outdated(self, subjects: Collection[JobSubject]) -> None:
        self._outdated |= {subject.id: next(self._numbers) for subject in subjects}

    async def _subjects_of_event(self, event: Event) -> list[JobSubject]:
        match event:
            case TurnAppended(turn):
                return await self._scene_subjects(turn.scene_id)
            case HeadMoved(scene_id):
                return await self._scene_subjects(scene_id)
            case SceneOpened(scene_id):
                # A story's set-up is committed without an event.
                scene_subjects = await self._scene_subjects(scene_id)
                for subject in scene_subjects:
                    self._indexer.note_commit(subject.universe_id)
                return [
                    *scene_subjects,
                    *(JobSubject(one.universe_id, one.universe_id) for one in scene_subjects),
                ]
            case LoopStateChanged(transition) if transition.loop is Loop.SCENE:
                return await self._scene_subjects(transition.subject_id)
            case CanonCommitted(canonization_id, universe_id, scene_id, _, _):
                self._indexer.note_commit(universe_id, canonization_id)
                # A scene's name, place and outcome are also part of canon's items.
                return [*await self._scene_subjects(scene_id), JobSubject(universe_id, universe_id)]
            case ProposalsChanged(universe_id, _) if self._indexer.waits_for_commit(universe_id):
                # The next decision or commit finishes what was left unfinished.
                self._indexer.note_commit(universe_id)
                return [JobSubject(universe_id, universe_id)]
            case SourceAdded(universe_id, source_id):
                self._indexer.note_source(universe_id, source_id)
                return [JobSubject(universe_id, universe_id)]
            case MemoriesWritten(universe_id, None):
                self._indexer.note_sceneless_memories(universe_id)
                return [JobSubject(universe_id, universe_id)]
            case MemoriesWritten(_, scene_id) if scene_id is not None:
                return await self._scene_subjects(scene_id)
        return []

    async def _scene_subjects(self, scene_id: Id | None) -> list[JobSubject]:
        """Return the scene, also one that undo took back: its items are deleted."""
        universe_id = await self._source_reader.find_universe_of(scene_id) if scene_id else None
        return [JobSubject(scene_id, universe_id)] if scene_id and universe_id else []
