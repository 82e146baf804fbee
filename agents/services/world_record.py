"""Reads a world back, with everything in it, for an export. Read-only."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import Final

from agents.exports.world_maps import show_grid_maps
from agents.exports.world_values import ExportedEntity, WorldRecord, without_world_secrets
from agents.memory_manager.merged_entities import read_merged_entities
from agents.memory_manager.valid_memories import filter_valid
from agents.services.commitment_ledger import CommitmentService
from agents.services.entity_cards import EntityCardReader
from agents.services.story_record import StoryRecordReader
from agents.services.timeline import TimelineReader
from agents.solo.grid_maps import GridMapReader
from stores.ports import CanonReader, LogReader
from stores.queries import FactQuery, MemoryQuery
from stores.records.canon import Fact, FactKind
from stores.records.ids import Id
from stores.records.memory import Memory
from stores.records.world import Universe

MAX_EVENTS: Final = 100_000
"""Rows of the exported timeline."""


@dataclass(frozen=True, slots=True)
class WorldRecordReader:
    """Reads worlds back."""

    canon: CanonReader
    log: LogReader
    entity_cards: EntityCardReader
    stories: StoryRecordReader
    timeline: TimelineReader
    commitments: CommitmentService
    grid_maps: GridMapReader

    async def read_world_record(self, universe_id: Id, *, with_secrets: bool) -> WorldRecord:
        """Return everything that an exported world contains. Raises NotFound, StoreError."""
        universe = await self.canon.universe(universe_id)
        entities = await self.canon.entities(universe_id)
        memories = await self._read_memories(universe_id)
        exported_entities = [
            ExportedEntity(
                await self.entity_cards.read_card(entity.id),
                memories.get(entity.id, ()),
                await self.canon.appearances(entity.id),
            )
            for entity in sorted(entities, key=lambda entity: (entity.recorded_at, entity.id))
        ]
        stories = sorted(
            (await self.log.readable_stories(universe_id)).records, key=lambda s: (s.created_at, s.id)
        )
        titles = {source.id: source.title for source in await self.log.sources(universe_id)}
        story_records = [
            replace(await self.stories.read_story_record(story.id), source_titles=titles) for story in stories
        ]
        world_facts = await self.canon.facts(universe_id, FactQuery(only_about_nobody=True))
        ledger = await self.commitments.read_commitments(universe_id)
        maps = await self.grid_maps.read_maps(universe_id)
        map_place_ids = {cell.place_id for m in maps for cell in m.cells.values() if cell.place_id}
        map_places = await self.grid_maps.read_places(universe_id, map_place_ids)
        record = WorldRecord(
            universe,
            exported_entities,
            story_records,
            await self.entity_cards.build_fact_views(
                [fact for fact in world_facts if fact.clock is None], universe.calendar
            ),
            (*ledger.open_commitments, *ledger.closed_commitments),
            [fact.clock for fact in world_facts if fact.clock is not None and not fact.clock.closed],
            await self.timeline.read_timeline(universe_id, limit=MAX_EVENTS),
        )
        if not with_secrets:
            secrets = await self.canon.facts(universe_id, FactQuery(only_secrets=True, history=True))
            record = without_world_secrets(record, [fact.statement for fact in secrets])
        return replace(record, grid_maps=show_grid_maps(record, maps, map_places, with_secrets=with_secrets))

    async def read_lore(self, universe_id: Id) -> tuple[Universe, list[Fact]]:
        """Return the world and its lore entries. Raises NotFound, StoreError."""
        universe = await self.canon.universe(universe_id)
        facts = await self.canon.facts(universe_id, FactQuery(kind=FactKind.LORE))
        return universe, [fact for fact in facts if fact.lore is not None]

    async def _read_memories(self, universe_id: Id) -> dict[Id, list[Memory]]:
        memories = await self.log.memories(MemoryQuery(universe_id=universe_id))
        by_owner: defaultdict[Id, list[Memory]] = defaultdict(list)
        merged_entities = await read_merged_entities(self.canon, universe_id)
        for memory in merged_entities.with_current_owners(await filter_valid(self.log, memories)):
            by_owner[memory.entity_id].append(memory)
        return by_owner
