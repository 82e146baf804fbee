"""Has workers whose subjects are scenes look only at those that changed since all scenes were done."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Final, NamedTuple, Protocol

from agents.events import Event
from agents.jobs.worker import Cursors, JobSubject
from stores.changes import ChangeCursor, ChangeReader, RecordKind
from stores.errors import NotFound
from stores.ports import LogReader
from stores.records.ids import Clock, Id, derive_id
from stores.records.jobs import JobKind
from stores.records.play import Scene

CHANGES_PER_READ: Final = 5_000


class DueScenes(NamedTuple):
    """The scenes that a worker has to look at."""

    subjects: Sequence[JobSubject]
    """The most urgent first."""
    next_due: datetime | None = None
    """When another of the scenes becomes due, if nothing changes."""


class SceneWorker(Protocol):
    """A worker whose subjects are scenes, and which can say of some of them whether they are out of date.

    See `agents.jobs.worker.Worker` for the rest.
    """

    @property
    def kind(self) -> JobKind: ...

    @property
    def queue(self) -> str: ...

    @property
    def priority(self) -> int: ...

    @property
    def version(self) -> int:
        """Counts the ways in which the work was done: after another, all scenes are looked at."""
        ...

    async def find_due(self, scenes: Sequence[Scene]) -> DueScenes:
        """Return those of the scenes that may be out of date; all have a head. Cheap: a question per scene."""
        ...

    async def on_event(self, event: Event) -> Collection[JobSubject]: ...

    async def reconcile(self, subject_id: Id) -> int: ...


class SceneCursor(NamedTuple):
    """Up to where all scenes are done."""

    change: ChangeCursor
    next_due: datetime | None = None
    """When a scene becomes due without a change."""

    @classmethod
    def parse(cls, text: str) -> SceneCursor | None:
        """Return the cursor that was stored, or None if there is none."""
        change_text, _, date_text = text.partition(" ")
        change = ChangeCursor.parse(change_text)
        if change is None:
            return None
        return cls(change, datetime.fromisoformat(date_text) if date_text else None)

    def as_text(self) -> str:
        return " ".join([self.change.as_text(), *([self.next_due.isoformat()] if self.next_due else [])])

    def is_due(self, now: datetime) -> bool:
        return self.next_due is not None and self.next_due <= now


class SceneFollower:
    """Runs a worker of scenes, and keeps the change up to which they are all done. Implements `Worker`.

    Without numbered changes, as on servers, all scenes are looked at whenever it is asked for its subjects.
    """

    def __init__(
        self,
        worker: SceneWorker,
        log: LogReader,
        changes: ChangeReader | None,
        cursors: Cursors,
        clock: Clock,
    ) -> None:
        self._worker = worker
        self._log = log
        self._changes = changes
        self._cursors = cursors
        self._clock = clock
        self._look_lock = asyncio.Lock()
        self._stored_cursor: SceneCursor | None = None
        self._cursor: SceneCursor | None = None
        """Up to where scenes were looked at; None until `subjects`."""

    @property
    def kind(self) -> JobKind:
        return self._worker.kind

    @property
    def queue(self) -> str:
        return self._worker.queue

    @property
    def priority(self) -> int:
        return self._worker.priority

    async def subjects(self) -> Collection[JobSubject]:
        """Return the scenes that are out of date among those that changed, or among all if that is not known."""
        if self._changes is None:
            return (await self._worker.find_due(await self._read_all_scenes())).subjects
        async with self._look_lock:
            cursor = await read_scene_cursor(self._cursors, self.kind, self._worker.version)
            if cursor is not None and await self._changes.knows(cursor.change):
                self._stored_cursor = cursor
            else:
                self._stored_cursor = None
            return await self._look(self._changes, self._stored_cursor)

    async def confirm_complete(self) -> Collection[JobSubject]:
        if self._changes is None:
            return ()
        async with self._look_lock:
            if self._cursor is None:
                return ()  # nobody asked what there is to do
            due_subjects = await self._look(self._changes, self._cursor)
            if not due_subjects and self._cursor != self._stored_cursor:
                await self._cursors.write_cursor(
                    self.kind, _followed_subject(self.kind, self._worker.version), self._cursor.as_text()
                )
                self._stored_cursor = self._cursor
            return due_subjects

    async def on_event(self, event: Event) -> Collection[JobSubject]:
        return await self._worker.on_event(event)

    async def reconcile(self, subject_id: Id) -> int:
        return await self._worker.reconcile(subject_id)

    async def _look(self, changes: ChangeReader, cursor: SceneCursor | None) -> Sequence[JobSubject]:
        """Return what is out of date among the scenes that changed after the cursor, without one among all."""
        next_due: datetime | None = None
        last_change = (
            await changes.last_change()
        )  # before the scenes are read: what comes later is read again
        if cursor is None or cursor.is_due(self._clock()):
            scenes = await self._read_all_scenes()
        else:
            next_due = cursor.next_due
            scenes = await self._read_changed_scenes(changes, cursor.change)
        due = await self._worker.find_due(scenes)
        self._cursor = SceneCursor(
            last_change, min((date for date in (next_due, due.next_due) if date is not None), default=None)
        )
        return due.subjects

    async def _read_all_scenes(self) -> list[Scene]:
        """Return all scenes that were played, of each story the newest first."""
        stories = (await self._log.readable_stories()).records
        return [
            scene for story in stories for scene in reversed(await self._log.scenes(story.id)) if scene.head
        ]

    async def _read_changed_scenes(self, changes: ChangeReader, cursor: ChangeCursor) -> list[Scene]:
        scene_ids = dict[Id, None]()
        page_end: ChangeCursor | None = cursor
        while page_end is not None:
            page = await changes.changes_after(page_end, limit=CHANGES_PER_READ)
            for change in page:
                if change.kind is RecordKind.SCENE:
                    scene_ids[change.id] = None
                elif change.scene_id is not None:
                    scene_ids[change.scene_id] = None
            page_end = page[-1].cursor if len(page) == CHANGES_PER_READ else None
        scenes = [await self._find_scene(scene_id) for scene_id in reversed(scene_ids)]
        return [scene for scene in scenes if scene is not None and scene.head]

    async def _find_scene(self, scene_id: Id) -> Scene | None:
        try:
            return await self._log.scene(scene_id)
        except NotFound:
            return None


async def read_scene_cursor(cursors: Cursors, kind: JobKind, version: int) -> SceneCursor | None:
    """Return up to where a kind of job is done with all scenes, as it was stored last."""
    subject = _followed_subject(kind, version)
    return SceneCursor.parse(await cursors.read_cursor(kind, subject.id))


def _followed_subject(kind: JobKind, version: int) -> JobSubject:
    """Return what stands for all scenes; it belongs to no universe."""
    return JobSubject(derive_id("subject", f"all scenes, {kind} {version}"), "")
