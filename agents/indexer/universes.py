"""What belongs to a universe and to no scene of it: canon, snippets of its sources, memories of no scene.

All of it is compared at a start. From then on a commit has only that compared which it wrote: of every
commit of the universe it is known how far it is, and those whose end was not seen yet are gone through. So
it does not matter which of them an event told of.

What something is called stands in other texts, too: in the facts that involve it, and in the memories,
scenes and turns that bear its name. An entity's own item, if it is in the index under another name, is put
last of all that: whatever is cut off before, the next start finds the old one, and looks again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable
from itertools import islice
from typing import Final

from agents.indexer.comparing import compared, differing, differing_of, take_out
from agents.indexer.shelves import Shelf
from agents.indexer.truth import Truth
from agents.indexer.world import ALL, Look, World
from stores.records.canon import CanonBatch
from stores.records.ids import Id

MOST: Final = 2_000
"""Entities and facts that are asked for by what commits wrote; beyond, all of canon is read."""


BringScene = Callable[[Id], Awaitable[int]]


class Universes:
    """One index, as far as it belongs to no scene. Raises what `Truth` and `Shelf` raise."""

    def __init__(self, truth: Truth, shelf: Shelf) -> None:
        self._truth = truth
        self._shelf = shelf
        self._worlds: dict[Id, World] = {}

    # --- where to look -------------------------------------------------------------------------------

    def forget(self, universe_id: Id) -> None:
        """Trust nothing that is remembered of it."""
        self._worlds.pop(universe_id, None)

    def renew(self, universe_id: Id) -> None:
        """Compare all of it, but for sources that were gone through."""
        self._world(universe_id).look |= ALL

    def committed(self, universe_id: Id, canonization_id: Id = "") -> None:
        """Commits may have been written; this one was, if one is named."""
        world = self._world(universe_id)
        world.look.add(Look.COMMITS)
        if canonization_id:
            world.told.add(canonization_id)

    def waits_for_commit(self, universe_id: Id) -> bool:
        """Say whether a commit was last seen half done."""
        return self._world(universe_id).open

    def source_came(self, universe_id: Id, source_id: Id) -> None:
        """It came, or more snippets of it did."""
        world = self._world(universe_id)
        world.look.add(Look.SOURCES)
        world.came.add(source_id)

    def remembered(self, universe_id: Id) -> None:
        """Memories of no scene have changed."""
        self._world(universe_id).look.add(Look.MEMORIES)

    # --- bringing ------------------------------------------------------------------------------------

    async def bring(self, universe_id: Id, bring_scene: BringScene) -> int:
        """Bring it a piece further; returns what is left. `bring_scene` looks at a scene's turns, memories
        and words again, a piece at a time."""
        world = self._world(universe_id)
        if world.look:
            await self._compare(universe_id, world)
        if not await self._put(world):
            await self._next(universe_id, world, bring_scene)
        more = bool(world.look) or self._worlds.get(universe_id) is not world
        return max(world.left, int(more))

    async def _next(self, universe_id: Id, world: World, bring_scene: BringScene) -> None:
        """Do one thing of what is left when nothing is to be put."""
        if world.scenes:
            await self._scene(world, bring_scene)
        elif world.renamed:
            some = list(islice(world.renamed.values(), self._shelf.piece))
            await self._shelf.put("entities", some)
            world.drop("entities", [item.id for item in some])
        elif world.unread:
            await self._source(world)
        elif world.known is not None:
            await self._sweep(universe_id, world)

    async def _put(self, world: World) -> int:
        room = self._shelf.piece
        for collection, items in world.missing.items():
            if some := list(islice(items.values(), room)):
                await self._shelf.put(collection, some)
                for item in some:
                    del items[item.id]
                room -= len(some)
        return self._shelf.piece - room

    async def _scene(self, world: World, bring_scene: BringScene) -> None:
        scene_id = next(iter(world.scenes))
        if not await bring_scene(scene_id):
            world.scenes.pop(scene_id, None)

    # --- comparing -----------------------------------------------------------------------------------

    async def _compare(self, universe_id: Id, world: World) -> None:
        look, world.look = world.look, set()
        try:
            if Look.CANON in look:
                await self._canon(universe_id, world)
            elif Look.COMMITS in look:
                await self._commits(universe_id, world)
            if Look.SOURCES in look:
                await self._sources(universe_id, world)
            if Look.MEMORIES in look:
                await self._memories(universe_id, world)
        except BaseException:
            world.look |= look
            raise

    async def _canon(self, universe_id: Id, world: World) -> None:
        told = set(world.told)
        # First how far the commits are: what is written after that is gone through the next time.
        states = await self._truth.log.canonization_states(universe_id)
        canon, within = await self._truth.canon(universe_id), {"universe": universe_id}
        there = await self._shelf.marks("entities", scope=within)
        if world.names is None:
            otherwise = {item.id for item in canon.entities if there.get(item.id, item.mark) != item.mark}
        else:
            gone = await self._truth.called(world.names.keys() - canon.names.keys())
            otherwise = world.called_otherwise(canon.names | gone)
        scenes = await self._naming(universe_id, world, otherwise)
        entities = await compared(self._shelf, "entities", canon.entities, there)
        facts = await differing(self._shelf, "facts", canon.facts, within)
        world.missing.pop("entities", None)
        world.missing.pop("facts", None)
        world.renamed.clear()
        world.found(entities, facts, otherwise & there.keys(), scenes)
        world.names = canon.names
        world.seen(states, states.keys(), told)

    async def _commits(self, universe_id: Id, world: World) -> None:
        told = set(world.told)
        states = await self._truth.log.canonization_states(universe_id)
        new = states.keys() - world.ended
        commits = await self._truth.log.canonizations(ids=new) if new else []
        entity_ids, fact_ids = _written([commit.batch for commit in commits])
        unread = len(commits) < len(new) or not told <= states.keys()
        if unread or world.names is None or len(entity_ids) + len(fact_ids) > MOST:
            await self._canon(universe_id, world)
            return
        names = await self._truth.names(universe_id, entity_ids)
        # Of another name, or of one that counts no more: the facts that involve it are put otherwise.
        changed = {id for id in entity_ids if world.names.get(id) != names.get(id)}
        fact_ids |= await self._truth.facts_naming(changed)
        canon = await self._truth.canon_of(universe_id, entity_ids, fact_ids)
        there = await self._shelf.marks("entities", ids=entity_ids)
        otherwise = world.called_otherwise(await self._truth.called(entity_ids))
        scenes = await self._naming(universe_id, world, otherwise)
        entities = await compared(self._shelf, "entities", canon.entities, there)
        facts = await differing_of(self._shelf, "facts", canon.facts, fact_ids)
        world.drop("entities", entity_ids)
        world.drop("facts", fact_ids)
        world.found(entities, facts, otherwise & there.keys(), scenes)
        world.names = {id: name for id, name in world.names.items() if id not in entity_ids} | names
        world.seen(states, new, told)

    async def _naming(self, universe_id: Id, world: World, entity_ids: Collection[Id]) -> list[Id]:
        """Return which scenes are to be looked at again, as these have another name."""
        if not entity_ids:
            return []
        world.look.add(Look.MEMORIES)
        return await self._truth.scenes_naming(universe_id, entity_ids)

    async def _sources(self, universe_id: Id, world: World) -> None:
        """Snippets are never changed nor taken back: a source is read once, unless more of it comes."""
        came, world.came = world.came, set()
        try:
            listed = set(await self._truth.sources(universe_id))
            for source_id in world.read - listed:
                world.drop_source(source_id)
                there = await self._shelf.marks("snippets", scope={"source": source_id})
                await take_out(self._shelf, "snippets", there.keys())
        except BaseException:
            world.came |= came
            raise
        world.read = (world.read & listed) - came
        world.unread = dict.fromkeys(sorted(listed - world.read))

    async def _source(self, world: World) -> None:
        source_id = next(iter(world.unread))
        snippets = await self._truth.snippets(source_id)
        world.want("snippets", await differing(self._shelf, "snippets", snippets, {"source": source_id}))
        if world.known is not None:
            world.known |= {item.id for item in snippets}
        del world.unread[source_id]
        world.read.add(source_id)

    async def _sweep(self, universe_id: Id, world: World) -> None:
        """Take out, once a process, what no source has that is there."""
        there = await self._shelf.marks("snippets", scope={"universe": universe_id})
        await take_out(self._shelf, "snippets", there.keys() - (world.known or set()))
        world.known = None

    async def _memories(self, universe_id: Id, world: World) -> None:
        ids, wanted = await self._truth.memories_of_no_scene(universe_id)
        lacking = await differing_of(self._shelf, "memories", wanted, ids)
        world.drop("memories", ids)
        world.want("memories", lacking)

    def _world(self, universe_id: Id) -> World:
        return self._worlds.setdefault(universe_id, World())


def _written(batches: Iterable[CanonBatch]) -> tuple[set[Id], set[Id]]:
    """Return the entities and the facts that commits touched."""
    entities, facts = set[Id](), set[Id]()
    for batch in batches:
        entities |= {entity.id for entity in batch.entities}
        facts |= {fact.id for fact in batch.facts} | {change.fact_id for change in batch.fact_changes}
        facts |= {id for edge in batch.supersedes for id in (edge.newer_id, edge.older_id)}
    return entities, facts
