"""A session with everything in it that changes what is to be indexed; behind each step the background
settles, and the indexes have to be what ones made anew would be. A look at everything follows no step."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from agents.events import EventBus, SourceAdded
from agents.indexer.source_reader import SourceReader
from agents.views.world_views import NewEntityFields
from monitor_tui.background_jobs import BackgroundMode
from monitor_tui.compose import Program, open_program
from stores.authority import COLLECTIONS, Role, Store
from stores.open import Stores
from stores.records.canon import FactStatus
from stores.records.ids import Id
from stores.records.world import EntityKind
from tests.agents.indexer.fake_embedder import FakeEmbedder
from tests.agents.indexer.rebuilt_index import anew
from tests.agents.orchestrator.test_world_edits import World, as_is
from tests.contract import builders as make
from tests.program import begin

MODEL = "m"


@asynccontextmanager
async def followed(home: Path) -> AsyncIterator[Program]:
    """Open a desk whose background works only when it is told to settle, with vectors of a fake model."""
    program = await open_program(home, mode=BackgroundMode.OFF, embedder=FakeEmbedder(MODEL))
    try:
        yield program
    finally:
        await program.close()


Marks = dict[str, dict[str, dict[Id, str]]]


async def marks(stores: Stores) -> Marks:
    """What both indexes hold, with its marks."""
    words, vectors = stores.words(Role.INDEXER), stores.vectors(Role.INDEXER)
    found: Marks = {"words": {}, "vectors": {}}
    for name in COLLECTIONS[Store.VECTORS]:
        if there := await words.fingerprints(name):
            found["words"][name] = there
        if there := await vectors.fingerprints(name, model=MODEL):
            found["vectors"][name] = there
    return found


async def as_made_anew(program: Program, step: str) -> Marks:
    """Let the background settle, and hold both indexes against ones made anew."""
    await program.services.jobs.wait_until_idle()
    view = program.services.jobs.current_status()
    assert (view.items_left, view.poisoned) == (0, ()), step
    truth = SourceReader(program.stores.canon(Role.INDEXER), program.stores.log(Role.INDEXER))
    held: Mapping[str, Mapping[Id, object]] = await anew(truth)
    wanted = {
        name: {id: item.fingerprint for id, item in items.items()}  # type: ignore[attr-defined]
        for name, items in held.items()
    }
    found = await marks(program.stores)
    assert found["words"] == wanted, step
    assert found["vectors"] == wanted, step
    return found


async def follow(program: Program) -> World:
    """Play, commit, undo, and put the world right in every way there is."""
    services = program.services
    await as_made_anew(program, "nothing yet")
    scene_id = await begin(program)
    world = World(services, scene_id, (await services.play.scene(scene_id)).universe.id)
    found = await as_made_anew(program, "founded")
    assert {"entities", "scenes"} <= found["words"].keys(), "what a story was founded with is found at once"
    for line in ("I wade in.", "> The water is cold.", "/fact event: Mara found the bell", "I ring it."):
        await services.play.submit(scene_id, line)
    await as_made_anew(program, "played")
    await services.play.undo(scene_id)
    await as_made_anew(program, "undone")
    await services.play.redo(scene_id)
    await services.play.submit(scene_id, "/commit")
    await as_made_anew(program, "committed")
    await world.bring(EntityKind.CHARACTER, "Tom", "Thomas")
    await world.edits.propose_fact(world.id, "Tom owes Mara a bell.")
    await world.edits.propose_fact(world.id, "Thomas limps.")
    await world.accept()
    await as_made_anew(program, "two who are one, and what is said of them")

    async def edited(who: str, **changes: object) -> None:
        entity = await world.named(who)
        await world.edits.propose_entity_edit(entity.id, as_is(entity, **changes))
        await world.accept()

    await edited("Mara", name="Marra Venn")
    await as_made_anew(program, "who is played has another name")
    await edited("Yard", name="The Ford")
    await as_made_anew(program, "where it is has another name")
    await edited("Tom", description="A debtor.", tags=("wet",))
    await as_made_anew(program, "described")
    tom, thomas = await world.named("Tom"), await world.named("Thomas")
    await world.edits.propose_merge(tom.id, thomas.id)
    await world.accept()
    await as_made_anew(program, "merged")
    await world.edits.propose_split(thomas.id)
    await world.accept()
    await as_made_anew(program, "split")
    facts = await program.stores.canon(Role.INDEXER).facts(world.id)
    said = next(f.id for f in facts if f.statement.startswith("Mara found the bell"))
    await world.edits.propose_retcon(said)
    await world.accept()
    gone = await as_made_anew(program, "never true")
    assert said not in gone["words"]["facts"]
    assert (await program.stores.canon(Role.INDEXER).fact(said)).status is FactStatus.RETCONNED
    await services.play.submit(scene_id, "/end She swam.")
    await services.play.submit(scene_id, "/commit")
    await as_made_anew(program, "a scene is over")
    await world.edits.propose_entity(world.id, NewEntityFields(EntityKind.PLACE, "The Weir"))
    await world.accept()
    await world.edits.propose_fact(world.id, "The Weir is old.")
    await world.accept()
    await as_made_anew(program, "two commits in a row")
    return world


async def bring_and_find(program: Program, universe_id: Id) -> tuple[Marks, list[Id]]:
    """Bring a source, and find its words; returns what is indexed then, and its snippets."""
    snippets = await bring_a_source(program.stores, program.services.events, universe_id)
    found = await as_made_anew(program, "a source came")
    assert found["words"]["snippets"].keys() == set(snippets)
    hits = await program.stores.words(Role.NARRATOR).search("snippets", "heron", k=99)
    assert {hit.id for hit in hits} == set(snippets)
    return found, snippets


async def bring_a_source(stores: Stores, events: EventBus, universe_id: Id) -> list[Id]:
    """Put a document as an ingest would; returns its snippets."""
    handle, book = stores.log(Role.INGEST), make.source(universe_id=universe_id)
    snippets = [make.snippet(book, number, text=f"Herons nest by stone {number}.") for number in range(40)]
    await handle.put_source(book)
    await handle.put_snippets(snippets)
    events.publish(SourceAdded(universe_id, book.id))
    return [snippet.id for snippet in snippets]
