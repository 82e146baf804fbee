"""Reads from log and canon what the indexes should hold: turns on the line, and facts that were ever true."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from agents.indexer.day_words import list_day_words
from agents.indexer.index_texts import (
    OWN_COPIES_OF_WORDS,
    TurnNeighbours,
    build_entity_item,
    build_fact_item,
    build_memory_item,
    build_scene_item,
    build_snippet_item,
    build_turn_item,
)
from agents.memory_manager.memory_cursor import MemoryCursor
from agents.memory_manager.summary_texts import SCENE_LEVELS
from agents.memory_manager.valid_memories import filter_valid
from stores.errors import NotFound
from stores.ports import CanonReader, LogReader, TextItem
from stores.queries import FactQuery, FactsAboutQuery, MemoryQuery
from stores.records.canon import Fact
from stores.records.ids import Id
from stores.records.jobs import JobKind, derive_job_id
from stores.records.memory import Memory
from stores.records.play import Scene, Turn
from stores.records.sources import TAKEN_BACK_STATES
from stores.records.world import Entity, EntityStatus

NO_LIMIT = 1_000_000_000

MAX_NEWEST_MEMORIES = 2_000
"""Memories of a universe among which those without a scene are searched."""


class CanonItems(NamedTuple):
    """Entities and facts to index; the facts are current or ended."""

    entities: list[TextItem]
    facts: list[TextItem]
    names_by_id: dict[Id, str]
    """The current names of entities."""


class LineStretch(NamedTuple):
    """A stretch of a line with its index items."""

    items: list[TextItem]
    turn_ids: list[Id]
    """Turns that were read."""
    previous_turn_id: Id | None
    """The turn before the first of them."""
    last_turn_id: Id | None
    """The last of them."""


class SourceReader:
    """Reads what the indexes should hold. Raises StoreError.

    Large reads run one after another: two at once would take all of a store's readers, and play would wait.
    """

    def __init__(self, canon: CanonReader, log: LogReader) -> None:
        self._canon = canon
        self.log = log
        self._full_read_lock = asyncio.Lock()

    async def read_universe_ids(self) -> list[Id]:
        return [universe.id for universe in (await self._canon.readable_universes()).records]

    async def read_scenes(self, universe_id: Id) -> list[Scene]:
        """Return all scenes: those of the newest story first, and in each story the newest first."""
        scene_list: list[Scene] = []
        for story in (await self.log.readable_stories(universe_id)).records:
            scene_list += reversed(await self.log.scenes(story.id))
        return scene_list

    async def find_scene(self, scene_id: Id) -> Scene | None:
        """Return the scene; None if there is none, or if undo took it back, so that no list has it."""
        try:
            scene = await self.log.scene(scene_id)
        except NotFound:
            return None
        return None if scene.is_taken_back else scene

    async def find_universe_of(self, scene_id: Id) -> Id | None:
        """Return the universe of a scene, also of one that undo took back; None if there is no such scene."""
        try:
            return (await self.log.scene(scene_id)).universe_id
        except NotFound:
            return None

    async def read_pc_name(self, scene: Scene) -> str:
        """Return the name of the scene's player character."""
        return await self._read_name((await self.log.story(scene.story_id)).pc_id)

    async def read_scene_item(self, scene: Scene) -> TextItem:
        """Return the scene's own item; its fingerprint covers its text.

        Chapters are left out: they stand for scenes before this one, and are written when a later one ends.
        """
        summaries = [s for s in await self.log.summaries(scene.id) if s.kind not in SCENE_LEVELS[1:]]
        last_turn_ids = [s.last_turn for s in summaries if s.last_turn]
        ids_on_line = await self.log.on_line(scene.id, last_turn_ids) if last_turn_ids else set()
        valid_summaries = [s for s in summaries if s.last_turn is None or s.last_turn in ids_on_line]
        # Stretches in the order of their turns, then the scene, whichever was written first: one text, however often
        # it is derived.
        valid_summaries.sort(key=lambda summary: (summary.kind in SCENE_LEVELS, summary.last_turn or ""))
        return build_scene_item(scene, valid_summaries, await self._read_name(scene.place_id))

    async def read_memory_cursors(self, scene_ids: Collection[Id] | None = None) -> dict[Id, MemoryCursor]:
        """Return how far the memories of scenes are written; it changes whenever they do."""
        job_ids = (
            None
            if scene_ids is None
            else [derive_job_id(JobKind.REMEMBER, scene_id) for scene_id in scene_ids]
        )
        jobs = await self.log.jobs(ids=job_ids, kinds=[JobKind.REMEMBER])
        return {job.subject_id: MemoryCursor.parse(job.cursor) for job in jobs if job.cursor}

    async def read_line_stretch(
        self, scene: Scene, pc_name: str, start: int, count: int, neighbours: TurnNeighbours
    ) -> LineStretch:
        """Return the items of the turns at depths `start` and following of the current line."""
        previous_count = 1 if start else 0
        is_of_words = neighbours is TurnNeighbours.BOTH
        next_count = 1 if is_of_words else 0
        calendar = (await self._canon.universe(scene.universe_id)).calendar
        line_turns = await self.log.line_slice(
            scene.id, start - previous_count, previous_count + count + next_count
        )
        stretch_turns = line_turns[previous_count : previous_count + count]
        # Padded, so that every turn has one before it and one after it.
        padded_turns = [*([] if previous_count else [None]), *line_turns, None]
        items = (
            build_turn_item(
                turn,
                padded_turns[index],
                padded_turns[index + 2] if is_of_words else None,
                scene,
                pc_name,
                own_copies=OWN_COPIES_OF_WORDS if is_of_words else 1,
                day_words=list_day_words(turn, scene, calendar) if is_of_words else (),
            )
            for index, turn in enumerate(stretch_turns)
        )
        return LineStretch(
            [item for item in items if item is not None],
            [turn.id for turn in stretch_turns],
            stretch_turns[0].parent_id if stretch_turns else None,
            stretch_turns[-1].id if stretch_turns else None,
        )

    async def has_memories(self, turns: Sequence[Turn]) -> bool:
        """Return whether any of the turns left a memory."""
        return bool(turns) and bool(
            await self.log.memories(MemoryQuery(turn_ids=[turn.id for turn in turns]))
        )

    async def read_scene_memories(self, scene_id: Id) -> list[TextItem]:
        return await self._build_memory_items(await self.log.memories(MemoryQuery(scene_id=scene_id)))

    async def read_sceneless_memories(
        self, universe_id: Id, last: int | None = MAX_NEWEST_MEMORIES
    ) -> tuple[list[Id], list[TextItem]]:
        """Return the memories without a scene (of the newest), and the items of those that count."""
        newest_memories = await self.log.memories(MemoryQuery(universe_id=universe_id, last=last))
        sceneless_memories = [memory for memory in newest_memories if memory.scene_id is None]
        return [memory.id for memory in sceneless_memories], await self._build_memory_items(
            sceneless_memories
        )

    async def read_memories(self, ids: Collection[Id]) -> tuple[list[Id], list[TextItem]]:
        """Return these memories and those that they correct, and the items of the ones that count."""
        return await self._read_with_corrected(await self.log.memories(MemoryQuery(ids=ids)))

    async def read_memories_of_turns(self, turn_ids: Collection[Id]) -> tuple[list[Id], list[TextItem]]:
        """As `read_memories`, for those that the turns left."""
        return await self._read_with_corrected(await self.log.memories(MemoryQuery(turn_ids=turn_ids)))

    async def find_scenes_naming(self, universe_id: Id, entity_ids: Collection[Id]) -> list[Id]:
        """Return the scenes whose text, turns or memories contain the name of one of these entities."""
        stories = (await self.log.readable_stories(universe_id)).records
        pc_story_ids = {story.id for story in stories if story.pc_id in entity_ids}
        scene_ids = dict.fromkeys(
            scene.id
            for scene in await self.read_scenes(universe_id)
            if scene.story_id in pc_story_ids or scene.place_id in entity_ids
        )
        for entity_id in entity_ids:
            memories = await self.log.memories(MemoryQuery(entity_id=entity_id))
            scene_ids |= dict.fromkeys(memory.scene_id for memory in memories if memory.scene_id)
        return list(scene_ids)

    async def find_sceneless_memories_of(self, entity_ids: Collection[Id]) -> set[Id]:
        """Return the memories of these entities that have no scene."""
        memory_ids = set[Id]()
        for entity_id in entity_ids:
            memories = await self.log.memories(MemoryQuery(entity_id=entity_id))
            memory_ids |= {memory.id for memory in memories if memory.scene_id is None}
        return memory_ids

    async def read_canon(self, universe_id: Id) -> CanonItems:
        """Return all entities and facts of a universe."""
        async with self._full_read_lock:
            entities = await self._canon.entities(universe_id, limit=NO_LIMIT)
            facts = await self._canon.facts(universe_id, FactQuery(history=True, limit=NO_LIMIT))
        # in a thread: tens of thousands of hashes would block the event loop, which answers keys
        return await asyncio.to_thread(
            _build_canon_items, entities, facts, {entity.id: entity for entity in entities}
        )

    async def read_canon_of(
        self, universe_id: Id, entity_ids: Collection[Id], fact_ids: Collection[Id]
    ) -> CanonItems:
        """Return those of the entities and facts that are in canon."""
        facts = list((await self._canon.facts_by_id(fact_ids)).values())
        involved_ids = {i.entity_id for fact in facts for i in fact.involves}
        entities_by_id = await self._read_canon_entities(universe_id, involved_ids | set(entity_ids))
        return await asyncio.to_thread(
            _build_canon_items,
            [entities_by_id[i] for i in entity_ids if i in entities_by_id],
            facts,
            entities_by_id,
        )

    async def read_canon_names(self, universe_id: Id, entity_ids: Collection[Id]) -> dict[Id, str]:
        """Return the names of those entities that are in canon."""
        return {
            id: entity.name
            for id, entity in (await self._read_canon_entities(universe_id, entity_ids)).items()
        }

    async def read_all_names(self, entity_ids: Collection[Id]) -> dict[Id, str]:
        """Return the entities' names, including merged and retconned ones, whose memories still have the name."""
        return {id: entity.name for id, entity in (await self._canon.entities_by_id(entity_ids)).items()}

    async def find_facts_naming(self, entity_ids: Collection[Id]) -> set[Id]:
        """Return the facts that involve any of these entities."""
        fact_ids = set[Id]()
        for entity_id in entity_ids:
            entity_facts = await self._canon.facts_about(
                entity_id, FactsAboutQuery(history=True, limit=NO_LIMIT)
            )
            fact_ids |= {fact.id for fact in entity_facts}
        return fact_ids

    async def read_source_ids(self, universe_id: Id) -> list[Id]:
        return [source.id for source in await self.log.sources(universe_id)]

    async def read_snippets(self, source_id: Id) -> list[TextItem]:
        """Return the items of the present edition; none of a document that was taken back."""
        async with self._full_read_lock:
            source = (await self.log.sources_by_id([source_id])).get(source_id)
            if source is None or source.state in TAKEN_BACK_STATES:
                return []
            snippets = [s for s in await self.log.snippets(source_id) if s.edition == source.edition]
        return await asyncio.to_thread(lambda: [build_snippet_item(snippet) for snippet in snippets])

    async def _read_canon_entities(self, universe_id: Id, ids: Collection[Id]) -> dict[Id, Entity]:
        """Return the entities that are in canon, without those that were merged into others."""
        entities = (await self._canon.entities_by_id(ids)).values()
        return {
            entity.id: entity
            for entity in entities
            if entity.status is EntityStatus.CANONICAL and entity.universe_id == universe_id
        }

    async def _read_name(self, entity_id: Id | None) -> str:
        entities_by_id = await self._canon.entities_by_id([entity_id]) if entity_id else {}
        return next((entity.name for entity in entities_by_id.values()), "")

    async def _read_with_corrected(self, memories: Sequence[Memory]) -> tuple[list[Id], list[TextItem]]:
        corrected_ids = {m.corrects for m in memories if m.corrects} - {m.id for m in memories}
        if corrected_ids:
            memories = [*memories, *await self.log.memories(MemoryQuery(ids=corrected_ids))]
        return [memory.id for memory in memories], await self._build_memory_items(memories)

    async def _build_memory_items(self, memories: Sequence[Memory]) -> list[TextItem]:
        """Return the items of the memories that count: on the line (or without a turn), and not corrected."""
        valid_memories = await filter_valid(self.log, memories)
        entities_by_id = await self._canon.entities_by_id({memory.entity_id for memory in valid_memories})
        return [
            build_memory_item(m, entities_by_id[m.entity_id].name if m.entity_id in entities_by_id else "")
            for m in valid_memories
        ]


def _build_canon_items(
    entities: Sequence[Entity], facts: Sequence[Fact], entities_by_id: Mapping[Id, Entity]
) -> CanonItems:
    fact_items = [item for fact in facts if (item := build_fact_item(fact, entities_by_id)) is not None]
    names_by_id = {entity.id: entity.name for entity in entities}
    return CanonItems([build_entity_item(entity) for entity in entities], fact_items, names_by_id)
