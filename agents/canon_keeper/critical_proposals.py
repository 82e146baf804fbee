"""Finds staged proposals that are to be committed at once, and those that must go with them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import assert_never

from agents.canon_keeper.fact_claims import fact_id_of, state_move_of
from agents.canon_keeper.fact_readings import IS, IS_NOT
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.proposal_subjects import causes_of, named_entities, named_facts
from agents.proposals.decisions import gm_decision
from stores.records.canon import (
    AdvanceClock,
    AssertFact,
    Authority,
    CreateEntity,
    EndFact,
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


def find_critical(proposals: Iterable[ProposedChange], catalogue: Catalogue) -> list[ProposedChange]:
    """Return the open proposals that are critical: a death, a discovered place, or what is flagged so."""
    return [p for p in proposals if _is_open(p) and is_critical(p, catalogue)]


def is_critical(proposal: ProposedChange, catalogue: Catalogue) -> bool:
    change = proposal.change
    match change:
        case CreateEntity():
            return proposal.critical or (
                change.entity_kind is EntityKind.PLACE and not _is_invented(proposal)
            )
        case StateChange():
            move = state_move_of(change, catalogue)
            return proposal.critical or catalogue.is_critical(move.predicate, move.value)
        case AssertFact():
            is_true_statement = change.standing is Standing.TRUE
            return proposal.critical or (
                is_true_statement and catalogue.is_critical(change.predicate, change.value)
            )
        case UpdateEntity() | MergeEntities() | EndFact() | RetconFact() | AdvanceClock() | NoteAxiom():
            return proposal.critical
        case _:
            assert_never(change)


def select_trigger_batch(
    proposals: Sequence[ProposedChange], critical_proposals: Iterable[ProposedChange], catalogue: Catalogue
) -> list[ProposedChange]:
    """Return `critical_proposals`, the open proposals of the same turns, and all that these depend on, in order.

    A proposal depends on those that create what it is about or make the fact that it ends, and a state
    change on the earlier changes of the same value.
    """
    open_proposals = [p for p in proposals if _is_open(p)]
    chosen_ids = {p.id for p in critical_proposals}
    turn_ids = {p.turn_id for p in open_proposals if p.id in chosen_ids and p.turn_id is not None}
    chosen_ids |= {p.id for p in open_proposals if p.turn_id in turn_ids}
    # From the last to the first: what a proposal depends on was made before it.
    for index in range(len(open_proposals) - 1, -1, -1):
        if open_proposals[index].id in chosen_ids:
            chosen_ids |= _dependency_ids(open_proposals[index], open_proposals[:index], catalogue)
    return [p for p in open_proposals if p.id in chosen_ids]


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


def _is_invented(proposal: ProposedChange) -> bool:
    """Say whether setup invented it: it rests on no turn and nobody stated it, so nobody discovered it."""
    return proposal.turn_id is None and proposal.authority is Authority.SYSTEM


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
