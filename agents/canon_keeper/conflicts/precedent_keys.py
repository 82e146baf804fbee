"""Builds the keys that rulings are looked up by, and maps their ids so that a copy keeps its rulings.

Only an agent can read what a statement says; a restore is given this by the program. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, assert_never

from agents.canon_keeper.conflicts.precedents import statement_key
from agents.canon_keeper.fact_claims import state_move_of
from agents.canon_keeper.fact_readings import OBJECT, SUBJECT
from agents.canon_keeper.predicates import Catalogue, extend_catalogue
from stores.backup.campaign_copy import IdDerivation
from stores.errors import InputError
from stores.records.base import Record
from stores.records.canon import (
    AdvanceClock,
    AssertFact,
    ChangeSecrecy,
    CreateEntity,
    EndFact,
    Fact,
    FactKind,
    Involvement,
    MergeEntities,
    NoteAxiom,
    Payload,
    RetconFact,
    StateChange,
    UpdateEntity,
)
from stores.records.ids import Id
from stores.records.workflow import GatePolicy, ProposedChange

ReadRecords = Callable[[str], Iterable[Record]]
"""Gives a campaign's records of a collection."""


def derive_statement_keys(catalogue: Catalogue, read_records: ReadRecords) -> Iterator[IdDerivation]:
    """Return how the sides of rulings may be made: of every fact, and of what was only proposed.

    A number that a roll was to move is known once canon has it: the side of one that was turned down is
    not found, and its ruling is asked for again in the copy.
    """
    if not any(True for _ in read_records("rulings")):
        return
    for policy in read_records("policies"):
        if isinstance(policy, GatePolicy):
            catalogue = _extend_or_keep(catalogue, policy.predicates)
    for record in read_records("facts"):
        if isinstance(record, Fact):
            yield _key_derivation(record, catalogue)
    for record in read_records("proposed_changes"):
        if isinstance(record, ProposedChange):
            for change in (record.payload, record.change):
                if proposed_fact := _proposed_fact(record, change, catalogue):
                    yield _key_derivation(proposed_fact, catalogue)


def _key_derivation(fact: Fact, catalogue: Catalogue) -> IdDerivation:
    return IdDerivation(
        partial(_statement_key_about, fact, catalogue), tuple(i.entity_id for i in fact.involves)
    )


def _statement_key_about(fact: Fact, catalogue: Catalogue, *who: Id) -> Id:
    """The side of the same statement about others."""
    pairs = zip(fact.involves, who, strict=True)
    involves = tuple(Involvement(role=i.role, entity_id=entity_id) for i, entity_id in pairs)
    return statement_key(fact.model_copy(update={"involves": involves}), catalogue)


def _proposed_fact(proposal: ProposedChange, change: Payload, catalogue: Catalogue) -> Fact | None:
    """Return the statement that a proposal makes, as far as it can be read without canon."""
    statement_fields: dict[str, Any]
    match change:
        case AssertFact():
            statement_fields = change.model_dump(include={"predicate", "statement", "involves", "value"})
            statement_fields["kind"] = change.fact_kind
            statement_fields["valid_from"] = proposal.tick if change.valid_from is None else change.valid_from
        case NoteAxiom():
            statement_fields = change.model_dump(include={"predicate", "statement", "involves"})
            statement_fields["kind"] = FactKind.AXIOM
        case StateChange():
            move = state_move_of(change, catalogue)
            is_of_two = catalogue[move.predicate].about_two and isinstance(move.value, str)
            others = [Involvement(role=OBJECT, entity_id=str(move.value))] if is_of_two else []
            statement_fields = {
                "kind": FactKind.STATE,
                "predicate": move.predicate,
                "statement": "",
                "involves": (Involvement(role=SUBJECT, entity_id=change.entity_id), *others),
                "value": None if is_of_two else move.value,
            }
        case (
            CreateEntity()
            | UpdateEntity()
            | MergeEntities()
            | EndFact()
            | RetconFact()
            | ChangeSecrecy()
            | AdvanceClock()
        ):
            return None
        case _:
            assert_never(change)
    record_fields = {"id": "", "universe_id": proposal.universe_id, "recorded_at": proposal.created_at}
    return Fact.model_validate(record_fields | statement_fields)


def _extend_or_keep(catalogue: Catalogue, text: str) -> Catalogue:
    try:
        return extend_catalogue(catalogue, text)
    except InputError:
        return catalogue  # as the gate does with what it no longer understands
