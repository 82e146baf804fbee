"""How the keys that rulings are found by are made of identifiers: so that a copy's court remembers too.

Only an agent can read what a statement says; a restore is given this by the program. Pure.
Source: `precedents.side_of`, stores/backup_copy.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from agents.canon_keeper.claims import move_of
from agents.canon_keeper.precedents import side_of
from agents.canon_keeper.predicates import Catalogue, extended
from agents.canon_keeper.readings import OBJECT, SUBJECT
from stores.backup_copy import Derivation
from stores.errors import InputError
from stores.records.base import Record
from stores.records.canon import AssertFact, Fact, FactKind, Involvement, NoteAxiom, Payload, StateChange
from stores.records.ids import Id
from stores.records.ledger import HousePolicy, ProposedChange

Read = Callable[[str], Iterable[Record]]
"""Gives a campaign's records of a collection."""


def sides(catalogue: Catalogue, read: Read) -> Iterator[Derivation]:
    """Return how the sides of rulings may be made: of every fact, and of what was only proposed.

    A number that a roll was to move is known once canon has it: the side of one that was turned down is
    not found, and its ruling is asked for again in the copy.
    """
    if not any(True for _ in read("rulings")):
        return
    for policy in read("policies"):
        if isinstance(policy, HousePolicy):
            catalogue = _with(catalogue, policy.predicates)
    for record in read("facts"):
        if isinstance(record, Fact):
            yield _side(record, catalogue)
    for record in read("proposed_changes"):
        if isinstance(record, ProposedChange):
            for change in (record.payload, record.change):
                if claim := _claim(record, change, catalogue):
                    yield _side(claim, catalogue)


def _side(fact: Fact, catalogue: Catalogue) -> Derivation:
    return Derivation(partial(_side_of, fact, catalogue), tuple(i.entity_id for i in fact.involves))


def _side_of(fact: Fact, catalogue: Catalogue, *who: Id) -> Id:
    """The side of the same statement about others."""
    pairs = zip(fact.involves, who, strict=True)
    involves = tuple(Involvement(role=i.role, entity_id=entity_id) for i, entity_id in pairs)
    return side_of(fact.model_copy(update={"involves": involves}), catalogue)


def _claim(proposal: ProposedChange, change: Payload, catalogue: Catalogue) -> Fact | None:
    """Return the statement that a proposal makes, as far as it can be read without canon."""
    said: dict[str, Any]
    match change:
        case AssertFact():
            said = change.model_dump(include={"predicate", "statement", "involves", "value"})
            said["kind"] = change.fact_kind
            said["valid_from"] = proposal.tick if change.valid_from is None else change.valid_from
        case NoteAxiom():
            said = change.model_dump(include={"predicate", "statement", "involves"})
            said["kind"] = FactKind.AXIOM
        case StateChange():
            move = move_of(change, catalogue)
            of_two = catalogue[move.predicate].about_two and isinstance(move.value, str)
            others = [Involvement(role=OBJECT, entity_id=str(move.value))] if of_two else []
            said = {
                "kind": FactKind.STATE,
                "predicate": move.predicate,
                "statement": "",
                "involves": (Involvement(role=SUBJECT, entity_id=change.entity_id), *others),
                "value": None if of_two else move.value,
            }
        case _:
            return None
    known = {"id": "", "universe_id": proposal.universe_id, "recorded_at": proposal.created_at}
    return Fact.model_validate(known | said)


def _with(catalogue: Catalogue, text: str) -> Catalogue:
    try:
        return extended(catalogue, text)
    except InputError:
        return catalogue  # as the gate does with what it no longer understands
