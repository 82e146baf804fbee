"""What belongs to a universe: after a commit only what it wrote is compared, a source is read once, and the
index is what one made anew would be, without a look at everything."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Callable
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
from stores.errors import StoreUnavailable
from stores.open import Stores
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
from tests.agents.indexer.rebuilt_index import anew, bring_all, held
from tests.contract import builders as make
from tests.examples import examples
from tests.libraries import library


class Counted:
    """A store that counts what is asked of it."""

    def __init__(self, handle: Any) -> None:
        self._handle = handle
        self.asked: Counter[str] = Counter()

    def __getattr__(self, name: str) -> Any:
        self.asked[name] += 1
        return getattr(self._handle, name)


@dataclass
class World:
    """A universe that is written by commits, as the gate writes it."""

    stores: Stores
    id: Id
    scene: Scene
    entities: dict[Id, Entity] = field(default_factory=dict)
    facts: dict[Id, Fact] = field(default_factory=dict)
    turns: list[Turn] = field(default_factory=list)

    @property
    def truth(self) -> SourceReader:
        return SourceReader(self.stores.canon(Role.INDEXER), self.stores.log(Role.INDEXER))

    async def commit(self, *, cut: str = "", **batch: Any) -> Canonization:
        """Plan, write and close; `cut` before it is written or closed."""
        written = make.batch(universe_id=self.id, **batch)
        done = make.canonization(universe_id=self.id, batch=written)
        log = self.stores.log(Role.CANON_KEEPER)
        await log.plan_canonization(done)
        if cut != "planned":
            await self.finish(done, close=cut != "written")
        for entity in written.entities:
            self.entities[entity.id] = entity
        for fact in written.facts:
            self.facts[fact.id] = fact
        return done

    async def finish(self, done: Canonization, *, close: bool = True) -> None:
        log = self.stores.log(Role.CANON_KEEPER)
        await self.stores.canon(Role.CANON_KEEPER).commit(done.batch)
        await log.mark_written(done.id)
        if close:
            await log.close_canonization(done)

    async def say(self, text: str) -> None:
        turn = make.turn(self.scene, self.turns[-1] if self.turns else None, text)
        await self.stores.log(Role.ORCHESTRATOR).append_turn(turn)
        self.turns.append(turn)

    async def remembers(self, entity: Entity, text: str, *, here: bool = True) -> None:
        given = {"scene_id": self.scene.id, "turn_id": self.turns[-1].id} if here else {}
        memory = make.memory(entity, text, universe_id=self.id, **given)
        await self.stores.log(Role.MEMORY_MANAGER).put_memories([memory])


async def found(stores: Stores) -> World:
    """A universe with somebody who is played, at a place that is in canon."""
    universe = make.universe(id=make.new_id())
    hero = make.entity("Mara", universe_id=universe.id, is_pc=True)
    ford = make.entity("The Ford", kind=EntityKind.PLACE, universe_id=universe.id)
    story = make.story(universe_id=universe.id, pc_id=hero.id)
    scene = make.scene(story, title="Cold", place_id=ford.id)
    world = World(stores, universe.id, scene)
    await world.commit(universe=universe, entities=(hero, ford))
    await stores.log(Role.ORCHESTRATOR).put_story(story)
    await stores.log(Role.ORCHESTRATOR).create_scene(scene)
    await world.say("I wade in.")
    await world.remembers(hero, "The water was cold.")
    await world.remembers(hero, "My mother hummed.", here=False)
    return world


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with library(tmp_path / "home") as stores:
        yield await found(stores)


async def bring(indexer: Indexer, world: World) -> None:
    """What the worker does when nothing but the universe and its scene was touched."""
    while await indexer.reconcile_universe(world.id):
        pass
    while await indexer.reconcile_scene(world.scene.id):
        pass


async def brought(world: World, shelf: DictIndexWriter) -> Indexer:
    indexer = Indexer(world.truth, shelf)
    await bring(indexer, world)
    assert held(shelf) == await anew(world.truth)
    return indexer


# --- commits ----------------------------------------------------------------------------------------


async def test_universe_reconciler_reads_only_what_commit_wrote(world: World) -> None:
    hero = next(iter(world.entities.values()))
    facts = tuple(make.fact(f"Fact {number}.", hero, universe_id=world.id) for number in range(30))
    await world.commit(facts=facts)
    canon, log = Counted(world.stores.canon(Role.INDEXER)), Counted(world.stores.log(Role.INDEXER))
    shelf = DictIndexWriter()
    indexer = Indexer(SourceReader(canon, log), shelf)
    await bring(indexer, world)
    canon.asked.clear()
    log.asked.clear()
    ended = FactChange(fact_id=facts[0].id, status=FactStatus.SUPERSEDED, valid_to=9)
    new = make.fact("She swims now.", hero, universe_id=world.id)
    wounded = hero.model_copy(update={"numbers": {"hp": 1}})
    done = await world.commit(facts=(new,), fact_changes=(ended,), entities=(wounded,))
    before = shelf.writes
    indexer.note_commit(world.id, done.id)
    while await indexer.reconcile_universe(world.id):
        pass
    assert shelf.writes == before + 1
    assert not canon.asked.keys() & {"facts", "entities", "facts_about"}, canon.asked
    assert log.asked.keys() == {"canonization_states", "canonizations"}
    assert held(shelf) == await anew(world.truth)


async def test_universe_reconciler_updates_new_name_everywhere(world: World) -> None:
    hero, ford, *_ = world.entities.values()
    tom = make.entity("Tom", universe_id=world.id)
    facts = [make.fact("Somebody hums.", one, universe_id=world.id) for one in (hero, tom)]
    await world.commit(entities=(tom,), facts=tuple(facts))
    shelf = DictIndexWriter()
    indexer = await brought(world, shelf)
    renamed = (hero.model_copy(update={"name": "Marra"}), ford.model_copy(update={"name": "The Weir"}))
    done = await world.commit(entities=renamed)
    indexer.note_commit(world.id, done.id)
    while await indexer.reconcile_universe(world.id):
        pass
    assert shelf.items_by_collection["facts"][facts[0].id].text == "Somebody hums.\nMarra"
    assert {item.text for item in shelf.items_by_collection["turns"].values()} == {"Marra: I wade in."}
    assert shelf.items_by_collection["scenes"][world.scene.id].text == "Cold\nThe Weir"
    assert {item.text.split(":")[0] for item in shelf.items_by_collection["memories"].values()} == {"Marra"}
    assert held(shelf) == await anew(world.truth)


@pytest.mark.parametrize("cut_at", range(1, 8))
async def test_universe_reconciler_updates_interrupted_rename_after_restart(
    world: World, cut_at: int
) -> None:
    """Its own entry is put last: the next start sees by it that not all is done, whatever was."""
    tom = make.entity("Tom", universe_id=world.id)
    await world.commit(entities=(tom,), facts=(make.fact("Somebody hums.", tom, universe_id=world.id),))
    await world.remembers(tom, "She waded in.")
    await world.remembers(tom, "It rained.", here=False)
    shelf = DictIndexWriter()
    indexer = await brought(world, shelf)
    done = await world.commit(entities=(tom.model_copy(update={"name": "Thomas"}),))
    indexer.note_commit(world.id, done.id)
    shelf.fails_at = cut_at
    with suppress(StoreUnavailable):
        while await indexer.reconcile_universe(world.id):
            pass
    shelf.fails_at = None
    await bring_all(Indexer(world.truth, shelf), world.truth)
    assert {item.text.split(":")[0] for item in shelf.items_by_collection["memories"].values()} == {
        "Mara",
        "Thomas",
    }
    assert held(shelf) == await anew(world.truth)


async def test_universe_reconciler_drops_pending_item_retracted_by_commit(world: World) -> None:
    """Two commits in a row: the second says otherwise of what the first one wrote and nothing has put yet."""
    shelf = DictIndexWriter(batch_size=2)
    indexer = await brought(world, shelf)
    hero = next(iter(world.entities.values()))
    facts = tuple(make.fact(f"Fact {number}.", hero, universe_id=world.id) for number in range(9))
    people = tuple(make.entity(f"Tom {number}", universe_id=world.id) for number in range(5))
    first = await world.commit(facts=facts, entities=people)
    indexer.note_commit(world.id, first.id)
    assert await indexer.reconcile_universe(world.id) > 0
    never = tuple(_change(fact, FactStatus.RETCONNED) for fact in facts[3:])
    merged = {"status": EntityStatus.MERGED, "merged_into": hero.id}
    gone = tuple(one.model_copy(update=merged) for one in people)
    second = await world.commit(fact_changes=never, entities=gone)
    indexer.note_commit(world.id, second.id)
    await bring(indexer, world)
    assert shelf.items_by_collection["facts"].keys() == {fact.id for fact in facts[:3]}
    assert held(shelf) == await anew(world.truth)


@pytest.mark.parametrize("fails", ["canonization_states", "canonizations", "facts_by_id", "entities_by_id"])
async def test_universe_reconciler_retries_store_that_is_down(world: World, fails: str) -> None:
    shelf = DictIndexWriter()
    down = False

    class Falters(Counted):
        def __getattr__(self, name: str) -> Any:
            if down and name == fails:
                raise StoreUnavailable("The store does not answer.")
            return super().__getattr__(name)

    canon: Any = Falters(world.stores.canon(Role.INDEXER))
    log: Any = Falters(world.stores.log(Role.INDEXER))
    indexer = Indexer(SourceReader(canon, log), shelf)
    await bring(indexer, world)
    hero = next(iter(world.entities.values()))
    renamed = hero.model_copy(update={"name": "Marra"})
    fact = make.fact("She swims.", hero, universe_id=world.id)
    indexer.note_commit(world.id, (await world.commit(facts=(fact,), entities=(renamed,))).id)
    down = True
    with pytest.raises(StoreUnavailable):
        await bring(indexer, world)
    down = False
    await bring(indexer, world)
    assert held(shelf) == await anew(world.truth)


async def test_universe_reconciler_merge_and_split_leave_no_old_name(world: World) -> None:
    hero = next(iter(world.entities.values()))
    twin = make.entity("Marra", universe_id=world.id)
    old = make.fact("Somebody hums.", twin, universe_id=world.id)
    await world.commit(entities=(twin,), facts=(old,))
    await world.remembers(twin, "I hummed.")
    shelf = DictIndexWriter()
    indexer = await brought(world, shelf)
    merged = twin.model_copy(update={"status": EntityStatus.MERGED, "merged_into": hero.id})
    named = hero.model_copy(update={"aliases": ("Marra",)})
    done = await world.commit(entities=(merged, named))
    indexer.note_commit(world.id, done.id)
    await bring(indexer, world)
    assert twin.id not in shelf.items_by_collection["entities"]
    assert shelf.items_by_collection["facts"][old.id].text == "Somebody hums."
    assert held(shelf) == await anew(world.truth)
    done = await world.commit(entities=(twin, hero))
    indexer.note_commit(world.id, done.id)
    await bring(indexer, world)
    assert shelf.items_by_collection["facts"][old.id].text == "Somebody hums.\nMarra"
    assert held(shelf) == await anew(world.truth)


async def test_universe_reconciler_rename_with_merge_updates_memories(world: World) -> None:
    hero = next(iter(world.entities.values()))
    tom = make.entity("Tom", universe_id=world.id)
    await world.commit(entities=(tom,))
    await world.remembers(tom, "I hummed.")
    shelf = DictIndexWriter()
    indexer = await brought(world, shelf)
    gone = {"name": "Thomas", "status": EntityStatus.MERGED, "merged_into": hero.id}
    done = await world.commit(entities=(tom.model_copy(update=gone),))
    indexer.note_commit(world.id, done.id)
    await bring(indexer, world)
    assert "Thomas: I hummed." in {item.text for item in shelf.items_by_collection["memories"].values()}
    assert held(shelf) == await anew(world.truth)


async def test_universe_reconciler_finds_commit_without_event(world: World) -> None:
    shelf = DictIndexWriter()
    indexer = await brought(world, shelf)
    await world.commit(facts=(make.fact("Silent.", universe_id=world.id),))
    later = await world.commit(facts=(make.fact("Told.", universe_id=world.id),))
    indexer.note_commit(world.id, later.id)
    await bring(indexer, world)
    assert held(shelf) == await anew(world.truth)


@pytest.mark.parametrize("cut", ["planned", "written"])
async def test_universe_reconciler_rereads_unfinished_commit(world: World, cut: str) -> None:
    shelf = DictIndexWriter()
    indexer = await brought(world, shelf)
    worker = IndexWorker(world.truth, indexer)
    half = await world.commit(cut=cut, facts=(make.fact("Half.", universe_id=world.id),))
    indexer.note_commit(world.id)
    await bring(indexer, world)
    assert held(shelf) == await anew(world.truth)
    await world.finish(half)
    # Whoever decided next has finished it, and told of no commit.
    for subject in await worker.on_event(ProposalsChanged(world.id, None)):
        assert subject.id == world.id
        await bring(indexer, world)
    assert held(shelf) == await anew(world.truth)
    assert await worker.on_event(ProposalsChanged(world.id, None)) == []


async def test_universe_reconciler_compares_all_if_commit_is_unreadable(world: World) -> None:
    shelf = DictIndexWriter()
    indexer = await brought(world, shelf)
    fact = make.fact("Out of nowhere.", universe_id=world.id)
    await world.stores.canon(Role.CANON_KEEPER).commit(make.batch(universe_id=world.id, facts=(fact,)))
    indexer.note_commit(world.id, make.new_id())
    await bring(indexer, world)
    assert fact.id in shelf.items_by_collection["facts"]
    assert held(shelf) == await anew(world.truth)


async def test_universe_reconciler_keeps_changes_made_meanwhile(world: World) -> None:
    """The event is heard in the middle of the look at everything, behind what that has read."""
    shelf = DictIndexWriter()
    canon = world.stores.canon(Role.INDEXER)
    indexers: list[Indexer] = []

    class Late:
        def __getattr__(self, name: str) -> Any:
            return getattr(canon, name)

        async def facts(self, universe_id: Id, query: FactQuery) -> list[Fact]:
            read = await canon.facts(universe_id, query)
            if len(world.facts) == 0:
                done = await world.commit(facts=(make.fact("Meanwhile.", universe_id=world.id),))
                indexers[0].note_commit(world.id, done.id)
            return read

    late: Any = Late()
    indexers.append(Indexer(SourceReader(late, world.stores.log(Role.INDEXER)), shelf))
    await bring(indexers[0], world)
    assert [item.text for item in shelf.items_by_collection["facts"].values()] == ["Meanwhile."]
    assert held(shelf) == await anew(world.truth)


STEPS = ("assert", "assert", "end", "retcon", "restore", "supersede", "rename", "describe", "merge", "split")
step = st.tuples(
    st.sampled_from((*STEPS, "bring", "bring", "piece", "cut", "restart", "say")),
    st.integers(0, 999),
    st.sampled_from(("told", "told", "untold", "planned", "written")),
)


@given(st.lists(step, max_size=30))
@settings(max_examples=examples(150, 12), deadline=None, suppress_health_check=list(HealthCheck))
def test_universe_reconciler_equals_rebuilt_index_after_any_commits(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, str]]
) -> None:
    asyncio.run(_commit_and_cut_off(tmp_path_factory.mktemp("home"), steps))


async def _commit_and_cut_off(home: Path, steps: list[tuple[str, int, str]]) -> None:
    """With no look at everything but after a restart: `committed` alone has to find it all."""
    async with library(home) as stores:
        world = await found(stores)
        shelf = DictIndexWriter(batch_size=2)
        indexer = Indexer(world.truth, shelf)
        half: list[Canonization] = []
        for what, number, how in steps:
            match what:
                case "bring":
                    await bring(indexer, world)
                case "piece":
                    await indexer.reconcile_universe(world.id)
                case "cut":
                    shelf.fails_at = 1 + number % 4
                    with suppress(StoreUnavailable):
                        await bring(indexer, world)
                    shelf.fails_at = None
                case "restart":
                    indexer = Indexer(world.truth, shelf)
                case "say":
                    await world.say(f"Turn {number}")
                    await world.remembers(random.Random(number).choice([*world.entities.values()]), "Hm.")
                    indexer.note_scene_memories(world.scene.id)
                case _:
                    # What was begun before is finished first, as the gate does it.
                    while half:
                        await world.finish(half.pop())
                    batch = _batch(world, what, random.Random(number))
                    done = await world.commit(cut=how if how in ("planned", "written") else "", **batch)
                    if how in ("planned", "written"):
                        half.append(done)
                    if how != "untold":
                        indexer.note_commit(world.id, done.id)
        while half:
            await world.finish(half.pop())
        indexer.note_commit(world.id)
        await bring(indexer, world)
        assert held(shelf) == await anew(world.truth)


def _batch(world: World, what: str, dice: random.Random) -> dict[str, Any]:
    entities, facts = list(world.entities.values()), list(world.facts.values())
    one = dice.choice(entities)
    canonical = one.status is EntityStatus.CANONICAL  # nothing else is renamed: its name is another's
    fact = dice.choice(facts) if facts else None
    match what:
        case "end" if fact:
            return {"fact_changes": (_change(fact, FactStatus.CANONICAL, valid_to=9),)}
        case "retcon" if fact:
            return {"fact_changes": (_change(fact, FactStatus.RETCONNED),)}
        case "restore" if fact:
            return {"fact_changes": (_change(fact, FactStatus.CANONICAL),)}
        case "supersede" if fact:
            newer = make.fact(f"Rather {dice.random()}.", one, universe_id=world.id)
            edge = Supersession(newer_id=newer.id, older_id=fact.id)
            return {
                "facts": (newer,),
                "fact_changes": (_change(fact, FactStatus.SUPERSEDED),),
                "supersedes": (edge,),
            }
        case "rename" if canonical:
            return {"entities": (one.model_copy(update={"name": f"{one.name[:6]} {dice.randrange(9)}"}),)}
        case "describe" if canonical:
            return {"entities": (one.model_copy(update={"description": f"Wet {dice.randrange(9)}."}),)}
        case "merge" if len(entities) > 2 and not one.is_pc:
            gone = {"status": EntityStatus.MERGED, "merged_into": entities[0].id}
            kept = entities[0].model_copy(update={"aliases": (*entities[0].aliases, one.name)})
            return {"entities": (one.model_copy(update=gone), kept)}
        case "split":
            back = {"status": EntityStatus.CANONICAL, "merged_into": None}
            return {"entities": (one.model_copy(update=back),)}
    new = make.entity(f"Somebody {dice.randrange(99)}", universe_id=world.id)
    said = make.fact(f"It is so {dice.random()}.", one, new, universe_id=world.id)
    return {"entities": (new,), "facts": (said,)}


def _change(fact: Fact, status: FactStatus, **given: Any) -> FactChange:
    return FactChange(fact_id=fact.id, status=status, **given)


# --- memories of no scene ---------------------------------------------------------------------------


async def test_universe_reconciler_drops_corrected_memory_without_scene(world: World) -> None:
    shelf = DictIndexWriter()
    indexer = await brought(world, shelf)
    worker = IndexWorker(world.truth, indexer)
    log = world.stores.log(Role.MEMORY_MANAGER)
    (old,) = [m for m in await log.memories(MemoryQuery(universe_id=world.id)) if m.scene_id is None]
    newer = old.model_copy(update={"id": make.new_id(), "text": "She sang.", "corrects": old.id})
    await log.put_memories([newer, old.model_copy(update={"corrected_by": newer.id})])
    assert [one.id for one in await worker.on_event(MemoriesWritten(world.id, None))] == [world.id]
    await bring(indexer, world)
    assert old.id not in shelf.items_by_collection["memories"]
    assert held(shelf) == await anew(world.truth)


# --- sources ----------------------------------------------------------------------------------------


async def ingest(world: World, count: int, *, book: Source | None = None, first: int = 0) -> Source:
    handle = world.stores.log(Role.INGEST)
    book = book or make.source(universe_id=world.id)
    await handle.put_source(book)
    await handle.put_snippets(
        [
            make.snippet(book, number, text=f"Herons nest by stone {number}.")
            for number in range(first, first + count)
        ]
    )
    return book


async def test_universe_reconciler_indexes_new_source(world: World) -> None:
    stores, events = world.stores, EventBus()
    runner = JobRunner(JobStore(stores.log(Role.ORCHESTRATOR), utc_now), events)
    embedder = FakeEmbedder("m")
    words = TextIndexWriter(stores.words(Role.INDEXER))
    runner.register(IndexWorker(world.truth, Indexer(world.truth, words)))
    vectors = VectorIndexWriter(stores.vectors(Role.INDEXER), embedder, batch_size=4)
    runner.register(IndexWorker(world.truth, Indexer(world.truth, vectors), JobKind.EMBED))
    await runner.wait_until_idle()
    book = await ingest(world, 10)
    events.publish(SourceAdded(world.id, book.id))
    await runner.wait_until_idle()

    async def hits() -> tuple[int, int]:
        by_words = await stores.words(Role.NARRATOR).search("snippets", "heron stone", k=99)
        (asked,) = await embedder.embed(["Herons nest by stone 3."], urgent=True)
        by_meaning = await stores.vectors(Role.NARRATOR).search("snippets", asked, model="m", k=99)
        return len(by_words), len(by_meaning)

    assert await hits() == (10, 10)
    await ingest(world, 5, book=book, first=10)
    events.publish(SourceAdded(world.id, book.id))
    await runner.wait_until_idle()
    assert await hits() == (15, 15)
    wanted = {id: item.fingerprint for id, item in (await anew(world.truth))["snippets"].items()}
    assert await stores.words(Role.INDEXER).fingerprints("snippets") == wanted
    assert await stores.vectors(Role.INDEXER).fingerprints("snippets", model="m") == wanted
    await runner.close()


@pytest.mark.parametrize("cut_at", [1, 2, 3, 4])
@pytest.mark.parametrize("restarted", [False, True])
async def test_universe_reconciler_completes_interrupted_source(
    world: World, cut_at: int, restarted: bool
) -> None:
    shelf = DictIndexWriter(batch_size=3)
    indexer = await brought(world, shelf)
    book = await ingest(world, 10)
    indexer.note_source(world.id, book.id)
    shelf.fails_at = cut_at
    with pytest.raises(StoreUnavailable):
        await bring(indexer, world)
    assert len(shelf.items_by_collection.get("snippets", {})) == 3 * (cut_at - 1)
    if restarted:
        indexer = Indexer(world.truth, shelf)
    await bring(indexer, world)
    assert len(shelf.items_by_collection["snippets"]) == 10
    assert held(shelf) == await anew(world.truth)


async def test_universe_reconciler_reads_source_once(world: World) -> None:
    book = await ingest(world, 4)
    log = Counted(world.stores.log(Role.INDEXER))
    shelf = DictIndexWriter()
    indexer = Indexer(SourceReader(world.stores.canon(Role.INDEXER), log), shelf)

    async def reads(look: Callable[[], Any]) -> int:
        log.asked.clear()
        look()
        await bring(indexer, world)
        return log.asked["snippets"]

    assert await reads(lambda: None) == 1
    assert await reads(lambda: indexer.recheck_universes([world.id])) == 0
    await ingest(world, 2)
    assert await reads(lambda: indexer.recheck_universes([world.id])) == 1
    assert await reads(lambda: indexer.note_source(world.id, book.id)) == 1
    assert await reads(lambda: indexer.distrust([world.id])) == 2
    assert held(shelf) == await anew(world.truth)


async def test_universe_reconciler_rereads_unreadable_source(world: World) -> None:
    book, shelf, down = await ingest(world, 4), DictIndexWriter(), False

    class Falters(Counted):
        def __getattr__(self, name: str) -> Any:
            if down and name == "snippets":
                raise StoreUnavailable("The store does not answer.")
            return super().__getattr__(name)

    log: Any = Falters(world.stores.log(Role.INDEXER))
    indexer = Indexer(SourceReader(world.stores.canon(Role.INDEXER), log), shelf)
    await bring(indexer, world)
    await ingest(world, 4, book=book, first=4)
    indexer.note_source(world.id, book.id)
    down = True
    with pytest.raises(StoreUnavailable):
        await bring(indexer, world)
    down = False
    await bring(indexer, world)
    assert len(shelf.items_by_collection["snippets"]) == 8
    assert held(shelf) == await anew(world.truth)


@pytest.mark.parametrize("restarted", [False, True])
async def test_universe_reconciler_deletes_removed_source(world: World, restarted: bool) -> None:
    stays, goes = await ingest(world, 3), await ingest(world, 8)
    truth, gone = world.truth, set[Id]()
    read = truth.read_source_ids

    async def sources(universe_id: Id) -> list[Id]:
        return [one for one in await read(universe_id) if one not in gone]

    truth.read_source_ids = sources  # type: ignore[method-assign]
    shelf = DictIndexWriter(batch_size=2)
    indexer = Indexer(truth, shelf)
    await bring(indexer, world)
    gone.add(goes.id)
    indexer = Indexer(truth, shelf) if restarted else indexer
    indexer.recheck_universes([world.id])
    await bring(indexer, world)
    assert {item.scope["source"] for item in shelf.items_by_collection["snippets"].values()} == {stays.id}
    assert len(shelf.items_by_collection["snippets"]) == 3
