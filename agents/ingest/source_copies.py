"""Says how identifiers of what documents propose are derived, so that a copy of a universe derives its own. Pure.

Else a document that is read on in a branch or a restored copy would propose again what it has proposed there already.
Each possible derivation is tried; one whose result is nowhere in the universe is ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from agents.canon_keeper.proposal_subjects import normalize_name
from agents.proposals.written_tables import TABLE_PREDICATE, read_written_table
from stores.backup.campaign_copy import IdDerivation
from stores.errors import InputError
from stores.records.base import Record
from stores.records.canon import (
    AssertFact,
    CreateEntity,
    MergeEntities,
    NoteAxiom,
    StateChange,
    UpdateEntity,
    normalize_statement,
)
from stores.records.ids import Id, derive_id
from stores.records.workflow import ProposedChange

ReadRecords = Callable[[str], Iterable[Record]]
"""Gives a campaign's records of a collection."""


def derive_source_ids(read_records: ReadRecords) -> Iterator[IdDerivation]:
    """Yield how the identifiers of what documents propose may be made."""
    for record in read_records("proposed_changes"):
        if isinstance(record, ProposedChange) and record.source_id is not None:
            yield from _derivations(record, record.source_id)


def _derivations(proposal: ProposedChange, source_id: Id) -> Iterator[IdDerivation]:
    match proposal.payload:
        case CreateEntity(entity_id=entity_id, name=name):
            yield IdDerivation(partial(_entity_id, normalize_name(name)), (source_id,))
            yield _proposal(source_id, "entity", entity_id)
        case UpdateEntity(entity_id=entity_id):
            yield _proposal(source_id, "aliases", entity_id)
        case MergeEntities(kept_id=kept_id, absorbed_id=absorbed_id):
            yield _proposal(source_id, "merge", kept_id, absorbed_id)
        case StateChange(entity_id=entity_id, key=key):
            yield _proposal(source_id, "number", entity_id, after=(key,))
        case NoteAxiom(statement=statement):
            yield _proposal(source_id, "rule", after=(normalize_statement(statement),))
        case AssertFact() as change:
            involved_ids = tuple(involvement.entity_id for involvement in change.involves)
            yield _proposal(source_id, "fact", after=(normalize_statement(change.statement),))
            if involved_ids:
                yield _proposal(source_id, "number", involved_ids[0], after=(change.predicate,))
            if len(involved_ids) == 2:
                yield _proposal(source_id, "relation", *involved_ids, before=(change.predicate,))
            if change.predicate == TABLE_PREDICATE and (name := _table_name(change.statement)):
                yield _proposal(source_id, "table", after=(name,))
        case _:
            return


def _proposal(
    source_id: Id, kind: str, *ids: Id, before: tuple[str, ...] = (), after: tuple[str, ...] = ()
) -> IdDerivation:
    """Return the derivation of a proposal known by `kind`, `before`, the identifiers and `after`."""
    return IdDerivation(partial(_proposal_id, kind, before, after), (source_id, *ids))


def _proposal_id(kind: str, before: tuple[str, ...], after: tuple[str, ...], source_id: Id, *ids: Id) -> Id:
    return derive_id("source proposal", source_id, kind, *before, *ids, *after)


def _entity_id(name: str, source_id: Id) -> Id:
    return derive_id("source entity", source_id, name)


def _table_name(text: str) -> str:
    try:
        return read_written_table(text).name
    except InputError:
        return ""
