"""Derives from a scene's proposals the facts they would become and who is dead or senseless."""

from __future__ import annotations

from collections.abc import Mapping

from agents.canon_keeper.fact_claims import state_move_of
from agents.canon_keeper.fact_ids import fact_id_of
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.proposed_records import fact_from_assertion
from agents.memory_manager.attendance import SENSELESS_TAGS, TickInterval
from agents.memory_manager.scene_stretch import DeathRecord
from stores.records.canon import AssertFact, Fact, FactKind, Involvement, Standing, StateChange, StateOp
from stores.records.ids import Id
from stores.records.workflow import ProposalStatus, ProposedChange, Verdict
from stores.records.world import Entity


def is_denied(proposal: ProposedChange) -> bool:
    """Say whether the proposal was rejected, or decided to be flavour text."""
    if proposal.status is ProposalStatus.REJECTED:
        return True
    verdict = proposal.decision.verdict if proposal.decision else None
    return verdict in (Verdict.REJECT, Verdict.FLAVOUR)


def fact_from_proposal(
    proposal: ProposedChange, entities: Mapping[Id, Entity], catalogue: Catalogue
) -> Fact | None:
    """Return the fact that a proposal would become; None for one that adds to a number, whose sum is not known."""
    change = proposal.change
    if isinstance(change, AssertFact):
        return fact_from_assertion(proposal, change)
    if not isinstance(change, StateChange) or change.entity_id not in entities:
        return None
    name = entities[change.entity_id].name
    move = state_move_of(change, catalogue)
    if move.op is StateOp.ADD:
        return None
    return Fact(
        id=fact_id_of(proposal),
        universe_id=proposal.universe_id,
        kind=FactKind.STATE,
        predicate=move.predicate,
        statement=catalogue.phrase(move.predicate, name, value=move.value),
        involves=(Involvement(role="subject", entity_id=change.entity_id),),
        value=move.value,
        valid_from=proposal.tick,
        authority=proposal.authority,
        proposal_id=proposal.id,
        recorded_at=proposal.created_at,
    )


def is_senseless(value: object) -> bool:
    return isinstance(value, str) and value.casefold() in SENSELESS_TAGS


def fold_senselessness(
    proposal: ProposedChange,
    catalogue: Catalogue,
    intervals_by_entity: dict[Id, list[TickInterval]],
    deaths_by_entity: dict[Id, DeathRecord],
) -> None:
    """Fold one staged change into the record of who is dead or senseless."""
    change, tick = proposal.change, proposal.tick or 0
    if isinstance(change, StateChange):
        move, entity_id = state_move_of(change, catalogue), change.entity_id
        predicate, value, is_tagged = move.predicate, move.value, move.op is not StateOp.UNTAG
    elif (
        isinstance(change, AssertFact)
        and change.standing is Standing.TRUE
        and (subject := _find_subject_id(change))
    ):
        predicate, value, is_tagged, entity_id = change.predicate, change.value, True, subject
    else:
        return
    becomes_senseless = value is False if predicate == "alive" else is_senseless(value) and is_tagged
    regains_senses = value is True if predicate == "alive" else is_senseless(value) and not is_tagged
    if becomes_senseless:
        intervals_by_entity.setdefault(entity_id, []).append(TickInterval(tick))
        if predicate == "alive":
            deaths_by_entity[entity_id] = DeathRecord(tick, fact_id_of(proposal))
    elif regains_senses:
        intervals_by_entity[entity_id] = [
            s if s.until_tick is not None else TickInterval(s.since_tick, tick)
            for s in intervals_by_entity.get(entity_id, [])
        ]


def _find_subject_id(change: AssertFact) -> Id | None:
    return next((i.entity_id for i in change.involves if i.role == "subject"), None)
