"""Tells which changes of a number are wounds and which are healings, for a number is not remembered. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Final

from agents.canon_keeper.fact_claims import state_move_of
from agents.canon_keeper.fact_ids import fact_id_of
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.sheet_values import is_number
from agents.memory_manager.proposed_facts import is_denied
from stores.records.canon import (
    CreateEntity,
    Fact,
    FactKind,
    FactStatus,
    Involvement,
    StateChange,
    StateOp,
)
from stores.records.ids import Id
from stores.records.workflow import ProposedChange
from stores.records.world import Entity, Number

HEALTH_KEYS: Final = frozenset({"hp", "health", "hit points", "hit_points"})
"""Numbers of a sheet that sink with a wound."""


class HealthChange(StrEnum):
    """What a change of a health number is for whoever sees it."""

    WOUNDED = "wounded"
    HEALED = "healed"


def find_health_changes(
    proposals: Sequence[ProposedChange],
    start_values: Mapping[tuple[Id, str], Number],
    catalogue: Catalogue,
) -> dict[Id, HealthChange]:
    """Return by proposal which of a scene's changes wound or heal.

    `proposals` come in the order in which they were made; `start_values` are the health numbers before the
    scene, by entity and key in lower case. A value that is set counts by the value before it, if that is known.
    """
    values = dict(start_values)
    health_changes: dict[Id, HealthChange] = {}
    for proposal in proposals:
        if is_denied(proposal):
            continue
        change = proposal.change
        if isinstance(change, CreateEntity):
            values |= {(change.entity_id, key.casefold()): n for key, n in change.numbers.items()}
        if not isinstance(change, StateChange) or change.key.casefold() not in HEALTH_KEYS:
            continue
        key = (change.entity_id, change.key.casefold())
        move = state_move_of(change, catalogue)
        if not is_number(move.value):
            continue
        before = values.get(key)
        if move.op is StateOp.ADD:
            difference = move.value
            if before is not None:
                values[key] = before + move.value
        else:
            difference = 0 if before is None else move.value - before
            values[key] = move.value
        if difference:
            health_changes[proposal.id] = HealthChange.WOUNDED if difference < 0 else HealthChange.HEALED
    return health_changes


def build_health_fact(proposal: ProposedChange, change: StateChange, name: str, health: HealthChange) -> Fact:
    """Return a wound or a healing as a sentence, which is remembered in place of the number."""
    return Fact(
        id=fact_id_of(proposal),
        universe_id=proposal.universe_id,
        kind=FactKind.STATE,
        predicate="hp",
        statement=f"{name} was {health}.",
        involves=(Involvement(role="subject", entity_id=change.entity_id),),
        valid_from=proposal.tick,
        authority=proposal.authority,
        proposal_id=proposal.id,
        recorded_at=proposal.created_at,
    )


def read_health_values(
    entities: Mapping[Id, Entity], facts: Iterable[Fact], scene_tick: int, scene_fact_ids: Collection[Id]
) -> dict[tuple[Id, str], Number]:
    """Return the health numbers before a scene, by entity and key in lower case.

    `facts` are the health facts of those entities, old ones too; `scene_fact_ids` are those that the scene made.
    An entity without such facts has the numbers that it was created with.
    """
    values: dict[tuple[Id, str], Number] = {}
    changed_keys: set[tuple[Id, str]] = set()
    for fact in sorted(facts, key=lambda f: -1 if f.valid_from is None else f.valid_from):
        subject_id = fact.entity("subject")
        if subject_id is None or not is_number(fact.value) or fact.status is FactStatus.RETCONNED:
            continue
        changed_keys.add((subject_id, fact.predicate))
        if fact.id not in scene_fact_ids and (fact.valid_from is None or fact.valid_from <= scene_tick):
            values[subject_id, fact.predicate] = fact.value
    created_values = {(e.id, key.casefold()): n for e in entities.values() for key, n in e.numbers.items()}
    return {**{key: n for key, n in created_values.items() if key not in changed_keys}, **values}
