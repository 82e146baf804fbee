"""Tests of following the changes: only what changed is read, and after any stop the index equals a rebuilt one."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.events import (
    CanonCommitted,
    Event,
    EventBus,
    HeadMoved,
    MemoriesWritten,
    SourceAdded,
    TurnAppended,
)
from agents.indexer.index_reconciler import Indexer
from agents.indexer.index_worker import IndexWorker
from agents.indexer.index_writers import TextIndexWriter
from agents.indexer.source_reader import SourceReader
from agents.jobs.worker import JobSubject
from benchmarks.fill import Size, fill
from monitor_tui.background_jobs import rebuild_word_index
from stores.authority import Role
from stores.errors import StoreUnavailable
from stores.open import Stores, open_stores
from stores.queries import MemoryQuery
from stores.records.play import MoveKind, Scene, Speaker, Turn
from tests.agents.indexer.dict_index_writer import DictIndexWriter
from tests.agents.indexer.index_sequences import add_source
from tests.agents.indexer.memory_writes import write_memories
from tests.agents.indexer.rebuilt_index import non_empty_collections, rebuild_index
from tests.agents.indexer.test_universe_reconciler import UniverseFixture, build_batch, create_universe
from tests.contract import builders as make
from tests.examples import examples
from tests.libraries import library


class RecordCounter:
    """Counts the calls of a store handle, and the records that they return."""

    def __init__(self, handle: Any) -> None:
        self._handle = handle
        self.record_counts: Counter[str] = Counter()

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._handle, name)

        async def call(*args: Any, **options: Any) -> Any:
            result = await method(*args, **options)
            self.record_counts[name] += len(result) if isinstance(result, Sequence | set | dict) else 1
            return result

        return call


@dataclass
class FollowedLibrary:
    """A worker that keeps one index of a library by following its changes."""

    stores: Stores
    index_writer: Any
    worker: IndexWorker
    canon: RecordCounter
    log: RecordCounter

    @classmethod
    def open(cls, stores: Stores, index_writer: Any = None) -> FollowedLibrary:
        """Open it as a start does: nothing is known but what the index keeps."""
        index_writer = index_writer or DictIndexWriter(batch_size=2)
        canon: Any = RecordCounter(stores.canon(Role.INDEXER))
        log: Any = RecordCounter(stores.log(Role.INDEXER))
        source_reader = SourceReader(canon, log)
        indexer = Indexer(source_reader, index_writer, stores.changes)
        return cls(stores, index_writer, IndexWorker(source_reader, indexer), canon, log)

    @property
    def record_counts(self) -> Counter[str]:
        return self.canon.record_counts + self.log.record_counts

    async def start(self) -> list[JobSubject]:
        subjects = list(await self.worker.subjects())
        await self.finish(subjects)
        return subjects

    async def note(self, event: Event) -> None:
        await self.finish(list(await self.worker.on_event(event)))

    async def finish(self, subjects: Sequence[JobSubject]) -> None:
        for subject in subjects:
            while await self.worker.reconcile(subject.id):
                pass

    async def assert_equals_rebuild(self) -> None:
        source_reader = SourceReader(self.stores.canon(Role.INDEXER), self.stores.log(Role.INDEXER))
        assert non_empty_collections(self.index_writer) == await rebuild_index(source_reader)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[UniverseFixture]:
    async with library(tmp_path / "home") as stores:
        yield await create_universe(stores)


async def test_start_with_nothing_new_reads_no_item(world: UniverseFixture) -> None:
    first_start = FollowedLibrary.open(world.stores)
    assert await first_start.start()
    await first_start.assert_equals_rebuild()
    next_start = FollowedLibrary.open(world.stores, first_start.index_writer)
    assert await next_start.start() == []
    assert next_start.record_counts == {}


async def test_start_reads_only_what_changed(world: UniverseFixture) -> None:
    hero, *_ = world.entities.values()
    facts = tuple(make.fact(f"Fact {number}.", hero, universe_id=world.id) for number in range(50))
    await world.commit(facts=facts)
    followed = FollowedLibrary.open(world.stores)
    await followed.start()
    await world.commit(facts=(make.fact("She swims now.", hero, universe_id=world.id),))
    followed = FollowedLibrary.open(world.stores, followed.index_writer)
    assert [subject.id for subject in await followed.start()] == [world.id]
    assert followed.record_counts["facts_by_id"] == 1
    assert not followed.record_counts.keys() & {
        "facts",
        "entities",
        "canonizations",
        "line_slice",
        "memories",
    }
    await followed.assert_equals_rebuild()


async def test_memory_of_a_turn_is_read_without_the_others(world: UniverseFixture) -> None:
    hero, *_ = world.entities.values()
    for number in range(40):
        await world.append_turn(f"Turn {number}")
        await world.add_memory(hero, f"I did {number}.", turn=world.turns[-1])
    followed = FollowedLibrary.open(world.stores)
    await followed.start()
    before = Counter(followed.record_counts)
    await world.append_turn("I ring the bell.")
    await followed.note(TurnAppended(world.turns[-1]))
    await world.add_memory(hero, "I rang it.", turn=world.turns[-1])
    await followed.note(MemoriesWritten(world.id, world.scene.id))
    new_counts = followed.record_counts - before
    # The turn, the one before it, whose text ends with the new one now, and the one before that.
    assert (new_counts["line_slice"], new_counts["memories"]) == (3, 1)
    await followed.assert_equals_rebuild()


async def test_turns_that_left_no_memory_are_sealed(world: UniverseFixture) -> None:
    """Only the place up to which memories are written tells that they were read, and the seal of the scene says it."""
    followed = FollowedLibrary.open(world.stores)
    await followed.start()
    await world.append_turn("I wait.")
    await followed.note(TurnAppended(world.turns[-1]))
    await write_memories(world.stores, world.scene, [])
    followed = FollowedLibrary.open(world.stores, followed.index_writer)
    assert [subject.id for subject in await followed.start()] == [world.scene.id]
    await followed.assert_equals_rebuild()


async def test_memory_leaves_and_returns_with_its_turn(world: UniverseFixture) -> None:
    hero, *_ = world.entities.values()
    await world.append_turn("I swim.")
    await world.add_memory(hero, "I swam.", turn=world.turns[-1])
    followed = FollowedLibrary.open(world.stores)
    await followed.start()
    for turn, kind, memory_count in ((world.turns[0], MoveKind.UNDO, 2), (world.turns[1], MoveKind.REDO, 3)):
        await world.stores.log(Role.ORCHESTRATOR).move_head(world.scene.id, turn.id, kind)
        await followed.note(HeadMoved(world.scene.id))
        assert len(followed.index_writer.items_by_collection["memories"]) == memory_count
        await followed.assert_equals_rebuild()


@pytest.mark.parametrize("is_asked_before_start", [False, True])
async def test_memories_of_an_index_without_cursor_are_compared(
    world: UniverseFixture, is_asked_before_start: bool
) -> None:
    """Its seals say that memories were written since, and no change says which."""
    hero, *_ = world.entities.values()
    followed = FollowedLibrary.open(world.stores)
    await followed.start()
    await world.add_memory(hero, "I swam.", turn=world.turns[-1])
    followed.index_writer.cursor = ""
    followed = FollowedLibrary.open(world.stores, followed.index_writer)
    if is_asked_before_start:
        await followed.finish([JobSubject(world.scene.id, world.id)])
    await followed.start()
    await followed.assert_equals_rebuild()


@pytest.mark.parametrize("turn_count", [500, pytest.param(10_000, marks=pytest.mark.slow)])
async def test_long_scene_is_not_read_again_for_a_new_turn(turn_count: int, tmp_path: Path) -> None:
    await fill(tmp_path, Size(scenes=1, scene_turns=5, long_scene=turn_count, entities=10))
    stores = await open_stores(tmp_path)
    try:
        followed = FollowedLibrary.open(stores, TextIndexWriter(stores.words(Role.INDEXER)))
        (*_, scene_subject) = sorted(
            [s for s in await followed.start() if s.id != s.universe_id], key=lambda subject: subject.items
        )
        before = Counter(followed.record_counts)
        log = stores.log(Role.ORCHESTRATOR)
        scene = await log.scene(scene_subject.id)
        assert await log.line_length(scene.id) == turn_count
        assert scene.head is not None
        turn = make.turn(scene, await log.turn(scene.head), "I go on.", speaker=Speaker.PLAYER)
        await log.append_turn(turn)
        await followed.note(TurnAppended(turn))
        new_counts = followed.record_counts - before
        assert new_counts["line_slice"] == 3
        assert sum(new_counts.values()) < 30, new_counts
        assert turn.id in await stores.words(Role.INDEXER).fingerprints("turns", ids=[turn.id])
    finally:
        await stores.close()


async def test_index_of_another_state_is_compared_whole(world: UniverseFixture) -> None:
    """An older library was put back: its changes have the numbers of others, and the seals of its scenes are wrong."""
    followed = FollowedLibrary.open(world.stores)
    await followed.start()
    number, _, tag = followed.index_writer.cursor.partition(":")
    followed.index_writer.cursor = f"{number}:{int(tag) + 1}"
    followed.index_writer.items_by_collection["turns"].clear()
    followed = FollowedLibrary.open(world.stores, followed.index_writer)
    await followed.start()
    await followed.assert_equals_rebuild()


async def test_cursor_waits_for_what_failed(world: UniverseFixture) -> None:
    hero, *_ = world.entities.values()
    followed = FollowedLibrary.open(world.stores)
    await followed.start()
    cursor = followed.index_writer.cursor
    canonization = await world.commit(facts=(make.fact("It rained.", hero, universe_id=world.id),))
    followed.index_writer.fails_at = 1
    with pytest.raises(StoreUnavailable):
        await followed.note(CanonCommitted(canonization.id, world.id, None, (), ()))
    assert followed.index_writer.cursor == cursor
    followed = FollowedLibrary.open(world.stores, followed.index_writer)
    assert await followed.start()
    assert followed.index_writer.cursor != cursor
    await followed.assert_equals_rebuild()


async def test_new_source_is_read_without_the_others(world: UniverseFixture) -> None:
    await add_source(world.stores, EventBus(), world.id)
    followed = FollowedLibrary.open(world.stores)
    await followed.start()
    before = Counter(followed.record_counts)
    snippet_ids = await add_source(world.stores, EventBus(), world.id)
    await followed.note(SourceAdded(world.id, "any"))
    assert (followed.record_counts - before)["snippets"] == len(snippet_ids)
    await followed.assert_equals_rebuild()


async def test_rebuilt_words_are_followed_from_there(world: UniverseFixture) -> None:
    await rebuild_word_index(world.stores, say=lambda _: None)
    words = TextIndexWriter(world.stores.words(Role.INDEXER))
    assert await FollowedLibrary.open(world.stores, words).start() == []


STEPS = ("assert", "end", "retcon", "supersede", "rename", "describe", "merge", "split")
step = st.tuples(
    st.sampled_from(
        (
            *STEPS,
            *("say", "say", "undo", "branch", "remember", "remember", "remember nothing", "correct"),
            *("event", "event", "piece", "interrupt", "interrupt", "restart", "stop at a start"),
        )
    ),
    st.integers(0, 999),
)


@pytest.mark.slow
@given(st.lists(step, max_size=30))
@settings(max_examples=examples(200, 20), deadline=None, suppress_health_check=list(HealthCheck))
def test_followed_index_equals_rebuilt_index_after_any_writes_and_stops(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int]]
) -> None:
    asyncio.run(_write_and_stop(tmp_path_factory.mktemp("home"), steps))


async def _write_and_stop(home: Path, steps: list[tuple[str, int]]) -> None:
    async with library(home) as stores:
        world = await create_universe(stores)
        followed = FollowedLibrary.open(stores)
        await followed.start()
        some_event = SourceAdded(world.id, "any")  # says no more than when to look
        for action, number in steps:
            match action:
                case "event":
                    await followed.note(some_event)
                case "piece":
                    for subject in list(await followed.worker.on_event(some_event))[:1]:
                        await followed.worker.reconcile(subject.id)
                case "interrupt" | "stop at a start":
                    if action == "stop at a start":
                        followed = FollowedLibrary.open(stores, followed.index_writer)
                    followed.index_writer.fails_at = 1 + number % 6
                    with suppress(StoreUnavailable):
                        await (followed.start() if action == "stop at a start" else followed.note(some_event))
                    followed.index_writer.fails_at = None
                case "restart":
                    followed = FollowedLibrary.open(stores, followed.index_writer)
                    await followed.start()
                case "say" | "undo" | "branch" | "remember" | "remember nothing" | "correct":
                    await _play(world, action, number)
                case _:
                    await world.commit(**build_batch(world, action, random.Random(number)))
        followed = FollowedLibrary.open(stores, followed.index_writer)
        await followed.start()
        await followed.assert_equals_rebuild()
        assert await FollowedLibrary.open(stores, followed.index_writer).start() == []


async def _play(world: UniverseFixture, action: str, number: int) -> None:
    log, dice = world.stores.log(Role.ORCHESTRATOR), random.Random(number)
    scene = await log.scene(world.scene.id)
    match action:
        case "say":
            await _append(world, scene, await log.turn(scene.head) if scene.head else None, number)
        case "branch":
            await _append(world, scene, dice.choice(world.turns), number)
        case "undo":
            line = await log.line_slice(scene.id, 0, 999)
            target = dice.choice([*line, None])
            await log.move_head(scene.id, target.id if target else None, MoveKind.UNDO)
        case "remember":
            entity = dice.choice([*world.entities.values()])
            await world.add_memory(entity, f"Hm {number}.", turn=dice.choice([*world.turns, None]))
        case "remember nothing":
            await write_memories(world.stores, scene, [])
        case "correct":
            memories = await log.memories(MemoryQuery(universe_id=world.id))
            memory, turn = dice.choice(memories), dice.choice(world.turns)
            newer = memory.model_copy(
                update={"id": make.new_id(), "corrects": memory.id, "turn_id": memory.turn_id and turn.id}
            )
            corrected = [newer, memory.model_copy(update={"corrected_by": newer.id})]
            if memory.scene_id:
                await write_memories(world.stores, world.scene, corrected)
            else:
                await world.stores.log(Role.MEMORY_MANAGER).put_memories(corrected)


async def _append(world: UniverseFixture, scene: Scene, after: Turn | None, number: int) -> None:
    turn = make.turn(scene, after, f"Turn {number}")
    kind = MoveKind.APPEND if scene.head == turn.parent_id else MoveKind.BRANCH
    await world.stores.log(Role.ORCHESTRATOR).append_turn(turn, kind)
    world.turns.append(turn)
