"""What is locked: a proposal that would alter it is rejected, unless it is the GM's own word. Pure.

Source: design/authority.md, "locked target -> rejected unless gm".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agents.canon_keeper.readings import SUBJECT
from agents.canon_keeper.world import World
from stores.records.canon import (
    AssertFact,
    EndFact,
    FactKind,
    Involvement,
    MergeEntities,
    RetconFact,
    StateChange,
    UpdateEntity,
)
from stores.records.ids import Id
from stores.records.ledger import ProposedChange

_ALTERING = frozenset({FactKind.ATTRIBUTE, FactKind.STATE, FactKind.RELATION})


def locked_by(proposal: ProposedChange, world: World) -> tuple[str, ...]:
    """Return the names of the locked things that the change would alter."""
    universe = world.canon.universe
    if universe is not None and universe.locked:
        return (universe.name,)
    altered = (world.entity(i) for i in _altered(proposal, world))
    return tuple(e.name for e in altered if e is not None and e.locked)


def _altered(proposal: ProposedChange, world: World) -> Iterator[Id]:
    """Yield the entities that the change would alter. To happen near something alters nothing."""
    change = proposal.change
    match change:
        case UpdateEntity() | StateChange():
            yield change.entity_id
        case MergeEntities():
            yield from (change.kept_id, change.absorbed_id)
        case EndFact() | RetconFact():
            fact = world.facts.get(change.fact_id)
            yield from _subjects(fact.involves) if fact else (change.fact_id,)
        case AssertFact() if change.fact_kind in _ALTERING:
            yield from _subjects(change.involves)


def _subjects(involves: Iterable[Involvement]) -> Iterator[Id]:
    return (i.entity_id for i in involves if i.role == SUBJECT)
