"""Plays a session with every kind of change, and checks after each step that the indexes equal rebuilt ones."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from agents.events import EventBus, SourceAdded
from agents.indexer.index_texts import TurnNeighbours
from agents.indexer.source_reader import SourceReader
from agents.views.world_views import NewEntityFields
from monitor_tui.background_mode import BackgroundMode
from monitor_tui.compose import Program, open_program
from stores.authority import COLLECTIONS, Role, Store
from stores.open import Stores
from stores.records.canon import FactStatus
from stores.records.ids import Id
from stores.records.world import EntityKind
from tests.agents.indexer.fake_embedder import FakeEmbedder
from tests.agents.indexer.rebuilt_index import rebuild_index
from tests.agents.orchestrator.test_world_edits import World, as_is
from tests.contract import builders as make
from tests.program import begin

MODEL = "m"


@asynccontextmanager
async def open_with_fake_vectors(home: Path) -> AsyncIterator[Program]:
    """Open a program with fake vectors, whose background works only while the test waits for it."""
    program = await open_program(home, mode=BackgroundMode.OFF, embedder=FakeEmbedder(MODEL))
    try:
        yield program
    finally:
        await program.close()


Fingerprints = dict[str, dict[str, dict[Id, str]]]


async def read_fingerprints(stores: Stores) -> Fingerprints:
    """Return the fingerprints of both indexes, by index and collection."""
    words, vectors = stores.words(Role.INDEXER), stores.vectors(Role.INDEXER)
    fingerprints: Fingerprints = {"words": {}, "vectors": {}}
    for name in COLLECTIONS[Store.VECTORS]:
        if word_fingerprints := await words.fingerprints(name):
            fingerprints["words"][name] = word_fingerprints
        if vector_fingerprints := await vectors.fingerprints(name, model=MODEL):
            fingerprints["vectors"][name] = vector_fingerprints
    return fingerprints


async def assert_index_equals_rebuild(program: Program, step: str) -> Fingerprints:
    """Wait for the background, compare both indexes with rebuilt ones, and return their fingerprints."""
    await program.services.jobs.wait_until_idle()
    view = program.services.jobs.current_status()
    assert (view.items_left, view.poisoned) == (0, ()), step
    source_reader = SourceReader(program.stores.canon(Role.INDEXER), program.stores.log(Role.INDEXER))
    rebuilt = {
        neighbours: {
            name: {id: item.fingerprint for id, item in items.items()}
            for name, items in (await rebuild_index(source_reader, neighbours)).items()
        }
        for neighbours in TurnNeighbours
    }
    fingerprints = await read_fingerprints(program.stores)
    assert fingerprints["words"] == rebuilt[TurnNeighbours.BOTH], step
    assert fingerprints["vectors"] == rebuilt[TurnNeighbours.PREVIOUS], step
    return fingerprints


async def play_every_kind_of_change(program: Program) -> World:
    """Play, commit, undo, and edit the world in every way there is."""
    services = program.services
    await assert_index_equals_rebuild(program, "nothing yet")
    scene_id = await begin(program)
    world = World(services, scene_id, (await services.play.scene(scene_id)).universe.id)
    fingerprints = await assert_index_equals_rebuild(program, "story set up")
    assert {"entities", "scenes"} <= fingerprints["words"].keys(), "a story's set-up is indexed at once"
    for line in ("I wade in.", "> The water is cold.", "/fact event: Mara found the bell", "I ring it."):
        await services.play.submit(scene_id, line)
    await assert_index_equals_rebuild(program, "played")
    await services.play.undo(scene_id)
    await assert_index_equals_rebuild(program, "undone")
    await services.play.redo(scene_id)
    await services.play.submit(scene_id, "/commit")
    await assert_index_equals_rebuild(program, "committed")
    await world.bring(EntityKind.CHARACTER, "Tom", "Thomas")
    await world.edits.propose_fact(world.id, "Tom owes Mara a bell.")
    await world.edits.propose_fact(world.id, "Thomas limps.")
    await world.accept()
    await assert_index_equals_rebuild(program, "two entities that are one, and facts about them")

    async def edit(entity_name: str, **changes: object) -> None:
        entity = await world.named(entity_name)
        await world.edits.propose_entity_edit(entity.id, as_is(entity, **changes))
        await world.accept()

    await edit("Mara", name="Marra Venn")
    await assert_index_equals_rebuild(program, "player character renamed")
    await edit("Yard", name="The Ford")
    await assert_index_equals_rebuild(program, "place renamed")
    await edit("Tom", description="A debtor.", tags=("wet",))
    await assert_index_equals_rebuild(program, "described")
    tom, thomas = await world.named("Tom"), await world.named("Thomas")
    await world.edits.propose_merge(tom.id, thomas.id)
    await world.accept()
    await assert_index_equals_rebuild(program, "merged")
    await world.edits.propose_split(thomas.id)
    await world.accept()
    await assert_index_equals_rebuild(program, "split")
    facts = await program.stores.canon(Role.INDEXER).facts(world.id)
    fact_id = next(f.id for f in facts if f.statement.startswith("Mara found the bell"))
    await world.edits.propose_retcon(fact_id)
    await world.accept()
    fingerprints = await assert_index_equals_rebuild(program, "fact retconned")
    assert fact_id not in fingerprints["words"]["facts"]
    assert (await program.stores.canon(Role.INDEXER).fact(fact_id)).status is FactStatus.RETCONNED
    await services.play.submit(scene_id, "/end She swam.")
    next_scene_id = (await services.play.submit(scene_id, "/commit")).subject
    assert next_scene_id is not None
    ended_fingerprints = await assert_index_equals_rebuild(program, "scene ended")
    await services.play.submit(next_scene_id, "/undo yes")
    fingerprints = await assert_index_equals_rebuild(program, "end of the scene taken back")
    assert next_scene_id not in fingerprints["words"]["scenes"]
    await services.play.submit(scene_id, "/redo yes")
    fingerprints = await assert_index_equals_rebuild(program, "scene ended again")
    assert fingerprints["words"]["scenes"].keys() == ended_fingerprints["words"]["scenes"].keys()
    await world.edits.propose_entity(world.id, NewEntityFields(EntityKind.PLACE, "The Weir"))
    await world.accept()
    await world.edits.propose_fact(world.id, "The Weir is old.")
    await world.accept()
    await assert_index_equals_rebuild(program, "two commits in a row")
    return world


async def add_and_find_source(program: Program, universe_id: Id) -> tuple[Fingerprints, list[Id]]:
    """Add a source and search its words; returns the fingerprints then, and the source's snippets."""
    snippets = await add_source(program.stores, program.services.events, universe_id)
    fingerprints = await assert_index_equals_rebuild(program, "source added")
    assert fingerprints["words"]["snippets"].keys() == set(snippets)
    hits = await program.stores.words(Role.NARRATOR).search("snippets", "heron", k=99)
    assert {hit.id for hit in hits} == set(snippets)
    return fingerprints, snippets


async def add_source(stores: Stores, events: EventBus, universe_id: Id) -> list[Id]:
    """Store a document and publish its event; returns its snippets."""
    log, source = stores.log(Role.INGEST), make.source(universe_id=universe_id)
    snippets = [make.snippet(source, number, text=f"Herons nest by stone {number}.") for number in range(40)]
    await log.put_source(source)
    await log.put_snippets(snippets)
    events.publish(SourceAdded(universe_id, source.id))
    return [snippet.id for snippet in snippets]
