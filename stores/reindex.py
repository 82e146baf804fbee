"""The text index made anew from the truth: turns on the line, entities, facts and snippets.

A collection is built beside the one in use and takes its place when it is whole, where the index can do
that; else what is there is written over. Doing it again changes nothing. Vectors need a model, and are
not touched. Source: design/ontology.md ("text index ... rebuildable from both truths").
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Protocol, TypeVar, runtime_checkable

from stores.authority import Role
from stores.ports import TextItem
from stores.records.base import Record
from stores.records.canon import Fact, FactStatus
from stores.records.ids import Id
from stores.records.play import Scene, Turn
from stores.records.sources import Snippet
from stores.records.world import Entity

if TYPE_CHECKING:
    from stores.stores import Stores

T = TypeVar("T")
Batches = AsyncIterator[Sequence[TextItem]]
Say = Callable[[str], None]

_AT_ONCE = 1_000
_EVERY = 1_000_000_000


@runtime_checkable
class Rebuilds(Protocol):
    """A text index that can be made anew beside the one that is in use."""

    async def rebuild(self, collection: str, batches: Batches) -> int:
        """Replace all of the collection by these items, at once and only when all of them are in; returns
        how many there are. What fails leaves the collection as it was."""
        ...


async def reindex(stores: Stores, *, say: Say = print) -> dict[str, int]:
    """Make every collection of words anew; returns how many items each has. Raises StoreError."""
    words, counts = stores.words(Role.INDEXER), {}
    for collection, batches in (
        ("turns", _turns(stores)),
        ("entities", _entities(stores)),
        ("facts", _facts(stores)),
        ("snippets", _snippets(stores)),
    ):
        if isinstance(words, Rebuilds):
            counts[collection] = await words.rebuild(collection, batches)
        else:
            async for batch in batches:
                await words.put(collection, batch)
            counts[collection] = await words.count(collection)
        say(f"{counts[collection]:,} {collection}")
    return counts


# --- what is indexed of what ------------------------------------------------------------------------


def of_turn(turn: Turn, scene: Scene) -> TextItem:
    scope = {"universe": scene.universe_id, "story": scene.story_id, "scene": scene.id}
    return TextItem(turn.id, turn.text, scope)


def of_entity(entity: Entity) -> TextItem:
    words = (entity.name, *entity.aliases, entity.description)
    return TextItem(entity.id, "\n".join(filter(None, words)), {"universe": entity.universe_id})


def of_fact(fact: Fact) -> TextItem:
    return TextItem(fact.id, fact.statement, {"universe": fact.universe_id})


def of_snippet(snippet: Snippet) -> TextItem:
    scope = {"universe": snippet.universe_id, "source": snippet.source_id}
    return TextItem(snippet.id, snippet.text, scope)


# --- reading the truth ------------------------------------------------------------------------------


async def _turns(stores: Stores) -> Batches:
    """Those that count: what was undone or left is in the tree, and not in the story."""
    log = stores.log(Role.INDEXER)
    for story in await log.stories():
        for scene in await log.scenes(story.id):
            for start in range(0, await log.line_length(scene.id), _AT_ONCE):
                line = await log.line_slice(scene.id, start, _AT_ONCE)
                yield [of_turn(turn, scene) for turn in line]


async def _entities(stores: Stores) -> Batches:
    canon = stores.canon(Role.INDEXER)
    for universe in await canon.universes():
        for some in _by_the(_AT_ONCE, await canon.entities(universe.id, limit=_EVERY)):
            yield [of_entity(entity) for entity in some]


async def _facts(stores: Stores) -> Batches:
    """Those that are true at some time; not what was replaced or taken back."""
    canon = stores.canon(Role.INDEXER)
    for universe in await canon.universes():
        facts = await canon.facts(universe.id, history=True, limit=_EVERY)
        for some in _by_the(_AT_ONCE, [f for f in facts if f.status is FactStatus.CANONICAL]):
            yield [of_fact(fact) for fact in some]


async def _snippets(stores: Stores) -> Batches:
    for universe in await stores.canon(Role.INDEXER).universes():
        for some in _by_the(_AT_ONCE, await _snippets_of(stores, universe.id)):
            yield [of_snippet(snippet) for snippet in some]


async def _snippets_of(stores: Stores, universe_id: Id) -> list[Snippet]:
    found: list[Snippet] = []

    def take(collection: str, records: Iterator[Record]) -> None:
        if collection == "snippets":
            found.extend(record for record in records if isinstance(record, Snippet))

    await stores.history.dump(universe_id, take)
    return found


def _by_the(count: int, things: Sequence[T]) -> Iterator[list[T]]:
    rest = iter(things)
    while some := list(islice(rest, count)):
        yield some
