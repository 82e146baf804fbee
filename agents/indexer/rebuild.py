"""The indexes made anew from the truth, while nothing else works on them.

A collection of words is built beside the one in use and takes its place when it is whole, where the index
can do that; else what is there is written over, and what does not belong is taken out. Vectors cost an hour
a hundred thousand: what is there and right is kept, unless they are to be made from nothing. Stopped in the
middle, all that was done stands, and the next time goes on from there.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence

from agents.indexer.comparing import AT_ONCE, by_the
from agents.indexer.indexer import Indexer, sealed
from agents.indexer.shelves import VectorShelf
from agents.indexer.truth import Truth
from stores.authority import COLLECTIONS, Store
from stores.ports import Rebuilds, TextIndex, TextItem, VectorIndex
from stores.records.ids import Id

Say = Callable[[str], None]
Batches = AsyncIterator[Sequence[TextItem]]

TELLS_EVERY = 500
"""Vectors between two words on how far it is."""


async def rebuild_words(truth: Truth, words: TextIndex, say: Say) -> dict[str, int]:
    """Make every collection of words anew; returns how many items each has. Raises StoreError."""
    stands: dict[Id, tuple[Id | None, int]] = {}
    counts: dict[str, int] = {}
    for collection, batches in (
        ("turns", _turns(truth, stands)),
        ("scenes", _scenes(truth, stands)),
        ("memories", _memories(truth)),
        ("entities", _entities(truth)),
        ("facts", _facts(truth)),
        ("snippets", _snippets(truth)),
    ):
        if isinstance(words, Rebuilds):
            counts[collection] = await words.rebuild(collection, batches)
        else:
            await _write_over(words, collection, batches)
            counts[collection] = await words.count(collection)
        say(f"{counts[collection]:,} {collection}")
    return counts


async def rebuild_vectors(
    truth: Truth, index: VectorIndex, shelf: VectorShelf, say: Say, *, from_nothing: bool = False
) -> dict[str, int]:
    """Make what vectors are missing, and take out what does not belong; returns how many there are.

    Raises StoreError and EmbedderUnavailable; what was made until then stays.
    """
    collections = COLLECTIONS[Store.VECTORS]
    if from_nothing:
        for collection in collections:
            await index.drop(collection, model=shelf.model)
    indexer, made = Indexer(truth, shelf), 0
    for universe_id in await truth.universes():
        scenes = await truth.scenes(universe_id)
        indexer.doubt([scene.id for scene in scenes])
        indexer.renew([universe_id])
        for work, subject in ((indexer.universe, universe_id), *((indexer.scene, s.id) for s in scenes)):
            left = 1
            while left:
                left = await work(subject)
                if shelf.made - made >= TELLS_EVERY:
                    made = shelf.made
                    say(f"{made:,} vectors made")
    return {name: (await index.models(name)).get(shelf.model, 0) for name in collections}


# --- reading the truth ------------------------------------------------------------------------------


async def _turns(truth: Truth, stands: dict[Id, tuple[Id | None, int]]) -> Batches:
    """Those that count: what was undone or left is in the tree, and not in the story."""
    for universe_id in await truth.universes():
        for scene in await truth.scenes(universe_id):
            hero, start, count = await truth.hero(scene), 0, 0
            head: Id | None = None
            while (stretch := await truth.turns(scene, hero, start, AT_ONCE)).read:
                if stretch.after != head:
                    break  # somebody plays meanwhile: what is sealed is right, and the rest is found later
                yield stretch.items
                start, head, count = start + stretch.read, stretch.last, count + len(stretch.items)
            stands[scene.id] = head, count


async def _scenes(truth: Truth, stands: dict[Id, tuple[Id | None, int]]) -> Batches:
    for universe_id in await truth.universes():
        remembered = await truth.remembered()
        for scene in await truth.scenes(universe_id):
            if scene.id in stands:
                head, count = stands[scene.id]
                item, hero = await truth.scene_item(scene), await truth.hero(scene)
                yield [sealed(item, hero, head, count, remembered.get(scene.id, ""))]


async def _memories(truth: Truth) -> Batches:
    for universe_id in await truth.universes():
        yield (await truth.memories_of_no_scene(universe_id))[1]
        for scene in await truth.scenes(universe_id):
            yield await truth.memories(scene.id)


async def _entities(truth: Truth) -> Batches:
    for universe_id in await truth.universes():
        for some in by_the(AT_ONCE, (await truth.canon(universe_id)).entities):
            yield some


async def _facts(truth: Truth) -> Batches:
    for universe_id in await truth.universes():
        for some in by_the(AT_ONCE, (await truth.canon(universe_id)).facts):
            yield some


async def _snippets(truth: Truth) -> Batches:
    for universe_id in await truth.universes():
        for source_id in await truth.sources(universe_id):
            for some in by_the(AT_ONCE, await truth.snippets(source_id)):
                yield some


async def _write_over(words: TextIndex, collection: str, batches: Batches) -> None:
    wanted: set[Id] = set()
    async for batch in batches:
        wanted |= {item.id for item in batch}
        await words.put(collection, batch)
    for strangers in by_the(AT_ONCE, sorted((await words.marks(collection)).keys() - wanted)):
        await words.delete(collection, strangers)
