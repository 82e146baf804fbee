"""Finds locked things that a proposal would alter; only the GM's own proposals may. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import assert_never

from agents.canon_keeper.canon_draft import CanonDraft
from agents.canon_keeper.fact_readings import SUBJECT
from stores.records.canon import (
    AdvanceClock,
    AssertFact,
    ChangeSecrecy,
    CreateEntity,
    EndFact,
    FactKind,
    Involvement,
    MergeEntities,
    NoteAxiom,
    RetconFact,
    StateChange,
    UpdateEntity,
)
from stores.records.ids import Id
from stores.records.workflow import ProposedChange

_ALTERING_KINDS = frozenset({FactKind.ATTRIBUTE, FactKind.STATE, FactKind.RELATION})


def find_locked_names(proposal: ProposedChange, draft: CanonDraft) -> tuple[str, ...]:
    """Return the names of the locked things that the change would alter."""
    universe = draft.canon.universe
    if universe is not None and universe.locked:
        return (universe.name,)
    altered_entities = (draft.entity(i) for i in _altered_ids(proposal, draft))
    return tuple(e.name for e in altered_entities if e is not None and e.locked)


def _altered_ids(proposal: ProposedChange, draft: CanonDraft) -> Iterator[Id]:
    """Yield the entities that the change would alter. To happen near something alters nothing."""
    change = proposal.change
    match change:
        case UpdateEntity() | StateChange():
            yield change.entity_id
        case MergeEntities():
            yield from (change.kept_id, change.absorbed_id)
        case EndFact() | RetconFact():
            fact = draft.facts.get(change.fact_id)
            yield from _subject_ids(fact.involves) if fact else (change.fact_id,)
        case AssertFact():
            if change.fact_kind in _ALTERING_KINDS:
                yield from _subject_ids(change.involves)
        case CreateEntity() | AdvanceClock() | NoteAxiom() | ChangeSecrecy():
            return
        case _:
            assert_never(change)


def _subject_ids(involves: Iterable[Involvement]) -> Iterator[Id]:
    return (i.entity_id for i in involves if i.role == SUBJECT)
