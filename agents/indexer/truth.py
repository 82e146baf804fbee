"""What should be in the indexes now, read from log and canon: what is on the line, and what was ever true."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from agents.indexer.texts import of_entity, of_fact, of_memory, of_scene, of_snippet, of_turn, printed
from agents.memory_manager.counting import counted
from stores.errors import NotFound
from stores.ports import CanonReader, LogReader, TextItem
from stores.records.canon import Fact
from stores.records.ids import Id
from stores.records.jobs import JobKind, job_id
from stores.records.memory import Memory
from stores.records.play import Scene
from stores.records.world import Entity, EntityStatus

EVERY = 1_000_000_000

NEWEST = 2_000
"""Memories of a universe among which those of no scene are looked for."""


class Canon(NamedTuple):
    """Entities, and facts: those that are true and those that were. `names` is what entities are called."""

    entities: list[TextItem]
    facts: list[TextItem]
    names: dict[Id, str]


class Stretch(NamedTuple):
    """A stretch of a line as it was read: `read` turns, the first of them behind `after`, the last `last`."""

    items: list[TextItem]
    read: int
    after: Id | None
    last: Id | None


class Truth:
    """Read-only. Raises StoreError. What is read whole is read one after another, whoever asks: two at once
    would take all of a store's readers, and play wait for them."""

    def __init__(self, canon: CanonReader, log: LogReader) -> None:
        self._canon = canon
        self.log = log
        self._whole = asyncio.Lock()

    async def universes(self) -> list[Id]:
        return [universe.id for universe in await self._canon.universes()]

    async def scenes(self, universe_id: Id) -> list[Scene]:
        """Every scene, those of the newest story and in it the newest first: that is what is played."""
        found: list[Scene] = []
        for story in await self.log.stories(universe_id):
            found += reversed(await self.log.scenes(story.id))
        return found

    async def scene(self, scene_id: Id) -> Scene | None:
        try:
            return await self.log.scene(scene_id)
        except NotFound:
            return None

    async def hero(self, scene: Scene) -> str:
        """The name of whom the player plays there."""
        return await self._name((await self.log.story(scene.story_id)).pc_id)

    async def scene_item(self, scene: Scene) -> TextItem:
        """What stands for the scene itself; its mark prints its words."""
        summaries = await self.log.summaries(scene.id)
        last = [s.last_turn for s in summaries if s.last_turn]
        there = await self.log.on_line(scene.id, last) if last else set()
        holding = [s for s in summaries if s.last_turn is None or s.last_turn in there]
        return of_scene(scene, holding, await self._name(scene.place_id))

    async def remembered(self, scene_ids: Collection[Id] | None = None) -> dict[Id, str]:
        """How far the memories of scenes were written: it changes whenever they did."""
        ids = None if scene_ids is None else [job_id(JobKind.REMEMBER, one) for one in scene_ids]
        jobs = await self.log.jobs(ids=ids, kinds=[JobKind.REMEMBER])
        return {job.subject_id: printed(job.reached)[:8] for job in jobs if job.reached}

    async def turns(self, scene: Scene, hero: str, start: int, count: int) -> Stretch:
        """What stands for the turns at depths `start` ... of the line, as it is at this moment."""
        before = 1 if start else 0
        line = await self.log.line_slice(scene.id, start - before, count + before)
        told = line[before:]
        items = (
            of_turn(turn, line[place + before - 1] if place + before else None, scene, hero)
            for place, turn in enumerate(told)
        )
        return Stretch(
            [item for item in items if item is not None],
            len(told),
            told[0].parent_id if told else None,
            told[-1].id if told else None,
        )

    async def memories(self, scene_id: Id) -> list[TextItem]:
        return await self._held(await self.log.memories(scene_id=scene_id))

    async def memories_of_no_scene(self, universe_id: Id) -> tuple[list[Id], list[TextItem]]:
        """All there are, and those of them that count."""
        newest = await self.log.memories(universe_id=universe_id, last=NEWEST)
        of_none = [memory for memory in newest if memory.scene_id is None]
        return [memory.id for memory in of_none], await self._held(of_none)

    async def scenes_naming(self, universe_id: Id, entity_ids: Collection[Id]) -> list[Id]:
        """Scenes whose words, turns or memories bear the name of one of these."""
        stories = await self.log.stories(universe_id)
        played = {story.id for story in stories if story.pc_id in entity_ids}
        found = dict.fromkeys(
            scene.id
            for scene in await self.scenes(universe_id)
            if scene.story_id in played or scene.place_id in entity_ids
        )
        for entity_id in entity_ids:
            memories = await self.log.memories(entity_id)
            found |= dict.fromkeys(memory.scene_id for memory in memories if memory.scene_id)
        return list(found)

    async def canon(self, universe_id: Id) -> Canon:
        """All of it."""
        async with self._whole:
            entities = await self._canon.entities(universe_id, limit=EVERY)
            facts = await self._canon.facts(universe_id, history=True, limit=EVERY)
        # Tens of thousands of prints: beside the loop, which answers keys.
        return await asyncio.to_thread(_of_canon, entities, facts, {entity.id: entity for entity in entities})

    async def canon_of(self, universe_id: Id, entity_ids: Collection[Id], fact_ids: Collection[Id]) -> Canon:
        """Those of them that are in canon."""
        facts = list((await self._canon.facts_by_id(fact_ids)).values())
        involved = {i.entity_id for fact in facts for i in fact.involves}
        known = await self._named(universe_id, involved | set(entity_ids))
        return await asyncio.to_thread(_of_canon, [known[i] for i in entity_ids if i in known], facts, known)

    async def names(self, universe_id: Id, entity_ids: Collection[Id]) -> dict[Id, str]:
        """What those of them that are in canon are called."""
        return {id: entity.name for id, entity in (await self._named(universe_id, entity_ids)).items()}

    async def called(self, entity_ids: Collection[Id]) -> dict[Id, str]:
        """What they are called, merged and retconned ones, too: their memories still bear the name."""
        return {id: entity.name for id, entity in (await self._canon.entities_by_id(entity_ids)).items()}

    async def facts_naming(self, entity_ids: Collection[Id]) -> set[Id]:
        """Facts that any of these is involved in."""
        found = set[Id]()
        for entity_id in entity_ids:
            about = await self._canon.facts_about(entity_id, history=True, limit=EVERY)
            found |= {fact.id for fact in about}
        return found

    async def sources(self, universe_id: Id) -> list[Id]:
        return [source.id for source in await self.log.sources(universe_id)]

    async def snippets(self, source_id: Id) -> list[TextItem]:
        async with self._whole:
            snippets = await self.log.snippets(source_id)
        return await asyncio.to_thread(lambda: [of_snippet(snippet) for snippet in snippets])

    async def _named(self, universe_id: Id, ids: Collection[Id]) -> dict[Id, Entity]:
        """Those that `canon` would name: what was merged into another has no name of its own any more."""
        found = (await self._canon.entities_by_id(ids)).values()
        return {
            entity.id: entity
            for entity in found
            if entity.status is EntityStatus.CANONICAL and entity.universe_id == universe_id
        }

    async def _name(self, entity_id: Id | None) -> str:
        found = await self._canon.entities_by_id([entity_id]) if entity_id else {}
        return next((entity.name for entity in found.values()), "")

    async def _held(self, memories: Sequence[Memory]) -> list[TextItem]:
        """Those that count: lived on the line (or from nowhere), and not put right since."""
        held = await counted(self.log, memories)
        names = await self._canon.entities_by_id({memory.entity_id for memory in held})
        return [of_memory(m, names[m.entity_id].name if m.entity_id in names else "") for m in held]


def _of_canon(entities: Sequence[Entity], facts: Sequence[Fact], named: Mapping[Id, Entity]) -> Canon:
    told = [item for fact in facts if (item := of_fact(fact, named)) is not None]
    names = {entity.id: entity.name for entity in entities}
    return Canon([of_entity(entity) for entity in entities], told, names)
