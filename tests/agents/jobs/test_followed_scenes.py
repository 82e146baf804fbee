"""Workers of scenes look only at what changed since all scenes were done."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from agents.events import Event
from agents.jobs.followed_scenes import DueScenes, SceneFollower
from agents.jobs.job_store import JobStore
from agents.jobs.worker import PLAIN_QUEUE, JobSubject
from stores.authority import Role
from stores.open import Stores
from stores.records.ids import Id, utc_now
from stores.records.jobs import JobKind
from stores.records.play import Scene, Turn
from stores.records.workflow import Loop
from tests.contract import builders as make
from tests.libraries import library


class HeadWorker:
    """Is done with a scene when it has noted its head."""

    kind = JobKind.SUMMARISE
    queue = PLAIN_QUEUE
    priority = 1

    def __init__(self, stores: Stores, done_heads: dict[Id, Id | None], version: int = 1) -> None:
        self.version = version
        self.looked_at: list[Id] = []
        self.next_due: datetime | None = None
        self._log = stores.log(Role.ORCHESTRATOR)
        self._done_heads = done_heads

    async def find_due(self, scenes: Sequence[Scene]) -> DueScenes:
        self.looked_at += [scene.id for scene in scenes]
        due_scenes = [scene for scene in scenes if self._done_heads.get(scene.id) != scene.head]
        return DueScenes([JobSubject(scene.id, scene.universe_id) for scene in due_scenes], self.next_due)

    async def on_event(self, event: Event) -> Collection[JobSubject]:
        return ()

    async def reconcile(self, subject_id: Id) -> int:
        self._done_heads[subject_id] = (await self._log.scene(subject_id)).head
        return 0


class Library:
    """A library of two scenes, and what a worker has done there."""

    def __init__(self, stores: Stores) -> None:
        self.stores = stores
        self.log = stores.log(Role.ORCHESTRATOR)
        self.now = utc_now()
        self.done_heads: dict[Id, Id | None] = {}
        self.scenes: list[Scene] = []
        self.last_turn: Turn | None = None

    async def fill(self) -> None:
        story = make.story()
        await self.log.put_story(story)
        self.scenes = [make.scene(story, order) for order in (1, 2)]
        for scene in self.scenes:
            await self.log.create_scene(scene)
            self.last_turn = make.turn(scene, None, "I wade in.")
            await self.log.append_turn(self.last_turn)

    async def play_on(self) -> None:
        """Append a turn to the second scene."""
        self.last_turn = make.turn(self.scenes[1], self.last_turn, "It is cold.")
        await self.log.append_turn(self.last_turn)

    def start(self, version: int = 1) -> tuple[SceneFollower, HeadWorker]:
        worker = HeadWorker(self.stores, self.done_heads, version)
        cursors = JobStore(self.log, utc_now)
        return SceneFollower(worker, self.log, self.stores.changes, cursors, lambda: self.now), worker

    async def start_and_finish(self, version: int = 1) -> list[Id]:
        """Start, do all that is left and confirm it; returns the scenes that were looked at."""
        follower, worker = self.start(version)
        for subject in await follower.subjects():
            await follower.reconcile(subject.id)
        assert await follower.confirm_complete() == []
        return worker.looked_at


@pytest.fixture
async def filled(tmp_path: Path) -> AsyncIterator[Library]:
    async with library(tmp_path / "home") as stores:
        filled_library = Library(stores)
        await filled_library.fill()
        yield filled_library


async def test_scene_follower_looks_at_all_scenes_once_and_then_at_changed_ones(filled: Library) -> None:
    first_id, second_id = (scene.id for scene in filled.scenes)
    assert await filled.start_and_finish() == [second_id, first_id]
    assert await filled.start_and_finish() == []
    await filled.play_on()
    assert await filled.start_and_finish() == [second_id]
    await filled.log.record_transition(make.transition(first_id, loop=Loop.SCENE))
    assert await filled.start_and_finish() == [first_id]


async def test_scene_follower_finds_again_what_was_not_confirmed(filled: Library) -> None:
    await filled.start_and_finish()
    await filled.play_on()
    for _ in range(2):  # the process ends in between
        follower, _ = filled.start()
        assert [subject.id for subject in await follower.subjects()] == [filled.scenes[1].id]
    assert await filled.start_and_finish() == [filled.scenes[1].id]


async def test_scene_follower_returns_what_changed_without_an_event(filled: Library) -> None:
    await filled.start_and_finish()
    follower, _ = filled.start()
    assert list(await follower.subjects()) == []
    await filled.play_on()
    assert [subject.id for subject in await follower.confirm_complete()] == [filled.scenes[1].id]
    assert await filled.start_and_finish() == [filled.scenes[1].id]


async def test_scene_follower_confirms_nothing_before_it_was_asked_what_there_is_to_do(
    filled: Library,
) -> None:
    follower, worker = filled.start()
    await follower.reconcile(filled.scenes[1].id)
    assert await follower.confirm_complete() == ()
    assert worker.looked_at == []
    assert len(await filled.start_and_finish()) == 2


async def test_scene_follower_looks_at_all_scenes_when_one_becomes_due_by_time(filled: Library) -> None:
    follower, worker = filled.start()
    worker.next_due = filled.now + timedelta(days=1)
    for subject in await follower.subjects():
        await follower.reconcile(subject.id)
    assert await follower.confirm_complete() == []
    assert await filled.start_and_finish() == []
    filled.now += timedelta(days=1)
    assert len(await filled.start_and_finish()) == 2
    assert await filled.start_and_finish() == []


async def test_scene_follower_looks_at_all_scenes_in_a_new_version_of_the_work(filled: Library) -> None:
    await filled.start_and_finish()
    assert len(await filled.start_and_finish(version=2)) == 2
    assert await filled.start_and_finish(version=2) == []
