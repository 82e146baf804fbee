"""What canon has already: the same thing said, the same value, the same name. Pure.

Source: design/authority.md, "duplicate of canon -> merged as added evidence"; "same thing, other name".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from rapidfuzz import fuzz, process

from agents.canon_keeper.bearing import borne
from agents.canon_keeper.claims import Claim
from agents.canon_keeper.naming import bare
from agents.canon_keeper.predicates import same_value
from agents.canon_keeper.readings import (
    IS_NOT,
    is_in_force,
    same_thing_said,
    same_time,
    same_value_given,
    slot_of,
)
from agents.canon_keeper.snapshot import ALIKE
from agents.canon_keeper.world import World
from stores.records.canon import CreateEntity, EndFact
from stores.records.ids import Id
from stores.records.ledger import ProposedChange
from stores.records.world import Entity, EntityStatus


def duplicate_of(proposal: ProposedChange, claim: Claim | None, world: World) -> Id | None:
    """Return the fact or entity that says already what the proposal would make true."""
    change = proposal.change
    if isinstance(change, CreateEntity):
        return change.entity_id if change.entity_id in world.entities else None
    if claim is None or isinstance(change, EndFact):
        return None
    if claim.moves:
        return _unmoved(claim, world)
    for other in world.alike(claim.fact):
        if other.id in claim.ends:
            continue  # a correction of it
        said_already = same_thing_said(claim.fact, other, world.catalogue)
        if said_already and is_in_force(other) and same_time(claim.fact, other):
            return other.id
    return None


def _unmoved(claim: Claim, world: World) -> Id | None:
    """Return what gives the slot the very value that it would be moved to."""
    slot = slot_of(claim.fact, world.catalogue)
    if slot is None:
        return None
    held = world.holding(slot)
    if held is not None:
        same_clock = held.clock is None or held.clock == claim.fact.clock
        return held.id if same_clock and same_value_given(held, claim.fact, world.catalogue) else None
    entity = world.entities.get(slot.subject) if slot.subject else None
    if entity is None:
        return None
    value = borne(entity, slot, world.catalogue)
    if claim.fact.predicate == IS_NOT:
        return entity.id if value is None else None
    return entity.id if value is not None and (slot.tag or same_value(value, claim.fact.value)) else None


class Names:
    """Names and aliases in use, compared without case."""

    def __init__(self, entities: Iterable[Entity]) -> None:
        self._bearers: defaultdict[str, list[Entity]] = defaultdict(list)
        for entity in entities:
            self.add(entity)

    def add(self, entity: Entity) -> None:
        if entity.status is EntityStatus.CANONICAL:
            for name in _names(entity):
                self._bearers[name].append(entity)

    def same(self, entity: Entity) -> list[Entity]:
        """Return other entities that bear one of its names."""
        found = (e for name in _names(entity) for e in self._bearers.get(name, ()))
        return list({e.id: e for e in found if e.id != entity.id}.values())

    def alike(self, entity: Entity) -> list[Entity]:
        """Return other entities with a name that is nearly its own."""
        own, found = _names(entity), dict[Id, Entity]()
        for name in own:
            near = process.extract(name, self._bearers.keys(), scorer=fuzz.ratio, score_cutoff=ALIKE, limit=3)
            found |= {e.id: e for other, *_ in near if other not in own for e in self._bearers[other]}
        return [e for e in found.values() if e.id != entity.id]


def _names(entity: Entity) -> dict[str, None]:
    return dict.fromkeys(bare(name) for name in (entity.name, *entity.aliases))
