"""Finds whom canon has in a place, and which places are around it."""

from __future__ import annotations

from asyncio import gather
from collections.abc import Iterable, Sequence

from agents.canon_keeper.fact_readings import LOCATED_IN, PART_OF, is_open, is_true, read_fact
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.universe_policy import ReadCatalogue
from stores.ports import CanonReader
from stores.queries import FactsAboutQuery
from stores.records.canon import Fact
from stores.records.ids import Id
from stores.records.world import ACTORS, Entity, EntityStatus

_WITHIN = (LOCATED_IN, PART_OF)
MAX_NESTED_PLACES = 6
"""Places around a place, each around the one before, that are read."""
MAX_OCCUPANTS = 8
"""People of one place that are named."""


class PlaceOccupantReader:
    """Finds the people whom canon has in a place. Read-only."""

    def __init__(self, canon: CanonReader, read_catalogue: ReadCatalogue) -> None:
        self._canon = canon
        self._read_catalogue = read_catalogue

    async def find_occupants(self, place: Entity) -> list[Entity]:
        """Return the living people and creatures whom canon has there now, by name. Raises StoreError."""
        catalogue = await self._read_catalogue(place.universe_id)
        facts = await self._read_stays(place.id, catalogue)
        ids = {s for f in facts if (s := read_fact(f, catalogue).subject) and s != place.id}
        entities = await self._canon.entities_by_id(ids)
        actors = [e for e in entities.values() if e.kind in ACTORS and e.status is EntityStatus.CANONICAL]
        stays = await gather(*(self._read_current_place(e.id, catalogue) for e in actors))
        occupants = [
            e
            for e, place_id in zip(actors, stays, strict=True)
            if place_id == place.id and "dead" not in {tag.casefold() for tag in e.tags}
        ]
        return sorted(occupants, key=lambda e: e.name)[:MAX_OCCUPANTS]

    async def _read_current_place(self, entity_id: Id, catalogue: Catalogue) -> Id | None:
        """Return where somebody is by the fact that began last."""
        own_stays = [
            f
            for f in await self._read_stays(entity_id, catalogue)
            if read_fact(f, catalogue).subject == entity_id
        ]
        last_stay = max(own_stays, key=lambda f: (f.valid_from or 0, f.recorded_at), default=None)
        return read_fact(last_stay, catalogue).object if last_stay else None

    async def is_around(self, region: Entity, place: Entity, proposed_facts: Sequence[Fact] = ()) -> bool:
        """Say whether a place lies in a region, by canon and what is proposed. Raises StoreError."""
        catalogue = await self._read_catalogue(place.universe_id)
        frontier, seen_ids = {place.id}, {place.id}
        for _ in range(MAX_NESTED_PLACES):
            facts = list(proposed_facts)
            for place_id in sorted(frontier):
                facts += await self._read_stays(place_id, catalogue, _WITHIN)
            readings = [read_fact(fact, catalogue) for fact in facts]
            around = {
                r.object for r in readings if r.subject in frontier and r.predicate in _WITHIN and r.object
            }
            frontier = around - seen_ids
            seen_ids |= around
            if region.id in around or not frontier:
                return region.id in around
        return False

    async def _read_stays(
        self, entity_id: Id, catalogue: Catalogue, predicates: Sequence[str] = (LOCATED_IN,)
    ) -> Iterable[Fact]:
        names = [name for one in predicates for name in (one, *sorted(catalogue.inverse_predicates(one)))]
        fact_lists = await gather(
            *(self._canon.facts_about(entity_id, FactsAboutQuery(predicate=name)) for name in names)
        )
        return [f for facts in fact_lists for f in facts if is_open(f) and is_true(f)]
