"""The world: manual edits, what they would do, the record behind canon, commitments, and look-ups."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from agents.services.commitment_ledger import Ledger
from agents.services.edit_previews import Previews
from agents.services.entity_cards import Atlas
from agents.services.provenance import Annals
from agents.services.world_edits import Edits
from agents.views.play_views import EntityCard
from stores.ports import CanonReader
from stores.records.ids import Id
from stores.records.world import Entity


@dataclass(frozen=True, slots=True)
class WorldServices:
    """Looks at a universe and proposes changes to it by the GM's own word."""

    canon: CanonReader
    atlas: Atlas
    edits: Edits
    previews: Previews
    record: Annals
    ledger: Ledger
    export: Callable[[Id], Awaitable[str]]
    """Writes a universe to an archive in the home folder, and returns where."""

    async def entities(self, universe_id: Id, search: str = "") -> list[Entity]:
        """Return the universe's entities, or those that `search` finds."""
        return await self.canon.entities(universe_id, search=search)

    async def known_as(self, universe_id: Id) -> list[str]:
        """Return every name in canon, for `@` completion."""
        return await self.canon.entity_names(universe_id)

    async def card(self, entity_id: Id) -> EntityCard:
        """Return what is true of one entity."""
        return await self.atlas.card(entity_id)
