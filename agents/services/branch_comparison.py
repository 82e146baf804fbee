"""Compares the canon of two branches, and says what would bring one's over to the other. Pure.

Entities of a branch have other identifiers than those they are copies of, so facts are compared by what they say of
the same entities.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

from agents.canon_keeper.fact_readings import CANON_EVENTS, IS, IS_NOT, SUBJECT, is_open
from stores.backup.campaign_copy import copy_id_of
from stores.records.canon import (
    AdvanceClock,
    AssertFact,
    AxiomForm,
    CreateEntity,
    Fact,
    FactKind,
    Involvement,
    NoteAxiom,
    Payload,
    StateChange,
    StateOp,
)
from stores.records.ids import Id, derive_id
from stores.records.world import Entity, Universe, fold_name

EntityIds = Mapping[Id, Id]
"""Identifiers of entities of one branch, by those of another."""


class CanonSide(NamedTuple):
    """The canon of one branch."""

    entities: Mapping[Id, Entity]
    facts: Sequence[Fact]


def match_entities(
    here: Mapping[Id, Entity], other: Mapping[Id, Entity], origins_here: EntityIds, origins_other: EntityIds
) -> dict[Id, Id]:
    """Return the entities of `other` with those of `here` that are the same: copies of one, else of one name and kind.

    `origins_here` and `origins_other` are the entities that they are copies of.
    """
    here_by_origin = {origins_here.get(entity_id, entity_id): entity_id for entity_id in here}
    matches = {
        entity_id: here_by_origin[origin]
        for entity_id in other
        if (origin := origins_other.get(entity_id, entity_id)) in here_by_origin
    }
    matched_ids = set(matches.values())
    by_name = {(e.kind, fold_name(e.name)): e.id for e in here.values() if e.id not in matched_ids}
    for entity in other.values():
        if entity.id not in matches and (same := by_name.get((entity.kind, fold_name(entity.name)))):
            matches[entity.id] = same
    return matches


def find_origins(universe: Universe, chain: Sequence[tuple[Universe, Iterable[Id]]]) -> dict[Id, Id]:
    """Return what the entities of a universe are copies of, up to the first of its parents in this library.

    `chain` has those parents, the nearest first, with their entities.
    """
    origins: dict[Id, Id] = {}
    branches = [universe, *(parent for parent, _ in chain)]
    for branch, (_, entity_ids) in reversed(list(zip(branches, chain, strict=False))):
        if branch.branch is not None:
            copy_key = branch.branch.copy_key
            origins = {copy_id_of(copy_key, i): origins.get(i, i) for i in entity_ids}
    return origins


def facts_only_in(one: CanonSide, rest: CanonSide, same_entity: Callable[[Id], Id]) -> list[Fact]:
    """Return the facts that hold in `one` and not in `rest`; `same_entity` maps its entities to those of `rest`."""
    rest_keys = Counter(_key(fact, lambda i: i) for fact in rest.facts if _is_compared(fact))
    found: list[Fact] = []
    for fact in one.facts:
        if not _is_compared(fact):
            continue
        key = _key(fact, same_entity)
        if rest_keys[key]:
            rest_keys[key] -= 1
        else:
            found.append(fact)
    return found


def build_merge_changes(
    universe_id: Id,
    facts: Sequence[Fact],
    new_entities: Sequence[Entity],
    matches: EntityIds,
) -> list[tuple[Payload, Fact | Entity]]:
    """Return the changes that would make these facts and entities true in `universe_id`, with what each is for."""
    new_ids = {e.id: derive_id("merged", universe_id, e.id) for e in new_entities}
    entity_ids = {**matches, **new_ids}
    changes: list[tuple[Payload, Fact | Entity]] = [
        (
            CreateEntity(
                entity_id=new_ids[entity.id],
                entity_kind=entity.kind,
                name=entity.name,
                aliases=entity.aliases,
                description=entity.description,
                is_pc=entity.is_pc,
                tags=entity.tags,
                numbers=entity.numbers,
            ),
            entity,
        )
        for entity in new_entities
    ]
    for fact in facts:
        is_on_new_sheet = fact.kind is FactKind.STATE and fact.entity(SUBJECT) in new_ids
        if not is_on_new_sheet:
            changes.append((_build_change(fact, entity_ids), fact))
    return changes


def _build_change(fact: Fact, entity_ids: EntityIds) -> Payload:
    involves = tuple(
        Involvement(role=i.role, entity_id=entity_ids[i.entity_id])
        for i in fact.involves
        if i.entity_id in entity_ids
    )
    subject_id = next((i.entity_id for i in involves if i.role == SUBJECT), None)
    if fact.clock is not None:
        clock = fact.clock
        return AdvanceClock(
            clock=clock.name,
            by=0,
            size=clock.size,
            to=clock.filled,
            per_scene=clock.per_scene,
            closed=clock.closed or None,
            pace=clock.pace,
        )
    if fact.kind is FactKind.AXIOM:
        return NoteAxiom(
            statement=fact.statement,
            predicate=fact.predicate,
            scope=fact.scope,
            severity=fact.severity or "must",
            involves=involves,
            form=_map_form(fact.form, entity_ids),
        )
    if fact.kind is FactKind.STATE and subject_id is not None and fact.value is not None:
        if fact.predicate in (IS, IS_NOT):
            op = StateOp.TAG if fact.predicate == IS else StateOp.UNTAG
            return StateChange(entity_id=subject_id, key=str(fact.value), op=op)
        return StateChange(entity_id=subject_id, key=fact.predicate, op=StateOp.SET, value=fact.value)
    return AssertFact(
        fact_kind=fact.kind,
        predicate=fact.predicate,
        statement=fact.statement,
        involves=involves,
        value=fact.value,
        standing=fact.standing,
        valid_from=fact.valid_from,
        lore=fact.lore,
    )


def _map_form(form: AxiomForm | None, entity_ids: EntityIds) -> AxiomForm | None:
    """Return the rule about the entities of the other branch; None, for words alone, where one is missing."""
    if form is None:
        return None
    named_ids = [i for i in (form.subject_id, form.object_id, form.unless and form.unless.object_id) if i]
    if any(i not in entity_ids for i in named_ids):
        return None
    unless = form.unless
    if unless is not None and unless.object_id:
        unless = unless.model_copy(update={"object_id": entity_ids[unless.object_id]})
    return form.model_copy(
        update={
            "subject_id": entity_ids[form.subject_id] if form.subject_id else None,
            "object_id": entity_ids[form.object_id] if form.object_id else None,
            "unless": unless,
        }
    )


def _is_compared(fact: Fact) -> bool:
    """Say whether a fact holds now and is of the world: canon's own reports of edits and merges are not."""
    return is_open(fact) and fact.predicate not in CANON_EVENTS


def _key(fact: Fact, same_entity: Callable[[Id], Id]) -> Hashable:
    """Return what two facts have in common that say the same of the same entities."""
    involved = frozenset((i.role, same_entity(i.entity_id)) for i in fact.involves)
    value = (type(fact.value).__name__, fact.value)
    return fact.kind, fact.predicate, involved, value, fact.statement_key, fact.standing, fact.closed
