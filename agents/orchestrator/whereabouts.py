"""Whom canon has somewhere else than where play goes on: they are not carried along into the next scene.

Source: design/authority.md, "Contradictions": "the absent do not act"; design/loops.md, "Scene".
"""

from __future__ import annotations

from asyncio import gather
from collections.abc import Collection

from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.readings import LOCATED_IN, PART_OF, is_open, read, stands
from agents.context_assembly.context import SceneContext
from stores.ports import CanonReader
from stores.records.canon import Fact
from stores.records.ids import Id


class Whereabouts:
    """Reads where canon has people. Stateless."""

    def __init__(self, canon: CanonReader, catalogue: Catalogue) -> None:
        self._canon = canon
        self._catalogue = catalogue

    async def elsewhere(self, context: SceneContext, who: Collection[Id]) -> set[Id]:
        """Return those whom canon has in another place than the scene's; nobody, if it has none.

        A room is in its house. Who came into play (`/cast + Tom`) after canon last moved them or the player
        character is where they came. Raises StoreError.
        """
        here, hero = context.place, context.story.pc_id
        if here is None:
            return set()
        others = [i for i in who if i != hero]
        stays = dict(zip(others, await gather(*map(self._stay, others)), strict=True))
        moved = await self._stay(hero) if hero else None
        around = await self._around(here.id)
        away = set[Id]()
        for entity_id, stay in stays.items():
            place = read(stay, self._catalogue).object if stay else None
            if (
                stay is None
                or place is None
                or place in around
                or _came_since(context, entity_id, stay, moved)
            ):
                continue
            if here.id not in await self._around(place):
                away.add(entity_id)
        return away

    async def _stay(self, entity_id: Id) -> Fact | None:
        """Return the fact that says where somebody (or a place) is now: the one that began last."""
        stays = await self._within(entity_id, LOCATED_IN)
        return max(stays, key=lambda f: (_begin(f), f.recorded_at), default=None)

    async def _within(self, entity_id: Id, *predicates: str) -> list[Fact]:
        names = [n for p in predicates for n in (p, *sorted(self._catalogue.inverses(p)))]
        found = await gather(*(self._canon.facts_about(entity_id, predicate=name) for name in names))
        standing = (f for facts in found for f in facts if is_open(f) and stands(f))
        return [f for f in standing if read(f, self._catalogue).subject == entity_id]

    async def _around(self, place: Id) -> set[Id]:
        """Return the place and all that it lies in."""
        found, waiting = set[Id](), {place}
        while waiting:
            found |= waiting
            inside = await gather(*(self._within(i, LOCATED_IN, PART_OF) for i in sorted(waiting)))
            objects = (read(f, self._catalogue).object for facts in inside for f in facts)
            waiting = {i for i in objects if i is not None} - found
        return found


def _came_since(context: SceneContext, who: Id, stay: Fact, moved: Fact | None) -> bool:
    """Say whether somebody was brought in by hand after canon last had them, and the hero, go anywhere."""
    comings = [e for e in context.presences() if e.entity_id == who]
    last_moved = max(_begin(stay), _begin(moved) if moved else 0)
    return bool(comings) and comings[-1].here and comings[-1].tick >= last_moved


def _begin(stay: Fact) -> int:
    return stay.valid_from or 0
