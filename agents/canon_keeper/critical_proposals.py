"""Finds staged proposals that are to be committed at once, and those that must go with them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, assert_never

from agents.canon_keeper.fact_claims import state_move_of
from agents.canon_keeper.fact_ids import fact_id_of
from agents.canon_keeper.fact_readings import IS, IS_NOT, LOCATED_IN, OBJECT, SUBJECT
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.proposal_subjects import causes_of, named_entities, named_facts
from agents.proposals.decisions import gm_decision
from stores.records.canon import (
    AdvanceClock,
    AssertFact,
    Authority,
    ChangeSecrecy,
    CreateEntity,
    EndFact,
    FactKind,
    MergeEntities,
    NoteAxiom,
    RetconFact,
    Standing,
    StateChange,
    UpdateEntity,
)
from stores.records.ids import Id
from stores.records.workflow import OPEN_STATUSES, ProposedChange, Verdict
from stores.records.world import EntityKind

DISCOVERY_WEIGHT: Final = 80
"""Significance, of 100, from which a place that a model found is a discovery."""


def find_critical(proposals: Iterable[ProposedChange], catalogue: Catalogue) -> list[ProposedChange]:
    """Return the open proposals that are critical: a death, a discovered place, or what is flagged so."""
    return [p for p in proposals if _is_open(p) and is_critical(p, catalogue)]


def is_critical(proposal: ProposedChange, catalogue: Catalogue) -> bool:
    change = proposal.change
    if _comes_from_outside_play(proposal):
        return proposal.critical
    match change:
        case CreateEntity():
            return proposal.critical or (
                change.entity_kind is EntityKind.PLACE and _is_a_discovery(proposal.weight)
            )
        case StateChange():
            move = state_move_of(change, catalogue)
            return proposal.critical or catalogue.is_critical(move.predicate, move.value)
        case AssertFact():
            is_true_statement = change.standing is Standing.TRUE
            return proposal.critical or (
                is_true_statement and catalogue.is_critical(change.predicate, change.value)
            )
        case (
            UpdateEntity()
            | MergeEntities()
            | EndFact()
            | RetconFact()
            | ChangeSecrecy()
            | AdvanceClock()
            | NoteAxiom()
        ):
            return proposal.critical
        case _:
            assert_never(change)


def _is_a_discovery(weight: int | None) -> bool:
    """Return whether a new place is more than scenery: a model reads each lane that a narration names."""
    return weight is None or weight >= DISCOVERY_WEIGHT


def select_trigger_batch(
    proposals: Sequence[ProposedChange], critical_proposals: Iterable[ProposedChange], catalogue: Catalogue
) -> list[ProposedChange]:
    """Return `critical_proposals` and what they need, in order; nothing else of their turns.

    A discovery needs the connections that came with it, and a change of somebody's state the other changes of their
    numbers and tags on that turn. Any proposal needs those that create what it is about, make the fact that it ends,
    or caused it, and a state change the earlier changes of the same value.
    """
    open_proposals = [p for p in proposals if _is_open(p)]
    critical_proposals = list(critical_proposals)
    chosen_ids = {p.id for p in critical_proposals}
    chosen_ids |= {
        p.id for p in open_proposals if any(_is_part_of(p, c, catalogue) for c in critical_proposals)
    }
    # From the last to the first: what a proposal depends on was made before it.
    for index in range(len(open_proposals) - 1, -1, -1):
        if open_proposals[index].id in chosen_ids:
            chosen_ids |= _dependency_ids(open_proposals[index], open_proposals[:index], catalogue)
    return [p for p in open_proposals if p.id in chosen_ids]


def _is_part_of(proposal: ProposedChange, critical: ProposedChange, catalogue: Catalogue) -> bool:
    """Return whether the proposal belongs to the same discovery, or to what befell the same entity.

    What another command says at the same turn is a matter of its own, but for the numbers and tags of who changed.
    """
    if proposal.turn_id is None or proposal.turn_id != critical.turn_id:
        return False
    change, critical_change = proposal.change, critical.change
    match critical_change:
        case CreateEntity():
            return (
                proposal.command_id == critical.command_id
                and isinstance(change, AssertFact)
                and change.fact_kind is FactKind.RELATION
                and critical_change.entity_id in named_entities(change)
                and not _is_arrival(change, critical_change.entity_id, catalogue)
            )
        case StateChange() | AssertFact():
            return isinstance(change, StateChange) and change.entity_id in named_entities(critical_change)
        case (
            UpdateEntity()
            | MergeEntities()
            | EndFact()
            | RetconFact()
            | ChangeSecrecy()
            | AdvanceClock()
            | NoteAxiom()
        ):
            return False
        case _:
            assert_never(critical_change)


def _is_arrival(change: AssertFact, place_id: Id, catalogue: Catalogue) -> bool:
    """Return whether somebody or something is now in the place: the place is there without them."""
    predicate = catalogue[change.predicate]
    located_role = OBJECT if predicate.inverse_of == LOCATED_IN else SUBJECT
    located_ids = {i.entity_id for i in change.involves if i.role == located_role}
    return LOCATED_IN in (predicate.name, predicate.inverse_of) and place_id not in located_ids


def _dependency_ids(
    proposal: ProposedChange, earlier: Iterable[ProposedChange], catalogue: Catalogue
) -> set[Id]:
    change = proposal.change
    entity_ids, fact_ids = named_entities(change), {*named_facts(change), *causes_of(change)}
    value = _changed_value(proposal, catalogue)
    return {
        p.id
        for p in earlier
        if (isinstance(p.change, CreateEntity) and p.change.entity_id in entity_ids)
        or fact_id_of(p) in fact_ids
        or (value is not None and _changed_value(p, catalogue) == value)
    }


def _comes_from_outside_play(proposal: ProposedChange) -> bool:
    """Say whether setup invented it or a file says it: nobody discovered it, and nobody died just now."""
    outside_play = (Authority.SYSTEM, Authority.SOURCE, Authority.OUTSIDE)
    return proposal.turn_id is None and proposal.authority in outside_play


def _changed_value(proposal: ProposedChange, catalogue: Catalogue) -> tuple[Id, str] | None:
    """Return the entity and the value that a state change sets, or the clock that is advanced."""
    change = proposal.change
    if isinstance(change, AdvanceClock):
        return change.predicate, ""
    if not isinstance(change, StateChange):
        return None
    move = state_move_of(change, catalogue)
    tag = f"tag {move.value}".casefold() if move.predicate in (IS, IS_NOT) else ""
    return change.entity_id, tag or move.predicate


def _is_open(proposal: ProposedChange) -> bool:
    decision = gm_decision(proposal)
    return proposal.status in OPEN_STATUSES and (decision is None or decision.verdict is Verdict.ACCEPT)
