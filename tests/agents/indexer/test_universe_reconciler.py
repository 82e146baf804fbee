"""Tests of the UniverseReconciler: only what a commit wrote is compared, and the index equals a rebuilt one."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.events import EventBus, MemoriesWritten, ProposalsChanged, SourceAdded
from agents.indexer.index_reconciler import Indexer
from agents.indexer.index_worker import IndexWorker
from agents.indexer.index_writers import TextIndexWriter, VectorIndexWriter
from agents.indexer.source_reader import SourceReader
from agents.jobs.job_runner import JobRunner
from agents.jobs.job_store import JobStore
from stores.authority import Role
from stores.changes import Change, ChangeCursor, RecordKind
from stores.errors import StoreUnavailable
from stores.open import Stores
from stores.ports import TextItem
from stores.queries import FactQuery, MemoryQuery
from stores.records.canon import Fact, FactChange, FactStatus, Supersession
from stores.records.ids import Id, utc_now
from stores.records.jobs import JobKind
from stores.records.play import Scene, Turn
from stores.records.sources import Source
from stores.records.workflow import Canonization
from stores.records.world import Entity, EntityKind, EntityStatus
from tests.agents.indexer.dict_index_writer import DictIndexWriter
from tests.agents.indexer.fake_embedder import FakeEmbedder
from tests.agents.indexer.memory_writes import write_memories
from tests.agents.indexer.rebuilt_index import non_empty_collections, rebuild_index, reconcile_all
from tests.contract import builders as make
from tests.examples import examples
from tests.libraries import library


class CountingStore:
    """Counts the calls of each method of a store handle."""

    def __init__(self, handle: Any) -> None:
        self._handle = handle
        self.call_counts: Counter[str] = Counter()

    def __getattr__(self, name: str) -> Any:
        self.call_counts[name] += 1
        return getattr(self._handle, name)


@dataclass
class UniverseFixture:
    """A universe that is written by commits, as the gate does it."""

    stores: Stores
    id: Id
    scene: Scene
    entities: dict[Id, Entity] = field(default_factory=dict)
    facts: dict[Id, Fact] = field(default_factory=dict)
    turns: list[Turn] = field(default_factory=list)

    @property
    def source_reader(self) -> SourceReader:
        return SourceReader(self.stores.canon(Role.INDEXER), self.stores.log(Role.INDEXER))

    async def commit(self, *, stop_at: str = "", **batch_fields: Any) -> Canonization:
        """Plan, write and close a commit, or stop when it is `planned` or `written`."""
        batch = make.batch(universe_id=self.id, **batch_fields)
        canonization = make.canonization(universe_id=self.id, batch=batch)
        log = self.stores.log(Role.CANON_KEEPER)
        await log.plan_canonization(canonization)
        if stop_at != "planned":
            await self.finish(canonization, close=stop_at != "written")
        for entity in batch.entities:
            self.entities[entity.id] = entity
        for fact in batch.facts:
            self.facts[fact.id] = fact
        return canonization

    async def finish(self, canonization: Canonization, *, close: bool = True) -> None:
        log = self.stores.log(Role.CANON_KEEPER)
        await self.stores.canon(Role.CANON_KEEPER).commit(canonization.batch)
        await log.mark_written(canonization.id)
        if close:
            await log.close_canonization(canonization)

    async def append_turn(self, text: str) -> None:
        turn = make.turn(self.scene, self.turns[-1] if self.turns else None, text)
        await self.stores.log(Role.ORCHESTRATOR).append_turn(turn)
        self.turns.append(turn)

    async def add_memory(self, entity: Entity, text: str, *, turn: Turn | None = None) -> None:
        """Write a memory of a turn of the scene, or one without a scene."""
        if turn is None:
            memory = make.memory(entity, text, universe_id=self.id)
            await self.stores.log(Role.MEMORY_MANAGER).put_memories([memory])
        else:
            memory = make.memory(entity, text, universe_id=self.id, scene_id=self.scene.id, turn_id=turn.id)
            await write_memories(self.stores, self.scene, [memory])


async def create_universe(stores: Stores) -> UniverseFixture:
    """Create a universe with a player character in a scene at a canonical place."""
    universe = make.universe(id=make.new_id())
    hero = make.entity("Mara", universe_id=universe.id, is_pc=True)
    ford = make.entity("The Ford", kind=EntityKind.PLACE, universe_id=universe.id)
    story = make.story(universe_id=universe.id, pc_id=hero.id)
    scene = make.scene(story, title="Cold", place_id=ford.id)
    world = UniverseFixture(stores, universe.id, scene)
    await world.commit(universe=universe, entities=(hero, ford))
    await stores.log(Role.ORCHESTRATOR).put_story(story)
    await stores.log(Role.ORCHESTRATOR).create_scene(scene)
    await world.append_turn("I wade in.")
    await world.add_memory(hero, "The water was cold.", turn=world.turns[-1])
    await world.add_memory(hero, "My mother hummed.")
    return world


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[UniverseFixture]:
    async with library(tmp_path / "home") as stores:
        yield await create_universe(stores)


async def reconcile(indexer: Indexer, world: UniverseFixture) -> None:
    """Bring the universe and its scene up to date, as the worker does after an event about them."""
    while await indexer.reconcile_universe(world.id):
        pass
    while await indexer.reconcile_scene(world.scene.id):
        pass


async def build_up_to_date_indexer(world: UniverseFixture, index_writer: DictIndexWriter) -> Indexer:
    indexer = Indexer(world.source_reader, index_writer)
    await reconcile(indexer, world)
    assert non_empty_collections(index_writer) == await rebuild_index(world.source_reader)
    return indexer


# --- commits ----------------------------------------------------------------------------------------


async def test_universe_reconciler_reads_only_what_commit_wrote(world: UniverseFixture) -> None:
    hero = next(iter(world.entities.values()))
    facts = tuple(make.fact(f"Fact {number}.", hero, universe_id=world.id) for number in range(30))
    await world.commit(facts=facts)
    canon, log = (
        CountingStore(world.stores.canon(Role.INDEXER)),
        CountingStore(world.stores.log(Role.INDEXER)),
    )
    index_writer = DictIndexWriter()
    indexer = Indexer(SourceReader(canon, log), index_writer)
    await reconcile(indexer, world)
    canon.call_counts.clear()
    log.call_counts.clear()
    ending_change = FactChange(fact_id=facts[0].id, status=FactStatus.SUPERSEDED, valid_to=9)
    new = make.fact("She swims now.", hero, universe_id=world.id)
    wounded = hero.model_copy(update={"numbers": {"hp": 1}})
    canonization = await world.commit(facts=(new,), fact_changes=(ending_change,), entities=(wounded,))
    before = index_writer.writes
    indexer.note_commit(world.id, canonization.id)
    while await indexer.reconcile_universe(world.id):
        pass
    assert index_writer.writes == before + 1
    assert not canon.call_counts.keys() & {"facts", "entities", "facts_about"}, canon.call_counts
    assert log.call_counts.keys() == {"canonization_states", "canonizations"}
    assert non_empty_collections(index_writer) == await rebuild_index(world.source_reader)


async def test_universe_reconciler_updates_new_name_everywhere(world: UniverseFixture) -> None:
    hero, ford, *_ = world.entities.values()
    tom = make.entity("Tom", universe_id=world.id)
    facts = [make.fact("Somebody hums.", entity, universe_id=world.id) for entity in (hero, tom)]
    await world.commit(entities=(tom,), facts=tuple(facts))
    index_writer = DictIndexWriter()
    indexer = await build_up_to_date_indexer(world, index_writer)
    renamed = (hero.model_copy(update={"name": "Marra"}), ford.model_copy(update={"name": "The Weir"}))
    canonization = await world.commit(entities=renamed)
    indexer.note_commit(world.id, canonization.id)
    while await indexer.reconcile_universe(world.id):
        pass
    assert index_writer.items_by_collection["facts"][facts[0].id].text == "Somebody hums.\nMarra"
    (turn,) = index_writer.items_by_collection["turns"].values()
    assert turn.text.startswith("Marra: I wade in.\n")
    assert index_writer.items_by_collection["scenes"][world.scene.id].text == "Cold\nThe Weir"
    assert {item.text.split(":")[0] for item in index_writer.items_by_collection["memories"].values()} == {
        "Marra"
    }
    assert non_empty_collections(index_writer) == await rebuild_index(world.source_reader)


@pytest.mark.parametrize("fails_at", range(1, 8))
async def test_universe_reconciler_updates_interrupted_rename_after_restart(
    world: UniverseFixture, fails_at: int
) -> None:
    """The entity's own item is written last, so the next start sees that the work is not done."""
    tom = make.entity("Tom", universe_id=world.id)
    await world.commit(entities=(tom,), facts=(make.fact("Somebody hums.", tom, universe_id=world.id),))
    await world.add_memory(tom, "She waded in.", turn=world.turns[-1])
    await world.add_memory(tom, "It rained.")
    index_writer = DictIndexWriter()
    indexer = await build_up_to_date_indexer(world, index_writer)
    canonization = await world.commit(entities=(tom.model_copy(update={"name": "Thomas"}),))
    indexer.note_commit(world.id, canonization.id)
    index_writer.fails_at = fails_at
    with suppress(StoreUnavailable):
        while await indexer.reconcile_universe(world.id):
            pass
    index_writer.fails_at = None
    await reconcile_all(Indexer(world.source_reader, index_writer), world.source_reader)
    assert {item.text.split(":")[0] for item in index_writer.items_by_collection["memories"].values()} == {
        "Mara",
        "Thomas",
    }
    assert non_empty_collections(index_writer) == await rebuild_index(world.source_reader)


async def test_universe_reconciler_drops_pending_item_retracted_by_commit(world: UniverseFixture) -> None:
    """The second of two commits retracts what the first one wrote and what is not indexed yet."""
    index_writer = DictIndexWriter(batch_size=2)
    indexer = await build_up_to_date_indexer(world, index_writer)
    hero = next(iter(world.entities.values()))
    facts = tuple(make.fact(f"Fact {number}.", hero, universe_id=world.id) for number in range(9))
    people = tuple(make.entity(f"Tom {number}", universe_id=world.id) for number in range(5))
    first = await world.commit(facts=facts, entities=people)
    indexer.note_commit(world.id, first.id)
    assert await indexer.reconcile_universe(world.id) > 0
    never = tuple(_change(fact, FactStatus.RETCONNED) for fact in facts[3:])
    merged = {"status": EntityStatus.MERGED, "merged_into": hero.id}
    merged_people = tuple(entity.model_copy(update=merged) for entity in people)
    second = await world.commit(fact_changes=never, entities=merged_people)
    indexer.note_commit(world.id, second.id)
    await reconcile(indexer, world)
    assert index_writer.items_by_collection["facts"].keys() == {fact.id for fact in facts[:3]}
    assert non_empty_collections(index_writer) == await rebuild_index(world.source_reader)


@pytest.mark.parametrize("fails", ["canonization_states", "canonizations", "facts_by_id", "entities_by_id"])
async def test_universe_reconciler_retries_store_that_is_down(world: UniverseFixture, fails: str) -> None:
    index_writer = DictIndexWriter()
    is_down = False

    class FailingStore(CountingStore):
        def __getattr__(self, name: str) -> Any:
            if is_down and name == fails:
                raise StoreUnavailable("The store does not answer.")
            return super().__getattr__(name)

    canon: Any = FailingStore(world.stores.canon(Role.INDEXER))
    log: Any = FailingStore(world.stores.log(Role.INDEXER))
    indexer = Indexer(SourceReader(canon, log), index_writer)
    await reconcile(indexer, world)
    hero = next(iter(world.entities.values()))
    renamed = hero.model_copy(update={"name": "Marra"})
    fact = make.fact("She swims.", hero, universe_id=world.id)
    indexer.note_commit(world.id, (await world.commit(facts=(fact,), entities=(renamed,))).id)
    is_down = True
    with pytest.raises(StoreUnavailable):
        await reconcile(indexer, world)
    is_down = False
    await reconcile(indexer, world)
    assert non_empty_collections(index_writer) == await rebuild_index(world.source_reader)


async def test_universe_reconciler_merge_and_split_leave_no_old_name(world: UniverseFixture) -> None:
    hero = next(iter(world.entities.values()))
    twin = make.entity("Marra", universe_id=world.id)
    old = make.fact("Somebody hums.", twin, universe_id=world.id)
    await world.commit(entities=(twin,), facts=(old,))
    await world.add_memory(twin, "I hummed.", turn=world.turns[-1])
    index_writer = DictIndexWriter()
    indexer = await build_up_to_date_indexer(world, index_writer)
    merged = twin.model_copy(update={"status": EntityStatus.MERGED, "merged_into": hero.id})
    renamed_hero = hero.model_copy(update={"aliases": ("Marra",)})
    canonization = await world.commit(entities=(merged, renamed_hero))
    indexer.note_commit(world.id, canonization.id)
    await reconcile(indexer, world)
    assert twin.id not in index_writer.items_by_collection["entities"]
    assert index_writer.items_by_collection["facts"][old.id].text == "Somebody hums."
    assert non_empty_collections(index_writer) == await rebuild_index(world.source_reader)
    canonization = await world.commit(entities=(twin, hero))
    indexer.note_commit(world.id, canonization.id)
    await reconcile(indexer, world)
    assert index_writer.items_by_collection["facts"][old.id].text == "Somebody hums.\nMarra"
    assert non_empty_collections(index_writer) == await rebuild_index(world.source_reader)


async def test_universe_reconciler_rename_with_merge_updates_memories(world: UniverseFixture) -> None:
    hero = next(iter(world.entities.values()))
    tom = make.entity("Tom", universe_id=world.id)
    await world.commit(entities=(tom,))
    await world.add_memory(tom, "I hummed.", turn=world.turns[-1])
    index_writer = DictIndexWriter()
    indexer = await build_up_to_date_indexer(world, index_writer)
    merged_fields = {"name": "Thomas", "status": EntityStatus.MERGED, "merged_into": hero.id}
    canonization = await world.commit(entities=(tom.model_copy(update=merged_fields),))
    indexer.note_commit(world.id, canonization.id)
    await reconcile(indexer, world)
    assert "Thomas: I hummed." in {
        item.text for item in index_writer.items_by_collection["memories"].values()
    }
    assert non_empty_collections(index_writer) == await rebuild_index(world.source_reader)


async def test_universe_reconciler_finds_commit_without_event(world: UniverseFixture) -> None:
    index_writer = DictIndexWriter()
    indexer = await build_up_to_date_indexer(world, index_writer)
    await world.commit(facts=(make.fact("Silent.", universe_id=world.id),))
    later = await world.commit(facts=(make.fact("Announced.", universe_id=world.id),))
    indexer.note_commit(world.id, later.id)
    await reconcile(indexer, world)
    assert non_empty_collections(index_writer) == await rebuild_index(world.source_reader)


@pytest.mark.parametrize("stop_at", ["planned", "written"])
async def test_universe_reconciler_rereads_unfinished_commit(world: UniverseFixture, stop_at: str) -> None:
    index_writer = DictIndexWriter()
    indexer = await build_up_to_date_indexer(world, index_writer)
    worker = IndexWorker(world.source_reader, indexer)
    unfinished = await world.commit(stop_at=stop_at, facts=(make.fact("Half.", universe_id=world.id),))
    indexer.note_commit(world.id)
    await reconcile(indexer, world)
    assert non_empty_collections(index_writer) == await rebuild_index(world.source_reader)
    await world.finish(unfinished)
    # The next decision finished the commit, and its event names none.
    for subject in await worker.on_event(ProposalsChanged(world.id, None)):
        assert subject.id == world.id
        await reconcile(indexer, world)
    assert non_empty_collections(index_writer) == await rebuild_index(world.source_reader)
    assert await worker.on_event(ProposalsChanged(world.id, None)) == []


async def test_universe_reconciler_compares_all_if_commit_is_unreadable(world: UniverseFixture) -> None:
    index_writer = DictIndexWriter()
    indexer = await build_up_to_date_indexer(world, index_writer)
    fact = make.fact("Out of nowhere.", universe_id=world.id)
    await world.stores.canon(Role.CANON_KEEPER).commit(make.batch(universe_id=world.id, facts=(fact,)))
    indexer.note_commit(world.id, make.new_id())
    await reconcile(indexer, world)
    assert fact.id in index_writer.items_by_collection["facts"]
    assert non_empty_collections(index_writer) == await rebuild_index(world.source_reader)


async def test_universe_reconciler_keeps_changes_made_meanwhile(world: UniverseFixture) -> None:
    """The event arrives during the full comparison, after facts were read."""
    index_writer = DictIndexWriter()
    canon = world.stores.canon(Role.INDEXER)
    indexers: list[Indexer] = []

    class CommittingCanon:
        def __getattr__(self, name: str) -> Any:
            return getattr(canon, name)

        async def facts(self, universe_id: Id, query: FactQuery) -> list[Fact]:
            facts = await canon.facts(universe_id, query)
            if len(world.facts) == 0:
                canonization = await world.commit(facts=(make.fact("Meanwhile.", universe_id=world.id),))
                indexers[0].note_commit(world.id, canonization.id)
            return facts

    committing_canon: Any = CommittingCanon()
    indexers.append(Indexer(SourceReader(committing_canon, world.stores.log(Role.INDEXER)), index_writer))
    await reconcile(indexers[0], world)
    assert [item.text for item in index_writer.items_by_collection["facts"].values()] == ["Meanwhile."]
    assert non_empty_collections(index_writer) == await rebuild_index(world.source_reader)


STEPS = ("assert", "assert", "end", "retcon", "restore", "supersede", "rename", "describe", "merge", "split")
step = st.tuples(
    st.sampled_from((*STEPS, "reconcile", "reconcile", "piece", "interrupt", "restart", "say")),
    st.integers(0, 999),
    st.sampled_from(("with event", "with event", "without event", "planned", "written")),
)


@pytest.mark.slow
@given(st.lists(step, max_size=30))
@settings(max_examples=examples(150, 12), deadline=None, suppress_health_check=list(HealthCheck))
def test_universe_reconciler_equals_rebuilt_index_after_any_commits(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, str]]
) -> None:
    asyncio.run(_commit_and_interrupt(tmp_path_factory.mktemp("home"), steps))


async def _commit_and_interrupt(home: Path, steps: list[tuple[str, int, str]]) -> None:
    """Everything is compared only after a restart; otherwise `note_commit` has to find all changes."""
    async with library(home) as stores:
        world = await create_universe(stores)
        index_writer = DictIndexWriter(batch_size=2)
        indexer = Indexer(world.source_reader, index_writer)
        unfinished: list[Canonization] = []
        for action, number, ending in steps:
            match action:
                case "reconcile":
                    await reconcile(indexer, world)
                case "piece":
                    await indexer.reconcile_universe(world.id)
                case "interrupt":
                    index_writer.fails_at = 1 + number % 4
                    with suppress(StoreUnavailable):
                        await reconcile(indexer, world)
                    index_writer.fails_at = None
                case "restart":
                    indexer = Indexer(world.source_reader, index_writer)
                case "say":
                    await world.append_turn(f"Turn {number}")
                    dice = random.Random(number)
                    entity = dice.choice([*world.entities.values()])
                    await world.add_memory(entity, "Hm.", turn=dice.choice(world.turns))
                case _:
                    # The gate finishes an earlier commit first.
                    while unfinished:
                        await world.finish(unfinished.pop())
                    batch = build_batch(world, action, random.Random(number))
                    canonization = await world.commit(
                        stop_at=ending if ending in ("planned", "written") else "", **batch
                    )
                    if ending in ("planned", "written"):
                        unfinished.append(canonization)
                    if ending != "without event":
                        indexer.note_commit(world.id, canonization.id)
        while unfinished:
            await world.finish(unfinished.pop())
        indexer.note_commit(world.id)
        await reconcile(indexer, world)
        assert non_empty_collections(index_writer) == await rebuild_index(world.source_reader)


def build_batch(world: UniverseFixture, action: str, dice: random.Random) -> dict[str, Any]:
    entities, facts = list(world.entities.values()), list(world.facts.values())
    entity = dice.choice(entities)
    is_canonical = entity.status is EntityStatus.CANONICAL  # merged entities are not renamed
    fact = dice.choice(facts) if facts else None
    match action:
        case "end" if fact:
            return {"fact_changes": (_change(fact, FactStatus.CANONICAL, valid_to=9),)}
        case "retcon" if fact:
            return {"fact_changes": (_change(fact, FactStatus.RETCONNED),)}
        case "restore" if fact:
            return {"fact_changes": (_change(fact, FactStatus.CANONICAL),)}
        case "supersede" if fact:
            newer = make.fact(f"Rather {dice.random()}.", entity, universe_id=world.id)
            edge = Supersession(newer_id=newer.id, older_id=fact.id)
            return {
                "facts": (newer,),
                "fact_changes": (_change(fact, FactStatus.SUPERSEDED),),
                "supersedes": (edge,),
            }
        case "rename" if is_canonical:
            return {
                "entities": (entity.model_copy(update={"name": f"{entity.name[:6]} {dice.randrange(9)}"}),)
            }
        case "describe" if is_canonical:
            return {"entities": (entity.model_copy(update={"description": f"Wet {dice.randrange(9)}."}),)}
        case "merge" if len(entities) > 2 and not entity.is_pc:
            merged = {"status": EntityStatus.MERGED, "merged_into": entities[0].id}
            survivor = entities[0].model_copy(update={"aliases": (*entities[0].aliases, entity.name)})
            return {"entities": (entity.model_copy(update=merged), survivor)}
        case "split":
            restored = {"status": EntityStatus.CANONICAL, "merged_into": None}
            return {"entities": (entity.model_copy(update=restored),)}
    new = make.entity(f"Somebody {dice.randrange(99)}", universe_id=world.id)
    fact = make.fact(f"It is so {dice.random()}.", entity, new, universe_id=world.id)
    return {"entities": (new,), "facts": (fact,)}


def _change(fact: Fact, status: FactStatus, **fields: Any) -> FactChange:
    return FactChange(fact_id=fact.id, status=status, **fields)


# --- memories without a scene ---------------------------------------------------------------------------


async def test_universe_reconciler_drops_corrected_memory_without_scene(world: UniverseFixture) -> None:
    index_writer = DictIndexWriter()
    indexer = await build_up_to_date_indexer(world, index_writer)
    worker = IndexWorker(world.source_reader, indexer)
    log = world.stores.log(Role.MEMORY_MANAGER)
    (old,) = [m for m in await log.memories(MemoryQuery(universe_id=world.id)) if m.scene_id is None]
    newer = old.model_copy(update={"id": make.new_id(), "text": "She sang.", "corrects": old.id})
    await log.put_memories([newer, old.model_copy(update={"corrected_by": newer.id})])
    assert [subject.id for subject in await worker.on_event(MemoriesWritten(world.id, None))] == [world.id]
    await reconcile(indexer, world)
    assert old.id not in index_writer.items_by_collection["memories"]
    assert non_empty_collections(index_writer) == await rebuild_index(world.source_reader)


# --- sources ----------------------------------------------------------------------------------------


async def ingest(
    world: UniverseFixture, count: int, *, source: Source | None = None, first: int = 0
) -> Source:
    log = world.stores.log(Role.INGEST)
    source = source or make.source(universe_id=world.id)
    await log.put_source(source)
    await log.put_snippets(
        [
            make.snippet(source, number, text=f"Herons nest by stone {number}.")
            for number in range(first, first + count)
        ]
    )
    return source


async def test_universe_reconciler_indexes_new_source(world: UniverseFixture) -> None:
    stores, events = world.stores, EventBus()
    runner = JobRunner(JobStore(stores.log(Role.ORCHESTRATOR), utc_now), events)
    embedder = FakeEmbedder("m")
    words = TextIndexWriter(stores.words(Role.INDEXER))
    runner.register(IndexWorker(world.source_reader, Indexer(world.source_reader, words)))
    vectors = VectorIndexWriter(stores.vectors(Role.INDEXER), embedder, batch_size=4)
    runner.register(IndexWorker(world.source_reader, Indexer(world.source_reader, vectors), JobKind.EMBED))
    await runner.wait_until_idle()
    source = await ingest(world, 10)
    events.publish(SourceAdded(world.id, source.id))
    await runner.wait_until_idle()

    async def hits() -> tuple[int, int]:
        by_words = await stores.words(Role.NARRATOR).search("snippets", "heron stone", k=99)
        (question,) = await embedder.embed(["Herons nest by stone 3."], urgent=True)
        by_meaning = await stores.vectors(Role.NARRATOR).search("snippets", question.vector, model="m", k=99)
        return len(by_words), len(by_meaning)

    assert await hits() == (10, 10)
    await ingest(world, 5, source=source, first=10)
    events.publish(SourceAdded(world.id, source.id))
    await runner.wait_until_idle()
    assert await hits() == (15, 15)
    rebuilt = {
        id: item.fingerprint for id, item in (await rebuild_index(world.source_reader))["snippets"].items()
    }
    assert await stores.words(Role.INDEXER).fingerprints("snippets") == rebuilt
    assert await stores.vectors(Role.INDEXER).fingerprints("snippets", model="m") == rebuilt
    await runner.close()


@pytest.mark.parametrize("fails_at", [1, 2, 3, 4])
@pytest.mark.parametrize("restarted", [False, True])
async def test_universe_reconciler_completes_interrupted_source(
    world: UniverseFixture, fails_at: int, restarted: bool
) -> None:
    index_writer = DictIndexWriter(batch_size=3)
    indexer = await build_up_to_date_indexer(world, index_writer)
    source = await ingest(world, 10)
    indexer.note_source(world.id, source.id)
    index_writer.fails_at = fails_at
    with pytest.raises(StoreUnavailable):
        await reconcile(indexer, world)
    assert len(index_writer.items_by_collection.get("snippets", {})) == 3 * (fails_at - 1)
    if restarted:
        indexer = Indexer(world.source_reader, index_writer)
    await reconcile(indexer, world)
    assert len(index_writer.items_by_collection["snippets"]) == 10
    assert non_empty_collections(index_writer) == await rebuild_index(world.source_reader)


async def test_universe_reconciler_reads_source_once(world: UniverseFixture) -> None:
    source = await ingest(world, 4)
    log = CountingStore(world.stores.log(Role.INDEXER))
    index_writer = DictIndexWriter()
    indexer = Indexer(SourceReader(world.stores.canon(Role.INDEXER), log), index_writer)

    async def count_source_reads(note_change: Callable[[], Any]) -> int:
        log.call_counts.clear()
        note_change()
        await reconcile(indexer, world)
        return log.call_counts["snippets"]

    assert await count_source_reads(lambda: None) == 1
    assert await count_source_reads(lambda: indexer.recheck_universes([world.id])) == 0
    await ingest(world, 2)
    assert await count_source_reads(lambda: indexer.recheck_universes([world.id])) == 1
    assert await count_source_reads(lambda: indexer.note_source(world.id, source.id)) == 1
    assert await count_source_reads(lambda: indexer.distrust([world.id])) == 2
    assert non_empty_collections(index_writer) == await rebuild_index(world.source_reader)


async def test_universe_reconciler_reads_a_source_again_that_changes_while_it_is_indexed(
    world: UniverseFixture,
) -> None:
    source = await ingest(world, 6)
    change = Change(ChangeCursor(1, 1), RecordKind.SOURCE, source.id, world.id, None)

    class ChangingWriter(DictIndexWriter):
        async def put(self, collection: str, items: Sequence[TextItem]) -> None:
            await super().put(collection, items)
            if collection == "snippets" and self.puts < 2:
                self.puts += 1
                indexer._universe_reconciler.note_change(change)

        puts = 0

    index_writer = ChangingWriter(batch_size=2)
    indexer = Indexer(world.source_reader, index_writer)
    await reconcile(indexer, world)
    assert len(index_writer.items_by_collection["snippets"]) == 6


async def test_universe_reconciler_rereads_unreadable_source(world: UniverseFixture) -> None:
    source, index_writer, is_down = await ingest(world, 4), DictIndexWriter(), False

    class FailingStore(CountingStore):
        def __getattr__(self, name: str) -> Any:
            if is_down and name == "snippets":
                raise StoreUnavailable("The store does not answer.")
            return super().__getattr__(name)

    log: Any = FailingStore(world.stores.log(Role.INDEXER))
    indexer = Indexer(SourceReader(world.stores.canon(Role.INDEXER), log), index_writer)
    await reconcile(indexer, world)
    await ingest(world, 4, source=source, first=4)
    indexer.note_source(world.id, source.id)
    is_down = True
    with pytest.raises(StoreUnavailable):
        await reconcile(indexer, world)
    is_down = False
    await reconcile(indexer, world)
    assert len(index_writer.items_by_collection["snippets"]) == 8
    assert non_empty_collections(index_writer) == await rebuild_index(world.source_reader)


@pytest.mark.parametrize("restarted", [False, True])
async def test_universe_reconciler_deletes_removed_source(world: UniverseFixture, restarted: bool) -> None:
    remaining, removed = await ingest(world, 3), await ingest(world, 8)
    source_reader, removed_ids = world.source_reader, set[Id]()
    read_source_ids = source_reader.read_source_ids

    async def read_remaining_ids(universe_id: Id) -> list[Id]:
        return [id for id in await read_source_ids(universe_id) if id not in removed_ids]

    source_reader.read_source_ids = read_remaining_ids  # type: ignore[method-assign]
    index_writer = DictIndexWriter(batch_size=2)
    indexer = Indexer(source_reader, index_writer)
    await reconcile(indexer, world)
    removed_ids.add(removed.id)
    indexer = Indexer(source_reader, index_writer) if restarted else indexer
    indexer.recheck_universes([world.id])
    await reconcile(indexer, world)
    assert {item.scope["source"] for item in index_writer.items_by_collection["snippets"].values()} == {
        remaining.id
    }
    assert len(index_writer.items_by_collection["snippets"]) == 3
