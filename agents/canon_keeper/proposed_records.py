"""Builds the entity and the fact that a proposal would become. Pure.

The menu is filled with these alone, before what compares them with canon is loaded.
"""

from __future__ import annotations

from agents.canon_keeper.fact_ids import fact_id_of
from stores.records.canon import AssertFact, CreateEntity, Fact
from stores.records.workflow import ProposedChange
from stores.records.world import Entity


def build_entity(proposal: ProposedChange, change: CreateEntity) -> Entity:
    """Return the entity that the proposal would create."""
    return Entity(
        id=change.entity_id,
        universe_id=proposal.universe_id,
        kind=change.entity_kind,
        name=change.name,
        aliases=change.aliases,
        description=change.description,
        is_pc=change.is_pc,
        tags=tuple(dict.fromkeys(change.tags)),
        numbers=change.numbers,
        recorded_at=proposal.created_at,
    )


def fact_from_assertion(proposal: ProposedChange, change: AssertFact) -> Fact:
    """Return the fact that a proposed statement would become."""
    return Fact(
        id=fact_id_of(proposal),
        universe_id=proposal.universe_id,
        kind=change.fact_kind,
        predicate=change.predicate,
        statement=change.statement,
        involves=change.involves,
        value=change.value,
        valid_from=proposal.tick if change.valid_from is None else change.valid_from,
        valid_to=change.valid_to,
        standing=change.standing,
        secrecy=change.secrecy,
        authority=proposal.authority,
        proposal_id=proposal.id,
        recorded_at=proposal.created_at,
    )
