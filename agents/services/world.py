"""The world: manual edits, their previews, the record behind canon, commitments, and look-ups."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from agents.prose.entity_name_index import EntityNameIndex
from agents.services.charts import ChartReader
from agents.services.commitment_ledger import CommitmentService
from agents.services.edit_previews import EditPreviews
from agents.services.entity_cards import EntityCardReader
from agents.services.grid_maps import GridMapService
from agents.services.provenance import ProvenanceReader
from agents.services.relation_graph import RelationGraphReader
from agents.services.timeline import TimelineReader
from agents.services.world_edits import WorldEditor
from agents.solo.universe_tables import UniverseTables
from agents.views.card_views import EntityCard
from stores.ports import CanonReader
from stores.records.ids import Id
from stores.records.world import Entity, EntityNames


@dataclass(frozen=True, slots=True)
class WorldServices:
    """Reads a universe, and proposes changes to it on the GM's word."""

    canon: CanonReader
    entity_cards: EntityCardReader
    edits: WorldEditor
    previews: EditPreviews
    provenance: ProvenanceReader
    timeline: TimelineReader
    relation_graph: RelationGraphReader
    grid_maps: GridMapService
    charts: ChartReader
    commitments: CommitmentService
    tables: UniverseTables
    export_universe: Callable[[Id], Awaitable[str]]
    """Writes a universe to an archive in the home folder, and returns where."""

    async def list_entities(self, universe_id: Id, search: str = "", *, limit: int = 10_000) -> list[Entity]:
        """Return the universe's entities, or those that `search` finds, at most `limit`."""
        return await self.canon.entities(universe_id, search=search, limit=limit)

    async def list_named_entities(self, universe_id: Id) -> list[EntityNames]:
        """Return how everything in canon is called."""
        return await self.canon.named_entities(universe_id)

    async def read_entity_name_index(self, universe_id: Id) -> EntityNameIndex:
        """Return what finds the names of all entities in texts. Raises StoreError."""
        return await asyncio.to_thread(EntityNameIndex, await self.canon.named_entities(universe_id))

    async def count_entities(self, universe_id: Id) -> int:
        """Return how many entities are in canon."""
        entity_count, _ = await self.canon.count(universe_id)
        return entity_count

    async def list_entity_names(self, universe_id: Id) -> list[str]:
        """Return every name in canon, for `@` completion."""
        return await self.canon.entity_names(universe_id)

    async def list_table_names(self, universe_id: Id) -> list[str]:
        """Return the names of all tables that can be rolled on in the universe, for completion."""
        return await self.tables.list_names(universe_id)

    async def read_card(self, entity_id: Id) -> EntityCard:
        """Return what is true of one entity."""
        return await self.entity_cards.read_card(entity_id)
