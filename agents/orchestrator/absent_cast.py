"""Finds cast members whom canon places elsewhere, so that they are not carried into the next scene."""

from __future__ import annotations

from asyncio import gather
from collections.abc import Collection

from agents.canon_keeper.fact_readings import LOCATED_IN, PART_OF, is_open, is_true, read_fact
from agents.canon_keeper.predicates import Catalogue
from agents.context_assembly.scene_context import SceneContext
from stores.ports import CanonReader
from stores.queries import FactsAboutQuery
from stores.records.canon import Fact
from stores.records.ids import Id


class AbsentCastReader:
    """Finds the cast members whom canon has in another place."""

    def __init__(self, canon: CanonReader, catalogue: Catalogue) -> None:
        self._canon = canon
        self._catalogue = catalogue

    async def find_absent(self, context: SceneContext, entity_ids: Collection[Id]) -> set[Id]:
        """Return the cast members whom canon has in another place than the scene's; none if the scene has no place.

        A room counts as in its house. Somebody who was brought in (`/cast + Tom`) after canon last moved them
        or the player character counts as here. Raises StoreError.
        """
        current_place, hero_id = context.place, context.story.pc_id
        if current_place is None:
            return set()
        other_ids = [i for i in entity_ids if i != hero_id]
        stay_by_entity = dict(
            zip(other_ids, await gather(*map(self._read_current_stay, other_ids)), strict=True)
        )
        hero_stay = await self._read_current_stay(hero_id) if hero_id else None
        enclosing_ids = await self._read_enclosing_places(current_place.id)
        absent_ids = set[Id]()
        for entity_id, stay in stay_by_entity.items():
            place_id = read_fact(stay, self._catalogue).object if stay else None
            if (
                stay is None
                or place_id is None
                or place_id in enclosing_ids
                or _arrived_since(context, entity_id, stay, hero_stay)
            ):
                continue
            if current_place.id not in await self._read_enclosing_places(place_id):
                absent_ids.add(entity_id)
        return absent_ids

    async def _read_current_stay(self, entity_id: Id) -> Fact | None:
        """Return the fact that says where an entity is now: the one that began last."""
        stays = await self._read_location_facts(entity_id, LOCATED_IN)
        return max(stays, key=lambda f: (_start_tick(f), f.recorded_at), default=None)

    async def _read_location_facts(self, entity_id: Id, *predicates: str) -> list[Fact]:
        predicate_names = [n for p in predicates for n in (p, *sorted(self._catalogue.inverse_predicates(p)))]
        fact_lists = await gather(
            *(self._canon.facts_about(entity_id, FactsAboutQuery(predicate=name)) for name in predicate_names)
        )
        standing_facts = (f for facts in fact_lists for f in facts if is_open(f) and is_true(f))
        return [f for f in standing_facts if read_fact(f, self._catalogue).subject == entity_id]

    async def _read_enclosing_places(self, place_id: Id) -> set[Id]:
        """Return the place and every place that contains it."""
        enclosing_ids, next_ids = set[Id](), {place_id}
        while next_ids:
            enclosing_ids |= next_ids
            fact_lists = await gather(
                *(self._read_location_facts(i, LOCATED_IN, PART_OF) for i in sorted(next_ids))
            )
            object_ids = (read_fact(f, self._catalogue).object for facts in fact_lists for f in facts)
            next_ids = {i for i in object_ids if i is not None} - enclosing_ids
        return enclosing_ids


def _arrived_since(context: SceneContext, entity_id: Id, stay: Fact, hero_stay: Fact | None) -> bool:
    """Return whether somebody was brought in by hand after canon last moved them and the player character."""
    arrivals = [e for e in context.presence_entries() if e.entity_id == entity_id]
    last_moved = max(_start_tick(stay), _start_tick(hero_stay) if hero_stay else 0)
    return bool(arrivals) and arrivals[-1].here and arrivals[-1].tick >= last_moved


def _start_tick(stay: Fact) -> int:
    return stay.valid_from or 0
