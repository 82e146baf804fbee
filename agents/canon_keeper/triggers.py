"""Which staged proposals ask to be committed at once, and what has to go with them. Pure.

Source: design/loops.md, "Canonization triggers"; CONVERSATIONAL_LOOPS, "Mid-scene canonization".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agents.canon_keeper.claims import fact_id_of, move_of
from agents.canon_keeper.decisions import OPEN, ruling
from agents.canon_keeper.naming import causes, named_entities, named_facts
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.readings import IS, IS_NOT
from stores.records.canon import (
    AdvanceClock,
    AssertFact,
    Authority,
    CreateEntity,
    Standing,
    StateChange,
)
from stores.records.ids import Id
from stores.records.ledger import ProposedChange, Verdict
from stores.records.world import EntityKind


def critical(proposals: Iterable[ProposedChange], catalogue: Catalogue) -> list[ProposedChange]:
    """Return the open proposals that are critical: a death, a discovered place, or what is flagged so."""
    return [p for p in proposals if _is_waiting(p) and is_critical(p, catalogue)]


def is_critical(proposal: ProposedChange, catalogue: Catalogue) -> bool:
    change = proposal.change
    match change:
        case CreateEntity():
            return proposal.critical or (change.entity_kind is EntityKind.PLACE and not _thought_of(proposal))
        case StateChange():
            move = move_of(change, catalogue)
            return proposal.critical or catalogue.is_critical(move.predicate, move.value)
        case AssertFact():
            true = change.standing is Standing.TRUE
            return proposal.critical or (true and catalogue.is_critical(change.predicate, change.value))
        case _:
            return proposal.critical


def trigger_batch(
    proposals: Sequence[ProposedChange], critical: Iterable[ProposedChange], catalogue: Catalogue
) -> list[ProposedChange]:
    """Return `critical`, the open proposals of the same turns, and all that these depend on, in order.

    A proposal depends on those that create what it is about or make the fact that it ends, and a state
    change on the earlier changes of the same value.
    """
    waiting = [p for p in proposals if _is_waiting(p)]
    chosen = {p.id for p in critical}
    turns = {p.turn_id for p in waiting if p.id in chosen and p.turn_id is not None}
    chosen |= {p.id for p in waiting if p.turn_id in turns}
    # From the last to the first: what a proposal depends on was made before it.
    for place in range(len(waiting) - 1, -1, -1):
        if waiting[place].id in chosen:
            chosen |= _needed(waiting[place], waiting[:place], catalogue)
    return [p for p in waiting if p.id in chosen]


def _needed(proposal: ProposedChange, earlier: Iterable[ProposedChange], catalogue: Catalogue) -> set[Id]:
    change = proposal.change
    entities, facts = named_entities(change), {*named_facts(change), *causes(change)}
    value = _value(proposal, catalogue)
    return {
        p.id
        for p in earlier
        if (isinstance(p.change, CreateEntity) and p.change.entity_id in entities)
        or fact_id_of(p) in facts
        or (value is not None and _value(p, catalogue) == value)
    }


def _thought_of(proposal: ProposedChange) -> bool:
    """Say whether it comes of no turn and of nobody's word: a set-up's idea, which nobody discovered."""
    return proposal.turn_id is None and proposal.authority is Authority.SYSTEM


def _value(proposal: ProposedChange, catalogue: Catalogue) -> tuple[Id, str] | None:
    """Return which value of whom a state change moves, or which clock is moved."""
    change = proposal.change
    if isinstance(change, AdvanceClock):
        return change.predicate, ""
    if not isinstance(change, StateChange):
        return None
    move = move_of(change, catalogue)
    tag = f"tag {move.value}".casefold() if move.predicate in (IS, IS_NOT) else ""
    return change.entity_id, tag or move.predicate


def _is_waiting(proposal: ProposedChange) -> bool:
    decided = ruling(proposal)
    return proposal.status in OPEN and (decided is None or decided.verdict is Verdict.ACCEPT)
